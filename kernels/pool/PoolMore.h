//===- PoolMore.h - Pooling beyond maximum and average ----------*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// Integer form: docs/operators/pool.md. All data is channels last, and all
// kernels but the last go through channels in vectors. Work is split by output
// rows.
//
// Kernels:
//   yk_pool_norm_int: L1 and L2 of windows; sqrt table of L2
//   yk_pool_average3d_int: mean over windows of planes, rows and columns
//   yk_pool_areas_int, yk_pool_areas_float: maximum and mean over areas of any
//     size (adaptive and fractional pooling), whose bounds are a buffer
//   yk_max_pool_arg_int, yk_max_pool_arg_float: maximum and where it is
//   yk_unpool: values put at places that a buffer gives
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_KERNELS_POOL_POOLMORE_H
#define YARROW_KERNELS_POOL_POOLMORE_H

#include "kernels/Signature.h"
#include "kernels/pool/PoolParams.h"

namespace yarrow::kernels {

/// L1: RQ(S) of S = clip(sum |x + zp|, 0, 2^32 - 1). L2: the square root table
/// at RQ(sum (x + zp)^2), an index of 16 bits; requant has its bounds, and a
/// zero point of 0. Cells of the padding are 0. A vector operation or two for
/// each cell, of 64 bits.
struct PoolNormIntParams {
  PoolShape shape; // method L1 or L2
  DType inType = DType::I8;
  int32_t inZp = 0;
  DType outType = DType::U8;
  DType tableType = DType::U8; // L2: as outType
  uint32_t log2TableSize = 0;
  Requant requant; // per tensor, act None
};
static_assert(sizeof(PoolNormIntParams) == 148);

/// Windows of a volume, NDHWC.
struct PoolVolume {
  uint32_t batch = 1, inD = 1, inH = 1, inW = 1, channels = 1;
  uint32_t outD = 1, outH = 1, outW = 1;
  uint32_t kernelD = 1, kernelH = 1, kernelW = 1;
  uint32_t strideD = 1, strideH = 1, strideW = 1;
  uint32_t dilationD = 1, dilationH = 1, dilationW = 1;
  int32_t padFront = 0, padTop = 0, padLeft = 0;
};
static_assert(sizeof(PoolVolume) == 80);

/// Mean in two roundings, that over rows and columns, then that over planes; in
/// one if the window is dilated. countIncludePad: the padding counts, as a real
/// 0; else zero points stay out, which are those of input and output alike.
/// Windows have at most 2^19 cells.
struct PoolAverage3DIntParams {
  PoolVolume shape;
  DType inType = DType::I8, outType = DType::I8;
  int32_t zp = 0, lo = -128, hi = 127;
  uint32_t countIncludePad = 0;
};
static_assert(sizeof(PoolAverage3DIntParams) == 104);

/// Areas of up to three axes in front of the channels: bounds holds for each
/// output plane, then row, then column the first cell and the one behind the
/// last. Every area has a cell.
struct PoolAreas {
  uint32_t batch = 1, inD = 1, inH = 1, inW = 1, channels = 1;
  uint32_t outD = 1, outH = 1, outW = 1;
  PoolMethod method = PoolMethod::Avg; // or Max
};
static_assert(sizeof(PoolAreas) == 36);

/// Stored values: RNE(sum * m / 2^s) with m / 2^s = 1 / cells in 8 bits; the
/// scale is that of the input. Areas have less than 2^15 cells, or types of 8
/// bits and less than 2^23.
struct PoolAreasIntParams {
  PoolAreas shape;
  DType type = DType::I8; // of input and output
  int32_t lo = -128, hi = 127;
};
static_assert(sizeof(PoolAreasIntParams) == 48);

struct PoolAreasFloatParams {
  PoolAreas shape;
  DType inType = DType::F32, outType = DType::F32;
};
static_assert(sizeof(PoolAreasFloatParams) == 44);

/// What an index counts. With p the place in a map, h * W + w, or w * H + h if
/// isColumnMajor:
///   HW p, HWC p * C + c, NHWC (n * H * W + p) * C + c, NCHW (n * C + c) * H *
///   W + p
enum class FlatIndex : uint32_t { HW, HWC, NHWC, NCHW };

/// First greatest value of each window, in row-major order, and its index in
/// the input without padding. Of a window without a cell both are 0.
struct MaxPoolArgParams {
  PoolShape shape;
  DType inType = DType::I8, outType = DType::I8;
  DType indexType = DType::I32;
  FlatIndex index = FlatIndex::HWC;
  uint32_t isColumnMajor = 0;
};
static_assert(sizeof(MaxPoolArgParams) == 84);

/// output = fill, then output[index] = value for each cell, in the order of the
/// index: n, h, w, c or n, c, h, w. Those outside the output are left out; of
/// HW and HWC, indices start at the channel's map and the image. Every task
/// looks at all indices and writes its part of the output.
struct UnpoolParams {
  uint32_t elemBytes = 1; // 1 2 4
  uint32_t batch = 1, inH = 1, inW = 1, channels = 1;
  uint32_t outH = 1, outW = 1;
  DType indexType = DType::I32;
  FlatIndex index = FlatIndex::HWC;
  uint32_t isColumnMajor = 0;
  uint32_t fill = 0; // the bits of an element
};
static_assert(sizeof(UnpoolParams) == 44);

#define YARROW_KERNELS "kernels/pool/PoolMore.def"
#include "kernels/DeclareKernels.inc"

} // namespace yarrow::kernels

#endif // YARROW_KERNELS_POOL_POOLMORE_H
