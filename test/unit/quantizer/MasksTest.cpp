//===- MasksTest.cpp - Ranges without what is masked ----------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "quantizer/masks/BoundInfinities.h"
#include "quantizer/masks/MaskRanges.h"
#include "quantizer/masks/MaskStatistics.h"
#include "test/unit/quantizer/TestNetwork.h"

#include <gtest/gtest.h>

using namespace yarrow;
using namespace yarrow::compass;

namespace {

RowTails tailsOf(const std::vector<std::vector<float>> &rows) {
  RowTails tails;
  for (const std::vector<float> &row : rows) {
    tails.values.add(row);
    tails.rows.add(*std::max_element(row.begin(), row.end()));
  }
  return tails;
}

//===----------------------------------------------------------------------===//
// What a mask is
//===----------------------------------------------------------------------===//

TEST(Masks, RoomBelowTheLeastRow) {
  // The least row's greatest is 1: masked values lie ln(512 * 3) below it.
  auto bound = boundOfSoftmax(
      tailsOf({{3, -2, -10000}, {1, -10000, -10000}, {2, 0, -1}}), 3);
  ASSERT_TRUE(bound);
  EXPECT_NEAR(*bound, 1 - std::log(512.0 * 3), 1e-6);
  // Scores far below it are nothing, masked or not.
  bound = boundOfSoftmax(tailsOf({{3, -3, -7, -14, -30, -10000}}), 6);
  ASSERT_TRUE(bound);
  EXPECT_EQ(*bound, 3 - 16);
}

TEST(Masks, ARowThatIsMaskedAsAWhole) {
  auto bound = boundOfSoftmax(tailsOf({{3, -2}, {-10000, -10001}}), 2);
  ASSERT_TRUE(bound);
  EXPECT_NEAR(*bound, 3 - std::log(1024.0), 1e-6);
}

// A Softmax does not see by how much a row is shifted.
TEST(Masks, LowRowsAreNotMasked) {
  EXPECT_FALSE(boundOfSoftmax(tailsOf({{3, -2}, {-60, -62}}), 2));
}

TEST(Masks, ScoresWithoutAGapAreNotMasked) {
  EXPECT_FALSE(boundOfSoftmax(tailsOf({{3, -2, -7}, {1, -4, 0}}), 3));
}

TEST(Masks, AnOutlierOfAMaximumIsNotMasked) {
  EXPECT_FALSE(boundOfMaximum(tailsOf({{3, -2, 1}, {-20, 1, 2}})));
  auto bound = boundOfMaximum(tailsOf({{3, -2, 1}, {-1e9f, 1, 2}}));
  ASSERT_TRUE(bound);
  EXPECT_LT(*bound, -2);
  EXPECT_GT(*bound, -2.5);
}

//===----------------------------------------------------------------------===//
// Networks
//===----------------------------------------------------------------------===//

/// Scores [2, 4, 4], a mask of \p masked above the diagonal, and what reads
/// the sum.
std::string maskedScores(const std::string &masked, const std::string &reader) {
  std::string rows;
  for (int i = 0; i < 4; ++i) {
    rows += i ? ", [" : "[";
    for (int j = 0; j < 4; ++j)
      rows += (j ? ", " : "") + (j > i ? masked : std::string("0.0"));
    rows += "]";
  }
  return R"(
func.func @main() -> tensor<2x4x4xf32> {
  %x = compass.input() : () -> tensor<2x4x4xf32> loc("input")
  %m = compass.constant() {weights = dense<[[)" +
         rows +
         R"(]]> : tensor<1x4x4xf32>} : () -> tensor<1x4x4xf32> loc("mask")
  %s = compass.eltwise(%x, %m) {method = "ADD", with_activation = "NONE"}
    : (tensor<2x4x4xf32>, tensor<1x4x4xf32>) -> tensor<2x4x4xf32> loc("sum")
  %p = )" +
         reader +
         R"( : (tensor<2x4x4xf32>) -> tensor<2x4x4xf32> loc("reader")
  return %p : tensor<2x4x4xf32>
})";
}
constexpr const char *kSoftmax = "compass.softmax(%s) {axis = 2 : i64}";

mlir::Value tensorOf(TestNetwork &net, llvm::StringRef mnemonic) {
  return net.find(mnemonic)->getResult(0);
}

QuantizerOptions maskOptions() {
  QuantizerOptions options;
  options.detectsMasks = true;
  options.global.activationMethod.mode = RangeMode::Asymmetric;
  options.global.activationStrategy = *CalibrationStrategy::parse("extrema");
  return options;
}

// 0xFF800000 is -inf.
constexpr const char *kMasks[] = {"-10000.0", "-65504.0", "-1.0e9", "-3.4e38",
                                  "0xFF800000"};

TEST(Masks, EveryFormHasTheSameRange) {
  std::vector<FloatRange> ranges;
  for (const char *masked : kMasks) {
    SCOPED_TRACE(masked);
    TestNetwork net(maskedScores(masked, kSoftmax));
    std::vector<NpyView> samples = {normalSamples({16, 4, 4}, 3, 0, 2)};
    auto calibration =
        calibrateNetwork(*net.module, samples, maskOptions(), {}, net.diags);
    ASSERT_TRUE(calibration) << net.problems();
    mlir::Value sum = tensorOf(net, "eltwise");
    EXPECT_TRUE(calibration->isMasked(sum));
    EXPECT_TRUE(calibration->isMasked(tensorOf(net, "constant")));
    EXPECT_FALSE(calibration->isMasked(tensorOf(net, "input")));
    ranges.push_back(calibration->range(sum, 8, false));
    EXPECT_GT(ranges.back().min, -20);
    EXPECT_EQ(ranges.back().min, ranges.front().min);
    EXPECT_EQ(ranges.back().max, ranges.front().max);
    // No method narrows it further.
    calibration->setRange(sum, {-1, 1});
    EXPECT_EQ(calibration->range(sum, 8, false).min, ranges.front().min);
    ASSERT_TRUE(
        quantizeModule(*net.module, *calibration, maskOptions(), net.diags))
        << net.problems();
    EXPECT_GT(net.similarity(samples).sqnrDb(), 28);
  }
}

// What reads values of any size keeps them.
TEST(Masks, OnlyWhereNobodyReadsTheirSize) {
  TestNetwork net(maskedScores("-10000.0", "compass.abs(%s)"));
  auto calibration =
      calibrateNetwork(*net.module, {normalSamples({16, 4, 4}, 3, 0, 2)},
                       maskOptions(), {}, net.diags);
  ASSERT_TRUE(calibration) << net.problems();
  EXPECT_FALSE(calibration->isMasked(tensorOf(net, "eltwise")));
  EXPECT_LT(calibration->range(tensorOf(net, "eltwise"), 8, false).min, -9000);
}

TEST(Masks, AnInfinityThatIsReadStaysAnError) {
  TestNetwork net(maskedScores("0xFF800000", "compass.abs(%s)"));
  EXPECT_FALSE(boundInfinities(*net.module));
  EXPECT_FALSE(calibrateNetwork(*net.module, {normalSamples({16, 4, 4})},
                                maskOptions(), {}, net.diags));
  EXPECT_THAT(net.problems(), ::testing::HasSubstr("E0403"));
}

// Of an infinity there is no range.
TEST(Masks, InfiniteOnesAreAlwaysMasked) {
  TestNetwork net(maskedScores("0xFF800000", kSoftmax));
  std::vector<NpyView> samples = {normalSamples({16, 4, 4})};
  auto calibration = calibrateNetwork(*net.module, samples, {}, {}, net.diags);
  ASSERT_TRUE(calibration) << net.problems();
  EXPECT_TRUE(calibration->isMasked(tensorOf(net, "eltwise")));
  ASSERT_TRUE(quantizeModule(*net.module, *calibration, {}, net.diags));
  for (const char *mark : {"quantizer.unmasked", "quantizer.bounded"})
    net.module->walk(
        [&](mlir::Operation *op) { EXPECT_FALSE(op->hasAttr(mark)) << mark; });
}

// The recipe compass has other masks as any other values.
TEST(Masks, OnlyWhereTheyAreAskedFor) {
  TestNetwork net(maskedScores("-10000.0", kSoftmax));
  auto calibration = calibrateNetwork(*net.module, {normalSamples({16, 4, 4})},
                                      {}, {}, net.diags);
  ASSERT_TRUE(calibration) << net.problems();
  EXPECT_FALSE(calibration->isMasked(tensorOf(net, "eltwise")));
}

} // namespace
