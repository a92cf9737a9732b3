//===- SpectraTest.cpp - Fourier transforms and products over letters -----===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "test/unit/onnx/Imported.h"
#include <complex>
#include <numbers>

using namespace yarrow;
using namespace yarrow::test;
using ::testing::ElementsAre;
using ::testing::FloatNear;
using ::testing::Pointwise;

using Complex = std::complex<double>;

/// Sums of \p x times the roots of unity.
static std::vector<Complex> transformed(const std::vector<Complex> &x,
                                        size_t bins, bool isInverse = false) {
  std::vector<Complex> y;
  for (size_t bin = 0; bin < bins; ++bin) {
    Complex sum = 0;
    for (size_t k = 0; k < x.size(); ++k)
      sum += x[k] * std::polar(1.0, (isInverse ? 2 : -2) * std::numbers::pi *
                                        double(bin * k) / double(x.size()));
    y.push_back(isInverse ? sum / double(x.size()) : sum);
  }
  return y;
}

static std::vector<float> parts(const std::vector<Complex> &values) {
  std::vector<float> result;
  for (Complex value : values) {
    result.push_back(float(value.real()));
    result.push_back(float(value.imag()));
  }
  return result;
}

static std::string dft(const std::vector<int64_t> &shape, int64_t axis,
                       int64_t length, bool isInverse, bool isOneSided) {
  Message node = nodeOf("DFT", {"x", "n"}, {"y"});
  node.add(5, intAttribute("axis", axis))
      .add(5, intAttribute("inverse", isInverse))
      .add(5, intAttribute("onesided", isOneSided));
  Message graph;
  Message number;
  number.add(2, 7).add(8, std::string("n")).add(7, uint64_t(length));
  graph.add(1, node)
      .add(5, number)
      .add(11, valueOf("x", shape))
      .add(12, valueOf("y", {}));
  return modelOf(graph, 17);
}

TEST(Spectra, TransformsAnAxis) {
  const std::vector<float> x = {1, -2, 0.5f, 3, 4, -1};
  std::vector<Complex> whole(x.begin(), x.end());
  EXPECT_THAT(Imported(dft({1, 6, 1}, 1, 6, false, false)).run(x),
              Pointwise(FloatNear(1e-5f), parts(transformed(whole, 6))));
  EXPECT_THAT(Imported(dft({1, 6, 1}, 1, 6, false, true)).run(x),
              Pointwise(FloatNear(1e-5f), parts(transformed(whole, 4))));
  // Zeros behind, or values left out; not along the last but one axis.
  std::vector<Complex> longer = whole, shorter(x.begin(), x.begin() + 4);
  longer.resize(8);
  EXPECT_THAT(Imported(dft({6, 1, 1}, 0, 8, false, false)).run(x),
              Pointwise(FloatNear(1e-5f), parts(transformed(longer, 8))));
  EXPECT_THAT(Imported(dft({6, 1, 1}, 0, 4, false, false)).run(x),
              Pointwise(FloatNear(1e-5f), parts(transformed(shorter, 4))));
  // Complex values, and back.
  std::vector<Complex> pairs = {{1, -2}, {0.5, 3}, {4, -1}};
  EXPECT_THAT(Imported(dft({1, 3, 2}, 1, 3, true, false)).run(x),
              Pointwise(FloatNear(1e-5f), parts(transformed(pairs, 3, true))));
}

static const std::vector<float> kWindow = {0.25f, 1, 0.5f, 2};

/// Of a signal of \p shape.
static std::string stft(const std::vector<int64_t> &shape) {
  Message node = nodeOf("STFT", {"x", "step", "window"}, {"y"});
  Message step;
  step.add(2, 7).add(8, std::string("step")).add(7, uint64_t(2));
  Message graph;
  graph.add(1, node)
      .add(5, step)
      .add(5, floatsOf("window", {4}, kWindow))
      .add(11, valueOf("x", shape))
      .add(12, valueOf("y", {}));
  return modelOf(graph, 17);
}

/// Of \p shape, [1, 9, 1] or, as exporters write real signals, [1, 9].
static void expectFrames(const std::vector<int64_t> &shape) {
  Imported net(stft(shape));
  const std::vector<float> x = {1, -2, 0.5f, 3, 4, -1, 2, 2.5f, -3};
  std::vector<Complex> all;
  for (size_t frame = 0; frame < 3; ++frame) {
    std::vector<Complex> part;
    for (size_t k = 0; k < 4; ++k)
      part.push_back(double(x[frame * 2 + k] * kWindow[k]));
    for (Complex value : transformed(part, 3))
      all.push_back(value);
  }
  EXPECT_THAT(net.run(x), Pointwise(FloatNear(1e-5f), parts(all)));
  EXPECT_THAT(net.layers(), ::testing::Contains("Convolution"));
}

TEST(Spectra, TransformsFrames) { expectFrames({1, 9, 1}); }
TEST(Spectra, TransformsFramesWithoutAnAxisOfParts) { expectFrames({1, 9}); }

TEST(Spectra, TellsTheShapeOfAWrongSignal) {
  Imported net(stft({1, 9, 3}));
  ASSERT_EQ(net.diags.numErrors(), 1u);
  const Diagnostic &told = net.diags.all().front();
  EXPECT_THAT(told.message, ::testing::HasSubstr("has a wrong shape"));
  EXPECT_EQ(told.foundText, "[1,9,3]");
  EXPECT_EQ(told.expectedText, "[..., 1] or [..., 2]");
}

static std::vector<float> einsum(const char *equation,
                                 const std::vector<int64_t> &shape,
                                 const std::vector<float> &x,
                                 std::vector<std::string> others = {}) {
  std::vector<std::string> inputs = {"x"};
  inputs.insert(inputs.end(), others.begin(), others.end());
  Message node = nodeOf("Einsum", inputs, {"y"});
  node.add(5, stringAttribute("equation", equation));
  Message graph;
  graph.add(1, node)
      .add(5, floatsOf("a", {2, 3}, {1, 2, 3, 4, 5, 6}))
      .add(5, floatsOf("b", {3}, {1, -1, 2}))
      .add(11, valueOf("x", shape))
      .add(12, valueOf("y", {}));
  return Imported(modelOf(graph)).run(x);
}

TEST(Einsum, TakesDiagonals) {
  EXPECT_THAT(einsum("ii->i", {3, 3}, {1, 2, 3, 4, 5, 6, 7, 8, 9}),
              ElementsAre(1, 5, 9));
  EXPECT_THAT(einsum("ii", {2, 2}, {1, 2, 3, 4}), ElementsAre(5));
  EXPECT_THAT(einsum("iji->ji", {2, 1, 2}, {1, 2, 3, 4}), ElementsAre(1, 4));
  EXPECT_THAT(einsum("iii->i", {2, 2, 2}, {1, 2, 3, 4, 5, 6, 7, 8}),
              ElementsAre(1, 8));
}

/// x [2,2] a [2,3] b [3]
TEST(Einsum, HasAnyNumberOfOperands) {
  EXPECT_THAT(einsum("ij,jk,k->i", {2, 2}, {1, 0, 0, 1}, {"a", "b"}),
              ElementsAre(5, 11));
  EXPECT_THAT(einsum("ij,jk,k->ki", {2, 2}, {1, 1, 0, 1}, {"a", "b"}),
              ElementsAre(5, 4, -7, -5, 18, 12));
  EXPECT_THAT(einsum("ij,jk,k->", {2, 2}, {1, 0, 0, 1}, {"a", "b"}),
              ElementsAre(16));
}
