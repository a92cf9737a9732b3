//===- TiesElementwiseTest.cpp - Halves in kernels of elements ------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// Activations, casts, sums and products of two tensors, tables.
//
//===----------------------------------------------------------------------===//
#include "test/unit/kernels/TiesTesting.h"

using namespace yarrow;
using namespace yarrow::kernels;
using namespace yarrow::kernels::testing;

namespace {
const BroadcastShape kPairs = {
    .rank = 1, .dims = {kCount}, .strideA = {1}, .strideB = {1}};
constexpr auto kIntTypes = {DType::I8, DType::U8, DType::I16, DType::U16,
                            DType::I32};
} // namespace

TEST(Ties, Activations) {
  forEachPath(kIntTypes, kIntTypes, [](const Path &path) {
    ActivationIntParams p{.count = kCount, .inType = path.in};
    p.inZp = zeroPointOf(path.in);
    p.requant = path.requant();
    auto x = stored(path.in, kOdd, path.ratio.factor, p.inZp);
    auto y = room(path.out);
    runKernel("yk_activation_int", p, {x.data(), nullptr, y.data()}, 3);
    expectValues(path.out, y, path.want(), p.requant.zp);
    int32_t positive[8];
    for (int i = 0; i < 8; ++i)
      positive[i] = std::max(0, path.want()[i]);
    p.requant.act = Act::Relu;
    runKernel("yk_activation_int", p, {x.data(), nullptr, y.data()});
    expectValues(path.out, y, positive, p.requant.zp);
  });
}

/// A scale of 1, however it is written, keeps every value.
TEST(Ties, IdentityKeepsEveryValue) {
  std::vector<int32_t> all;
  for (int i = -128; i < 128; ++i)
    all.push_back(i);
  constexpr std::pair<int32_t, int32_t> kOnes[] = {
      {1, 0}, {128, 7}, {16384, 14}, {1 << 30, 30}};
  for (DType type : {DType::I8, DType::I16})
    for (auto [scale, shift] : kOnes)
      for (Rounding rounding :
           {Rounding::HalfEven, Rounding::HalfUp, Rounding::Double}) {
        if (rounding == Rounding::Double && shift != 30)
          continue;
        ActivationIntParams p{.count = 256, .inType = type};
        p.requant = requantOf(type, scale, shift, rounding);
        p.requant.zp = 0;
        auto x = stored(type, all, 1, 0, 256);
        auto y = room(type, 256);
        runKernel("yk_activation_int", p, {x.data(), nullptr, y.data()});
        EXPECT_EQ(y, x) << scale << " >> " << shift;
      }
}

TEST(Ties, SlopesOfNegativeValues) {
  // Half of what is negative, as it is else; and -1/2, of which -7 makes 3.5.
  constexpr int32_t kHalved[] = {-4, -2, -2, 0, 1, 3, 5, 7};
  constexpr int32_t kTurned[] = {4, 2, 2, 0, 1, 3, 5, 7};
  for (DType in : {DType::I8, DType::U8, DType::I16})
    for (DType out : {DType::I8, DType::I16})
      for (int32_t slope : {1, -1}) {
        SCOPED_TRACE(int(in) * 10 + int(out));
        IntSpan want = slope > 0 ? kHalved : kTurned;
        ActivationIntParams p{.count = kCount, .inType = in};
        p.inZp = zeroPointOf(in);
        p.requant = requantOf(out, 1, 0);
        p.requant.act = Act::LeakyRelu;
        p.requant.slope = 64 * slope, p.requant.slopeShift = 7;
        auto x = stored(in, kOdd, 1, p.inZp);
        auto y = room(out);
        runKernel("yk_activation_int", p, {x.data(), nullptr, y.data()});
        expectValues(out, y, want, p.requant.zp);
        p.requant.act = Act::PRelu;
        p.requant.slopeShift = 12;
        int16_t slopes = int16_t(2048 * slope);
        runKernel("yk_activation_int", p, {x.data(), &slopes, y.data()});
        expectValues(out, y, want, p.requant.zp);
        PReluIntParams each{.shape = kPairs, .inType = in, .inZp = p.inZp};
        each.shape.strideB[0] = 0;
        each.requant = p.requant;
        runKernel("yk_prelu_int", each, {x.data(), &slopes, y.data()});
        expectValues(out, y, want, p.requant.zp);
        // And half of that once more: -3.5 is -4, -2; -2.5 is -2, -1.
        constexpr int32_t kQuartered[] = {-2, -1, -1, 0, 0, 2, 2, 4};
        constexpr int32_t kTurnedHalves[] = {2, 1, 1, 0, 0, 2, 2, 4};
        each.requant.shift = 1;
        runKernel("yk_prelu_int", each, {x.data(), &slopes, y.data()});
        expectValues(out, y, slope > 0 ? kQuartered : kTurnedHalves,
                     p.requant.zp);
      }
}

