//===- QuantTypes.cpp - Bits and types by one word ------------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#include "quantizer/options/QuantTypes.h"

namespace yarrow {

std::string computedQuantTypes() {
  return "disable"
#define INTEGERS(WORD, WEIGHTS, ACTIVATIONS, BIASES, ITEMS) ", " #WORD
#define WEIGHTS_ONLY(WORD, TYPE, WEIGHTS) ", " #WORD
#define FLOATS(WORD, TYPE) ", " #WORD
#include "quantizer/options/QuantTypes.def"
      ;
}

static void setIntegers(LayerOptions &o, unsigned weights, unsigned activations,
                        unsigned biases, unsigned tableItems) {
  o.weightBits = weights, o.activationBits = activations;
  o.biasBits = biases, o.lutItemsInBits = tableItems;
}

/// The bits are those of what stays integers: inputs, and layers without a form
/// in floats.
static void setFloats(LayerOptions &o, ElementType type, unsigned weights,
                      bool weightsOnly) {
  setIntegers(o, weights, 16, 32, 10);
  o.floatType = type;
  o.floatReason = "quant_type";
  o.weightsOnly = weightsOnly;
}

bool applyQuantType(std::string_view word, LayerOptions &o) {
#define INTEGERS(WORD, WEIGHTS, ACTIVATIONS, BIASES, ITEMS)                    \
  if (word == #WORD)                                                           \
    return setIntegers(o, WEIGHTS, ACTIVATIONS, BIASES, ITEMS), true;
#define WEIGHTS_ONLY(WORD, TYPE, WEIGHTS)                                      \
  if (word == #WORD)                                                           \
    return setFloats(o, ElementType::TYPE, WEIGHTS, true), true;
#define FLOATS(WORD, TYPE)                                                     \
  if (word == #WORD)                                                           \
    return setFloats(o, ElementType::TYPE, 16, false), true;
#include "quantizer/options/QuantTypes.def"
  return word == "disable";
}

} // namespace yarrow
