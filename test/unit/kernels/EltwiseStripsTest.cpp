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

DType byteType(Random &random) { return random.of({DType::I8, DType::U8}); }

} // namespace

TEST(EltwiseStrips, SumsDifferencesAndProductsOfBytes) {
  Random random(3);
  for (int round = 0; round < 200; ++round) {
    uint32_t rows = 1 + random.below(3), columns = 1 + random.below(150);
    bool repeats = random.oneIn(3);
    EltwiseIntParams p;
    p.op = random.of({BinaryOp::Add, BinaryOp::Sub, BinaryOp::Mul});
    p.shape = {.rank = 2,
               .dims = {rows, columns},
               .strideA = {int32_t(columns), 1},
               .strideB = {1, repeats ? 0 : 1}};
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
          int64_t(valueOf(b[row + (repeats ? 0 : column)], p.typeB) + p.zpB) *
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
