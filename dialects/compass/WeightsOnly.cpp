//===- WeightsOnly.cpp - Integer weights of layers of floats --------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "dialects/compass/WeightsOnly.h"
#include "dialects/compass/ExtraKeys.h"
#include "dialects/compass/LayerError.h"
#include "dialects/compass/Layers.h"
#include "support/diagnostics/Operators.h"
#include <cmath>

using namespace yarrow;
using namespace yarrow::compass;
using namespace mlir;

bool compass::hasWeightsOnly(Operation *op) {
  if (isIntegerLayer(op))
    return false;
  ElementsAttr attr = tensorKey(op, keys::weights);
  auto weights = attr ? viewConstant(attr) : std::nullopt;
  return weights && !dtypeIsFloat(weights->dtype) &&
         !extraNumbers(op, "weights_scale").empty();
}

/// How many weights in a row have one of \p scales scales; 0 if they do not
/// share them evenly.
static int64_t sharersOf(const ConstantView &weights, int64_t scales) {
  int64_t elements = weights.numElements();
  if (elements % scales)
    return 0;
  int64_t sharers = elements / scales;
  bool isEven = sharers == elements ||                            // one tensor
                scales == weights.shape.front() ||                // filters
                (sharers && weights.shape.back() % sharers == 0); // blocks
  return isEven ? sharers : 0;
}

FailureOr<BufferBinding> compass::dequantizedWeights(Operation *op) {
  auto weights = viewConstant(tensorKey(op, keys::weights));
  SmallVector<double> scales = extraNumbers(op, "weights_scale"),
                      zeroPoints = extraNumbers(op, "weights_zp");
  int64_t count = int64_t(scales.size());
  int64_t sharers = weights->shape.empty() ? 0 : sharersOf(*weights, count);
  if (!sharers)
    return layerError(op, diag::OpIntegerParameters, "weights_scale",
                      "the key weights_scale has a wrong number of values")
        .found(Twine(count))
        .expected("1, one for each filter, or one for each block of "
                  "weight_block_size weights of the last axis");
  if (zeroPoints.size() > 1 && zeroPoints.size() != scales.size())
    return layerError(op, diag::OpIntegerParameters, "weights_zp",
                      "the key weights_zp has a wrong number of values")
        .found(Twine(zeroPoints.size()))
        .expected("as many as weights_scale, " + Twine(count));
  std::vector<char> bytes(size_t(weights->numElements()) * sizeof(float));
  for (int64_t i = 0, e = weights->numElements(); i < e; ++i) {
    int64_t row = i / sharers;
    float scale = float(scales[row]);
    if (!(scale > 0) || !std::isfinite(scale))
      return layerError(op, diag::OpIntegerParameters, "weights_scale",
                        "the key weights_scale has a wrong value")
          .found(std::to_string(scales[row]))
          .expected("positive finite numbers");
    double zp =
        zeroPoints.empty() ? 0 : zeroPoints[zeroPoints.size() == 1 ? 0 : row];
    // Integers of 16 bits and their zero points are exact in float32.
    float real = float(double(weights->intAt(i)) + zp) / scale;
    std::memcpy(bytes.data() + i * sizeof(float), &real, sizeof(float));
  }
  return constant(weights->shape, DType::F32, std::move(bytes));
}
