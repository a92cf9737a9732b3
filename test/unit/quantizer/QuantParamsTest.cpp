//===- QuantParamsTest.cpp - Scales and multipliers -----------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// Expected numbers are those of integer IR that the reference optimizer wrote.
//
//===----------------------------------------------------------------------===//

#include "quantizer/math/QuantParams.h"

#include "quantizer/math/BiasBits.h"
#include "quantizer/math/WeightCompression.h"

#include <cmath>
#include <gmock/gmock.h>

using namespace yarrow;
using ::testing::Each;
using ::testing::ElementsAre;

TEST(QuantMethod, NamesRoundTrip) {
  for (const char *name :
       {"per_tensor_symmetric_restricted_range",
        "per_tensor_symmetric_full_range", "per_tensor_asymmetric",
        "per_channel_symmetric_restricted_range",
        "per_channel_symmetric_full_range", "per_channel_asymmetric",
        "per_block_asymmetric"}) {
    auto method = QuantMethod::parse(name);
    ASSERT_TRUE(method) << name;
    EXPECT_EQ(method->str(), name);
  }
  EXPECT_FALSE(QuantMethod::parse("per_row_asymmetric"));
  EXPECT_FALSE(QuantMethod::parse("per_tensor_symmetric"));
  EXPECT_FALSE(QuantMethod::parse(""));
}

TEST(LinearParams, SymmetricUsesLargerBound) {
  LinearParams full =
      linearParams(-2.0f, 1.0f, RangeMode::SymmetricFull, 8, true);
  EXPECT_FLOAT_EQ(full.scale, 255.0f / 4.0f);
  EXPECT_EQ(full.qmin, -128);
  LinearParams restricted =
      linearParams(-2.0f, 1.0f, RangeMode::SymmetricRestricted, 8, true);
  EXPECT_FLOAT_EQ(restricted.scale, 254.0f / 4.0f);
  EXPECT_EQ(restricted.qmin, -127);
  LinearParams unsignedOut =
      linearParams(0.0f, 3.0f, RangeMode::SymmetricFull, 8, false);
  EXPECT_FLOAT_EQ(unsignedOut.scale, 85.0f);
  EXPECT_EQ(unsignedOut.qmin, 0);
  EXPECT_EQ(unsignedOut.zp, 0);
}

TEST(LinearParams, AsymmetricZeroIsExact) {
  LinearParams p = linearParams(-1.0f, 3.0f, RangeMode::Asymmetric, 8, true);
  EXPECT_FLOAT_EQ(p.scale, 63.75f);
  EXPECT_EQ(p.zp, 64); // RNE(-63.75) + 128
  EXPECT_EQ(quantizeValue(0.0f, p), -64);
  EXPECT_EQ(dequantizeValue(-64, p.scale, p.zp), 0.0f);
  // A range without zero is widened.
  LinearParams wide = linearParams(2.0f, 4.0f, RangeMode::Asymmetric, 8, true);
  EXPECT_FLOAT_EQ(wide.scale, 63.75f);
  EXPECT_EQ(wide.zp, 127); // 128 does not fit the zero point's type
}

