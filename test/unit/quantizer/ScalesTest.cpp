//===- ScalesTest.cpp - From ranges and samples to stored scales ----------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// Scales of a quantized network in every width, by hand; and that they do not
// depend on which thread ends first.
//
//===----------------------------------------------------------------------===//

#include "dialects/compass/Layers.h"
#include "support/ThreadPool.h"
#include "test/unit/quantizer/TestNetwork.h"

using namespace yarrow;
using namespace yarrow::compass;

namespace {
/// A layer whose result is not negative, and one whose result has any sign.
constexpr const char *kBothSigns = R"(
func.func @main() -> tensor<1x6x6x2xf32> {
  %x = compass.input() : () -> tensor<1x6x6x3xf32> loc("input")
  %a = compass.convolution(%x) {
    weights = dense<[[[[0.5, -0.25, 0.125]]], [[[0.75, 0.3, -0.9]]]]> : tensor<2x1x1x3xf32>,
    biases = dense<[0.1, -0.2]> : tensor<2xf32>, with_activation = "RELU"
  } : (tensor<1x6x6x3xf32>) -> tensor<1x6x6x2xf32> loc("unsigned")
  %b = compass.convolution(%a) {
    weights = dense<[[[[0.5, -0.25]]], [[[0.03, 0.01]]]]> : tensor<2x1x1x2xf32>,
    biases = dense<[0.1, -0.2]> : tensor<2xf32>
  } : (tensor<1x6x6x2xf32>) -> tensor<1x6x6x2xf32> loc("signed")
  return %b : tensor<1x6x6x2xf32>
})";

mlir::Operation *layerOf(mlir::ModuleOp module, llvm::StringRef name) {
  mlir::Operation *found = nullptr;
  module.walk([&](mlir::Operation *op) {
    if (layerNameOf(op) == name)
      found = op;
  });
  return found;
}
} // namespace

TEST(Scales, OfEveryTypeAndWidth) {
  for (unsigned bits = 4; bits <= 16; ++bits)
    for (RangeMode mode :
         {RangeMode::SymmetricFull, RangeMode::SymmetricRestricted,
          RangeMode::Asymmetric}) {
      SCOPED_TRACE(std::to_string(bits) + " bits, mode " +
                   std::to_string(int(mode)));
      float steps = float((1u << bits) - 1);
      unsigned typeBits = (bits + 3) / 4 * 4; // types are of 4, 8, 12 and 16
      TestNetwork net(kBothSigns);
      QuantizerOptions options;
      options.global.activationBits = bits;
      options.global.activationMethod.mode = mode;
      auto calibration = Calibration::run(
          *net.module, {normalSamples({4, 6, 6, 3})}, options, {}, net.diags);
      ASSERT_TRUE(calibration) << net.problems();
      calibration->setRange(layerOf(*net.module, "unsigned")->getResult(0),
                            {0, 6});
      calibration->setRange(layerOf(*net.module, "signed")->getResult(0),
                            {-2, 6});
      ASSERT_TRUE(quantizeModule(*net.module, *calibration, options, net.diags))
          << net.problems();
      TensorInfo positive =
          describe(layerOf(*net.module, "unsigned")->getResult(0));
      EXPECT_EQ(positive.dtype, bits <= 8 ? DType::U8 : DType::U16);
      EXPECT_EQ(positive.bits(), typeBits);
      EXPECT_FLOAT_EQ(positive.scale, steps / 6);
      EXPECT_EQ(positive.zp, 0);
      TensorInfo any = describe(layerOf(*net.module, "signed")->getResult(0));
      EXPECT_EQ(any.dtype, bits <= 8 ? DType::I8 : DType::I16);
      EXPECT_EQ(any.bits(), typeBits);
      // 16 bits have no zero points: the full range in place of them.
      bool isAsymmetric = mode == RangeMode::Asymmetric && bits < 16;
      bool isRestricted = mode == RangeMode::SymmetricRestricted;
      EXPECT_FLOAT_EQ(any.scale, isAsymmetric   ? steps / 8
                                 : isRestricted ? (steps - 1) / 12
                                                : steps / 12);
      // Of -2 to 6 a quarter lies below zero.
      EXPECT_EQ(any.zp, isAsymmetric ? 1 << (bits - 2) : 0);
    }
}

