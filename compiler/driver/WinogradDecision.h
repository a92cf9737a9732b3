//===- WinogradDecision.h - Winograd or not, layer by layer, and why ------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// Winograd's algorithm is used where, and only where, it is measured to be
// faster on the target and harmless to the result. Both are measured: cycles by
// compiling and simulating whole networks (WinogradSearch.h), harm as the
// signal-to-noise ratio of a layer's result in both forms, against float, on
// calibration data (quantizer/WinogradLoss.h).
//
//   WinogradDecision decision = ...;
//   driver.say(decision.table());
//   report["winograd"] = decision.json();
//
// Two forms: with requantized weights, made from float weights by the
// quantizer; and the exact one, which gives the bytes of the direct layer and
// needs multipliers of 12 bits.
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_COMPILER_DRIVER_WINOGRADDECISION_H
#define YARROW_COMPILER_DRIVER_WINOGRADDECISION_H

#include "compiler/config/BuildConfig.h"
#include "compiler/driver/Driver.h"
#include "compiler/driver/WinogradSearch.h"
#include "quantizer/Quantizer.h"
#include "quantizer/Similarity.h"
#include "support/Npy.h"

#include <nlohmann/json.hpp>

namespace yarrow {

/// --winograd: off, auto or all.
enum class WinogradUse { Off, Auto, All };

struct WinogradSettings {
  WinogradUse use = WinogradUse::Off;
  /// Decibels of SQNR that Winograd may cost a layer's result, and the
  /// network's outputs.
  double maxLossDb = 0, maxOutputLossDb = 0;
};

/// A convolution of the network.
struct WinogradRow {
  std::string layer;
  /// Attributed by the report of a run (runtime/Report.h); the second in the
  /// network that was chosen, or in that with every candidate.
  std::optional<uint64_t> directCycles, winogradCycles;
  /// Of the layer's result to float, its input given; none for the exact form.
  std::optional<double> directSqnrDb, winogradSqnrDb;
  uint64_t directWeightBytes = 0, winogradWeightBytes = 0;
  /// Has it a window that the algorithm is for?
  bool isSuitable = false;
  bool isChosen = false;
  std::string reason;
};

/// A result of the network against float, on the same samples.
struct WinogradOutput {
  std::string tensor;
  Similarity direct, chosen;
};

struct WinogradDecision {
  std::string target;
  bool isExact = false;
  WinogradSettings settings;
  std::vector<WinogradRow> rows;         ///< Every convolution, in order.
  std::vector<WinogradOutput> outputs;   ///< Empty for the exact form.
  uint64_t directCycles = 0, cycles = 0; ///< Of the network; 0 if not counted.

  std::string table() const;
  nlohmann::json json() const;
};

/// A float network on its way to integers.
struct WinogradTask {
  mlir::ModuleOp floatModule; ///< Cleaned, with layer ids.
  const Calibration &calibration;
  const QuantizerOptions &options;
  const std::vector<NpyView> &samples;
  /// Which layers may be changed at all: with_winograd.
  std::function<bool(mlir::Operation *)> isWanted;
};

/// Chooses and quantizes; \p decision tells what and why. Null after errors.
mlir::OwningOpRef<mlir::ModuleOp>
quantizeWithWinograd(const WinogradTask &task, const WinogradSettings &settings,
                     const isa::Machine &machine, const CompileOptions &options,
                     Driver &driver, WinogradDecision &decision);

/// Gives layers of an integer network the exact form, where the target has the
/// multipliers for it. False after errors.
bool applyExactWinograd(mlir::OwningOpRef<mlir::ModuleOp> &network,
                        const WinogradSettings &settings,
                        const isa::Machine &machine,
                        const CompileOptions &options, Driver &driver,
                        WinogradDecision &decision);

} // namespace yarrow

#endif // YARROW_COMPILER_DRIVER_WINOGRADDECISION_H
