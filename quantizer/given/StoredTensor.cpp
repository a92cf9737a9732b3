//===- StoredTensor.cpp - How a quantized model stores a tensor -----------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "quantizer/given/StoredTensor.h"
#include "mlir/Dialect/Quant/IR/QuantTypes.h"
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

static mlir::quant::UniformQuantizedType elementOf(mlir::Value value) {
  auto tensor = mlir::dyn_cast<mlir::RankedTensorType>(value.getType());
  return tensor ? mlir::dyn_cast<mlir::quant::UniformQuantizedType>(
                      tensor.getElementType())
                : mlir::quant::UniformQuantizedType();
}

bool yarrow::isStored(mlir::Value value) { return bool(elementOf(value)); }

std::optional<StoredTensor> yarrow::storedTensorOf(mlir::Value value) {
  auto element = elementOf(value);
  if (!element)
    return std::nullopt;
  return StoredTensor{describe(value).storedType(), element.getScale(),
                      element.getZeroPoint(), element.getStorageTypeMin(),
                      element.getStorageTypeMax()};
}

mlir::RankedTensorType yarrow::storedTensorType(mlir::MLIRContext *context,
                                                llvm::ArrayRef<int64_t> shape,
                                                const StoredTensor &stored) {
  namespace quant = mlir::quant;
  auto element = quant::UniformQuantizedType::get(
      dtypeIsSigned(stored.type.dtype) ? quant::QuantizationFlags::Signed : 0u,
      mlir::IntegerType::get(context, stored.type.bits()),
      mlir::Float32Type::get(context), stored.step, stored.zero, stored.lo,
      stored.hi);
  return mlir::RankedTensorType::get(shape, element);
}
