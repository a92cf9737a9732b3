//===- PrequantizedOptions.h - How integers of a model are taken over --*- C++
//-*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//   PrequantizedOptions options;
//   options.rounding = PrequantizedRounding::Reference;   // --tflite-rounding
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_QUANTIZER_PREQUANTIZED_PREQUANTIZEDOPTIONS_H
#define YARROW_QUANTIZER_PREQUANTIZED_PREQUANTIZEDOPTIONS_H

namespace yarrow {

/// How what layers compute comes to the integers of their results.
enum class PrequantizedRounding {
  Once,      ///< As XNNPACK has it, which TFLite runs.
  Reference, ///< Two roundings: TFLite's reference kernels, TFLite Micro.
  Exact,     ///< The exact result rounded once, half to even: what ONNX says of
             ///< QuantizeLinear. Models that say so have it in place of Once.
};

struct PrequantizedOptions {
  PrequantizedRounding rounding = PrequantizedRounding::Once;
  /// A model that has scales in part (PartialScales.h) stays as its file has
  /// it, for who quantizes the rest.
  bool leavesPartial = false;
};

} // namespace yarrow

#endif // YARROW_QUANTIZER_PREQUANTIZED_PREQUANTIZEDOPTIONS_H
