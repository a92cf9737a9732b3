//===- EltwiseStripsTest.cpp - Strips against plain loops -----------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// Bytes and floats that kernels do in strips (kernels/Strips.h): lengths around
// a strip, operands that repeat, shifts from 0 to what rounds all to 0.
//
//===----------------------------------------------------------------------===//
#include "support/Numeric.h"
#include "test/Random.h"
#include "test/unit/kernels/KernelTesting.h"
#include "test/unit/kernels/RandomValues.h"

#include <algorithm>
#include <cmath>

using namespace yarrow;
using namespace yarrow::kernels;
using namespace yarrow::kernels::testing;
using yarrow::testing::Random;

namespace {

std::vector<int8_t> bytes(Random &random, uint32_t count) {
  std::vector<int8_t> x(count);
  for (int8_t &value : x)
    value = int8_t(random.next());
  return x;
}

/// A byte as the type has it.
int32_t valueOf(int8_t byte, DType type) {
  return type == DType::U8 ? uint8_t(byte) : byte;
}

struct Range {
  int32_t lo, hi;
};
Range rangeOf(DType type) {
  return type == DType::U8 ? Range{0, 255} : Range{-128, 127};
}

} // namespace

TEST(EltwiseStrips, SumsDifferencesAndProductsOfBytes) {
  Random random(3);
  for (int round = 0; round < 200; ++round) {
    uint32_t rows = 1 + random.below(3), columns = 1 + random.below(150);
    bool repeats = random.oneIn(3);
    // A vector of channels under each row of many (kernels/RepeatedRow.h).
    bool isVector = !repeats && random.oneIn(2);
    if (isVector)
      rows = 1 + random.below(100), columns = 1 + random.below(70);
    EltwiseIntParams p;
    p.op = random.of({BinaryOp::Add, BinaryOp::Sub, BinaryOp::Mul});
    p.shape = {.rank = 2,
               .dims = {rows, columns},
               .strideA = {int32_t(columns), 1},
               .strideB = {isVector ? 0 : 1, repeats ? 0 : 1}};
    p.typeA = byteType(random), p.typeB = byteType(random);
    p.zpA = int32_t(random.below(513)) - 256;
    p.zpB = int32_t(random.below(513)) - 256;
    if (p.op != BinaryOp::Mul) {
      p.scaleA = int32_t(random.below(random.oneIn(2) ? 256 : 65536));
      p.scaleB = int32_t(random.below(random.oneIn(2) ? 256 : 65536));
    }
    Requant &r = p.requant;
    r.outType = byteType(random);
    r.act = random.of({Act::None, Act::Relu, Act::Relu6});
    r.scale = int32_t(random.below(random.oneIn(2) ? 256 : 65536));
    r.shift = int32_t(random.below(50));
    r.zp = int32_t(random.below(513)) - 256;
    r.lo = rangeOf(r.outType).lo, r.hi = rangeOf(r.outType).hi;
    auto a = bytes(random, rows * columns), b = bytes(random, rows + columns);
    std::vector<int8_t> y(rows * columns);
    runKernel("yk_eltwise_int", p, {a.data(), b.data(), nullptr, y.data()},
              1 + random.below(4));
    for (uint32_t i = 0; i < y.size(); ++i) {
      uint32_t row = i / columns, column = i % columns;
      int64_t left = int64_t(valueOf(a[i], p.typeA) + p.zpA) * p.scaleA;
      int64_t right =
          int64_t(valueOf(b[(isVector ? 0 : row) + (repeats ? 0 : column)],
                          p.typeB) +
                  p.zpB) *
          p.scaleB;
      int64_t acc = p.op == BinaryOp::Add   ? left + right
                    : p.op == BinaryOp::Sub ? left - right
                                            : left * right;
      acc = r.act != Act::None && acc < 0 ? 0 : acc;
      ASSERT_EQ(valueOf(y[i], r.outType),
                requantize(acc, r.scale, r.shift, r.zp, r.lo, r.hi))
          << "round " << round << ", element " << i;
    }
  }
}

