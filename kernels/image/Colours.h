//===- Colours.h - RGB images and YUV 4:2:0 ---------------------*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// RgbToYuv and YuvToRgb (docs/operators/image.md): images [N, H, W, 3] of even
// height and width, frames [N, H * W * 3 / 2] of a plane of luma and chroma
// samples of 2 x 2 pixels.
//
// Kernels: Colours.def.
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_KERNELS_IMAGE_COLOURS_H
#define YARROW_KERNELS_IMAGE_COLOURS_H

#include "kernels/Params.h"
#include "kernels/Signature.h"

namespace yarrow::kernels {

/// to = clip(round_even((matrix * from + bias) / 2^shift), 0, most), offsets
/// and rounding constant inside the bias; stored values have zero points.
/// Chroma sample k of a frame stands at firstU (firstV) + k * chromaStep.
///
/// RGB to YUV: chroma of the top left pixel of each 2 x 2. YUV to RGB: odd rows
/// of chroma but the last are the mean of their neighbours, then columns but
/// the first and the last (3 * near + far) / 4, each rounded half to even.
///
/// Work is split by pairs of rows. A pixel costs 3 loads, 3 products and a
/// requantization a plane in 64 bits, as vectors along a row. Sums stay below
/// 2^62: products have 32 + 32 bits at most.
struct ColourParams {
  uint32_t batch = 1, height = 2, width = 2;
  DType inType = DType::U8, outType = DType::U8;
  int32_t inZp = 0, outZp = 0, most = 255;
  uint32_t firstU = 4, firstV = 5, chromaStep = 1;
  int32_t matrix[9] = {}; // rows of the result
  int32_t bias[3] = {};
  int32_t shift = 0; // 0 .. 31
};
static_assert(sizeof(ColourParams) == 96);

#define YARROW_KERNELS "kernels/image/Colours.def"
#include "kernels/DeclareKernels.inc"

} // namespace yarrow::kernels

#endif // YARROW_KERNELS_IMAGE_COLOURS_H
