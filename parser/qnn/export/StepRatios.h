//===- StepRatios.h - Ratios of steps that layers give ----------*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// The multipliers of a layer of integer IR as ratios of the steps of its
// tensors, real = (q + zp) * step.
//
//   std::vector<StepRatio> ratios;
//   if (statementOf(op, ratios) == Says::Ratios)
//     for (const StepRatio &ratio : ratios) ...
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_PARSER_QNN_EXPORT_STEPRATIOS_H
#define YARROW_PARSER_QNN_EXPORT_STEPRATIOS_H

#include "mlir/IR/Operation.h"
#include <vector>

namespace yarrow::qnn {

/// step of `value` = factor * step of `result`.
struct StepRatio {
  mlir::Value value, result;
  double factor;
};

/// How the keys of a layer speak of the steps of its tensors.
enum class Statement {
  Ratios,   ///< Of operands to results.
  Products, ///< Of two operands to the result.
  Weights,  ///< The weights have what is left.
  Nothing,  ///< Inputs and constants.
  Function, ///< The layer computes with the IR's own scales.
};

/// Appends the ratios that \p op says.
Statement statementOf(mlir::Operation *op, std::vector<StepRatio> &ratios);

/// The step that the IR says.
double nominalStep(mlir::Value value);

/// Whether the layer is a mean over whole images that rounds as a ReduceMean
/// does, half to even.
bool isWholeMean(mlir::Operation *op);

} // namespace yarrow::qnn

#endif // YARROW_PARSER_QNN_EXPORT_STEPRATIOS_H
