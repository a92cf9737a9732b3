//===- StoredTensor.h - How a quantized model stores a tensor ---*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// The conventions of the formats that quantized models come in: real = step *
// (q - zero). (TensorInfo has Compass's: real = (q + zp) / scale.)
//
//   if (auto x = storedTensorOf(op->getOperand(0)))
//     double real = x->step * double(q - x->zero);
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_QUANTIZER_PREQUANTIZED_STOREDTENSOR_H
#define YARROW_QUANTIZER_PREQUANTIZED_STOREDTENSOR_H

#include "dialects/compass/Tensors.h"
#include <optional>

namespace yarrow {

struct StoredTensor {
  compass::StoredType type;
  double step = 1; ///< A float32 of the model.
  int64_t zero = 0;
  int64_t lo = 0, hi = 0; ///< Of the stored integers.

  /// The stored integer nearest to \p real, ties to even, within lo and hi.
  int64_t nearest(double real) const;
  double realOf(int64_t q) const { return step * double(q - zero); }
  /// The same integers mean the same numbers.
  bool means(const StoredTensor &other) const {
    return type == other.type && step == other.step && zero == other.zero;
  }
};

/// nullopt of real numbers and of plain integers.
std::optional<StoredTensor> storedTensorOf(mlir::Value value);
bool isStored(mlir::Value value);

/// A tensor of that element; \p lo and \p hi narrow the type's range.
mlir::RankedTensorType storedTensorType(mlir::MLIRContext *context,
                                        llvm::ArrayRef<int64_t> shape,
                                        const StoredTensor &stored);

} // namespace yarrow

#endif // YARROW_QUANTIZER_PREQUANTIZED_STOREDTENSOR_H
