//===- Softmax.cpp - Softmax of stored tensors ----------------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// A table of the exponentials of all differences to a row's maximum: near the
// exact result, as TFLite's own kernels are. ONNX's result is the exact one,
// which a table does not give at ties.
//
//===----------------------------------------------------------------------===//
#include "dialects/compass/LayerKeys.h"
#include "dialects/compass/Layers.h"
#include "quantizer/prequantized/Forms.h"
#include "llvm/Support/MathExtras.h"

#include <algorithm>
#include <cmath>

using namespace yarrow;
using namespace yarrow::compass;

/// So few values are soon computed in floats, with TFLite's own bytes.
static constexpr int64_t kFewValues = 256;

/// Bits of the exponentials. Of rows of n the kernel multiplies by 2^31 / their
/// sum, rounded down: results are off by 2^(bits - 31) of the largest one. The
/// exponentials' own rounding takes n * 2^(-bits - 1). These make both alike.
static unsigned expBits(int64_t n) {
  return std::clamp<unsigned>((30 + llvm::Log2_64_Ceil(uint64_t(n))) / 2, 12,
                              20);
}

/// How far results are off before they are rounded, in their own steps.
static double errorOf(int64_t n, double step) {
  int bits = int(expBits(n));
  return (std::ldexp(1.0, bits - 31) + std::ldexp(double(n), -bits - 1)) / step;
}

bool yarrow::giveSoftmax(PrequantizedLayer &layer) {
  if (layer.options.rounding == PrequantizedRounding::Exact)
    return layer.hasNoForm("a table of exponentials is not exact");
  auto in = layer.input(0);
  if (!in || layer.isClamped)
    return layer.hasNoForm("its tensors are not stored in a table's form");
  if (in->type.bits() != 8 || layer.output.type.bits() != 8)
    return layer.hasNoForm("a table of 16-bit inputs would be interpolated");
  llvm::ArrayRef<int64_t> shape = shapeOf(layer.op->getOperand(0));
  if (product(shape) <= kFewValues)
    return layer.hasNoForm("for so few values, floats are as fast, and closer");
  auto axisKey = layer.op->getAttrOfType<mlir::IntegerAttr>(keys::axis);
  int64_t axis = axisKey ? axisKey.getInt() : -1;
  if (axis < 0)
    axis += int64_t(shape.size());
  if (axis < 0 || axis >= int64_t(shape.size()))
    return layer.hasNoForm("its axis is not an axis of its input");
  auto m = multiplierOf(1 / layer.output.step, 15);
  int64_t length = std::max<int64_t>(shape[axis], 1);
  if (!m || errorOf(length, layer.output.step) > 0.5)
    return layer.hasNoForm("its result would be off by more than a step");
  constexpr int64_t kEntries = 256;
  auto most = double((int64_t(1) << expBits(length)) - 1);
  std::vector<int64_t> table;
  for (int64_t i = 0; i < kEntries; ++i)
    table.push_back(
        int64_t(std::nearbyint(most * std::exp(double(i - 255) * in->step))));
  layer.setTensor(keys::lut, {kEntries}, DType::U32, table);
  layer.setRequant(*m);
  layer.setWord(keys::quantize_method, "LUT");
  return true;
}
