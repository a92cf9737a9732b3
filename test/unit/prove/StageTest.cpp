//===- StageTest.cpp - Output stages, right and with one fault ------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// The engine's stage of one job is compared with the definition of another. Of
// the same job nothing is found, whatever form it has; of a job with one wrong
// number in one channel the fault is.
//
//===----------------------------------------------------------------------===//
#include "prove/StageComparison.h"
#include "prove/StageProof.h"
#include "support/diagnostics/Proofs.h"
#include "test/unit/runtime/SmallExecutable.h"

#include <gtest/gtest.h>

using namespace yarrow;
using namespace yarrow::prove;
using namespace yarrow::isa;

namespace {

constexpr uint32_t kChannels = 20;

template <typename T>
void put(std::vector<uint8_t> &bytes, size_t index, T value) {
  bytes.resize(std::max(bytes.size(), (index + 1) * sizeof(T)));
  std::memcpy(&bytes[index * sizeof(T)], &value, sizeof(T));
}

/// Multipliers and shifts by channel; int8 to int8.
StageJob plain(int64_t reach) {
  StageJob job;
  Conv &conv = job.conv;
  conv.inType = conv.outType = ElementType::I8;
  conv.inChannels = conv.outChannels = kChannels;
  conv.groups = 1;
  conv.perChannel = true;
  conv.outMin = -128, conv.outMax = 127, conv.outZeroPoint = 5;
  for (uint32_t c = 0; c < kChannels; ++c) {
    put<int32_t>(job.constants.bias, c, int32_t(c * 100) - 700);
    put<uint16_t>(job.constants.scales, c, uint16_t(20000 + c * 991));
    // All results from the least to the greatest sum.
    int8_t shift = 16;
    while ((reach * 25000 >> shift) > 200)
      ++shift;
    put<int8_t>(job.constants.shifts, c, shift);
    job.sums.push_back({-reach - int64_t(c), reach});
  }
  return job;
}

StageJob withResidual(StageJob job) {
  Conv &conv = job.conv;
  conv.hasResidual = true;
  conv.residualType = ElementType::U8;
  conv.mainZeroPoint = 5;
  conv.residualZeroPoint = -100;
  conv.mainScale = 32000, conv.residualScale = 21000;
  conv.sumScale = 200, conv.sumShift = 23;
  conv.sumZeroPoint = -3, conv.sumMin = -128, conv.sumMax = 127;
  return job;
}

StageJob withTable(StageJob job) {
  Conv &conv = job.conv;
  conv.hasLut = true;
  conv.lutType = ElementType::U8;
  conv.lutLog2Items = conv.lutInputBits = 8;
  conv.lutInputMin = -128;
  for (int i = 0; i < 256; ++i)
    put<uint8_t>(job.constants.lut, size_t(i), uint8_t(i * i / 256));
  return job;
}

StageJob wide(StageJob job) {
  job.conv.wideScale = job.conv.halfUp = true;
  job.constants.scales.clear();
  for (uint32_t c = 0; c < kChannels; ++c) {
    put<int32_t>(job.constants.scales, c, int32_t(1310720000 + c * 999983));
    job.constants.shifts[c] = uint8_t(job.constants.shifts[c] + 16);
  }
  return job;
}

StageJob withSlopes(StageJob job) {
  job.conv.activation = Activation::PRelu;
  job.conv.slopeShift = 12;
  for (uint32_t c = 0; c < kChannels; ++c)
    put<int16_t>(job.constants.slopes, c, int16_t(1000 - int(c) * 150));
  return job;
}

std::string differenceOf(const StageJob &engine, const StageJob &meant) {
  StageFinding finding = compareStage(engine, meant, /*everySum=*/false);
  EXPECT_EQ(finding.overflow, "");
  EXPECT_GT(finding.tried, 0u);
  return finding.difference;
}

/// Few sums, which are all tried, and many, of which the ends of pieces are.
class StageTest : public ::testing::TestWithParam<int64_t> {
protected:
  StageJob job = plain(GetParam());

  /// Whether the engine is found out if it is given something else.
  template <typename Change>
  std::string faultOf(StageJob right, Change change) {
    StageJob wrong = right;
    change(wrong);
    return differenceOf(wrong, right);
  }
};

} // namespace

INSTANTIATE_TEST_SUITE_P(FewAndMany, StageTest,
                         ::testing::Values(3000, 9000000));

TEST_P(StageTest, RightOnesHold) {
  for (const StageJob &right :
       {job, withResidual(job), withTable(job), wide(job), withSlopes(job),
        wide(withResidual(job)), withTable(withSlopes(job))})
    EXPECT_EQ(differenceOf(right, right), "");
}

