//===- WinogradTest.cpp - Convolutions quantized in Winograd's form -------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#include "quantizer/rules/Winograd.h"

#include "dialects/compass/Keys.h"
#include "quantizer/math/WinogradWeights.h"
#include "test/unit/quantizer/ConvNetwork.h"
#include "test/unit/quantizer/WinogradReference.h"

using namespace yarrow;
using namespace yarrow::compass;
using ::testing::HasSubstr;

namespace {

class Winograd : public ::testing::TestWithParam<WinogradTransform> {
protected:
  const PublishedTile tile{.is2D = GetParam() == WinogradTransform::F2x2_3x3};
  const std::size_t taps = std::size_t(tile.taps());
};

/// A network of one convolution, quantized.
struct QuantizedConv {
  QuantizedConv(ConvCase c, const QuantizerOptions &options, float mean = 0)
      : conv(std::move(c)), net(networkOf(conv)) {
    EXPECT_TRUE(net.quantize(options, conv.images(mean))) << net.problems();
    op = net.find("convolution");
  }

  /// Largest distance, in steps of the channel's coarsest tap, of a stored
  /// weight from the transformed one.
  double largestWeightError() const {
    WinogradReference reference(op);
    std::vector<double> scales = weightScalesOf(op);
    auto channels = std::size_t(conv.channels);
    auto taps = std::size_t(reference.tile.taps());
    std::vector<float> u =
        reference.tile.transformWeights(conv.weights, channels);
    EXPECT_EQ(u.size(), reference.weights.size());
    double largest = 0;
    for (std::size_t i = 0; i < u.size(); ++i) {
      std::size_t o = i / (taps * channels);
      auto ofChannel = std::span(reference.shifts).subspan(o * taps, taps);
      double coarsest =
          std::ldexp(1.0, int(*std::ranges::max_element(ofChannel)));
      double stored = std::ldexp(double(reference.weights[i]),
                                 int(reference.shifts[i / channels]));
      largest = std::max(largest, std::fabs(double(u[i]) * scales[o] - stored) /
                                      coarsest);
    }
    return largest;
  }

  /// One shift, and multipliers of 8 bits at least.
  void expectFineMultipliers() const {
    std::vector<int64_t> scale = intsOf(op, compass::keys::scale),
                         shift = intsOf(op, compass::keys::shift);
    std::vector<double> weightScales = weightScalesOf(op);
    for (std::size_t o = 0; o < weightScales.size(); ++o) {
      EXPECT_EQ(shift[o], shift[0]);
      double ratio =
          double(describe(op->getResult(0)).scale) /
          (double(describe(op->getOperand(0)).scale) * weightScales[o]);
      // 8 bits rounded, or more of which the lowest is cut off.
      EXPECT_NEAR(std::ldexp(double(scale[o]), -int(shift[o])) / ratio, 1,
                  1.0 / 256 + 1e-6)
          << o;
    }
  }

  ConvCase conv;
  TestNetwork net;
  mlir::Operation *op = nullptr;
};

} // namespace

INSTANTIATE_TEST_SUITE_P(Forms, Winograd,
                         ::testing::Values(WinogradTransform::F2_3,
                                           WinogradTransform::F2x2_3x3));

TEST_P(Winograd, KeysOfALayer) {
  QuantizedConv q({}, winogradOptions(GetParam()));
  ASSERT_TRUE(isInWinogradForm(q.op));
  for (auto [key, value] : {std::pair{"kernel_x", 4},
                            {"kernel_y", tile.rows()},
                            {"stride_x", 2},
                            {"stride_y", tile.outputRows()},
                            {"pad_left", 1},
                            {"group", 1}})
    EXPECT_EQ(q.op->getAttrOfType<mlir::IntegerAttr>(key).getInt(), value)
        << key;
  auto weights = viewConstant(tensorKey(q.op, keys::weights));
  EXPECT_EQ(weights->dtype, DType::I8);
  EXPECT_EQ(weights->shape, llvm::SmallVector<int64_t>({4, tile.rows(), 4, 8}));
  auto shifts = viewConstant(tensorKey(q.op, keys::winograd_tap_shift));
  EXPECT_EQ(shifts->dtype, DType::U8);
  EXPECT_EQ(shifts->shape, llvm::SmallVector<int64_t>({4, tile.rows(), 4}));
  EXPECT_EQ(viewConstant(tensorKey(q.op, keys::biases))->dtype, DType::I32);
  EXPECT_EQ(viewConstant(tensorKey(q.op, keys::scale))->numElements(), 4);
}