/// What the steps of recurrent layers add up.
TEST(EltwiseStrips, SumsAndDifferencesOfWords) {
  Random random(5);
  for (int round = 0; round < 200; ++round) {
    uint32_t rows = 1 + random.below(3), columns = 1 + random.below(150);
    bool repeats = random.oneIn(3);
    EltwiseIntParams p;
    p.op = random.of({BinaryOp::Add, BinaryOp::Sub});
    p.shape = {.rank = 2,
               .dims = {rows, columns},
               .strideA = {int32_t(columns), 1},
               .strideB = {0, repeats ? 0 : 1}};
    p.typeA = p.typeB = DType::I32;
    Requant &r = p.requant;
    r.outType = random.of({DType::I8, DType::I16});
    r.scale = int32_t(random.below(65536));
    r.shift = int32_t(random.below(63));
    r.zp = int32_t(random.below(513)) - 256;
    r.hi = r.outType == DType::I8 ? 127 : 32767, r.lo = -r.hi - 1;
    auto words = [&](uint32_t count) {
      std::vector<int32_t> x(count);
      for (int32_t &value : x)
        value = int32_t(random.next()) >> random.below(30);
      return x;
    };
    std::vector<int32_t> a = words(rows * columns), b = words(columns);
    std::vector<int16_t> wide(a.size());
    std::vector<int8_t> narrow(a.size());
    bool isByte = r.outType == DType::I8;
    void *y = isByte ? static_cast<void *>(narrow.data()) : wide.data();
    runKernel("yk_eltwise_int", p, {a.data(), b.data(), nullptr, y},
              1 + random.below(4));
    for (uint32_t i = 0; i < a.size(); ++i) {
      int64_t left = a[i], right = b[repeats ? 0 : i % columns];
      int64_t acc = p.op == BinaryOp::Add ? left + right : left - right;
      ASSERT_EQ(isByte ? narrow[i] : wide[i],
                requantize(acc, r.scale, r.shift, r.zp, r.lo, r.hi))
          << "round " << round << ", element " << i;
    }
  }
}

TEST(EltwiseStrips, ProductsOfBytesAsWords) {
  Random random(6);
  for (int round = 0; round < 100; ++round) {
    uint32_t count = 1 + random.below(150);
    EltwiseIntParams p;
    p.op = BinaryOp::Mul;
    p.shape = {.rank = 1, .dims = {count}, .strideA = {1}, .strideB = {1}};
    p.typeA = byteType(random), p.typeB = byteType(random);
    p.zpA = int32_t(random.below(513)) - 256;
    Requant &r = p.requant;
    r.outType = DType::I32, r.lo = INT32_MIN, r.hi = INT32_MAX;
    r.scale = int32_t(random.below(65536));
    r.shift = int32_t(random.below(40));
    auto a = bytes(random, count), b = bytes(random, count);
    std::vector<int32_t> y(count);
    runKernel("yk_eltwise_int", p, {a.data(), b.data(), nullptr, y.data()},
              1 + random.below(4));
    for (uint32_t i = 0; i < count; ++i) {
      int64_t acc =
          int64_t(valueOf(a[i], p.typeA) + p.zpA) * valueOf(b[i], p.typeB);
      ASSERT_EQ(y[i], requantize(acc, r.scale, r.shift, 0, r.lo, r.hi))
          << "round " << round << ", element " << i;
    }
  }
}

