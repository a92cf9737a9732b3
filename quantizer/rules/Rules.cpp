//===- Rules.cpp - From rule class to rule --------------------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#include "quantizer/rules/Rules.h"

#include "dialects/compass/Records.h"

using namespace yarrow::compass;

namespace yarrow {

bool quantizeByRule(LayerContext &layer) {
  const OperatorRecord *record = recordOf(layer.op);
  assert(record && "only Compass layers are quantized");
  switch (record->rule) {
  case RuleClass::NoRule:
    return quantizeGraph(layer);
  case RuleClass::MacRule:
    return quantizeMac(layer);
  case RuleClass::MatMulRule:
    return quantizeMatMul(layer);
  case RuleClass::EltwiseRule:
    return quantizeEltwise(layer);
  case RuleClass::LutRule:
    return quantizeLut(layer);
  case RuleClass::ActivationRule:
    return quantizeActivation(layer);
  case RuleClass::RequantRule:
    return quantizeRequant(layer);
  case RuleClass::PassRule:
    return quantizePass(layer);
  case RuleClass::PoolRule:
    return quantizePool(layer);
  case RuleClass::BatchNormRule:
    return quantizeBatchNorm(layer);
  case RuleClass::LayerNormRule:
    return quantizeLayerNorm(layer);
  case RuleClass::SoftmaxRule:
    return quantizeSoftmax(layer);
  case RuleClass::ConcatRule:
    return quantizeConcat(layer);
  case RuleClass::ReduceRule:
    return quantizeReduce(layer);
  case RuleClass::ResizeRule:
    return quantizeResize(layer);
  case RuleClass::CastRule:
    return quantizeCast(layer);
  case RuleClass::IndexRule:
    return isSelection(layer.op) ? quantizeSelection(layer)
                                 : quantizeIndex(layer);
  case RuleClass::CompareRule:
    return quantizeCompare(layer);
  case RuleClass::RecurrentRule:
    return quantizeRecurrent(layer);
  case RuleClass::ControlRule:
    return layer.unsupported("sub-graphs are not quantized yet", "",
                             "layer_type");
  case RuleClass::DetectionRule:
    return quantizeDetection(layer);
  }
  return layer.unsupported("the quantizer has no rule for this layer", "",
                           "layer_type");
}

} // namespace yarrow
