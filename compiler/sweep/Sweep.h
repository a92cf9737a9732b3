//===- Sweep.h - A network on many machines ---------------------*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// Compiles an integer network for every combination of some numbers of a
// machine and counts the cycles of each: how much SRAM pays, when a wider bus
// no longer helps.
//
//   auto result = sweep(*network, base, axes, {}, driver.call());
//   driver.printLine(result->table(width));
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_COMPILER_SWEEP_SWEEP_H
#define YARROW_COMPILER_SWEEP_SWEEP_H

#include "compiler/session/Compile.h"
#include "compiler/sweep/MachineAxis.h"

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

namespace yarrow {

struct SweepPoint {
  std::vector<uint64_t> values; ///< By axis.
  /// Why the network does not compile for this machine; then there are no
  /// figures.
  std::string problem;
  uint64_t cycles = 0, ddrBytes = 0;
  double milliseconds = 0, utilization = 0; ///< Of the array, 0 to 1.
  /// Axes of which a larger number, all others the same, saves fewer than
  /// kKneeShare of the cycles, and no smaller one does as well.
  std::vector<bool> isKnee;
};

struct SweepResult {
  std::string model, base;
  std::vector<MachineAxis> axes;
  std::vector<SweepPoint> points; ///< In the order of machinesOf().

  std::string table(std::size_t width) const;
  nlohmann::ordered_json json() const;
  /// A page with a plot of cycles and one of DDR traffic: along the first axis,
  /// a line for each combination of the others.
  std::string html() const;
};

/// What a larger machine must save to be worth it.
constexpr double kKneeShare = 0.05;

/// Nullopt after errors of the machines. The step "sweep" tells how many of
/// them are done. The result does not depend on the number of threads.
std::optional<SweepResult> sweep(const session::Network &network,
                                 const isa::Machine &base,
                                 std::vector<MachineAxis> axes,
                                 const session::CompileSettings &settings,
                                 const session::Call &call);

/// Fills SweepPoint::isKnee of all points.
void findKnees(SweepResult &result);

} // namespace yarrow

#endif // YARROW_COMPILER_SWEEP_SWEEP_H