/// TFLite's: negative sums have a multiplier of their own.
TEST(Ties, MultiplierOfEachSign) {
  constexpr int32_t kUp[] = {-3, -2, -1, 0, 1, 3, 5, 7};
  constexpr int32_t kAway[] = {-4, -3, -2, -1, 2, 6, 10, 14};
  for (DType type : {DType::I8, DType::I16}) {
    ActivationIntParams p{.count = kCount, .inType = type};
    p.requant = requantOf(type, 1 << 30, 30, Rounding::HalfUp);
    p.requant.act = Act::LeakyRelu;
    p.requant.slope = 1 << 30, p.requant.slopeShift = 31;
    auto x = stored(type, kOdd), y = room(type);
    runKernel("yk_activation_int", p, {x.data(), nullptr, y.data()});
    expectValues(type, y, kUp, p.requant.zp);
    p.requant.rounding = Rounding::Double;
    p.requant.slopeShift = 32;
    x = stored(type, kOdd, 2);
    runKernel("yk_activation_int", p, {x.data(), nullptr, y.data()});
    expectValues(type, y, kAway, p.requant.zp);
  }
}

/// 8 bits go over steps of 1/256, so that they are rounded twice.
TEST(Ties, Clip) {
  ActivationIntParams p{.count = kCount, .inType = DType::I16};
  p.requant = requantOf(DType::I8, 1, 8);
  p.requant.act = Act::Clip;
  p.requant.clipMin = -32768, p.requant.clipMax = 32767;
  auto x = stored(DType::I16, kOdd, 128), y = room(DType::I8);
  runKernel("yk_activation_int", p, {x.data(), nullptr, y.data()});
  expectValues(DType::I8, y, kToEven, p.requant.zp);
  // 255 / 2 = 127.5 is 128, half a step: 0. 767 / 2 = 383.5 is 384: 2. At once
  // they would be 0 and 1; half up, 1 and 2.
  constexpr int32_t kSums[] = {-767, -255, 255, 767};
  constexpr int32_t kTwice[] = {-2, 0, 0, 2};
  p.requant.shift = 9;
  x = stored(DType::I16, kSums);
  runKernel("yk_activation_int", p, {x.data(), nullptr, y.data()});
  expectValues(DType::I8, y, kTwice, p.requant.zp);
  // 16 bits have no steps between.
  p.requant = requantOf(DType::I16, 1, 1);
  p.requant.act = Act::Clip;
  p.requant.clipMin = -3, p.requant.clipMax = 3;
  constexpr int32_t kLimited[] = {-3, -2, -2, 0, 0, 2, 2, 3};
  x = stored(DType::I16, kOdd), y = room(DType::I16);
  runKernel("yk_activation_int", p, {x.data(), nullptr, y.data()});
  expectValues(DType::I16, y, kLimited, p.requant.zp);
}

TEST(Ties, Casts) {
  forEachPath(kIntTypes, kIntTypes, [](const Path &path) {
    CastParams p{.count = kCount, .inType = path.in, .outType = path.out};
    Requant r = path.requant();
    p.mode = CastMode::Requantize;
    p.inZp = zeroPointOf(path.in), p.zp = r.zp;
    p.scale = r.scale, p.shift = r.shift;
    p.lo = r.lo, p.hi = r.hi, p.rounding = r.rounding;
    auto x = stored(path.in, kOdd, path.ratio.factor, p.inZp);
    auto y = room(path.out);
    runKernel("yk_cast", p, {x.data(), y.data()}, 3);
    expectValues(path.out, y, path.want(), r.zp);
  });
  // From and to types that int32 does not hold, and towards zero.
  for (DType in : {DType::I16, DType::I64})
    for (DType out : {DType::I8, DType::I64}) {
      CastParams p{.count = kCount, .inType = in, .outType = out};
      p.scale = 32768, p.shift = 16;
      p.mode = CastMode::Requantize;
      auto x = stored(in, kOdd), y = room(out);
      runKernel("yk_cast", p, {x.data(), y.data()});
      expectValues(out, y, kToEven);
      p.mode = CastMode::RequantizeTowardsZero;
      runKernel("yk_cast", p, {x.data(), y.data()});
      expectValues(out, y, kTowardsZero);
    }
}

