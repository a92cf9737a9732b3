//===- ConvParams.h - Parameters of convolutions ----------------*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// Apart from the kernels (Conv.h), for the loops that they are made of.
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_KERNELS_CONV_CONVPARAMS_H
#define YARROW_KERNELS_CONV_CONVPARAMS_H

#include "kernels/Params.h"

namespace yarrow::kernels {

/// Geometry. Padding after the last pixel follows from outH and outW. For the
/// transposed form padTop and padLeft are what is cropped from the full result.
struct Conv2DShape {
  uint32_t batch = 1, inH = 1, inW = 1, inC = 1;
  uint32_t outH = 1, outW = 1, outC = 1;
  uint32_t kernelH = 1, kernelW = 1;
  uint32_t strideH = 1, strideW = 1;
  uint32_t dilationH = 1, dilationW = 1;
  int32_t padTop = 0, padLeft = 0;
  uint32_t groups = 1;
};
static_assert(sizeof(Conv2DShape) == 64);

struct Conv2DIntParams {
  Conv2DShape shape;
  DType inType = DType::I8;     // I8 U8 I16 U16
  DType weightType = DType::I8; // I8 I16
  DType biasType = DType::I32;  // I32 I64; below 2^47 in magnitude
  int32_t padValue = 0;         // -zp of the input (transposed form: unused)
  int32_t inZp = 0; // transposed form only: added to x, and its share
                    // inZp * sum(w) is taken out of the bias
  Requant requant;
};
static_assert(sizeof(Conv2DIntParams) == 148);

constexpr uint32_t kMaxWinogradTile = 8;

/// F(m,r) along one axis: m outputs of r weights from a tile of m + r - 1
/// inputs. F(1,r) is plain: both transforms leave values as they are.
struct WinogradAxis {
  uint32_t outputs = 1, kernel = 1;
  int8_t inputTransform[kMaxWinogradTile][kMaxWinogradTile] = {};  // B^T
  int8_t outputTransform[kMaxWinogradTile][kMaxWinogradTile] = {}; // A^T

  constexpr uint32_t tile() const { return outputs + kernel - 1; }
};
static_assert(sizeof(WinogradAxis) == 136);

/// Y = A^T [sum over c of (W << tapShift) * (B^T d B)] A per tile d of the
/// padded input; acc = (Y >> outputShift) + bias, and then as any convolution.
/// All of it is exact in 64-bit integers; the shift to the right is arithmetic.
/// conv.shape has the window behind the tiles (kernelH = y.kernel); strides,
/// dilations and groups are 1. The largest row sums of
/// magnitudes of both B^T have a product below 2^15, so that transformed inputs
/// fit 32 bits, and the caller has proved that the sums fit 64. Biases are I32.
/// Work is split by rows of tiles.
struct Conv2DWinogradParams {
  Conv2DIntParams conv;
  WinogradAxis y, x;
  uint32_t hasTapShifts = 0;
  uint32_t outputShift = 0; // 0 .. 7
};
static_assert(sizeof(Conv2DWinogradParams) == 428);

struct Conv2DFloatParams {
  Conv2DShape shape;
  DType inType = DType::F32; // F32 F16 BF16
  DType biasType = DType::F32;
  DType outType = DType::F32;
  FloatAct act;
};
static_assert(sizeof(Conv2DFloatParams) == 100);

} // namespace yarrow::kernels

#endif // YARROW_KERNELS_CONV_CONVPARAMS_H