TEST(EltwiseStrips, ActivationsAndConcats) {
  Random random(4);
  for (int round = 0; round < 200; ++round) {
    uint32_t count = 1 + random.below(300);
    ActivationIntParams p{.count = count, .inType = byteType(random)};
    p.inZp = int32_t(random.below(513)) - 256;
    Requant &r = p.requant;
    r.outType = byteType(random);
    r.act = random.of({Act::None, Act::Relu});
    r.scale = int32_t(random.below(65536));
    r.shift = int32_t(random.below(40));
    r.zp = int32_t(random.below(513)) - 256;
    r.lo = rangeOf(r.outType).lo, r.hi = rangeOf(r.outType).hi;
    auto x = bytes(random, count);
    std::vector<int8_t> y(count), joined(2 * count);
    runKernel("yk_activation_int", p, {x.data(), nullptr, y.data()},
              1 + random.below(4));
    ConcatParams c{.outInner = 2 * count,
                   .inputCount = 2,
                   .outType = r.outType,
                   .zp = r.zp,
                   .lo = r.lo,
                   .hi = r.hi};
    c.branches[0] = c.branches[1] = {count, p.inType, p.inZp, r.scale, r.shift};
    runKernel("yk_concat", c, {x.data(), x.data(), joined.data()});
    for (uint32_t i = 0; i < count; ++i) {
      int64_t acc = valueOf(x[i], p.inType) + p.inZp;
      int32_t plain = requantize(acc, r.scale, r.shift, r.zp, r.lo, r.hi);
      ASSERT_EQ(valueOf(joined[i], r.outType), plain) << i;
      ASSERT_EQ(valueOf(joined[count + i], r.outType), plain) << i;
      acc = r.act == Act::Relu && acc < 0 ? 0 : acc;
      ASSERT_EQ(valueOf(y[i], r.outType),
                requantize(acc, r.scale, r.shift, r.zp, r.lo, r.hi))
          << i;
    }
  }
}

TEST(EltwiseStrips, WhereOfBytes) {
  Random random(5);
  for (int round = 0; round < 50; ++round) {
    uint32_t count = 1 + random.below(400);
    bool repeats = random.oneIn(2);
    WhereParams p{.shape = {.rank = 1, .dims = {count}}};
    p.shape.strides[0][0] = 1, p.shape.strides[1][0] = 1;
    p.shape.strides[2][0] = repeats ? 0 : 1;
    auto holds = bytes(random, count), a = bytes(random, count),
         b = bytes(random, count);
    for (int8_t &flag : holds)
      flag = random.oneIn(2) ? 0 : flag;
    std::vector<int8_t> y(count);
    runKernel("yk_where", p, {holds.data(), a.data(), b.data(), y.data()},
              1 + random.below(4));
    for (uint32_t i = 0; i < count; ++i)
      ASSERT_EQ(y[i], holds[i] ? a[i] : b[repeats ? 0 : i]) << i;
  }
}

TEST(EltwiseStrips, WhereRequantizesBytes) {
  Random random(6);
  for (int round = 0; round < 200; ++round) {
    uint32_t count = 1 + random.below(200);
    bool repeats = random.oneIn(2);
    WhereIntParams p{.shape = {.rank = 1, .dims = {count}}};
    p.shape.strides[0][0] = 1, p.shape.strides[1][0] = 1;
    p.shape.strides[2][0] = repeats ? 0 : 1;
    p.conditionType = byteType(random);
    p.conditionZp = random.oneIn(2) ? 0 : int32_t(random.below(300)) - 150;
    for (WhereChoice &choice : p.choices) {
      choice.type = byteType(random);
      choice.zp = int32_t(random.below(513)) - 256;
      choice.scale = int32_t(random.below(65536));
      choice.shift = int32_t(random.below(40));
    }
    Requant &r = p.requant;
    r.outType = byteType(random);
    r.zp = int32_t(random.below(513)) - 256;
    r.lo = rangeOf(r.outType).lo, r.hi = rangeOf(r.outType).hi;
    auto holds = bytes(random, count), a = bytes(random, count),
         b = bytes(random, count);
    for (int8_t &flag : holds)
      flag = random.oneIn(2) ? int8_t(-p.conditionZp) : flag;
    std::vector<int8_t> y(count);
    runKernel("yk_where_int", p, {holds.data(), a.data(), b.data(), y.data()},
              1 + random.below(4));
    for (uint32_t i = 0; i < count; ++i) {
      bool isFirst = valueOf(holds[i], p.conditionType) + p.conditionZp != 0;
      const WhereChoice &c = p.choices[isFirst ? 0 : 1];
      int64_t x = valueOf(isFirst ? a[i] : b[repeats ? 0 : i], c.type) + c.zp;
      ASSERT_EQ(valueOf(y[i], r.outType),
                requantize(x, c.scale, c.shift, r.zp, r.lo, r.hi))
          << "round " << round << ", element " << i;
    }
  }
}