// Of unsigned 16 bits half the range once went unseen.
TEST(LinearParams, EveryTypeAndWidth) {
  // smallest and largest value; the scales that follow are written out.
  struct Row {
    unsigned bits;
    bool isSigned;
    int64_t qmin, qmax, restrictedMin;
    float full, restricted, asymmetric; // of [-2, 6], unsigned of [0, 6]
    int32_t zp;
  };
  constexpr Row rows[] = {
      {4, true, -8, 7, -7, 15 / 12.f, 14 / 12.f, 15 / 8.f, 4},
      {4, false, 0, 15, 0, 15 / 6.f, 15 / 6.f, 15 / 6.f, 0},
      {8, true, -128, 127, -127, 255 / 12.f, 254 / 12.f, 255 / 8.f, 64},
      {8, false, 0, 255, 0, 255 / 6.f, 255 / 6.f, 255 / 6.f, 0},
      {12, true, -2048, 2047, -2047, 4095 / 12.f, 4094 / 12.f, 4095 / 8.f,
       1024},
      {12, false, 0, 4095, 0, 4095 / 6.f, 4095 / 6.f, 4095 / 6.f, 0},
      {16, true, -32768, 32767, -32767, 65535 / 12.f, 65534 / 12.f, 65535 / 8.f,
       16384},
      {16, false, 0, 65535, 0, 65535 / 6.f, 65535 / 6.f, 65535 / 6.f, 0},
  };
  for (const Row &row : rows) {
    SCOPED_TRACE(std::to_string(row.bits) + (row.isSigned ? "i" : "u"));
    float least = row.isSigned ? -2.0f : 0.0f;
    auto params = [&](RangeMode mode) {
      return linearParams(least, 6, mode, row.bits, row.isSigned);
    };
    LinearParams full = params(RangeMode::SymmetricFull);
    EXPECT_FLOAT_EQ(full.scale, row.full);
    EXPECT_EQ(full.zp, 0);
    EXPECT_EQ(full.qmin, row.qmin);
    EXPECT_EQ(full.qmax, row.qmax);
    LinearParams restricted = params(RangeMode::SymmetricRestricted);
    EXPECT_FLOAT_EQ(restricted.scale, row.restricted);
    EXPECT_EQ(restricted.qmin, row.restrictedMin);
    EXPECT_EQ(restricted.qmax, row.qmax);
    LinearParams asymmetric = params(RangeMode::Asymmetric);
    EXPECT_FLOAT_EQ(asymmetric.scale, row.asymmetric);
    EXPECT_EQ(asymmetric.zp, row.zp);
    // The ends of the range are those of the type.
    EXPECT_EQ(quantizeValue(6.0f, asymmetric), row.qmax);
    EXPECT_EQ(quantizeValue(least, asymmetric), row.qmin);
  }
}

TEST(LinearParams, EmptyRangeGetsScaleOne) {
  for (RangeMode mode : {RangeMode::SymmetricFull, RangeMode::Asymmetric})
    EXPECT_EQ(linearParams(0.0f, 0.0f, mode, 8, true).scale, 1.0f);
  EXPECT_EQ(linearParams(NAN, NAN, RangeMode::SymmetricFull, 16, true).scale,
            1.0f);
}

TEST(QuantizeValue, TiesToEvenAndSaturates) {
  EXPECT_EQ(quantizeValue(2.5f, 1, 0, -128, 127), 2);
  EXPECT_EQ(quantizeValue(3.5f, 1, 0, -128, 127), 4);
  EXPECT_EQ(quantizeValue(1e9f, 1, 0, -128, 127), 127);
  EXPECT_EQ(quantizeValue(INFINITY, 1, 0, INT32_MIN, INT32_MAX), INT32_MAX);
  EXPECT_EQ(quantizeValue(NAN, 1, 0, -128, 127), 0);
}

TEST(ApproximateScale, ResNet20Layers) {
  // s_out / (s_in * s_w) of the first layers, per tensor.
  EXPECT_EQ(approximateScale(34.884743f / (48.295452f * 213.78140f), 8),
            (ScaleApproximation{221, 16}));
  EXPECT_EQ(approximateScale(37.386021f / (34.884743f * 261.97199f), 8),
            (ScaleApproximation{134, 15}));
}

TEST(ApproximateScale, Limits) {
  EXPECT_EQ(approximateScale(1.0f, 8), (ScaleApproximation{1, 0}));
  EXPECT_EQ(approximateScale(0.5f, 8), (ScaleApproximation{128, 8}));
  EXPECT_EQ(approximateScale(1.0f / 9, 8), (ScaleApproximation{228, 11}));
  EXPECT_EQ(approximateScale(255.0f, 8), (ScaleApproximation{255, 0}));
  EXPECT_EQ(approximateScale(1000.0f, 8), (ScaleApproximation{250, -2}));
  EXPECT_EQ(approximateScale(1e-20f, 8).shift, 31);
  // 16 bits are taken as 15.
  EXPECT_LE(approximateScale(0.3f, 16).multiplier, 32767);
  EXPECT_EQ(approximateScale(0.3f, 16), approximateScale(0.3f, 15));
}

