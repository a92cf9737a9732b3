//===- Im2col.cpp - Where the terms of a sum come from --------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#include "quantizer/rounding/Im2col.h"

#include "dialects/compass/Compass.h"
#include "dialects/compass/LayerKeys.h"
#include "dialects/compass/Layers.h"
#include "dialects/compass/WindowParams.h"
#include "dialects/compass/conv/ConvOps.h"

#include <algorithm>

using namespace yarrow;
using namespace yarrow::compass;

/// A fully connected layer is a convolution over an image of one pixel.
static kernels::Conv2DShape shapeOfMac(mlir::Operation *op) {
  TensorInfo in = describe(op->getOperand(0)), out = describe(op->getResult(0));
  auto weights = viewConstant(tensorKey(op, keys::weights));
  kernels::Conv2DShape s;
  if (mlir::isa<FullyConnectedOp>(op)) {
    s.inC = uint32_t(weights->shape[1]), s.outC = uint32_t(weights->shape[0]);
    s.batch = uint32_t(in.numElements() / s.inC);
    return s;
  }
  WindowKeys w = windowKeys(op);
  w.kernelY = weights->shape[1], w.kernelX = weights->shape[2];
  setWindow(s, in, out, w);
  s.inC = uint32_t(in.shape[3]), s.outC = uint32_t(out.shape[3]);
  s.groups = mlir::isa<DepthwiseConvOp>(op) ? s.inC
                                            : uint32_t(intKey(op, keys::group));
  return s;
}

Im2col::Im2col(mlir::Operation *op) : shape(shapeOfMac(op)) {}

template <typename Body>
void Im2col::forTaps(std::size_t pixel, std::size_t group,
                     const Body &body) const {
  const kernels::Conv2DShape &s = shape;
  auto column = int64_t(pixel % s.outW);
  auto line = int64_t(pixel / s.outW % s.outH);
  std::size_t image = pixel / s.outW / s.outH, at = 0;
  for (int64_t ky = 0; ky < s.kernelH; ++ky)
    for (int64_t kx = 0; kx < s.kernelW; ++kx, at += depth()) {
      int64_t iy = line * s.strideH + ky * s.dilationH - s.padTop;
      int64_t ix = column * s.strideW + kx * s.dilationW - s.padLeft;
      if (iy < 0 || iy >= s.inH || ix < 0 || ix >= s.inW)
        body(int64_t(-1), at);
      else
        body(((int64_t(image) * s.inH + iy) * s.inW + ix) * s.inC +
                 int64_t(group * depth()),
             at);
    }
}

void Im2col::gather(std::span<const float> x, std::size_t pixel,
                    std::size_t group, std::span<float> row) const {
  forTaps(pixel, group, [&](int64_t from, std::size_t to) {
    if (from < 0)
      std::fill_n(row.data() + to, depth(), 0.0f);
    else
      std::copy_n(x.data() + from, depth(), row.data() + to);
  });
}

void Im2col::gatherTaps(std::span<const float> x, std::size_t pixel,
                        std::span<float> row) const {
  forTaps(pixel, 0, [&](int64_t from, std::size_t to) {
    float *at = row.data() + to * groups();
    if (from < 0)
      std::fill_n(at, channels(), 0.0f);
    else
      std::copy_n(x.data() + from, channels(), at);
  });
}

void Im2col::scatter(std::span<const float> row, std::size_t pixel,
                     std::size_t group, std::span<float> x) const {
  forTaps(pixel, group, [&](int64_t to, std::size_t from) {
    for (std::size_t i = 0; to >= 0 && i < depth(); ++i)
      x[std::size_t(to) + i] += row[from + i];
  });
}