TEST(EltwiseStrips, SlopesOfNegativeBytes) {
  Random random(7);
  for (int round = 0; round < 200; ++round) {
    uint32_t rows = 1 + random.below(3), columns = 1 + random.below(100);
    PReluIntParams p;
    p.shape = {.rank = 2,
               .dims = {rows, columns},
               .strideA = {int32_t(columns), 1},
               .strideB = {0, 1}};
    p.inType = byteType(random);
    p.inZp = int32_t(random.below(513)) - 256;
    Requant &r = p.requant;
    r.act = Act::PRelu;
    r.outType = byteType(random);
    r.slopeType = random.of({DType::I8, DType::I16});
    r.slopeShift = int32_t(random.below(32)); // 31 is not for strips
    r.scale = int32_t(random.below(random.oneIn(2) ? 256 : 65536));
    r.shift = int32_t(random.below(50));
    r.zp = int32_t(random.below(513)) - 256;
    r.lo = rangeOf(r.outType).lo, r.hi = rangeOf(r.outType).hi;
    auto x = bytes(random, rows * columns), slopes = bytes(random, 2 * columns);
    std::vector<int8_t> y(rows * columns);
    runKernel("yk_prelu_int", p, {x.data(), slopes.data(), y.data()},
              1 + random.below(4));
    for (uint32_t i = 0; i < y.size(); ++i) {
      uint32_t column = i % columns;
      int32_t slope = slopes[column];
      if (r.slopeType == DType::I16)
        slope =
            int16_t(uint8_t(slopes[2 * column]) | slopes[2 * column + 1] * 256);
      int64_t acc = valueOf(x[i], p.inType) + p.inZp;
      if (acc < 0)
        acc = roundShiftHalfEven(acc * slope, r.slopeShift);
      ASSERT_EQ(valueOf(y[i], r.outType),
                requantize(acc, r.scale, r.shift, r.zp, r.lo, r.hi))
          << "round " << round << ", element " << i;
    }
  }
}

TEST(EltwiseStrips, QuantizedFloats) {
  Random random(8);
  for (int round = 0; round < 100; ++round) {
    uint32_t count = 1 + random.below(100);
    bool isWide = random.oneIn(2);
    QuantizeParams p{.count = count,
                     .outType = isWide ? DType::U16 : DType::I8,
                     .scale = random.of({1.0f, 100.0f, 0.37f}),
                     .zp = int32_t(random.below(257)) - 128};
    p.lo = isWide ? 0 : -128, p.hi = isWide ? 65535 : 127;
    std::vector<float> x(count);
    for (float &value : x) {
      value = (float(random.below(1000)) - 500) / 2; // ties, with a scale of 1
      if (random.oneIn(10))
        value = random.of({NAN, INFINITY, -INFINITY, 3e38f, -1e10f, -0.0f});
    }
    std::vector<int8_t> narrow(count);
    std::vector<uint16_t> wide(count);
    void *y = isWide ? static_cast<void *>(wide.data()) : narrow.data();
    runKernel("yk_quantize", p, {x.data(), y}, 1 + random.below(4));
    for (uint32_t i = 0; i < count; ++i) {
      float scaled = p.scale * x[i];
      scaled -= float(p.zp);
      double rounded = std::isnan(scaled) ? 0 : std::nearbyint(double(scaled));
      ASSERT_EQ(isWide ? wide[i] : narrow[i],
                int32_t(std::clamp<double>(rounded, p.lo, p.hi)))
          << x[i];
    }
  }
}