TEST_P(Winograd, WeightsAreNearTheTransformedOnes) {
  for (RangeMode mode :
       {RangeMode::SymmetricRestricted, RangeMode::SymmetricFull})
    for (unsigned bits : {8u, 5u}) {
      QuantizerOptions options = winogradOptions(GetParam());
      options.global.weightMethod.mode = mode;
      options.global.weightBits = bits;
      QuantizedConv q({.channels = 16, .outputs = 8}, options);
      // Half a step, and what makes up for other taps' errors.
      EXPECT_LE(q.largestWeightError(), 2) << bits;
      std::vector<int64_t> shifts =
          intsOf(q.op, compass::keys::winograd_tap_shift);
      for (std::size_t o = 0; o < 8; ++o) {
        auto ofChannel = std::span(shifts).subspan(o * taps, taps);
        EXPECT_EQ(*std::ranges::min_element(ofChannel), 0); // the finest tap
        EXPECT_LE(*std::ranges::max_element(ofChannel), 5);
      }
    }
}

TEST_P(Winograd, NoShiftsWhereTapsAreAlike) {
  ConvCase c{.channels = 1, .outputs = 1};
  // G (g0, g1, g2) = (g0, (g0+g1+g2)/2, (g0-g1+g2)/2, g2) of equal sizes for
  // (1, 0, 1): every tap of such rows, and of its outer product, is 1.
  if (tile.is2D)
    c.weights = {1, 0, 1, 0, 0, 0, 1, 0, 1};
  else
    c.weights = {1, 0, 1, 1, 0, 1, 1, 0, 1};
  QuantizedConv q(c, winogradOptions(GetParam()));
  EXPECT_TRUE(isInWinogradForm(q.op));
  EXPECT_FALSE(tensorKey(q.op, keys::winograd_tap_shift));
  EXPECT_EQ(intsOf(q.op, compass::keys::weights),
            std::vector<int64_t>(taps, 127));
}

TEST_P(Winograd, RealZerosGiveTheBias) {
  // Everything that the zero point adds, in padding too, is in the bias.
  for (bool isAsymmetric : {false, true})
    for (float mean : {-1.5f, 0.0f, 3.0f}) {
      QuantizerOptions options = winogradOptions(GetParam());
      if (isAsymmetric)
        options.global.activationMethod.mode = RangeMode::Asymmetric;
      QuantizedConv q({.padTop = 2, .padBottom = 0, .padRight = 2}, options,
                      mean);
      WinogradReference reference(q.op);
      TensorInfo in = describe(q.op->getOperand(0));
      if (isAsymmetric && mean != 0)
        EXPECT_NE(in.zp, 0);
      std::vector<int64_t> zeros(
          std::size_t(q.conv.height * q.conv.width * q.conv.channels), -in.zp);
      auto acc = reference.accumulators(zeros, q.conv.height, q.conv.width);
      std::vector<double> scales = weightScalesOf(q.op);
      ASSERT_EQ(acc.size(), std::size_t(q.conv.outHeight() * q.conv.outWidth() *
                                        q.conv.outputs));
      for (std::size_t i = 0; i < acc.size(); ++i) {
        std::size_t o = i % std::size_t(q.conv.outputs);
        double exact = double(q.conv.biases[o]) * in.scale * scales[o];
        // Products of float32 scales: relative 2^-23 of some 10^5.
        EXPECT_NEAR(double(acc[i]), exact, 0.5 + std::fabs(exact) * 3e-7);
      }
    }
}

TEST_P(Winograd, BiasBits) {
  QuantizerOptions options = winogradOptions(GetParam());
  options.global.biasEffectiveBits = 16;
  QuantizedConv q({.biases = {3, -2, 1, 0.5f}}, options);
  ASSERT_TRUE(isInWinogradForm(q.op));
  int64_t largest = 0, lowBits = 0;
  for (int64_t b : intsOf(q.op, compass::keys::biases))
    largest = std::max(largest, std::abs(b));
  ASSERT_GT(largest, 1 << 16);
  while (largest >> lowBits > 32768)
    ++lowBits;
  for (int64_t b : intsOf(q.op, compass::keys::biases))
    EXPECT_EQ(b % (int64_t(1) << lowBits), 0);
  // 16 bits hold the bias only of a coarser scale.
  options = winogradOptions(GetParam());
  options.global.biasBits = 16;
  options.global.activationMethod.mode = RangeMode::Asymmetric;
  QuantizedConv narrow({.biases = {3, -2, 1, 0.5f}}, options, 2);
  for (int64_t b : intsOf(narrow.op, compass::keys::biases))
    EXPECT_LE(std::abs(b), 32768);
}