TEST(ApproximateScale, ErrorIsBounded) {
  // 128..255 or 16384..32767 is the multiplier, half of its last place the
  // error.
  float ratio = 1e-4f;
  while (ratio < 50) {
    for (unsigned bits : {8u, 16u}) {
      double error = approximateScale(ratio, bits).value() / ratio - 1;
      EXPECT_LE(std::fabs(error), bits == 8 ? 1.0 / 254 : 1.0 / 32766) << ratio;
    }
    ratio *= 1.37f;
  }
}

TEST(ChannelParams, ShiftsAreUnified) {
  FloatRange ranges[] = {{-1, 1}, {-0.25f, 0.5f}, {0, 0.01f}};
  auto ratio = [](float weightScale) { return 1.0f / weightScale; };
  ChannelParams p = channelParams(ranges, 3, RangeMode::SymmetricRestricted, 8,
                                  8, {.unify = true}, ratio);
  EXPECT_EQ(p.channelsPerGroup, 1u);
  for (const ScaleApproximation &r : p.requant)
    EXPECT_EQ(r.shift, p.requant[0].shift);
  for (int i = 0; i < 3; ++i)
    EXPECT_NEAR(p.requant[i].value() * p.channels[i].scale, 1, 0.01);
}

// Two channels, -1 to 2 and -4 to 1, in every width: the scales by hand, and
// for 8 bits the multipliers of 1 / scale, in 8 and 15 bits.
TEST(ChannelParams, EveryWidthAndMethod) {
  FloatRange ranges[] = {{-1, 2}, {-4, 1}};
  auto ratio = [](float weightScale) { return 1.0f / weightScale; };
  struct Row {
    unsigned bits;
    float steps;
    int32_t zps[2];
  };
  constexpr Row rows[] = {{4, 15, {3, -4}},
                          {8, 255, {43, -76}},
                          {12, 4095, {683, -1228}},
                          {16, 65535, {10923, -19660}}};
  for (const Row &row : rows) {
    SCOPED_TRACE(row.bits);
    auto params = [&](RangeMode mode) {
      return channelParams(ranges, 2, mode, row.bits, 8, {}, ratio).channels;
    };
    auto full = params(RangeMode::SymmetricFull);
    EXPECT_FLOAT_EQ(full[0].scale, row.steps / 4);
    EXPECT_FLOAT_EQ(full[1].scale, row.steps / 8);
    auto restricted = params(RangeMode::SymmetricRestricted);
    EXPECT_FLOAT_EQ(restricted[0].scale, (row.steps - 1) / 4);
    EXPECT_FLOAT_EQ(restricted[1].scale, (row.steps - 1) / 8);
    auto asymmetric = params(RangeMode::Asymmetric);
    EXPECT_FLOAT_EQ(asymmetric[0].scale, row.steps / 3);
    EXPECT_FLOAT_EQ(asymmetric[1].scale, row.steps / 5);
    for (int i : {0, 1}) {
      EXPECT_EQ(full[i].zp, 0);
      EXPECT_EQ(restricted[i].zp, 0);
      EXPECT_EQ(asymmetric[i].zp, row.zps[i]);
    }
  }
  // 2^14 / 85 = 192.75; 2^13 / 51 = 160.6; 2^21 / 85 = 24672.4, 2^20 / 51 =
  // 20560.3.
  auto requant = [&](unsigned multiplierBits) {
    return channelParams(ranges, 2, RangeMode::Asymmetric, 8, multiplierBits,
                         {}, ratio)
        .requant;
  };
  EXPECT_THAT(requant(8), ElementsAre(ScaleApproximation{193, 14},
                                      ScaleApproximation{161, 13}));
  EXPECT_THAT(requant(16), ElementsAre(ScaleApproximation{24672, 21},
                                       ScaleApproximation{20560, 20}));
  // One shift for both: twice the second multiplier is beyond 15 bits, so that
  // the first one is halved in place of it.
  auto unified = channelParams(ranges, 2, RangeMode::Asymmetric, 8, 16,
                               {.unify = true}, ratio)
                     .requant;
  EXPECT_THAT(unified, ElementsAre(ScaleApproximation{12336, 20},
                                   ScaleApproximation{20560, 20}));
}

