//===- ScaleUnion.h - One scale for tensors that meet -----------*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// A value of unify_scales_for_multi_inputs_operators: layers of a type want
// their inputs in one scale, so that nothing has to be requantized where they
// meet. The layers that make the inputs are found backwards and get the scale.
//
//   ScaleUnion concat{"Concat", /*depth=*/20, /*threshold=*/1.05f,
//                     ScaleUnion::Method::Out};
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_QUANTIZER_OPTIONS_SCALEUNION_H
#define YARROW_QUANTIZER_OPTIONS_SCALEUNION_H

#include <string>

namespace yarrow {

struct ScaleUnion {
  /// Of the makers' scales the largest, the smallest or their mean; that of the
  /// layer's own result; or none.
  enum class Method { Max, Min, Avg, Out, Skip };

  std::string layerType; ///< Case does not matter.
  int depth = 0;         ///< Layers back to a maker; 0: any number.
  double threshold = 1;  ///< Scales within this ratio count as one.
  Method method = Method::Out;

  bool operator==(const ScaleUnion &) const = default;
};

} // namespace yarrow

#endif // YARROW_QUANTIZER_OPTIONS_SCALEUNION_H
