//===- RoundingTest.cpp - Multipliers of 31 bits and their roundings ------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// Against exact arithmetic of 128 bits, and against the steps that TFLite's
// reference takes. Random values, ties and the ends of the ranges.
//
//===----------------------------------------------------------------------===//
#include "kernels/Epilogue.h"
#include "test/Random.h"
#include "test/unit/kernels/KernelTesting.h"
#include "test/unit/kernels/TypeLimits.h"

#include <algorithm>

using namespace yarrow;
using namespace yarrow::kernels;
using namespace yarrow::kernels::testing;
using yarrow::testing::limitsOf;
using yarrow::testing::Random;

namespace {

using Wide = __int128;

constexpr Rounding kRoundings[] = {Rounding::HalfEven, Rounding::HalfUp,
                                   Rounding::Double};

Wide floorOf(Wide x, int shift) { return x >> shift; }

/// x / 2^shift, rounded once.
Wide roundedOnce(Wide x, int shift, Rounding rounding) {
  if (shift == 0)
    return x;
  Wide half = Wide(1) << (shift - 1), quotient = floorOf(x, shift),
       rest = x - (quotient << shift);
  bool isUp = rest > half || (rest == half &&
                              (rounding == Rounding::HalfUp || (quotient & 1)));
  return quotient + isUp;
}

/// The doubled high half of a product of int32, as SQRDMULH has it.
Wide doubledHighHalf(Wide a, Wide b) {
  Wide product = a * b;
  Wide nudge = product >= 0 ? Wide(1) << 30 : 1 - (Wide(1) << 30);
  return (product + nudge) / (Wide(1) << 31); // towards 0
}

/// x / 2^shift, ties away from 0.
Wide awayFromZero(Wide x, int shift) {
  Wide magnitude = x < 0 ? -x : x;
  magnitude =
      shift ? (magnitude + (Wide(1) << (shift - 1))) >> shift : magnitude;
  return x < 0 ? -magnitude : magnitude;
}

Wide between(Wide x, Wide lo, Wide hi) { return std::clamp(x, lo, hi); }

Wide expected(Wide x, int32_t scale, int shift, Rounding rounding) {
  if (rounding != Rounding::Double)
    return roundedOnce(x * scale, shift, rounding);
  x = between(x, INT32_MIN, INT32_MAX);
  if (shift < 31)
    x = between(x << (31 - shift), INT32_MIN, INT32_MAX);
  return awayFromZero(doubledHighHalf(x, scale), std::max(0, shift - 31));
}

int32_t expected(Wide x, int32_t scale, int shift, const Requant &r) {
  return int32_t(
      between(expected(x, scale, shift, r.rounding) - r.zp, r.lo, r.hi));
}

/// The ends, values around ties, and random ones of any size.
int64_t anySum(Random &random) {
  if (random.oneIn(8))
    return random.of({int64_t(INT32_MIN), int64_t(INT32_MAX), int64_t(0),
                      int64_t(1), int64_t(-1), -(int64_t(1) << 31)});
  if (random.oneIn(4)) // a multiple of a power of two, and of its half
    return int64_t(int32_t(random.next())) >> 8 << random.below(8);
  return int64_t(int32_t(random.next())) >> random.below(31);
}

int32_t anyScale(Random &random) {
  if (random.oneIn(3))
    return random.of({1 << 30, INT32_MAX, 3 << 29, (1 << 30) + 1, 1, 65536});
  return int32_t(random.next() >> 33 >> random.below(20)) | 1;
}

Requant anyRequant(Random &random, DType type) {
  Requant r;
  r.outType = type;
  r.lo = limitsOf(type).low, r.hi = limitsOf(type).high;
  r.rounding = random.of({kRoundings[0], kRoundings[1], kRoundings[2]});
  r.scale = anyScale(random);
  r.shift = int32_t(random.below(63));
  r.zp = int32_t(random.below(513)) - 256;
  return r;
}

template <typename T> std::vector<T> anyValues(Random &random, uint32_t count) {
  std::vector<T> x(count);
  for (T &value : x)
    value = T(random.next());
  return x;
}

} // namespace

