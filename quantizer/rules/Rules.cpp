//===- Rules.cpp - From a layer's record to its rule ----------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#include "quantizer/rules/Rules.h"

#include "dialects/compass/Records.h"

using namespace yarrow::compass;

namespace yarrow {

/// In the order of RuleClass.
static constexpr bool (*kRules[])(LayerContext &) = {
#define RULE(NAME, FUNCTION) FUNCTION,
#include "dialects/compass/RuleClasses.inc"
};

bool quantizeByRule(LayerContext &layer) {
  const OperatorRecord *record = recordOf(layer.op);
  assert(record && "only Compass layers are quantized");
  return kRules[static_cast<std::size_t>(record->rule)](layer);
}

bool refuseLayer(LayerContext &layer) {
  return layer.unsupported("the quantizer has no rule for this layer", "",
                           "layer_type");
}

} // namespace yarrow