TEST_P(Winograd, SumsAreProvedToFit) {
  // All weights as large as can be but for one tap that is much smaller: the
  // taps' spread asks for 2^5, the sums of 700 channels do not allow it.
  for (int64_t channels : {40, 700}) {
    ConvCase c{.height = 4, .width = 4, .channels = channels, .outputs = 2};
    c.weights.assign(c.numWeights(), 1.0f);
    // Corner (0,0) of the window is also tap (0,0).
    for (int64_t o = 0; o < 2; ++o)
      for (int64_t i = 0; i < channels; ++i)
        c.weights[std::size_t(o * 9 * channels + i)] = 0.01f;
    QuantizedConv q(c, winogradOptions(GetParam()));
    ASSERT_TRUE(isInWinogradForm(q.op)) << channels;
    WinogradReference reference(q.op);
    WinogradTile winogradTile(winogradMatrices(tile.is2D ? 2 : 1, 3),
                              winogradMatrices(2, 3));
    std::vector<unsigned> shifts(reference.shifts.begin(),
                                 reference.shifts.end());
    for (std::size_t o = 0; o < 2; ++o) {
      auto ofTaps = std::span(shifts).subspan(o * taps, taps);
      int64_t bound =
          winogradTile.sumBound(std::span(reference.weights)
                                    .subspan(o * taps * std::size_t(channels),
                                             taps * std::size_t(channels)),
                                ofTaps);
      EXPECT_LT(bound + std::abs(reference.biases[o]), int64_t(1) << 31);
      unsigned largest = *std::ranges::max_element(ofTaps);
      // Taps of 9 / 2.25 * 127 in all: * 512 * 700 << 3 is 1.5e9. In 1-D of
      // 7 / 1.5 * 127: * 256 * 700 << 4 is 1.7e9.
      EXPECT_EQ(largest, channels == 40 ? 5u : tile.is2D ? 3u : 4u);
    }
    EXPECT_LE(q.largestWeightError(), 2);
  }
  ConvCase c{.height = 4, .width = 4, .channels = 24000, .outputs = 1};
  c.weights.assign(c.numWeights(), 1.0f);
  c.weights[0] = 0.9f; // no splat
  QuantizedConv direct(c, winogradOptions(GetParam()));
  EXPECT_FALSE(isInWinogradForm(direct.op));
  EXPECT_EQ(viewConstant(tensorKey(direct.op, keys::weights))->shape,
            llvm::SmallVector<int64_t>({1, 3, 3, 24000}));
}

TEST_P(Winograd, SharedShiftKeepsMultipliersFine) {
  // Channels of very different sizes, each with taps of different sizes; the
  // last one is switched off.
  ConvCase c{.channels = 4, .outputs = 8};
  c.weights = normalValues(c.numWeights(), 11, 0.2f);
  for (std::size_t i = 0; i < c.weights.size(); ++i)
    c.weights[i] *=
        i / 36 == 7 ? 1e-8f : std::ldexp(1.0f, -3 * int(i / 36) / 2);
  QuantizedConv q(c, winogradOptions(GetParam()));
  QuantizerOptions separate = winogradOptions(GetParam());
  separate.global.unifyShifts = false;
  QuantizedConv alone(c, separate);
  std::vector<int64_t> tapShifts =
                           intsOf(q.op, compass::keys::winograd_tap_shift),
                       tapsAlone =
                           intsOf(alone.op, compass::keys::winograd_tap_shift);
  q.expectFineMultipliers();
  unsigned limited = 0, free = 0;
  for (std::size_t o = 0; o < 8; ++o) {
    int64_t largest =
        *std::ranges::max_element(std::span(tapShifts).subspan(o * taps, taps));
    int64_t wanted =
        *std::ranges::max_element(std::span(tapsAlone).subspan(o * taps, taps));
    EXPECT_LE(largest, wanted);
    (largest < wanted ? limited : free)++;
  }
  EXPECT_GT(limited, 0u);
  EXPECT_GT(free, 0u);
  EXPECT_LE(q.largestWeightError(), 2);
}

