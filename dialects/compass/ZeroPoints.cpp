//===- ZeroPoints.cpp - The zero point of weights -------------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "dialects/compass/ZeroPoints.h"
#include "dialects/compass/ExtraKeys.h"
#include "dialects/compass/LayerError.h"
#include "dialects/compass/Layers.h"
#include "dialects/compass/WeightsOnly.h"
#include "support/diagnostics/Operators.h"
#include "llvm/Support/MathExtras.h"

using namespace yarrow;
using namespace yarrow::compass;
using namespace mlir;

SmallVector<int64_t> compass::weightZeroPoints(Operation *op) {
  SmallVector<int64_t> values;
  // "0.0" too: the reader has seen that it is whole.
  for (double value : extraNumbers(op, "weights_zp"))
    values.push_back(int64_t(value));
  return values;
}

bool compass::hasWeightZeroPoint(Operation *op) {
  return llvm::any_of(weightZeroPoints(op),
                      [](int64_t value) { return value != 0; });
}

/// Weights as int8 if they all fit, else as int16.
static BufferBinding narrowConstant(ArrayRef<int64_t> shape,
                                    const std::vector<int16_t> &values) {
  bool isNarrow =
      llvm::all_of(values, [](int16_t v) { return llvm::isInt<8>(v); });
  std::vector<char> bytes(values.size() * (isNarrow ? 1 : 2));
  if (isNarrow)
    llvm::copy(values, bytes.begin());
  else
    std::memcpy(bytes.data(), values.data(), bytes.size());
  return constant(shape, isNarrow ? DType::I8 : DType::I16, std::move(bytes));
}

FailureOr<BufferBinding>
compass::weightConstants(Operation *op, StringRef key,
                         ArrayRef<int64_t> zeroPoints) {
  BufferBinding stored = constant(tensorKey(op, keys::weights));
  const ConstantView &view = stored.view;
  bool isKernelType = view.dtype == DType::I8 || view.dtype == DType::I16;
  bool isPlain =
      llvm::all_of(zeroPoints, [](int64_t value) { return value == 0; });
  if (dtypeIsFloat(view.dtype) || (isKernelType && isPlain) ||
      view.numElements() == 0)
    return stored;
  int64_t rows = view.shape[0], rowLength = view.numElements() / rows;
  if (zeroPoints.size() > 1 && int64_t(zeroPoints.size()) != rows)
    return layerError(op, diag::OpIntegerParameters, key,
                      "the key " + key + " has a wrong number of values")
        .found(Twine(zeroPoints.size()))
        .expected("1 or " + Twine(rows) + ", one for each filter");
  std::vector<int16_t> values;
  for (int64_t i = 0, e = view.numElements(); i < e; ++i) {
    int64_t value = view.intAt(i);
    if (!zeroPoints.empty())
      value += zeroPoints[zeroPoints.size() == 1 ? 0 : i / rowLength];
    if (!llvm::isInt<16>(value))
      return layerError(op, diag::OpUnsupported, key,
                        "weights that need more than 16 bits together with "
                        "their zero point cannot be executed")
          .found(Twine(value))
          .expected("-32768 to 32767");
    values.push_back(int16_t(value));
  }
  return narrowConstant(view.shape, values);
}

FailureOr<BufferBinding> compass::weightConstants(Operation *op) {
  if (hasWeightsOnly(op))
    return dequantizedWeights(op);
  return weightConstants(op, "weights_zp", weightZeroPoints(op));
}
