//===- QuantTypes.h - Bits and types by one word ----------------*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// Values of the key quant_type, which stand for those of weight_bits,
// activation_bits, bias_bits, lut_items_in_bits and trigger_float_op
// (QuantTypes.def).
//
//   LayerOptions o;
//   applyQuantType("w16a16", o);   // o.weightBits == 16, o.biasBits == 48
//   applyQuantType("w4afp16", o);  // floats with weights of 4 bits
//   applyQuantType("wfp4", o);     // false: nothing computes it
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_QUANTIZER_OPTIONS_QUANTTYPES_H
#define YARROW_QUANTIZER_OPTIONS_QUANTTYPES_H

#include "quantizer/options/QuantizerOptions.h"

#include <string_view>

namespace yarrow {

/// All values, separated by |.
inline constexpr std::string_view kQuantTypeWords = "disable"
#define INTEGERS(WORD, WEIGHTS, ACTIVATIONS, BIASES, ITEMS) "|" #WORD
#define WEIGHTS_ONLY(WORD, TYPE, WEIGHTS) "|" #WORD
#define FLOATS(WORD, TYPE) "|" #WORD
#define SMALL_FLOATS(WORD) "|" #WORD
#include "quantizer/options/QuantTypes.def"
    ;

/// Those that applyQuantType takes, for messages.
std::string computedQuantTypes();

/// False of floats of 8 or 4 bits, which leave \p options as they are.
bool applyQuantType(std::string_view word, LayerOptions &options);

} // namespace yarrow

#endif // YARROW_QUANTIZER_OPTIONS_QUANTTYPES_H
