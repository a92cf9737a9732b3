//===- Im2col.h - Where the terms of a sum come from ------------*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// The geometry of a convolution, a depthwise convolution or a fully connected
// layer: which elements of the input meet the weights of an output pixel, in
// the order of the weights, and the way back.
//
//   Im2col map(op);
//   map.gather(x, pixel, group, row);  // row = what meets the weights
//   map.scatter(row, pixel, group, x); // x += row, where it came from
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_QUANTIZER_ROUNDING_IM2COL_H
#define YARROW_QUANTIZER_ROUNDING_IM2COL_H

#include "kernels/conv/ConvParams.h"
#include "mlir/IR/Operation.h"

#include <cstddef>
#include <span>

namespace yarrow {

class Im2col {
public:
  /// \p op is a Convolution, DepthwiseConv or FullyConnected layer; this one is
  /// a convolution over images of one pixel.
  explicit Im2col(mlir::Operation *op);

  std::size_t groups() const { return shape.groups; }
  /// Of an output's sum.
  std::size_t terms() const { return taps() * depth(); }
  /// Positions of the kernel.
  std::size_t taps() const {
    return std::size_t(shape.kernelH) * shape.kernelW;
  }
  std::size_t channels() const { return shape.inC; }
  /// Whether each channel has sums of its own.
  bool isDepthwise() const { return shape.groups > 1 && depth() == 1; }
  std::size_t outputs() const { return shape.outC; }
  std::size_t outputsPerGroup() const { return shape.outC / shape.groups; }
  /// Output pixels of a sample.
  std::size_t pixels() const {
    return std::size_t(shape.batch) * shape.outH * shape.outW;
  }
  std::size_t inputElements() const {
    return std::size_t(shape.batch) * shape.inH * shape.inW * shape.inC;
  }

  /// \p row, of terms() numbers, is 0 in the padding.
  void gather(std::span<const float> x, std::size_t pixel, std::size_t group,
              std::span<float> row) const;
  /// The same of all groups: of taps() * channels() numbers, channels last.
  void gatherTaps(std::span<const float> x, std::size_t pixel,
                  std::span<float> row) const;
  void scatter(std::span<const float> row, std::size_t pixel, std::size_t group,
               std::span<float> x) const;

private:
  std::size_t depth() const { return shape.inC / shape.groups; }
  /// body(element of the input, or -1 in the padding; element of the row), for
  /// each position of the kernel: depth() elements each.
  template <typename Body>
  void forTaps(std::size_t pixel, std::size_t group, const Body &body) const;

  kernels::Conv2DShape shape;
};

} // namespace yarrow

#endif // YARROW_QUANTIZER_ROUNDING_IM2COL_H
