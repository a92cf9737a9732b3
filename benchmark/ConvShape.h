//===- ConvShape.h - The shape of a convolution to time ---------*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// What both sides of a comparison need to know of a convolution, and the
// convolutions of ResNet-20 (CIFAR-10, 32x32x3), which is what the reports
// compare. Equal layers stand once, with their number.
//
//   for (const NamedConv &layer : resnet20Convs)
//     double gmacs = timeOneDnnConv(layer.shape, /*repeats=*/20);
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_BENCHMARK_CONVSHAPE_H
#define YARROW_BENCHMARK_CONVSHAPE_H

#include <cstdint>
#include <string_view>

namespace yarrow::benchmark {

/// A square-stride, undilated, ungrouped convolution of batch 1, of int8 or
/// float32.
struct ConvShape {
  int inHeight = 1, inWidth = 1, inChannels = 1, outChannels = 1;
  int kernelHeight = 1, kernelWidth = 1, stride = 1;
  int padTop = 0, padLeft = 0, padBottom = 0, padRight = 0;
  bool unsignedInput = false; ///< u8 activations instead of s8.
  bool isFloat = false;

  constexpr int outHeight() const {
    return (inHeight + padTop + padBottom - kernelHeight) / stride + 1;
  }
  constexpr int outWidth() const {
    return (inWidth + padLeft + padRight - kernelWidth) / stride + 1;
  }
  /// Multiply-accumulates, those on padding included, as is usual.
  constexpr int64_t macs() const {
    return int64_t(outHeight()) * outWidth() * outChannels * inChannels *
           kernelHeight * kernelWidth;
  }
};

struct NamedConv {
  std::string_view name; ///< Of the first such layer in the network.
  ConvShape shape;
  int count; ///< How many layers of the network have this shape.
};

/// A 3x3 convolution on a square image, padded by one on every side.
constexpr ConvShape conv3x3(int size, int inChannels, int outChannels,
                            int stride) {
  return {size, size, inChannels, outChannels, 3, 3, stride, 1, 1, 1, 1, false};
}

inline constexpr NamedConv resnet20Convs[] = {
    {"conv1", conv3x3(32, 3, 16, 1), 1},
    {"layer1.0.conv1", conv3x3(32, 16, 16, 1), 6},
    {"layer2.0.conv1", conv3x3(32, 16, 32, 2), 1},
    {"layer2.0.conv2", conv3x3(16, 32, 32, 1), 5},
    {"layer3.0.conv1", conv3x3(16, 32, 64, 2), 1},
    {"layer3.0.conv2", conv3x3(8, 64, 64, 1), 5},
};

} // namespace yarrow::benchmark

#endif // YARROW_BENCHMARK_CONVSHAPE_H
