//===- GraphBorders.cpp - One scale for tensors that calls join -----------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#include "quantizer/rules/GraphBorders.h"

#include "dialects/compass/Compass.h"
#include "dialects/compass/MlirDiagnostics.h"
#include "dialects/compass/Tensors.h"
#include "dialects/compass/control/GraphCalls.h"
#include "dialects/compass/graph/Graphs.h"
#include "quantizer/rules/TensorParams.h"
#include "quantizer/rules/UnknownRanges.h"
#include "support/Format.h"
#include "support/diagnostics/Quantizer.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/IntEqClasses.h"
#include "llvm/ADT/MapVector.h"

#include <algorithm>

using namespace yarrow::compass;

namespace yarrow {

namespace {

/// Sets of values that calls join, directly or by way of others.
class JoinedValues {
public:
  explicit JoinedValues(mlir::ModuleOp module) {
    module.walk([&](mlir::Operation *op) {
      for (llvm::ArrayRef<mlir::Value> same : joinedTensors(op))
        for (mlir::Value value : same)
          sets.join(numberOf(same.front(), op), numberOf(value, op));
    });
    sets.compress();
  }

  struct Set {
    mlir::Operation *call = nullptr; ///< The first one, whose options count.
    llvm::SmallVector<mlir::Value> values;
  };
  /// In the order of the file.
  llvm::SmallVector<Set> all() const {
    llvm::SmallVector<Set> all(sets.getNumClasses());
    for (const auto &[value, number] : numbers) {
      Set &set = all[sets[number.first]];
      if (!set.call)
        set.call = number.second;
      set.values.push_back(value);
    }
    return all;
  }

private:
  unsigned numberOf(mlir::Value value, mlir::Operation *call) {
    auto [it, isNew] =
        numbers.try_emplace(value, std::pair(unsigned(numbers.size()), call));
    sets.grow(unsigned(numbers.size()));
    return it->second.first;
  }

  llvm::MapVector<mlir::Value, std::pair<unsigned, mlir::Operation *>> numbers;
  llvm::IntEqClasses sets;
};

} // namespace

static LinearParams paramsFor(llvm::ArrayRef<mlir::Value> values,
                              const Calibration &calibration,
                              const LayerOptions &options) {
  bool isSymmetric = options.activationMethod.mode != RangeMode::Asymmetric;
  FloatRange all;
  for (mlir::Value value : values)
    if (auto given = givenParams(calibration, value, options,
                                 /*prefersSigned=*/false))
      return *given;
  for (mlir::Value value : values) {
    FloatRange one =
        calibration.range(value, options.activationBits, isSymmetric);
    all = {std::min(all.min, one.min), std::max(all.max, one.max)};
  }
  return activationParams(all, options);
}

GraphBorders::GraphBorders(mlir::ModuleOp module,
                           const Calibration &calibration,
                           const QuantizerOptions &options,
                           DiagnosticEngine &diags) {
  std::vector<std::string> unknown;
  for (const JoinedValues::Set &set : JoinedValues(module).all()) {
    TensorInfo info = describe(set.values.front());
    GraphBorder border;
    border.isInvariant = info.isInteger();
    border.params =
        border.isInvariant
            ? invariantParams(info.dtype)
            : paramsFor(set.values, calibration, optionsOf(set.call, options));
    for (mlir::Value value : set.values)
      borders.try_emplace(value, border);
    if (!border.isInvariant && calibration.sampleCount() == 0 &&
        llvm::none_of(set.values,
                      [&](mlir::Value v) { return calibration.hasRange(v); }))
      unknown.push_back(tensorNameOf(set.values.front()));
  }
  if (calibration.sampleCount() == 0) {
    complete = reportUnknownRanges(unknown, diags);
    return;
  }
  llvm::DenseSet<mlir::Operation *> reported;
  module.walk([&](mlir::Operation *op) {
    for (mlir::func::FuncOp graph : calledGraphs(op)) {
      if (calibration.hasSeen(graphOutputs(graph).front()) ||
          !reported.insert(graph).second)
        continue;
      complete = false;
      diags
          .report(diag::QuantRange, placeOf(op->getLoc()),
                  "no sample takes the sub-graph " + graph.getName().str() +
                      ": its tensors have no ranges")
          .found("none of " + formatCount(calibration.sampleCount()) +
                 " samples takes it")
          .expected("samples that lead to every branch");
    }
  });
}

} // namespace yarrow
