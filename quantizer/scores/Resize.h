//===- Resize.h - Pictures in another size, for metrics ---------*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// As torch.nn.functional.interpolate with align_corners=False: pixel centers
// are at halves, borders are repeated, bicubic has A = -0.75.
//
//   Plane depth{{values, 4 * 4}, 4, 4};
//   std::vector<float> large = resized(depth, 480, 640, Resize::Bicubic);
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_QUANTIZER_SCORES_RESIZE_H
#define YARROW_QUANTIZER_SCORES_RESIZE_H

#include <cstddef>
#include <span>
#include <vector>

namespace yarrow {

enum class Resize { Bilinear, Bicubic };

/// One channel, whose elements lie \p step apart.
struct Plane {
  std::span<const float> values;
  std::size_t height, width, step = 1;
};

std::vector<float> resized(const Plane &picture, std::size_t height,
                           std::size_t width, Resize method);

} // namespace yarrow

#endif // YARROW_QUANTIZER_SCORES_RESIZE_H
