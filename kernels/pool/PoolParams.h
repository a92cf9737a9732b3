//===- PoolParams.h - Windows of pooling ------------------------*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// Apart from the kernels (Pool.h), for the loops that they are made of.
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_KERNELS_POOL_POOLPARAMS_H
#define YARROW_KERNELS_POOL_POOLPARAMS_H

#include "kernels/Params.h"

namespace yarrow::kernels {

enum class PoolMethod : uint32_t { Avg, Max, L1, L2 };

struct PoolShape {
  uint32_t batch = 1, inH = 1, inW = 1, channels = 1;
  uint32_t outH = 1, outW = 1;
  uint32_t kernelH = 1, kernelW = 1;
  uint32_t strideH = 1, strideW = 1;
  uint32_t dilationH = 1, dilationW = 1;
  int32_t padTop = 0, padLeft = 0;
  PoolMethod method = PoolMethod::Avg;
  uint32_t countIncludePad = 0; // 1: divide by kernelH * kernelW always
};
static_assert(sizeof(PoolShape) == 64);

} // namespace yarrow::kernels

#endif // YARROW_KERNELS_POOL_POOLPARAMS_H
