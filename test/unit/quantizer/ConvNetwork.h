//===- ConvNetwork.h - A network of one convolution -----------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// Text of a network with one 2-D convolution of any geometry, with random
// weights unless they are given.
//
//   ConvCase c{.channels = 16, .padTop = 2};
//   TestNetwork net(networkOf(c));
//   net.quantize(winogradOptions(), c.images());
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_TEST_UNIT_QUANTIZER_CONVNETWORK_H
#define YARROW_TEST_UNIT_QUANTIZER_CONVNETWORK_H

#include "test/unit/quantizer/TestNetwork.h"

#include <cmath>
#include <cstring>
#include <string>
#include <utility>
#include <vector>

namespace yarrow {

struct ConvCase {
  int64_t height = 7, width = 9, channels = 8, outputs = 4;
  int64_t kernel = 3, group = 1, stride = 1, dilation = 1;
  int64_t padTop = 1, padLeft = 1, padBottom = 1, padRight = 1;
  std::string activation = "NONE";
  std::vector<float> weights = {}, biases = {}; ///< empty: random

  int64_t outHeight() const { return outLength(height + padTop + padBottom); }
  int64_t outWidth() const { return outLength(width + padLeft + padRight); }
  int64_t outLength(int64_t padded) const {
    return (padded - (kernel - 1) * dilation - 1) / stride + 1;
  }
  std::vector<int64_t> weightsShape() const {
    return {outputs, kernel, kernel, channels / group};
  }
  std::size_t numWeights() const {
    return std::size_t(outputs * kernel * kernel * channels / group);
  }
  std::vector<NpyView> images(float mean = 0) const {
    return {normalSamples({8, height, width, channels}, 7, mean)};
  }
};

inline std::string hexOf(const std::vector<float> &values) {
  std::string text = "\"0x";
  for (float v : values) {
    unsigned char bytes[4];
    std::memcpy(bytes, &v, 4);
    for (unsigned char b : bytes) {
      text += "0123456789ABCDEF"[b / 16];
      text += "0123456789ABCDEF"[b % 16];
    }
  }
  return text + "\"";
}

inline std::vector<float> normalValues(std::size_t count, unsigned seed,
                                       float scale) {
  std::vector<float> values = normalSamples({int64_t(count)}, seed).toFloats();
  for (float &v : values)
    v *= scale;
  return values;
}

/// Fills in what is random.
inline std::string networkOf(ConvCase &c) {
  if (c.weights.empty())
    c.weights = normalValues(c.numWeights(), 3,
                             1 / std::sqrt(9.0f * float(c.channels)));
  if (c.biases.empty())
    c.biases = normalValues(std::size_t(c.outputs), 5, 0.3f);
  auto n = [](int64_t v) { return std::to_string(v); };
  std::string in = "tensor<1x" + n(c.height) + "x" + n(c.width) + "x" +
                   n(c.channels) + "xf32>";
  std::string out = "tensor<1x" + n(c.outHeight()) + "x" + n(c.outWidth()) +
                    "x" + n(c.outputs) + "xf32>";
  std::string text = "func.func @main() -> " + out + " {\n";
  text += "  %x = compass.input() : () -> " + in + " loc(\"input\")\n";
  text += "  %y = compass.convolution(%x) {weights = dense<" +
          hexOf(c.weights) + "> : tensor<" + n(c.outputs) + "x" + n(c.kernel) +
          "x" + n(c.kernel) + "x" + n(c.channels / c.group) + "xf32>,\n";
  text += "    biases = dense<" + hexOf(c.biases) + "> : tensor<" +
          n(c.outputs) + "xf32>,\n";
  for (auto [key, value] : {std::pair{"kernel_x", c.kernel},
                            {"kernel_y", c.kernel},
                            {"stride_x", c.stride},
                            {"stride_y", c.stride},
                            {"dilation_x", c.dilation},
                            {"dilation_y", c.dilation},
                            {"group", c.group},
                            {"pad_top", c.padTop},
                            {"pad_left", c.padLeft},
                            {"pad_bottom", c.padBottom},
                            {"pad_right", c.padRight}})
    text += std::string("    ") + key + " = " + n(value) + ",\n";
  text += "    with_activation = \"" + c.activation + "\"} : (" + in + ") -> " +
          out + " loc(\"conv\")\n";
  return text + "  return %y : " + out + "\n}\n";
}

inline QuantizerOptions
winogradOptions(WinogradTransform form = WinogradTransform::F2x2_3x3) {
  QuantizerOptions options;
  options.global.winograd = form;
  options.global.weightMethod.perChannel = true;
  return options;
}

} // namespace yarrow

#endif // YARROW_TEST_UNIT_QUANTIZER_CONVNETWORK_H