/// The weight of the largest magnitude, -0.9, takes the end of the range; per
/// channel, so does 0.5 of the other one.
TEST(Scales, OfWeightsOfEveryWidth) {
  for (unsigned bits = 4; bits <= 16; ++bits)
    for (bool perChannel : {false, true}) {
      SCOPED_TRACE(bits);
      TestNetwork net(kBothSigns);
      QuantizerOptions options;
      options.global.weightBits = bits;
      options.global.weightMethod.mode = RangeMode::SymmetricRestricted;
      options.global.weightMethod.perChannel = perChannel;
      ASSERT_TRUE(net.quantize(options, {normalSamples({4, 6, 6, 3})}))
          << net.problems();
      auto weights = *viewConstant(
          tensorKey(layerOf(*net.module, "unsigned"), keys::weights));
      EXPECT_EQ(weights.dtype, bits <= 8 ? DType::I8 : DType::I16);
      int64_t most = (int64_t(1) << (bits - 1)) - 1;
      EXPECT_EQ(weights.intAt(5), -most);
      // 0.5 of 0.9, or of itself.
      double share = perChannel ? 1.0 : 0.5f / 0.9f;
      EXPECT_EQ(weights.intAt(0), std::llrint(share * double(most)));
    }
}

/// Sums of values that lie far apart depend on their order: the large ones of a
/// batch cancel out, and the mean is what their order leaves of the small ones.
/// Samples are merged in theirs. Batches of 7 of 20 samples.
TEST(Scales, TheSameOnAnyNumberOfThreads) {
  NpyView samples = normalSamples({20, 6, 6, 3});
  auto *values = static_cast<float *>(const_cast<void *>(samples.data));
  constexpr int kLarge[] = {1, 0, -1, 3, -3, 0, 0};
  for (std::size_t i = 0; i < samples.numElements; ++i)
    if (int large = kLarge[i / (6 * 6 * 3) % 7])
      values[i] = std::ldexp(float(large), 60);
  for (const char *strategy : {"extrema", "mean", "3std", "kld", "aciq_gauss",
                               "aciq_laplace", "0.9percentile"}) {
    SCOPED_TRACE(strategy);
    std::vector<ObservedState> states;
    for (unsigned threads : {1u, 2u, 8u}) {
      setDefaultThreadCount(threads);
      TestNetwork net(kBothSigns);
      QuantizerOptions options;
      options.calibrationBatchSize = 7;
      options.takesAllStatistics = true;
      options.global.activationStrategy = *CalibrationStrategy::parse(strategy);
      auto c = Calibration::run(*net.module, {samples}, options, {}, net.diags);
      setDefaultThreadCount(0);
      ASSERT_TRUE(c) << net.problems();
      states.push_back(
          c->observerOf(layerOf(*net.module, "input")->getResult(0))->state());
      EXPECT_EQ(states.back().batches, 3u);
      EXPECT_GT(states.back().deviation, 0);
      EXPECT_EQ(states.back().mean, states[0].mean);
      EXPECT_EQ(states.back().deviation, states[0].deviation);
      EXPECT_EQ(states.back().absoluteDeviation, states[0].absoluteDeviation);
      EXPECT_EQ(states.back().histogram, states[0].histogram);
      EXPECT_EQ(states.back().running.min, states[0].running.min);
      EXPECT_EQ(states.back().running.max, states[0].running.max);
      EXPECT_EQ(states.back().allData.min, states[0].allData.min);
      EXPECT_EQ(states.back().allData.max, states[0].allData.max);
    }
  }
}