TEST(Rounding, ScalarsAndChunksEqualExactArithmetic) {
  Random random(11);
  for (int round = 0; round < 3000; ++round) {
    Requant r = anyRequant(random, DType::I32);
    r.zp = random.oneIn(2) ? 0 : r.zp;
    r.lo = INT32_MIN + 256, r.hi = INT32_MAX - 256;
    int64_t acc[kChunk];
    int32_t scales[kChunk], shifts[kChunk], y[kChunk], each[kChunk];
    for (uint32_t i = 0; i < kChunk; ++i) {
      acc[i] = anySum(random);
      scales[i] = anyScale(random), shifts[i] = int32_t(random.below(63));
    }
    requantizeChunk(acc, kChunk, r.scale, r.shift, r, y);
    requantizeChunkPerChannel(acc, kChunk, scales, shifts, r, each);
    for (uint32_t i = 0; i < kChunk; ++i) {
      ASSERT_EQ(y[i], expected(acc[i], r.scale, r.shift, r))
          << acc[i] << " * " << r.scale << " >> " << r.shift << " rounding "
          << int(r.rounding);
      ASSERT_EQ(each[i], expected(acc[i], scales[i], shifts[i], r))
          << acc[i] << " * " << scales[i] << " >> " << shifts[i] << " rounding "
          << int(r.rounding);
      ASSERT_EQ(requantize(acc[i], scales[i], shifts[i], r.zp, r.lo, r.hi,
                           r.rounding),
                each[i]);
    }
  }
}

TEST(Rounding, TiesGoWhereTheRoundingSays) {
  // 2.5 and -2.5: acc * 2^30 / 2^31.
  EXPECT_EQ(requantize(5, 1 << 30, 31, 0, -9, 9), 2);
  EXPECT_EQ(requantize(-5, 1 << 30, 31, 0, -9, 9), -2);
  EXPECT_EQ(requantize(5, 1 << 30, 31, 0, -9, 9, Rounding::HalfUp), 3);
  EXPECT_EQ(requantize(-5, 1 << 30, 31, 0, -9, 9, Rounding::HalfUp), -2);
  // The same by a rounding shift: 10 * 2^30 / 2^31 = 5, then 5 / 2.
  EXPECT_EQ(requantize(10, 1 << 30, 33 - 1, 0, -9, 9, Rounding::Double), 3);
  EXPECT_EQ(requantize(-10, 1 << 30, 33 - 1, 0, -9, 9, Rounding::Double), -3);
  // And by two roundings, the first of which makes the tie: 2.25.
  EXPECT_EQ(requantize(9, 1 << 30, 32, 0, -9, 9, Rounding::Double), 3);
}

TEST(Rounding, SumsOf48BitsTakeMultipliersOf15) {
  Random random(12);
  Requant r;
  r.outType = DType::I16;
  r.lo = -32768, r.hi = 32767;
  r.rounding = Rounding::HalfUp;
  for (int round = 0; round < 20000; ++round) {
    int64_t acc = int64_t(random.next()) >> (16 + random.below(30));
    int32_t scale = int32_t(random.below(32768)), y;
    int32_t shift = 8 + int32_t(random.below(39));
    requantizeChunk(&acc, 1, scale, shift, r, &y);
    ASSERT_EQ(y, expected(acc, scale, shift, r)) << acc;
  }
}

TEST(Rounding, KernelsOfBytesAndHalfWords) {
  Random random(13);
  for (int round = 0; round < 600; ++round) {
    uint32_t count = 1 + random.below(200);
    bool isByte = random.oneIn(2);
    ActivationIntParams p{.count = count,
                          .inType = isByte ? DType::I8 : DType::I16};
    p.inZp = int32_t(random.below(513)) - 256;
    Requant &r = p.requant = anyRequant(random, p.inType);
    r.shift = 24 + int32_t(random.below(38));
    bool isSlope = r.rounding != Rounding::HalfEven && random.oneIn(2);
    r.act = isSlope ? Act::LeakyRelu : random.of({Act::None, Act::Relu});
    r.slope = anyScale(random), r.slopeShift = 30 + int32_t(random.below(8));
    auto x = anyValues<int16_t>(random, count);
    std::vector<int16_t> y(count), cast(count);
    runKernel("yk_activation_int", p, {x.data(), nullptr, y.data()}, 3);
    CastParams c{.count = count, .inType = p.inType, .outType = r.outType};
    c.mode = CastMode::Requantize;
    c.inZp = p.inZp, c.zp = r.zp, c.scale = r.scale, c.shift = r.shift;
    c.lo = r.lo, c.hi = r.hi, c.rounding = r.rounding;
    runKernel("yk_cast", c, {x.data(), cast.data()}, 2);
    auto at = [&](const std::vector<int16_t> &v, uint32_t i) -> int32_t {
      return isByte ? reinterpret_cast<const int8_t *>(v.data())[i] : v[i];
    };
    for (uint32_t i = 0; i < count; ++i) {
      int64_t acc = int64_t(at(x, i)) + p.inZp;
      ASSERT_EQ(at(cast, i), expected(acc, r.scale, r.shift, r)) << acc;
      bool isNegative = acc < 0;
      acc = r.act == Act::Relu && isNegative ? 0 : acc;
      bool bySlope = isSlope && isNegative;
      ASSERT_EQ(at(y, i), expected(acc, bySlope ? r.slope : r.scale,
                                   bySlope ? r.slopeShift : r.shift, r))
          << acc << " rounding " << int(r.rounding);
    }
  }
}