TEST_P(StageTest, OneChannelsConstantsAreFound) {
  constexpr size_t kAt = 13;
  EXPECT_NE(faultOf(job, [](StageJob &j) { ++j.constants.shifts[kAt]; }), "");
  EXPECT_NE(faultOf(job, [](StageJob &j) { --j.constants.shifts[kAt]; }), "");
  EXPECT_NE(faultOf(job, [](StageJob &j) { ++j.constants.scales[2 * kAt]; }),
            "");
  EXPECT_NE(faultOf(job, [](StageJob &j) { ++j.constants.bias[4 * kAt]; }), "");
  EXPECT_NE(faultOf(withSlopes(job),
                    [](StageJob &j) { ++j.constants.slopes[2 * kAt + 1]; }),
            "");
  EXPECT_NE(faultOf(wide(job),
                    [](StageJob &j) { ++j.constants.scales[4 * kAt + 2]; }),
            "");
}

TEST_P(StageTest, FieldsAreFound) {
  EXPECT_NE(faultOf(job, [](StageJob &j) { --j.conv.outMax; }), "");
  EXPECT_NE(faultOf(job, [](StageJob &j) { ++j.conv.outMin; }), "");
  EXPECT_NE(faultOf(job, [](StageJob &j) { ++j.conv.outZeroPoint; }), "");
  EXPECT_NE(
      faultOf(job, [](StageJob &j) { j.conv.activation = Activation::Relu; }),
      "");
}

TEST_P(StageTest, SecondOperandIsFound) {
  StageJob right = withResidual(job);
  EXPECT_NE(faultOf(right, [](StageJob &j) { ++j.conv.residualScale; }), "");
  EXPECT_NE(faultOf(right, [](StageJob &j) { --j.conv.mainScale; }), "");
  EXPECT_NE(faultOf(right, [](StageJob &j) { ++j.conv.sumShift; }), "");
  EXPECT_NE(faultOf(right, [](StageJob &j) { ++j.conv.residualZeroPoint; }),
            "");
  EXPECT_NE(faultOf(right, [](StageJob &j) { --j.conv.sumMax; }), "");
  EXPECT_NE(faultOf(right,
                    [](StageJob &j) { j.conv.residualType = ElementType::I8; }),
            "");
}

TEST_P(StageTest, OneEntryOfATableIsFound) {
  StageJob right = withTable(job);
  EXPECT_NE(faultOf(right, [](StageJob &j) { ++j.constants.lut[77]; }), "");
}

/// Halves up instead of to even: some sum of some channel is a half.
TEST(Stage, RoundingIsFound) {
  StageJob right = plain(100000);
  right.conv.halfUp = true;
  for (uint32_t c = 0; c < kChannels; ++c)
    put<uint16_t>(right.constants.scales, c, 16384);
  StageJob wrong = right;
  wrong.conv.halfUp = false;
  EXPECT_NE(differenceOf(wrong, right), "");
}

/// Every sum agrees with the ends of the pieces.
TEST(Stage, EverySumOfALongRange) {
  StageJob job = plain(600000);
  StageFinding ends = compareStage(job, job, /*everySum=*/false);
  StageFinding all = compareStage(job, job, /*everySum=*/true);
  EXPECT_EQ(ends.difference + all.difference, "");
  EXPECT_LT(ends.tried, all.tried / 100);
}

TEST(Stage, ProductsBeyond62BitsAreFound) {
  StageJob job = wide(plain(3000));
  job.sums[4].greatest = int64_t(1) << 40;
  EXPECT_NE(compareStage(job, job, /*everySum=*/false).overflow, "");
}

TEST(Stage, DifferencesAreReported) {
  DiagnosticEngine diags;
  std::string bytes = SmallExecutable().build();
  auto executable = runtime::Executable::parse(bytes, "small.bin", diags);
  ASSERT_TRUE(executable);
  Problems problems(*executable, diags);
  Certificate certificate;
  StageProof proof(*executable, problems, certificate, {});
  StageJob right = plain(3000), wrong = right;
  ++wrong.constants.shifts[2];
  right.layer = 1;
  proof.addJob(wrong, right);
  proof.run();
  ASSERT_EQ(diags.all().size(), 1u);
  const Diagnostic &d = diags.all()[0];
  EXPECT_EQ(d.id, diag::ProofStage);
  EXPECT_EQ(d.place.layer, "second");
  EXPECT_NE(d.foundText.find("of channel 2"), std::string::npos) << d.foundText;
}