TEST(Ties, BranchesOfConcat) {
  for (DType in : {DType::I8, DType::U8, DType::I16})
    for (DType out : {DType::I8, DType::I16})
      for (int32_t scale : {1, 1 << 14}) {
        SCOPED_TRACE(int(in) * 10 + int(out));
        ConcatParams p{.outInner = kCount, .inputCount = 1, .outType = out};
        Requant r = requantOf(out, scale, scale == 1 ? 1 : 15);
        p.zp = r.zp, p.lo = r.lo, p.hi = r.hi;
        p.branches[0] = {kCount, in, zeroPointOf(in), r.scale, r.shift};
        auto x = stored(in, kOdd, 1, zeroPointOf(in)), y = room(out);
        runKernel("yk_concat", p, {x.data(), y.data()});
        expectValues(out, y, kToEven, r.zp);
      }
}

/// Of a float the zero point goes first: half of an odd number minus 3 has
/// another even neighbour.
TEST(Ties, Quantize) {
  constexpr int32_t kMinus3[] = {-6, -6, -4, -4, -2, -2, 0, 0};
  constexpr int32_t kPlus101[] = {98, 98, 100, 100, 102, 102, 104, 104};
  std::vector<float> x(kCount);
  std::vector<uint16_t> halves(kCount), brains(kCount);
  for (uint32_t i = 0; i < kCount; ++i) {
    x[i] = float(kOdd[i % 8]) / 16;
    halves[i] = floatToHalf(x[i]), brains[i] = floatToBfloat(x[i]);
  }
  for (DType out : kIntTypes)
    for (auto [in, values] :
         {std::pair<DType, const void *>{DType::F32, x.data()},
          {DType::F16, halves.data()},
          {DType::BF16, brains.data()}}) {
      QuantizeParams p{
          .count = kCount, .inType = in, .outType = out, .scale = 8};
      p.zp = zeroPointOf(out);
      p.lo = yarrow::testing::limitsOf(out).low;
      p.hi = yarrow::testing::limitsOf(out).high;
      auto y = room(out);
      runKernel("yk_quantize", p, {values, y.data()});
      expectValues(out, y, p.zp == 3 ? kMinus3 : kPlus101);
      if (p.zp != 3)
        continue;
      p.zp = 0;
      runKernel("yk_quantize", p, {values, y.data()});
      expectValues(out, y, kToEven);
    }
}

TEST(Ties, SumsAndProductsOfTwoTensors) {
  forEachPath(kIntTypes, kIntTypes, [](const Path &path) {
    EltwiseIntParams p{.shape = kPairs, .typeA = path.in, .typeB = path.in};
    p.zpA = p.zpB = zeroPointOf(path.in);
    p.requant = path.requant();
    auto y = room(path.out);
    constexpr int32_t kFive[] = {5}, kOne[] = {1};
    auto five = stored(path.in, kFive, 1, p.zpA),
         one = stored(path.in, kOne, 1, p.zpA);
    auto odd = [&](int32_t more) {
      return stored(path.in, kOdd, path.ratio.factor, p.zpA - more);
    };
    for (BinaryOp op : {BinaryOp::Add, BinaryOp::Sub, BinaryOp::Mul}) {
      p.op = op;
      bool isProduct = op == BinaryOp::Mul;
      auto a = odd(isProduct ? 0 : op == BinaryOp::Add ? -5 : 5);
      runKernel(
          "yk_eltwise_int", p,
          {a.data(), isProduct ? one.data() : five.data(), nullptr, y.data()},
          3);
      expectValues(path.out, y, path.want(), p.requant.zp);
    }
  });
}