/// By hand, at halves of the last bit and at the ends of multipliers.
TEST(ApproximateScale, OfEachWidth) {
  // 2^8 / 3 = 85.33 has 7 bits: 2^9 / 3 = 170.67. 2^16 / 3 = 21845.33.
  EXPECT_EQ(approximateScale(1.0f / 3, 8), (ScaleApproximation{171, 9}));
  EXPECT_EQ(approximateScale(1.0f / 3, 16), (ScaleApproximation{21845, 16}));
  EXPECT_EQ(approximateScale(1.0f / 3, 4), (ScaleApproximation{11, 5}));
  EXPECT_EQ(approximateScale(1.0f / 3, 12), (ScaleApproximation{2731, 13}));
  // A half goes up: 2^7 * 129 / 256 = 64.5 of 7 bits.
  EXPECT_EQ(approximateScale(129.0f / 256, 7), (ScaleApproximation{65, 7}));
  EXPECT_EQ(approximateScale(131.0f / 256, 7), (ScaleApproximation{66, 7}));
}

TEST(ChannelParams, TinyChannelsAreMerged) {
  // Channel scales 2^24 apart do not fit one shift and 15 bits.
  FloatRange ranges[] = {{-1, 1}, {-1, 1}, {-1e-7f, 1e-7f}, {-1, 1}};
  auto ratio = [](float weightScale) { return 1.0f / weightScale; };
  ChannelParams p = channelParams(ranges, 4, RangeMode::SymmetricRestricted, 8,
                                  8, {.unify = true}, ratio);
  EXPECT_EQ(p.channelsPerGroup, 2u);
  EXPECT_EQ(p.channels[2].scale, p.channels[3].scale);
  for (const ScaleApproximation &r : p.requant)
    EXPECT_GT(r.multiplier, 0);
  // Layers that the vector cores do need no common shift.
  ChannelParams free =
      channelParams(ranges, 4, RangeMode::SymmetricRestricted, 8, 8, {}, ratio);
  EXPECT_EQ(free.channelsPerGroup, 1u);
}

// Only the weak channel changes, and its multiplier is exact.
TEST(ChannelParams, WeakChannelsAloneGetWiderRanges) {
  FloatRange ranges[] = {{-1, 1}, {-0.3f, 0.3f}, {-1e-7f, 1e-7f}, {0, 0}};
  auto ratio = [](float weightScale) { return 1.0f / weightScale; };
  ChannelParams p =
      channelParams(ranges, 4, RangeMode::SymmetricRestricted, 8, 8,
                    {.unify = true, .merge = ShiftsMerge::Channel}, ratio);
  EXPECT_EQ(p.channelsPerGroup, 1u);
  for (int i : {0, 1}) {
    FloatRange r = ranges[i];
    EXPECT_EQ(
        p.channels[i].scale,
        linearParams(r.min, r.max, RangeMode::SymmetricRestricted, 8, true)
            .scale);
  }
  EXPECT_LT(p.channels[2].scale, 127 / 1e-7f);
  for (int i = 0; i < 4; ++i) {
    EXPECT_EQ(p.requant[i].shift, p.requant[0].shift);
    EXPECT_GT(p.requant[i].multiplier, 0);
    EXPECT_LE(p.requant[i].multiplier, 32767);
    EXPECT_NEAR(p.requant[i].value() * p.channels[i].scale, 1, 1e-4) << i;
  }
}

