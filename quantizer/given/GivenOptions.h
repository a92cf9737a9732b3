//===- GivenOptions.h - How integers of a model are taken over --*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//   GivenOptions options;
//   options.rounding = GivenRounding::Reference;   // --tflite-rounding
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_QUANTIZER_GIVEN_GIVENOPTIONS_H
#define YARROW_QUANTIZER_GIVEN_GIVENOPTIONS_H

namespace yarrow {

/// How sums of 8-bit products come to the result's scale.
enum class GivenRounding {
  Once,      ///< One rounding, half to even: XNNPACK, which TFLite runs.
  Reference, ///< Two roundings: TFLite's reference kernels, TFLite Micro.
};

struct GivenOptions {
  GivenRounding rounding = GivenRounding::Once;
};

} // namespace yarrow

#endif // YARROW_QUANTIZER_GIVEN_GIVENOPTIONS_H
