//===- WeightsOnly.cpp - Integer weights for layers of floats -------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#include "quantizer/rules/WeightsOnly.h"

#include "dialects/compass/Layers.h"
#include "dialects/compass/conv/ConvOps.h"
#include "quantizer/rules/Linear.h"

using namespace yarrow::compass;

namespace yarrow {

bool isWeightsOnly(const LayerContext &layer) {
  return layer.options.weightsOnly && layer.op->hasTrait<trait::Linear>() &&
         tensorKey(layer.op, keys::weights);
}

/// How many weights in a row share a scale; 0 after a diagnostic.
static std::size_t sharersOf(LayerContext &layer,
                             const LayerContext::FloatConstant &weights) {
  const QuantMethod &method = layer.options.weightMethod;
  std::size_t count = weights.values.size();
  // As in the reference, always a scale for each filter: it has few weights.
  bool isDepthwise = llvm::isa<DepthwiseConvOp>(layer.op);
  if (method.perBlock && !isDepthwise) {
    std::size_t block = layer.options.weightBlockSize,
                axis = std::size_t(weights.shape.back());
    if (axis % block == 0)
      return block;
    layer.unsupported(
        "blocks of " + std::to_string(block) +
            " weights do not divide the last axis, of " + std::to_string(axis),
        "set weight_block_size by rules: 256 & <{" +
            layerNameOf(layer.op).str() + "}:" + std::to_string(axis) + ">");
    return 0;
  }
  return method.perChannel || isDepthwise
             ? count / std::size_t(weights.shape.front())
             : count;
}

bool quantizeWeightsOnly(LayerContext &layer) {
  auto weights = layer.floats(keys::weights);
  if (!weights || weights->values.empty())
    return layer.unsupported("the layer has no constant weights");
  std::size_t sharers = sharersOf(layer, *weights);
  if (sharers == 0)
    return false;
  const LayerOptions &o = layer.options;
  std::vector<int64_t> quantized, zeroPoints;
  std::vector<float> scales;
  std::span<const float> all = weights->values;
  for (std::size_t begin = 0; begin < all.size(); begin += sharers) {
    std::span<const float> part = all.subspan(begin, sharers);
    FloatRange r = weightRange(layer, part, o.weightBits,
                               /*isPart=*/sharers != all.size());
    LinearParams p = linearParams(r.min, r.max, o.weightMethod.mode,
                                  o.weightBits, /*isSigned=*/true);
    for (float w : part)
      quantized.push_back(quantizeValue(w, p));
    scales.push_back(p.scale);
    zeroPoints.push_back(p.zp);
  }
  layer.setTensor(keys::weights, weights->shape,
                  integerType(o.weightBits, true), quantized);
  if (scales.size() == 1) {
    layer.setExtra("weights_scale", floatText(scales[0]));
    layer.setExtra("weights_zp", std::to_string(zeroPoints[0]));
    return true;
  }
  layer.setExtraTensor("weights_scale", scales);
  layer.setExtraTensor("weights_zp", {int64_t(zeroPoints.size())}, DType::I32,
                       zeroPoints);
  if (o.weightMethod.perBlock && !llvm::isa<DepthwiseConvOp>(layer.op))
    layer.setExtra("weight_block_size", std::to_string(sharers));
  return true;
}

} // namespace yarrow