// Each range becomes a little wider, to where the multiplier is exact: the more
// so, the weaker the channel.
TEST(ChannelParams, RangesFitMultipliersOfOneShift) {
  FloatRange ranges[] = {
      {-1, 1}, {-0.3f, 0.3f}, {-1e-4f, 1e-4f}, {-1e-7f, 1e-7f}, {0, 0}};
  auto ratio = [](float weightScale) { return 1.3f / weightScale; };
  ChannelParams p =
      channelParams(ranges, 5, RangeMode::SymmetricRestricted, 8, 8,
                    {.unify = true, .merge = ShiftsMerge::Exact}, ratio);
  EXPECT_EQ(p.channelsPerGroup, 1u);
  for (int i : {0, 1, 2}) {
    float own = 127 / ranges[i].max;
    EXPECT_LE(p.channels[i].scale, own * 1.00001f);
    EXPECT_GT(p.channels[i].scale, own * (i < 2 ? 0.992f : 0.5f));
  }
  EXPECT_LT(p.channels[3].scale, 127 / 1e-7f);
  for (int i = 0; i < 5; ++i) {
    EXPECT_EQ(p.requant[i].shift, p.requant[0].shift);
    EXPECT_GT(p.requant[i].multiplier, 0);
    EXPECT_LE(p.requant[i].multiplier, 32767);
    EXPECT_NEAR(p.requant[i].value() * p.channels[i].scale, 1.3, 1e-6) << i;
  }
}

TEST(ChannelParams, ShiftsArePositiveIfForced) {
  FloatRange ranges[] = {{-1e6f, 1e6f}, {-1, 1}};
  auto ratio = [](float weightScale) { return 1.0f / weightScale; };
  ChannelParams p = channelParams(ranges, 2, RangeMode::SymmetricRestricted, 8,
                                  8, {.arePositive = true}, ratio);
  EXPECT_EQ(p.numForced, 1u);
  EXPECT_EQ(p.requant[0], (ScaleApproximation{255, 0}));
  EXPECT_EQ(withPositiveShift({200, -3}, 16), (ScaleApproximation{32767, 0}));
  EXPECT_EQ(withPositiveShift({200, 3}, 16), (ScaleApproximation{200, 3}));
}

TEST(ChannelParams, ScalesBeyondAnyShiftAreMerged) {
  FloatRange ranges[] = {{-1e18f, 1e18f}, {-1e-4f, 1e-4f}}; // 2^73 apart
  auto ratio = [](float weightScale) { return 1.0f / weightScale; };
  ChannelParams p = channelParams(ranges, 2, RangeMode::SymmetricRestricted, 8,
                                  8, {.unify = true}, ratio);
  EXPECT_EQ(p.channelsPerGroup, 2u);
  EXPECT_EQ(p.requant[0], p.requant[1]);
}

TEST(ChannelParams, OneChannelOfScaleOneKeepsItsPrecision) {
  FloatRange ranges[] = {{-127, 127}, {-30, 30}};
  auto ratio = [](float weightScale) { return 1.0f / weightScale; };
  ChannelParams p = channelParams(ranges, 2, RangeMode::SymmetricRestricted, 8,
                                  8, {.unify = true}, ratio);
  EXPECT_DOUBLE_EQ(p.requant[0].value(), 1);
  EXPECT_NEAR(p.requant[1].value() * p.channels[1].scale, 1, 0.005);
  FloatRange same[] = {{-127, 127}, {-127, 127}};
  p = channelParams(same, 2, RangeMode::SymmetricRestricted, 8, 8,
                    {.unify = true}, ratio);
  EXPECT_THAT(p.requant, Each(ScaleApproximation{1, 0}));
}

