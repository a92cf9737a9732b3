//===- Conv.h - Convolution kernels ---------------------------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// Two-dimensional convolution, grouped and depthwise included, and transposed
// convolution. Integer form (docs/operators/conv.md, Convolution): acc = bias +
// sum x * w, where a padded x is padValue = -zp(input) because the IR's bias
// already contains zp * sum(w). Work is split by output rows.
//
// Kernels:
//   yk_conv2d_int: weights [outC, kh, kw, inC / groups]
//   yk_depthwise_conv2d_int: weights [outC, kh, kw, 1]; output channel o reads
//     channel o / (outC / inC); groups is not read
//   yk_conv_transpose2d_int: weights [outC / groups, kh, kw, inC]
//   yk_conv2d_float, yk_conv_transpose2d_float: the weights of a group's
//     outputs in blocks of at most 32, [block][kh, kw, inC / groups][output],
//     the last block filled up (FloatTile.h, packedColumns)
//   yk_depthwise_conv2d_float: weights [kh, kw, outC]
//   yk_conv2d_winograd_int: with_winograd=true, weights [outC, tileH, tileW,
//     inC] transformed for Winograd's algorithm; see Conv2DWinogradParams
// Buffers (Conv.def): input NHWC; bias [outC] of biasType; scale and shift
// [outC] if requant.perChannel; tapShifts [outC, tileH, tileW] of
//   the Winograd kernel, or null
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_KERNELS_CONV_CONV_H
#define YARROW_KERNELS_CONV_CONV_H

#include "kernels/Signature.h"
#include "kernels/conv/ConvParams.h"

namespace yarrow::kernels {

#define YARROW_KERNELS "kernels/conv/Conv.def"
#include "kernels/DeclareKernels.inc"

} // namespace yarrow::kernels

#endif // YARROW_KERNELS_CONV_CONV_H
