//===- ResizeTest.cpp - Change of height and width ------------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// Random shapes and ratios against the definition, direction by direction, in
// doubles.
//
//===----------------------------------------------------------------------===//
#include "test/Random.h"
#include "test/unit/kernels/KernelTesting.h"

#include <algorithm>
#include <cmath>

using namespace yarrow::kernels;
using yarrow::kernels::testing::runKernel;
using yarrow::testing::Random;

namespace {

/// What of each input pixel makes output pixel i of one direction.
std::vector<double> shares(const ResizeShape &s, int i, int in, int out,
                           double given) {
  double ratio = given > 0 ? given : double(out) / in, place = 0;
  switch (s.coordMode) {
  case CoordMode::HalfPixel:
    place = (i + 0.5) / ratio - 0.5;
    break;
  case CoordMode::HalfPixelSymmetric:
    place = (i + 0.5) / ratio - 0.5 + in / 2.0 * (1 - out / (ratio * in));
    break;
  case CoordMode::PytorchHalfPixel:
    place = out > 1 ? (i + 0.5) / ratio - 0.5 : 0;
    break;
  case CoordMode::AlignCorners:
    place = out > 1 ? i * (in - 1.0) / (out - 1) : 0;
    break;
  case CoordMode::TfHalfPixelForNn:
    place = (i + 0.5) / ratio;
    break;
  case CoordMode::Asymmetric:
    place = i / ratio;
    break;
  }
  double slope = s.antialias ? std::min(ratio, 1.0) : 1, sum = 0;
  std::vector<double> weights(size_t(in), 0);
  for (int j = -4 * in - 16; j < 5 * in + 16; ++j) {
    double w = std::max(0.0, 1 - std::abs(j - place) * slope);
    if (s.excludeOutside && s.antialias && (j < 0 || j >= in))
      continue;
    weights[size_t(std::clamp(j, 0, in - 1))] += w;
    sum += w;
  }
  for (double &w : weights)
    w = sum > 0 ? w / sum : 0;
  return weights;
}

double expectedAt(const ResizeShape &s, const std::vector<float> &x, int n,
                  int y, int column, int channel) {
  std::vector<double> v = shares(s, y, s.inH, s.outH, s.ratioH),
                      h = shares(s, column, s.inW, s.outW, s.ratioW);
  double sum = 0;
  for (uint32_t r = 0; r < s.inH; ++r)
    for (uint32_t c = 0; c < s.inW; ++c)
      sum += v[r] * h[c] *
             x[((size_t(n) * s.inH + r) * s.inW + c) * s.channels + channel];
  return sum;
}

/// An output length, as ONNX makes it of a ratio.
void drawLengths(Random &random, uint32_t &in, uint32_t &out, float &ratio) {
  in = 1 + random.below(9);
  if (random.oneIn(2)) {
    out = 1 + random.below(12), ratio = 0;
    return;
  }
  ratio = 0.15f + float(random.below(300)) / 100;
  out = uint32_t(double(ratio) * in);
  if (out == 0)
    out = 1, ratio = 0;
}

TEST(Resize, bilinearIsTheDefinition) {
  Random random(5);
  for (int round = 0; round < 300; ++round) {
    ResizeShape s;
    s.batch = 1 + random.below(2), s.channels = 1 + random.below(3);
    drawLengths(random, s.inH, s.outH, s.ratioH);
    drawLengths(random, s.inW, s.outW, s.ratioW);
    s.coordMode = CoordMode(random.below(6));
    s.antialias = random.below(2), s.excludeOutside = random.below(2);
    std::vector<float> x(size_t(s.batch) * s.inH * s.inW * s.channels),
        y(size_t(s.batch) * s.outH * s.outW * s.channels);
    for (float &value : x)
      value = float(random.below(2000)) / 100 - 10;
    runKernel("yk_resize_float", ResizeFloatParams{.shape = s},
              {x.data(), y.data()});
    for (size_t i = 0; i < y.size(); ++i) {
      int channel = int(i % s.channels), column = int(i / s.channels % s.outW),
          row = int(i / s.channels / s.outW % s.outH),
          n = int(i / s.channels / s.outW / s.outH);
      EXPECT_NEAR(y[i], expectedAt(s, x, n, row, column, channel), 2e-4)
          << "round " << round << " mode " << int(s.coordMode) << " antialias "
          << s.antialias << " row " << row << " column " << column;
    }
    // Integers: weights of 2^-16 and one rounding.
    ResizeIntParams p{.shape = s, .inType = DType::I16, .outType = DType::I16};
    p.weightShift = 16, p.lo = INT16_MIN, p.hi = INT16_MAX;
    p.shape.ratioH = s.ratioH, p.shape.ratioW = s.ratioW;
    std::vector<int16_t> qx(x.size()), qy(y.size());
    for (size_t i = 0; i < x.size(); ++i)
      qx[i] = int16_t(std::lround(x[i] * 100));
    runKernel("yk_resize_int", p, {qx.data(), qy.data()});
    for (size_t i = 0; i < y.size(); ++i)
      EXPECT_NEAR(qy[i], y[i] * 100, 2) << "round " << round;
  }
}

/// Columns are a strip where channels are few, channels where they are many.
TEST(Resize, bilinearOfFewChannelsIsAsOfMany) {
  Random random(6);
  for (int round = 0; round < 100; ++round) {
    ResizeIntParams few{.inType = DType::I16, .outType = DType::I16};
    few.lo = -30000, few.hi = 31000;
    ResizeShape &s = few.shape;
    s.batch = 1 + random.below(2), s.channels = 1 + random.below(7);
    s.inH = 1 + random.below(9), s.inW = 1 + random.below(70);
    s.outH = 1 + random.below(9), s.outW = 1 + random.below(70);
    s.coordMode = CoordMode(random.below(6));
    ResizeIntParams many = few;
    many.shape.channels = 9;
    uint32_t pixels = s.batch * s.inH * s.inW, made = s.batch * s.outH * s.outW;
    std::vector<int16_t> x(pixels * s.channels), wide(pixels * 9),
        y(made * s.channels), expected(made * 9);
    for (uint32_t i = 0; i < x.size(); ++i)
      wide[i / s.channels * 9 + i % s.channels] = x[i] = int16_t(random.next());
    runKernel("yk_resize_int", few, {x.data(), y.data()}, 1 + random.below(4));
    runKernel("yk_resize_int", many, {wide.data(), expected.data()});
    for (uint32_t i = 0; i < y.size(); ++i)
      ASSERT_EQ(y[i], expected[i / s.channels * 9 + i % s.channels])
          << "round " << round << ", element " << i;
  }
}

TEST(Resize, nearestOfWideIntegersCopies) {
  ResizeIntParams p;
  p.shape = {.inH = 1, .inW = 2, .outH = 1, .outW = 4};
  p.shape.method = ResizeMethod::Nearest;
  p.inType = p.outType = DType::I32;
  p.lo = INT32_MIN, p.hi = INT32_MAX;
  std::vector<int32_t> x = {INT32_MIN, INT32_MAX}, y(4);
  runKernel("yk_resize_int", p, {x.data(), y.data()});
  EXPECT_EQ(y,
            (std::vector<int32_t>{INT32_MIN, INT32_MIN, INT32_MAX, INT32_MAX}));
}

} // namespace