TEST(EltwiseAddScales, BothOperandsGetTheRightWeight) {
  for (float s0 : {0.3f, 1.0f, 20.0f, 5000.0f})
    for (float s1 : {0.01f, 1.0f, 33.0f, 700.0f}) {
      EltwiseScales e = eltwiseAddScales(s0, s1, 10.0f, 16);
      EXPECT_LE(std::max(e.scale0, e.scale1), 32767);
      // q0 * a * m / 2^s = q0 / s0 * s
      double unit0 = e.scale0 * e.out.value() * s0 / 10.0;
      double unit1 = e.scale1 * e.out.value() * s1 / 10.0;
      double coarse = 1.0 / std::min(e.scale0, e.scale1);
      EXPECT_NEAR(unit0, 1, 1e-3 + coarse) << s0 << " " << s1;
      EXPECT_NEAR(unit1, 1, 1e-3 + coarse) << s0 << " " << s1;
    }
}

TEST(EltwiseAddScales, LargestRatio) {
  EltwiseScales e = eltwiseAddScales(0.01f, 0.01f, 1e9f, 16);
  EXPECT_EQ(e.out.multiplier, 32767);
  EXPECT_EQ(e.out.shift, 0);
}

TEST(EltwiseAddScales, CommonScale) {
  EXPECT_TRUE(haveCommonScale(20.0f, 0, 20.0f, 0));
  EXPECT_FALSE(haveCommonScale(20.0f, 0, 20.0f, 1));
  EXPECT_FALSE(haveCommonScale(20.0f, 0, 20.1f, 0));
  EXPECT_TRUE(haveCommonScale(20.0f, 0, 20.1f, 0, 1.05f));
}

TEST(BiasBits, LowBitsAreCleared) {
  int64_t biases[] = {100000, -3, 12345};
  clearLowBiasBits(biases, 16); // 100000 needs 18 bits
  EXPECT_THAT(biases, ElementsAre(100000, -4, 12344));
  int64_t wide[] = {2000000000, 1};
  clearLowBiasBits(wide, 32);
  EXPECT_THAT(wide, ElementsAre(2000000000, 1));
}

TEST(NarrowestType, Names) {
  EXPECT_EQ(narrowestType(0, 255), "uint8");
  EXPECT_EQ(narrowestType(0, 256), "uint16");
  EXPECT_EQ(narrowestType(-51, 0), "int8");
  EXPECT_EQ(narrowestType(-200, 0), "int16");
  EXPECT_EQ(narrowestType(0, 1048575), "uint32");
  EXPECT_EQ(narrowestType(0, 40000, true), "int32");
}

//===----------------------------------------------------------------------===//
// Biases and weights that hardware stores in its own way
//===----------------------------------------------------------------------===//

// Figures of the Compass Optimizer's formulas in NumPy: dropping the low bits
// of all biases for the sake of one changes their softmax.
TEST(BiasBits, OneLargeBiasIsClipped) {
  std::vector<float> biases = {900.0f, 1.5f, -2.25f, 3.0f, 0.75f};
  std::vector<float> scales(biases.size(), 5000.0f);
  unsigned bits = adaptedBiasBits(biases, scales, 32, 16);
  EXPECT_GE(bits, 19u);
  EXPECT_LE(bits, 32u);
  // Nothing is dropped of small ones, or with all bits.
  std::vector<float> small = {1.5f, -2.25f, 3.0f};
  EXPECT_EQ(adaptedBiasBits(small, std::span(scales).first(3), 32, 16), 32u);
  EXPECT_EQ(adaptedBiasBits(biases, scales, 32, 32), 32u);
}

TEST(WeightCompression, TheShareThatFits) {
  std::vector<int64_t> weights = {0, 1, -1, 15, 100, -100, 2, 3, 4, 5};
  // 8 of 10 within 5 bits: (0.8 * 5 + 0.2 * 15) / 8.
  EXPECT_DOUBLE_EQ(compressedShare(weights, 8), 0.875);
  // Evenly spread weights fill their range: it grows until 6 bits hold most.
  std::vector<float> even;
  for (int i = -100; i <= 100; ++i)
    even.push_back(float(i) / 100);
  FloatRange r =
      compressibleRange({-1, 1}, even, RangeMode::SymmetricRestricted, 8);
  EXPECT_EQ(r.max, 4);
  EXPECT_EQ(r.min, -4);
}
