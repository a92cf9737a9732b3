//===- StoredTensor.cpp - How a quantized model stores a tensor -----------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "quantizer/prequantized/StoredTensor.h"
#include "dialects/compass/Compat.h"
#include <algorithm>
#include <cmath>

using namespace yarrow;
using namespace yarrow::compass;

int64_t StoredTensor::nearest(double real) const {
  double steps = std::nearbyint(real / step) + double(zero);
  if (std::isnan(steps))
    return std::clamp<int64_t>(zero, lo, hi);
  return int64_t(std::clamp(steps, double(lo), double(hi)));
}

bool yarrow::isStored(mlir::Value value) {
  return mlir::isa<mlir::RankedTensorType>(value.getType()) &&
         describe(value).isQuantized();
}

std::optional<StoredTensor> yarrow::storedTensorOf(mlir::Value value) {
  if (!isStored(value))
    return std::nullopt;
  TensorInfo info = describe(value);
  return StoredTensor{info.storedType(), stepOf(value), zeroPointOf(value),
                      info.lo, info.hi};
}

mlir::RankedTensorType yarrow::storedTensorType(mlir::MLIRContext *context,
                                                llvm::ArrayRef<int64_t> shape,
                                                const StoredTensor &stored) {
  return steppedType(context, shape, stored.type, stored.step, stored.zero,
                     std::pair(stored.lo, stored.hi));
}