/// Each operand is rounded before they meet.
TEST(Ties, OperandsThatAreRequantizedApart) {
  for (DType in : {DType::I8, DType::I16})
    for (Rounding rounding :
         {Rounding::HalfEven, Rounding::HalfUp, Rounding::Double})
      for (int32_t leftShift : {0, 4}) {
        SCOPED_TRACE(int(rounding));
        EltwiseIntParams p{.shape = kPairs, .typeA = in, .typeB = in};
        p.isApart = 1;
        p.leftShift = leftShift;
        p.scaleA = p.scaleB = 1 << 30;
        p.shiftA = p.shiftB = 32 + leftShift;
        p.requant = requantOf(in, 1 << 30, 30, rounding);
        const Ratio &ratio = kRatios[4];
        auto x = stored(in, kOdd, ratio.factor), y = room(in);
        runKernel("yk_eltwise_int", p, {x.data(), x.data(), nullptr, y.data()});
        int32_t twice[8], none[8] = {};
        for (int i = 0; i < 8; ++i)
          twice[i] = 2 * ratio.want[unsigned(rounding)][i];
        expectValues(in, y, twice, p.requant.zp);
        p.op = BinaryOp::Sub;
        runKernel("yk_eltwise_int", p, {x.data(), x.data(), nullptr, y.data()});
        expectValues(in, y, none, p.requant.zp);
      }
}

TEST(Ties, UnsignedResultsOf32Bits) {
  EltwiseIntParams p{.shape = kPairs, .typeA = DType::I32, .typeB = DType::I32};
  p.requant = requantOf(DType::I32, 1, 1);
  p.requant.outType = DType::U32, p.requant.zp = 0;
  constexpr int32_t kNone[] = {0}, kPositive[] = {0, 0, 0, 0, 0, 2, 2, 4};
  auto x = stored(DType::I32, kOdd), zero = stored(DType::I32, kNone),
       y = room(DType::U32);
  runKernel("yk_eltwise_int", p, {x.data(), zero.data(), nullptr, y.data()});
  expectValues(DType::U32, y, kPositive);
}

TEST(Ties, QuotientsAndChoices) {
  std::vector<uint16_t> ones(256, 1);
  for (int32_t divisor : {1, -1}) {
    DivIntParams p{.shape = kPairs, .requant = requantOf(DType::I8, 1, 1)};
    int32_t want[8];
    for (int i = 0; i < 8; ++i)
      want[i] = divisor * kToEven[i];
    auto x = stored(DType::I8, kOdd), y = room(DType::I8),
         by = stored(DType::I8, {&divisor, 1});
    runKernel("yk_div_int", p, {x.data(), by.data(), ones.data(), y.data()});
    expectValues(DType::I8, y, want, p.requant.zp);
  }
  for (DType in : {DType::I8, DType::U8, DType::I16})
    for (DType out : {DType::I8, DType::I16}) {
      WhereIntParams p{.shape = {.rank = 1, .dims = {kCount}}};
      for (auto &strides : p.shape.strides)
        strides[0] = 1;
      p.choices[0] = {in, zeroPointOf(in), 1, 1};
      p.choices[1] = {in, zeroPointOf(in), 16384, 15};
      p.requant = requantOf(out, 1, 0);
      constexpr int32_t kBoth[] = {1, 0, 0, 1, 1};
      auto condition = stored(DType::U8, kBoth);
      auto x = stored(in, kOdd, 1, zeroPointOf(in)), y = room(out);
      runKernel("yk_where_int", p,
                {condition.data(), x.data(), x.data(), y.data()}, 2);
      expectValues(out, y, kToEven, p.requant.zp);
    }
}

/// What lies between two entries is rounded down; an index of a period, to
/// even.
TEST(Ties, Tables) {
  LutParams p{.count = kCount, .indexMin = 0, .inBits = 2, .log2Size = 1};
  constexpr int32_t kIndex[] = {0, 1, 2, 3};
  for (DType type : {DType::I8, DType::I16})
    for (int32_t last : {3, -3}) {
      p.inType = p.tableType = type;
      const int32_t entries[] = {0, last};
      // Half of 3 is 1, half of -3 is -2; the last entry repeats.
      const int32_t want[] = {0, last > 0 ? 1 : -2, last, last};
      auto x = stored(type, kIndex), table = stored(type, entries, 1, 0, 2),
           y = room(type);
      runKernel("yk_lut", p, {x.data(), table.data(), y.data()});
      expectValues(type, y, want);
    }
  PeriodicLutParams wave{.count = kCount, .scale = 32768, .shift = 16};
  wave.log2Size = 4;
  std::vector<int32_t> places(16);
  for (int i = 0; i < 16; ++i)
    places[size_t(i)] = i < 8 ? i : i - 16;
  auto x = stored(DType::I16, kOdd),
       table = stored(DType::I16, places, 1, 0, 16), y = room(DType::I16);
  runKernel("yk_periodic_lut", wave, {x.data(), table.data(), y.data()});
  expectValues(DType::I16, y, kToEven);
}