TEST_P(Winograd, SharedShiftIsForTheWidestChannelWhicheverItIs) {
  for (std::size_t widest : {0u, 3u, 7u}) {
    ConvCase c{.channels = 4, .outputs = 8};
    c.weights = normalValues(c.numWeights(), 11, 0.2f);
    for (std::size_t i = 0; i < c.weights.size(); ++i)
      if (i / 36 != widest)
        c.weights[i] *= 0x1p-10f;
    QuantizedConv q(c, winogradOptions(GetParam()));
    ASSERT_TRUE(isInWinogradForm(q.op));
    q.expectFineMultipliers();
  }
}

TEST_P(Winograd, PerTensorMethodHasScalesPerChannelToo) {
  QuantizerOptions options = winogradOptions(GetParam());
  options.global.weightMethod.perChannel = false;
  QuantizedConv q({}, options), perChannel({}, winogradOptions(GetParam()));
  ASSERT_TRUE(isInWinogradForm(q.op));
  EXPECT_EQ(intsOf(q.op, compass::keys::weights),
            intsOf(perChannel.op, compass::keys::weights));
  EXPECT_EQ(intsOf(q.op, compass::keys::scale),
            intsOf(perChannel.op, compass::keys::scale));
}

TEST_P(Winograd, WeightStrategyNarrowsTheRangeOfATap) {
  QuantizerOptions options = winogradOptions(GetParam());
  options.global.weightStrategy = *CalibrationStrategy::parse("0.5percentile");
  QuantizedConv q({}, options);
  WinogradReference reference(q.op);
  std::vector<double> scales = weightScalesOf(q.op);
  std::vector<float> u = tile.transformWeights(q.conv.weights, 8);
  for (std::size_t tap = 0; tap < 4 * taps; ++tap) {
    double largest = 0, stored = 0;
    double step =
        double(int64_t(1) << reference.shifts[tap]) / scales[tap / taps];
    for (std::size_t i = tap * 8; i < (tap + 1) * 8; ++i) {
      largest = std::max(largest, std::fabs(double(u[i])));
      stored = std::max(stored, std::fabs(double(reference.weights[i]) * step));
    }
    EXPECT_GT(stored, largest / 2 - step);
    // For the whole range it would be at least that.
    EXPECT_LT(127 * step, largest * 1.001);
  }
}

TEST_P(Winograd, RefusesAsymmetricWeights) {
  ConvCase c;
  TestNetwork net(networkOf(c));
  QuantizerOptions options = winogradOptions(GetParam());
  options.global.weightMethod.mode = RangeMode::Asymmetric;
  EXPECT_FALSE(net.quantize(options, c.images()));
  EXPECT_THAT(net.problems(), HasSubstr("E0402"));
}

TEST_P(Winograd, OtherLayersStayDirect) {
  std::vector<ConvCase> cases = {
      {.kernel = 1, .padTop = 0, .padLeft = 0, .padBottom = 0, .padRight = 0},
      {.kernel = 5},
      {.group = 2},
      {.stride = 2},
      {.dilation = 2}};
  for (ConvCase &c : cases) {
    TestNetwork net(networkOf(c));
    EXPECT_FALSE(isWinogradCandidate(net.find("convolution")));
    ASSERT_TRUE(net.quantize(winogradOptions(GetParam()), c.images()))
        << net.problems();
    EXPECT_FALSE(isInWinogradForm(net.find("convolution")));
  }
  for (unsigned weightBits : {8u, 16u}) {
    ConvCase c;
    TestNetwork net(networkOf(c));
    EXPECT_TRUE(isWinogradCandidate(net.find("convolution")));
    QuantizerOptions options = winogradOptions(GetParam());
    options.global.weightBits = weightBits;
    options.global.activationBits = weightBits == 8 ? 16 : 8;
    ASSERT_TRUE(net.quantize(options, c.images())) << net.problems();
    EXPECT_FALSE(isInWinogradForm(net.find("convolution")));
    EXPECT_FALSE(isWinogradCandidate(net.find("convolution")));
  }
}
