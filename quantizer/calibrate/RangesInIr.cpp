//===- RangesInIr.cpp - Calibration by the ranges of an IR ----------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "dialects/compass/Compass.h"
#include "dialects/compass/Layers.h"
#include "dialects/compass/Records.h"
#include "quantizer/calibrate/Calibrate.h"
#include "support/diagnostics/Settings.h"

using namespace yarrow::compass;

namespace yarrow {

namespace {
/// Names of what the IR gives no range for.
struct Missing {
  std::string first;
  std::size_t count = 0, total = 0;

  void add(bool isThere, llvm::StringRef name) {
    ++total;
    if (isThere || count++)
      return;
    first = name.str();
  }
  void report(const char *key, const char *irKey,
              DiagnosticEngine &diags) const {
    if (!count)
      return;
    diags
        .report(diag::ConfigNotApplied, {},
                std::string(key) + " = in_ir is not applied to " +
                    std::to_string(count) + " of " + std::to_string(total) +
                    (total == 1 ? " tensor" : " tensors") + ": the IR has no " +
                    irKey + " for them")
        .found("the first one is " + first)
        .hint("their extrema are used, as in the Compass Optimizer");
  }
};
} // namespace

void Calibration::takeRangesInIr(mlir::ModuleOp module,
                                 const QuantizerOptions &options,
                                 DiagnosticEngine &diags) {
  using Kind = CalibrationStrategy::Kind;
  rangesInIr = options.rangesInIr;
  if (!rangesInIr)
    rangesInIr = std::make_shared<const IrRanges>(IrRanges::of(module));
  Missing tensors, weights;
  module.walk([&](mlir::Operation *op) {
    if (!recordOf(op))
      return;
    for (mlir::Value value : op->getResults()) {
      auto it = observers.find(value);
      if (it == observers.end() || it->second.strategyKind() != Kind::InIr)
        continue;
      std::string name = tensorNameOf(value);
      auto range = rangesInIr->ofTensor(name);
      if (range)
        it->second.setRangeInIr(*range);
      tensors.add(range.has_value(), name);
    }
    if (tensorKey(op, keys::weights) &&
        optionsOf(op, options).weightStrategy.kind == Kind::InIr)
      weights.add(weightRangeInIr(op).has_value(), layerNameOf(op));
  });
  tensors.report("calibration_strategy_for_activation", "layer_top_range",
                 diags);
  weights.report("calibration_strategy_for_weight",
                 "weights_range (or weights that it would fit)", diags);
}

} // namespace yarrow
