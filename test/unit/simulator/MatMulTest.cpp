//===- MatMulTest.cpp - Matrix product against plain loops ----------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "simulator/engine/TensorEngine.h"
#include "test/unit/simulator/Naive.h"
#include <gtest/gtest.h>

using namespace yarrow;
using namespace yarrow::sim;
using namespace yarrow::isa;
using naive::Random;

static MatMul randomMatMul(Random &r) {
  MatMul m;
  auto type = [&] {
    return r.oneOf(
        {ElementType::I8, ElementType::U8, ElementType::I16, ElementType::U16});
  };
  m.aType = type();
  m.bType = type();
  m.outType = r.oneOf(
      {ElementType::I8, ElementType::U8, ElementType::I16, ElementType::I32});
  m.batch = uint32_t(r.in(1, 3));
  m.rows = uint32_t(r.in(1, 40));
  m.inner = uint32_t(r.in(1, 300));
  m.columns = uint32_t(r.in(1, 40));
  uint32_t a = elementBytes(m.aType), b = elementBytes(m.bType);
  m.aInnerStride = r.chance(70) ? a : a * 2;
  m.aRowStride = m.inner * m.aInnerStride;
  m.aBatchStride = r.chance(80) ? m.rows * m.aRowStride : 0;
  bool isTransposed = r.chance(50);
  m.bInnerStride = isTransposed ? b : b * m.columns;
  m.bColumnStride = isTransposed ? b * m.inner : b;
  m.bBatchStride = m.inner * m.columns * b;
  m.outRowStride = m.columns * elementBytes(m.outType) + 2;
  m.outBatchStride = m.rows * m.outRowStride;
  m.a = 0;
  m.b = 1 << 18;
  m.output = 1 << 19;
  int64_t lo, hi;
  naive::lowest(m.aType, lo, hi);
  m.aZeroPoint = int32_t(r.in(-hi, hi));
  naive::lowest(m.bType, lo, hi);
  m.bZeroPoint = int32_t(r.in(-hi, hi));
  m.scale = uint16_t(r.in(1, 32767));
  m.shift = int8_t(r.in(-2, 45));
  m.outZeroPoint = int32_t(r.in(-100, 100));
  naive::lowest(m.outType, lo, hi);
  m.outMin = int32_t(lo);
  m.outMax = int32_t(hi);
  return m;
}

static int64_t expected(const MatMul &m, Memory &memory, uint32_t batch,
                        uint32_t row, uint32_t column) {
  naive::Wide sum = 0;
  for (uint32_t k = 0; k < m.inner; ++k)
    sum += (naive::read(memory, m.aType,
                        m.a + batch * m.aBatchStride + row * m.aRowStride +
                            k * m.aInnerStride) +
            m.aZeroPoint) *
           (naive::read(memory, m.bType,
                        m.b + batch * m.bBatchStride + k * m.bInnerStride +
                            column * m.bColumnStride) +
            m.bZeroPoint);
  return naive::requantize(sum, scaleOf(m), m.shift, m.outZeroPoint, m.outMin,
                           m.outMax, m.halfUp);
}

/// Wide scales, as far as 62 bits hold products of these sums (8 bits: 300 *
/// 2^18, 16 bits: 300 * 2^34), and halves that go up.
static void makeWide(MatMul &m, Random &r) {
  bool has16 = elementBytes(m.aType) == 2 || elementBytes(m.bType) == 2;
  setScale(m, int32_t(r.in(1, has16 ? 1 << 18 : INT32_MAX)));
  m.shift = int8_t(r.in(has16 ? 10 : 0, 62));
  m.halfUp = r.chance(40);
}

TEST(MatMul, RandomDescriptorsMatchPlainLoops) {
  auto memory = Memory::create(1 << 20);
  TensorEngine engine(*memory);
  for (uint64_t seed = 0; seed < 300; ++seed) {
    SCOPED_TRACE(seed);
    Random r(seed);
    MatMul m = randomMatMul(r);
    if (seed >= 150)
      makeWide(m, r);
    r.fill(*memory, 0, 1 << 19);
    std::vector<int64_t> results;
    for (uint32_t batch = 0; batch < m.batch; ++batch)
      for (uint32_t row = 0; row < m.rows; ++row)
        for (uint32_t column = 0; column < m.columns; ++column)
          results.push_back(expected(m, *memory, batch, row, column));
    Fault fault = engine.execute(m);
    ASSERT_FALSE(fault) << *fault;
    size_t i = 0;
    for (uint32_t batch = 0; batch < m.batch; ++batch)
      for (uint32_t row = 0; row < m.rows; ++row)
        for (uint32_t column = 0; column < m.columns; ++column)
          ASSERT_EQ(naive::read(*memory, m.outType,
                                m.output + batch * m.outBatchStride +
                                    row * m.outRowStride +
                                    column * elementBytes(m.outType)),
                    results[i++])
              << disassemble(m);
  }
}

TEST(MatMul, IllegalDescriptorsFault) {
  auto memory = Memory::create(1 << 20);
  TensorEngine engine(*memory);
  Random r(1);
  MatMul good = randomMatMul(r);
  EXPECT_FALSE(engine.execute(good));
  auto faults = [&](auto change) {
    MatMul m = good;
    change(m);
    return bool(engine.execute(m));
  };
  EXPECT_TRUE(faults([](MatMul &m) { m.inner = 0; }));
  EXPECT_TRUE(faults([](MatMul &m) { m.rows = UINT32_MAX; }));
  EXPECT_TRUE(faults([](MatMul &m) { m.a = 1 << 20; }));
  EXPECT_TRUE(
      faults([](MatMul &m) { m.bBatchStride = UINT32_MAX, m.batch = 2; }));
  EXPECT_TRUE(faults([](MatMul &m) { m.outType = ElementType(7); }));
  EXPECT_TRUE(faults([](MatMul &m) { m.outMin = 5, m.outMax = 4; }));
  // Operands may overlap, but no more are read or written than SRAM holds.
  MatMul small;
  small.batch = small.rows = small.inner = small.columns = 1;
  for (auto [rows, inner, columns] :
       {std::array{2048u, 1024u, 1u}, {1u, 1024u, 2048u}, {2048u, 1u, 1024u}}) {
    MatMul m = small;
    m.rows = rows, m.inner = inner, m.columns = columns;
    m.outRowStride = columns * elementBytes(m.outType);
    Fault fault = engine.execute(m);
    ASSERT_TRUE(fault);
    EXPECT_NE(fault->find("does not fit the SRAM"), std::string::npos)
        << *fault;
  }
}
