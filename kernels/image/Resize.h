//===- Resize.h - Image resize kernels ------------------------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// Bilinear and nearest resize of NHWC images. Integer form
// (docs/operators/image.md, Resize): bilinear weights
// floor(wy * wx * 2^weightShift + 0.5), result rounded half to even;
// coordinates in double precision from the sizes. Work is split by output rows.
//
// With antialiasing a pixel is the mean of all pixels within 1 / ratio of its
// place, weighted by a triangle, as ONNX defines it: ratio is the ratio of the
// sizes or the given one, at most 1.
//
// Cost: for each element of the result 4 multiplications (nearest: a copy),
// with antialiasing at most 2 * ceil(1 / ratio) in each direction. Columns are
// placed once for a task, rows once for 32 columns, whose weights are made
// together; with antialiasing a pixel has its own.
//
// Kernels: yk_resize_int, yk_resize_float
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_KERNELS_IMAGE_RESIZE_H
#define YARROW_KERNELS_IMAGE_RESIZE_H

#include "kernels/Params.h"
#include "kernels/Signature.h"
#include "kernels/image/ResizeShape.h"

namespace yarrow::kernels {

struct ResizeIntParams {
  ResizeShape shape;
  DType inType = DType::I8, outType = DType::I8; // I8 U8 I16 U16 I32
  int32_t weightShift = 13;                      // interp_shift_value, 0 .. 16
  int32_t lo = -128, hi = 127;
};
static_assert(sizeof(ResizeIntParams) == 72);

struct ResizeFloatParams {
  ResizeShape shape;
  DType inType = DType::F32, outType = DType::F32;
};
static_assert(sizeof(ResizeFloatParams) == 60);

#define YARROW_KERNELS "kernels/image/Resize.def"
#include "kernels/DeclareKernels.inc"

} // namespace yarrow::kernels

#endif // YARROW_KERNELS_IMAGE_RESIZE_H
