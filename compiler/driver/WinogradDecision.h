//===- WinogradDecision.h - Winograd or not, layer by layer, and why ------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// Winograd's algorithm is used where, and only where, it is measured to be
// faster on the target and harmless to the result. Both are measured: cycles by
// compiling and simulating whole networks (WinogradSearch.h), harm as the
// signal-to-noise ratio of a layer's result in every form, against float, on
// calibration data (quantizer/WinogradLoss.h), and of the network's outputs.
//
//   WinogradDecision decision;
//   auto network = quantizeWithWinograd(task, settings, machine, {}, driver,
//                                       decision);
//   driver.say(decision.table(driver.tableWidth()));
//
// Forms with requantized weights are made from float weights by the quantizer;
// the exact one gives the bytes of the direct layer, but needs multipliers of
// 12 bits.
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_COMPILER_DRIVER_WINOGRADDECISION_H
#define YARROW_COMPILER_DRIVER_WINOGRADDECISION_H

#include "compiler/driver/Driver.h"
#include "compiler/pipeline/Compile.h"
#include "quantizer/Quantizer.h"
#include "quantizer/Similarity.h"
#include "support/Npy.h"

#include <optional>
#include <string>
#include <vector>

namespace yarrow {

enum class WinogradUse { Off, Auto, All };
/// The words of --winograd, in the order of WinogradUse.
inline constexpr const char *kWinogradUses[] = {"off", "auto", "all"};
/// \p word is one of them (asserted).
WinogradUse winogradUseOf(std::string_view word);

struct WinogradSettings {
  WinogradUse use = WinogradUse::Off;
  /// Decibels of SQNR that Winograd may cost a layer's result, and the
  /// network's outputs.
  double maxLossDb = 0, maxOutputLossDb = 0;
};

/// A layer in one form. What was not measured is not there.
struct WinogradFigures {
  /// Attributed by the report of a run (runtime/Report.h): of the network that
  /// was chosen, or of that with this form wherever it can be.
  std::optional<uint64_t> cycles;
  /// Of the layer's result to float, its input given.
  std::optional<double> sqnrDb;
  uint64_t weightBytes = 0;
};

/// A convolution of the network.
struct WinogradRow {
  std::string layer;
  /// Has it a window that the algorithm is for?
  bool isSuitable = false;
  /// Is it in one of Winograd's forms already?
  bool isGiven = false;
  std::vector<WinogradFigures> forms; ///< As WinogradDecision::forms.
  unsigned chosen = 0;
  std::string reason;
};

/// A result of the network against float, on the same samples.
struct WinogradOutput {
  std::string tensor;
  Similarity direct, chosen;
};

struct WinogradDecision {
  std::string target;
  WinogradSettings settings;
  std::vector<std::string> forms;           ///< Names; the first is "direct".
  std::vector<WinogradRow> rows = {};       ///< Every convolution, in order.
  std::vector<WinogradOutput> outputs = {}; ///< Empty if they cannot change.
  uint64_t directCycles = 0, cycles = 0; ///< Of the network; 0 if not counted.

  /// No wider than \p width.
  std::string table(std::size_t width) const;
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
