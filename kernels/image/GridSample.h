//===- GridSample.h - Sampling images at given places -----------*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// GridSample and the grids that AffineGrid makes for it
// (docs/operators/image.md). Images are [N, H, W, C] or volumes
// [N, D, H, W, C]. Axes keep this order, z, y, x, while a place of a grid is
// x, y (, z).
//
// Kernels: GridSample.def.
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_KERNELS_IMAGE_GRIDSAMPLE_H
#define YARROW_KERNELS_IMAGE_GRIDSAMPLE_H

#include "kernels/Params.h"
#include "kernels/Signature.h"

namespace yarrow::kernels {

enum class SampleMethod : uint32_t { Bilinear, Nearest, Bicubic };
enum class SamplePadding : uint32_t { Zeros, Border, Reflection };

struct GridSampleShape {
  uint32_t batch = 1;
  uint32_t axes = 2;             // 2: y, x; 3: z, y, x
  uint32_t sizes[3] = {1, 1, 1}; // z, y, x; z of images is 1
  uint32_t places = 1;           // for each image
  uint32_t channels = 1;
  SampleMethod method = SampleMethod::Bilinear;
  SamplePadding padding = SamplePadding::Zeros;
  uint32_t alignCorners = 0; // -1 and 1 are centres of pixels
};
static_assert(sizeof(GridSampleShape) == 40);

/// y = the sum of up to 1, 2 or 4 pixels along each axis, weighted by their
/// distance. A place that is not a number, or beyond 2^30 pixels, is that far
/// away. Work is split by places: for each pixel that counts, a load and a
/// product a channel; a place costs some 30 scalar operations for each axis.
struct GridSampleFloatParams {
  GridSampleShape shape;
  DType type = DType::F32, gridType = DType::F32, outType = DType::F32;
};
static_assert(sizeof(GridSampleFloatParams) == 52);

/// The cell of a place, and how far beyond it in 2^-fractionBits pixels, come
/// from tables over the grid's stored values (`tables`, images only), or are
/// those of v = ((g + gridZp) * scale >> shift) + (size - 1) * 2^(bits - 1),
/// limited to 16 bits. BILINEAR: a + ((b - a) * fraction >> bits) along x, y,
/// z. NEAREST: the cell of the table, or of v rounded half up. BICUBIC, which
/// the reference has not: weights round_even(w * 2^14) of q + zp, the sum
/// rounded half to even; elements of 16 bits at most, so that three axes stay
/// below 2^61. What counts as 0 is stored as -zp. Work as of floats, products
/// in 64 bits.
struct GridSampleIntParams {
  GridSampleShape shape;
  DType type = DType::I8; // of input and output
  DType gridType = DType::I8;
  int32_t gridZp = 0;
  uint32_t tables = 0;
  int32_t scale[3] = {1, 1, 1}, shift[3] = {}; // z, y, x; shifts 0 .. 62
  int32_t fractionBits[3] = {10, 10, 10};      // z, y, x; 1 .. 16
  int32_t zp = 0, lo = -128, hi = 127;
};
static_assert(sizeof(GridSampleIntParams) == 104);

/// For every place of a grid [N, (D,) H, W, axes] theta * (x, y (, z), 1), with
/// x from -1 to 1 over the columns, without alignCorners times (W - 1) / W; 0
/// where there is but one. theta is [N, axes, axes + 1]. Work is split by rows
/// of the grid: axes products and sums a value, as vectors along the columns.
struct AffineGridShape {
  uint32_t batch = 1;
  uint32_t axes = 2;
  uint32_t sizes[3] = {1, 1, 1}; // z, y, x
  uint32_t alignCorners = 0;
};
static_assert(sizeof(AffineGridShape) == 24);

struct AffineGridFloatParams {
  AffineGridShape shape;
  DType type = DType::F32, outType = DType::F32;
};
static_assert(sizeof(AffineGridFloatParams) == 32);

/// clip(theta * (tables) + theta's last column * 2^fractionBits, int32), then
/// requantized. Products have at most 32 + 32 bits, wrapped.
struct AffineGridIntParams {
  AffineGridShape shape;
  DType type = DType::I8;
  DType tableTypes[3] = {DType::I16, DType::I16, DType::I16}; // z, y, x
  int32_t fractionBits = 8;                                   // 0 .. 31
  Requant requant;
};
static_assert(sizeof(AffineGridIntParams) == 108);

#define YARROW_KERNELS "kernels/image/GridSample.def"
#include "kernels/DeclareKernels.inc"

} // namespace yarrow::kernels

#endif // YARROW_KERNELS_IMAGE_GRIDSAMPLE_H
