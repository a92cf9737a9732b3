//===- WindowParams.h - Windows over images, for kernels --------*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// Kernels of convolutions, pooling and morphology name the sizes of their
// images and windows alike; here they get them.
//
//   kernels::PoolShape shape;
//   setWindow(shape, describe(op->getOperand(0)), describe(op->getResult(0)),
//             windowKeys(op));
//   shape.channels = ...
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_DIALECTS_COMPASS_WINDOWPARAMS_H
#define YARROW_DIALECTS_COMPASS_WINDOWPARAMS_H

#include "dialects/compass/Layers.h"
#include "dialects/compass/Tensors.h"

namespace yarrow::compass {

/// Of images [N, H, W, C]; channels are left to the caller.
template <typename Shape>
void setWindow(Shape &shape, const TensorInfo &in, const TensorInfo &out,
               const WindowKeys &w) {
  shape.batch = in.shape[0], shape.inH = in.shape[1], shape.inW = in.shape[2];
  shape.outH = out.shape[1], shape.outW = out.shape[2];
  shape.kernelH = w.kernelY, shape.kernelW = w.kernelX;
  shape.strideH = w.strideY, shape.strideW = w.strideX;
  shape.dilationH = w.dilationY, shape.dilationW = w.dilationX;
  shape.padTop = w.padTop, shape.padLeft = w.padLeft;
}

} // namespace yarrow::compass

#endif // YARROW_DIALECTS_COMPASS_WINDOWPARAMS_H
