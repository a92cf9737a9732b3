//===- GraphBorders.h - One scale for tensors that calls join ---*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// An If gives what one of two sub-graphs gives, a Loop hands values round: such
// tensors are one tensor with several names, and need one scale. It is made of
// the ranges of all of them.
//
//   GraphBorders borders(module, calibration, options, diags);
//   if (const GraphBorder *border = borders.of(value))
//     layer.setOutput(0, border->params, border->isInvariant);
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_QUANTIZER_RULES_GRAPHBORDERS_H
#define YARROW_QUANTIZER_RULES_GRAPHBORDERS_H

#include "mlir/IR/BuiltinOps.h"
#include "quantizer/calibrate/Calibrate.h"
#include "quantizer/math/QuantParams.h"
#include "quantizer/options/QuantizerOptions.h"
#include "support/Diagnostics.h"
#include "llvm/ADT/DenseMap.h"

namespace yarrow {

struct GraphBorder {
  LinearParams params;
  bool isInvariant = false; ///< Plain integers.
};

class GraphBorders {
public:
  /// Of a float network. Reports sub-graphs that no sample takes: they have no
  /// ranges.
  GraphBorders(mlir::ModuleOp module, const Calibration &calibration,
               const QuantizerOptions &options, DiagnosticEngine &diags);

  bool isComplete() const { return complete; }
  /// How \p value is quantized; null if it is not at a border.
  const GraphBorder *of(mlir::Value value) const {
    auto it = borders.find(value);
    return it == borders.end() ? nullptr : &it->second;
  }
  /// Of an input of a sub-graph: as its only caller passes it.
  void set(mlir::Value input, const GraphBorder &border) {
    borders.try_emplace(input, border);
  }

private:
  llvm::DenseMap<mlir::Value, GraphBorder> borders;
  bool complete = true;
};

} // namespace yarrow

#endif // YARROW_QUANTIZER_RULES_GRAPHBORDERS_H
