//===- Compat.h - Models that other tools have quantized --------*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// A module whose header says compat_quantized_model=true holds a model as its
// own tools have quantized it (TFLite, QDQ, and what the Compass Parser writes
// of them). Its layers compute real numbers and have no multipliers; its
// tensors are stored as integers, real = step * (stored - zero point), which is
// MLIR's own convention. (The text of ordinary integer IR, and TensorInfo, have
// real = (stored + zp) / scale.) quantizer/prequantized turns such a module
// into integer IR.
//
//   if (isCompat(module))
//     double real = stepOf(x) * double(stored - zeroPointOf(x));
//
// Integers of a constant X also mean real numbers, by X_scale and X_zp: one
// number, or one for each output channel.
//
//   if (auto meaning = meaningOf(op, "weights"))
//     double real = meaning->stepAt(channel) *
//                   double(q - meaning->zeroPointAt(channel));
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_DIALECTS_COMPASS_COMPAT_H
#define YARROW_DIALECTS_COMPASS_COMPAT_H

#include "dialects/compass/Tensors.h"
#include "mlir/IR/BuiltinOps.h"

namespace yarrow::compass {

/// Whether the header of \p module says compat_quantized_model=true.
bool isCompat(mlir::ModuleOp module);
/// Lets the header say whether it is, and its precision with it.
void setCompat(mlir::ModuleOp module, bool compat);
/// Whether the header says that results are those of exact arithmetic, rounded
/// once, half to even (compat_rounding=EXACT), as ONNX has it; other models
/// round as TFLite does.
bool roundsExactly(mlir::ModuleOp module);
void setRoundsExactly(mlir::ModuleOp module);
/// Forgets what only float IR says in the headers of the module and its graphs:
/// in integer IR the types say it.
void dropFloatHeaders(mlir::ModuleOp module);
/// Whether \p op is part of such a module.
bool isInCompat(mlir::Operation *op);

/// Whether any tensor of \p op is quantized.
bool hasQuantizedTensor(mlir::Operation *op);
/// Whether \p op computes real numbers of which integers are stored: a layer of
/// such a module with a quantized tensor. Layers of plain integers (indices,
/// shapes) are integer layers there as anywhere.
bool computesStoredReals(mlir::Operation *op);

/// Step and zero point of a quantized tensor; 1 and 0 of others. The step is a
/// float32 of the model, exactly.
double stepOf(mlir::Value value);
int64_t zeroPointOf(mlir::Value value);

/// A tensor of such a module; \p range of the stored integers defaults to that
/// of \p t. Null if the step is not positive and finite, or \p t has no
/// quantized form or not the zero point.
mlir::RankedTensorType
steppedType(mlir::MLIRContext *context, llvm::ArrayRef<int64_t> shape,
            StoredType t, double step, int64_t zeroPoint,
            std::optional<std::pair<int64_t, int64_t>> range = std::nullopt);

/// What the integers of a constant mean.
struct ConstantMeaning {
  /// One, or one for each output channel: float32 of the model, exactly.
  llvm::SmallVector<double> steps;
  /// None (all are 0), one, or one for each output channel.
  llvm::SmallVector<int64_t> zeroPoints;

  double stepAt(size_t channel) const {
    return steps[steps.size() == 1 ? 0 : channel];
  }
  int64_t zeroPointAt(size_t channel) const {
    return zeroPoints.empty()
               ? 0
               : zeroPoints[zeroPoints.size() == 1 ? 0 : channel];
  }
};
/// By the numbers X_scale and X_zp beside the constant X (\p name): "weights",
/// "biases", "negative_slope"; "quantize" has those of Quantize and DeQuantize
/// whose tensor of integers is not quantized. nullopt without X_scale. Biases
/// without it have the steps of the product, step of the input times step of
/// the weights, and no zero point.
std::optional<ConstantMeaning> meaningOf(mlir::Operation *op,
                                         llvm::StringRef name);

} // namespace yarrow::compass

#endif // YARROW_DIALECTS_COMPASS_COMPAT_H
