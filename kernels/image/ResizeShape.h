//===- ResizeShape.h - Sizes and modes of a resize --------------*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// Lengths and keys, by which both forms of the kernel find their pixels.
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_KERNELS_IMAGE_RESIZESHAPE_H
#define YARROW_KERNELS_IMAGE_RESIZESHAPE_H

#include "kernels/Params.h"

namespace yarrow::kernels {

enum class ResizeMethod : uint32_t { Bilinear, Nearest };
enum class CoordMode : uint32_t {
  HalfPixel,
  PytorchHalfPixel,
  AlignCorners,
  TfHalfPixelForNn,
  Asymmetric,
  HalfPixelSymmetric // HalfPixel about the middle of the image
};
enum class NearestMode : uint32_t {
  RoundPreferFloor,
  RoundPreferCeil,
  Floor,
  Ceil,
  Simple
};

struct ResizeShape {
  uint32_t batch = 1, inH = 1, inW = 1, channels = 1, outH = 1, outW = 1;
  ResizeMethod method = ResizeMethod::Bilinear;
  CoordMode coordMode = CoordMode::HalfPixel;
  NearestMode nearestMode = NearestMode::RoundPreferFloor;
  /// Output over input length; 0: that of the lengths above.
  float ratioH = 0, ratioW = 0;
  uint32_t antialias = 0;
  /// Pixels beyond the border have no weight; otherwise they repeat the last.
  uint32_t excludeOutside = 0;
};
static_assert(sizeof(ResizeShape) == 52);

} // namespace yarrow::kernels

#endif // YARROW_KERNELS_IMAGE_RESIZESHAPE_H