TEST(Rounding, SumsOfOperandsThatAreRequantizedApart) {
  Random random(14);
  for (int round = 0; round < 400; ++round) {
    uint32_t count = 1 + random.below(150);
    bool isByte = random.oneIn(3);
    EltwiseIntParams p{.shape = {.rank = 1,
                                 .dims = {count},
                                 .strideA = {1},
                                 .strideB = {random.oneIn(4) ? 0 : 1}},
                       .op = random.of({BinaryOp::Add, BinaryOp::Sub})};
    p.typeA = p.typeB = isByte ? DType::I8 : DType::I16;
    p.zpA = isByte ? int32_t(random.below(256)) - 128 : 0;
    p.requant = anyRequant(random, p.typeA);
    p.isApart = 1;
    p.leftShift = isByte ? 20 : 15;
    p.scaleA = anyScale(random), p.scaleB = anyScale(random);
    p.shiftA = 31 + int32_t(random.below(8));
    p.shiftB = 31 + int32_t(random.below(8));
    p.requant.shift = 31 + p.leftShift - int32_t(random.below(4));
    auto a = anyValues<int16_t>(random, count),
         b = anyValues<int16_t>(random, count);
    std::vector<int16_t> y(count);
    runKernel("yk_eltwise_int", p, {a.data(), b.data(), nullptr, y.data()}, 2);
    auto at = [&](const std::vector<int16_t> &v, uint32_t i) -> int32_t {
      return isByte ? reinterpret_cast<const int8_t *>(v.data())[i] : v[i];
    };
    Rounding how = p.requant.rounding;
    for (uint32_t i = 0; i < count; ++i) {
      Wide left = expected(Wide(at(a, i) + p.zpA) << p.leftShift, p.scaleA,
                           p.shiftA, how),
           right = expected(Wide(at(b, p.shape.strideB[0] ? i : 0)) *
                                (1 << p.leftShift),
                            p.scaleB, p.shiftB, how);
      Wide sum = p.op == BinaryOp::Add ? left + right : left - right;
      ASSERT_EQ(at(y, i),
                expected(sum, p.requant.scale, p.requant.shift, p.requant))
          << "round " << round << ", element " << i;
    }
  }
}

TEST(Rounding, AlignedSumsAndProductsWithWideMultipliers) {
  Random random(15);
  for (int round = 0; round < 400; ++round) {
    uint32_t count = 1 + random.below(150);
    EltwiseIntParams p{
        .shape = {.rank = 1, .dims = {count}, .strideA = {1}, .strideB = {1}},
        .op = random.of({BinaryOp::Add, BinaryOp::Sub, BinaryOp::Mul})};
    p.zpA = int32_t(random.below(513)) - 256;
    p.zpB = int32_t(random.below(513)) - 256;
    p.requant = anyRequant(random, DType::I8);
    bool isProduct = p.op == BinaryOp::Mul;
    if (!isProduct) {
      // 10 bits and 31, and one for the sum: 20 are left.
      p.scaleA = anyScale(random), p.scaleB = anyScale(random);
      p.requant.scale = 1 + int32_t(random.below(1 << 20));
    }
    p.requant.shift = int32_t(30 + random.below(32));
    auto a = anyValues<int8_t>(random, count),
         b = anyValues<int8_t>(random, count);
    std::vector<int8_t> y(count);
    runKernel("yk_eltwise_int", p, {a.data(), b.data(), nullptr, y.data()}, 2);
    for (uint32_t i = 0; i < count; ++i) {
      Wide left = Wide(a[i] + p.zpA) * p.scaleA,
           right = Wide(b[i] + p.zpB) * p.scaleB;
      Wide acc = isProduct               ? left * right
                 : p.op == BinaryOp::Add ? left + right
                                         : left - right;
      ASSERT_EQ(y[i],
                expected(acc, p.requant.scale, p.requant.shift, p.requant))
          << "round " << round << ", element " << i;
    }
  }
}

TEST(Rounding, ProductsWithAMultiplierPerChannel) {
  Random random(16);
  for (int round = 0; round < 60; ++round) {
    uint32_t inputs = 1 + random.below(300), outputs = 1 + random.below(150);
    FullyConnectedIntParams p{.rows = 2};
    p.inFeatures = inputs, p.outFeatures = outputs;
    p.requant = anyRequant(random, DType::I8);
    p.requant.perChannel = 1;
    p.requant.scaleType = DType::I32;
    auto x = anyValues<int8_t>(random, 2 * inputs),
         w = anyValues<int8_t>(random, inputs * outputs);
    std::vector<int32_t> bias(outputs), scales(outputs);
    std::vector<int8_t> shifts(outputs), y(2 * outputs);
    for (uint32_t o = 0; o < outputs; ++o) {
      bias[o] = int32_t(random.next()) >> 8;
      scales[o] = anyScale(random);
      shifts[o] = int8_t(30 + random.below(20));
    }
    runKernel("yk_fully_connected_int", p,
              {x.data(), w.data(), bias.data(), scales.data(), shifts.data(),
               nullptr, y.data()},
              3);
    for (uint32_t i = 0; i < 2 * outputs; ++i) {
      uint32_t row = i / outputs, o = i % outputs;
      int64_t acc = bias[o];
      for (uint32_t k = 0; k < inputs; ++k)
        acc += int64_t(x[row * inputs + k]) * w[o * inputs + k];
      ASSERT_EQ(y[i], expected(acc, scales[o], shifts[o], p.requant)) << i;
    }
  }
}

/// Of windows with and without padding, of sums that fit 16 bits or not.
template <typename T> static void expectMeans(Random &random, DType type) {
  PoolIntParams p{.inType = type, .outType = type};
  PoolShape &s = p.shape;
  s.inH = 2 + random.below(14), s.inW = 2 + random.below(14);
  s.channels = 1 + random.below(70);
  s.kernelH = 1 + random.below(s.inH), s.kernelW = 1 + random.below(s.inW);
  s.padTop = int32_t(random.below(s.kernelH));
  s.padLeft = int32_t(random.below(s.kernelW));
  s.outH = s.inH + uint32_t(s.padTop) - s.kernelH + 1;
  s.outW = s.inW + uint32_t(s.padLeft) - s.kernelW + 1;
  p.inZp = p.zp = int32_t(random.below(200)) - 100;
  p.lo = limitsOf(type).low, p.hi = limitsOf(type).high;
  p.isHalfAway = 1;
  auto x = anyValues<T>(random, s.inH * s.inW * s.channels);
  std::vector<T> y(s.outH * s.outW * s.channels);
  runKernel("yk_pool_int", p, {x.data(), y.data()}, 2);
  for (uint32_t i = 0; i < y.size(); ++i) {
    uint32_t c = i % s.channels, out = i / s.channels;
    int32_t top = int32_t(out / s.outW) - s.padTop,
            left = int32_t(out % s.outW) - s.padLeft;
    int64_t sum = 0, cells = 0;
    for (int32_t row = top; row < top + int32_t(s.kernelH); ++row)
      for (int32_t column = left; column < left + int32_t(s.kernelW); ++column)
        if (row >= 0 && row < int32_t(s.inH) && column >= 0 &&
            column < int32_t(s.inW)) {
          sum += x[(uint32_t(row) * s.inW + uint32_t(column)) * s.channels + c];
          ++cells;
        }
    // TFLite's steps: the half towards the sum's sign, the quotient to 0.
    int64_t mean =
        sum > 0 ? (sum + cells / 2) / cells : (sum - cells / 2) / cells;
    ASSERT_EQ(y[i], T(mean)) << sum << " / " << cells;
  }
}

TEST(Rounding, MeansOfStoredIntegersRoundAwayFromZero) {
  Random random(17);
  for (int round = 0; round < 60; ++round) {
    expectMeans<int8_t>(random, DType::I8);
    expectMeans<uint8_t>(random, DType::U8);
    expectMeans<int16_t>(random, DType::I16);
  }
}
