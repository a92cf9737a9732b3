//===- SoftmaxColumnsTest.cpp - Softmax of rows that lie anywhere
//----------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// Rows side by side are computed together: the same bits as one by one, where
// the axis is the last. Also rows of integers, wherever they lie.
//
//===----------------------------------------------------------------------===//
#include "kernels/Elements.h"
#include "kernels/Math.h"
#include "support/Numeric.h"
#include "test/Random.h"
#include "test/unit/kernels/KernelTesting.h"
#include "test/unit/kernels/TypeLimits.h"

#include <algorithm>
#include <cmath>

using namespace yarrow::kernels;
using namespace yarrow::kernels::testing;
using yarrow::testing::limitsOf;
using yarrow::testing::Random;

TEST(SoftmaxColumns, haveTheBitsOfRows) {
  Random random(5);
  for (int round = 0; round < 60; ++round) {
    uint32_t outer = random.between(1, 3), axis = random.between(1, 50),
             inner = random.between(2, 40), count = outer * axis * inner;
    SoftmaxFloatParams p{.isLog = random.below(2)};
    std::vector<float> columns(count), rows(count), y(count), want(count);
    auto rowElement = [&](uint32_t i) {
      uint32_t k = i / inner % axis;
      return (i / inner / axis * inner + i % inner) * axis + k;
    };
    for (uint32_t i = 0; i < count; ++i) {
      columns[i] = float(random.below(2000)) / 100 - 10;
      if (random.oneIn(200))
        columns[i] = random.oneIn(2) ? NAN : -INFINITY;
      rows[rowElement(i)] = columns[i];
    }
    p.shape = {.outer = outer * inner, .axis = axis, .inner = 1};
    runKernel("yk_softmax_float", p, {rows.data(), want.data()});
    p.shape = {.outer = outer, .axis = axis, .inner = inner};
    runKernel("yk_softmax_float", p, {columns.data(), y.data()},
              random.between(1, 4));
    for (uint32_t i = 0; i < count; ++i)
      ASSERT_EQ(__builtin_bit_cast(uint32_t, y[i]),
                __builtin_bit_cast(uint32_t, want[rowElement(i)]))
          << round << ' ' << i;
  }
}

TEST(SoftmaxColumns, logarithmsOfIntegersAreThoseOfTheFormula) {
  Random random(6);
  for (int round = 0; round < 200; ++round) {
    auto drawType = [&] {
      return random.of({DType::I8, DType::U8, DType::I16, DType::U16});
    };
    LogSoftmaxIntParams p{.inType = drawType(), .outType = drawType()};
    SoftmaxShape &s = p.shape;
    s = {.outer = random.between(1, 60),
         .axis = random.between(1, 40),
         .inner = random.oneIn(2) ? 1 : random.between(2, 40)};
    p.inBits = 8 * dtypeBytes(p.inType);
    p.log2Size = p.inBits == 8 ? 8 : random.between(8, 12);
    p.inputScale = float(random.below(100)) / 50;
    p.outputScale = float(random.below(100));
    p.zp = int32_t(random.below(511)) - 255;
    auto [low, high] = limitsOf(p.outType);
    p.lo = low, p.hi = high;
    uint32_t count = s.outer * s.axis * s.inner, entries = 1 << p.log2Size;
    std::vector<uint8_t> x(count * dtypeBytes(p.inType)),
        y(count * dtypeBytes(p.outType));
    for (uint8_t &byte : x)
      byte = uint8_t(random.next());
    std::vector<float> table(entries);
    for (float &value : table)
      value = random.real(0, 1);
    runKernel("yk_log_softmax_int", p, {x.data(), table.data(), y.data()},
              random.between(1, 4));
    for (uint32_t row = 0; row < s.outer * s.inner; ++row) {
      auto placeOf = [&](uint32_t i) {
        return int64_t((row / s.inner * s.axis + i) * s.inner + row % s.inner);
      };
      auto valueOf = [&](uint32_t i) {
        return loadOneI32(p.inType, x.data(), placeOf(i));
      };
      int32_t top = INT32_MIN;
      for (uint32_t i = 0; i < s.axis; ++i)
        top = std::max(top, valueOf(i));
      double sums[8] = {}, sum = 0;
      uint32_t fractionBits = p.inBits - p.log2Size;
      for (uint32_t i = 0; i < s.axis; ++i) {
        uint32_t index = uint32_t(valueOf(i) - top) + (1u << p.inBits) - 1;
        uint32_t entry = index >> fractionBits;
        float from = table[entry],
              step = table[std::min(entry + 1, entries - 1)] - from,
              fraction = float(index - (entry << fractionBits));
        sums[i % 8] += from + step * fraction / float(1 << fractionBits);
      }
      for (double each : sums)
        sum += each;
      float logSum = float(math::log(sum)) * p.outputScale;
      for (uint32_t i = 0; i < s.axis; ++i) {
        float exact = float(valueOf(i) - top) * p.inputScale - logSum;
        double limited = std::min(
            std::max(std::nearbyint(double(exact)), double(low) + p.zp),
            double(high) + p.zp);
        ASSERT_EQ(loadOneI32(p.outType, y.data(), placeOf(i)),
                  int32_t(limited) - p.zp)
            << "round " << round << ", row " << row;
      }
    }
  }
}

TEST(SoftmaxColumns, quotientsOfIntegersAreThoseOfTheFormula) {
  Random random(7);
  for (int round = 0; round < 200; ++round) {
    auto drawType = [&] {
      return random.of({DType::I8, DType::U8, DType::I16, DType::U16});
    };
    SoftmaxLutParams p{.inType = drawType(),
                       .tableType =
                           random.of({DType::U8, DType::U16, DType::U32}),
                       .outType = drawType()};
    SoftmaxShape &s = p.shape;
    s = {.outer = random.between(1, 60),
         .axis = random.between(1, 40),
         .inner = random.oneIn(2) ? 1 : random.between(2, 40)};
    p.inBits = 8 * dtypeBytes(p.inType);
    p.log2Size = p.inBits == 8 ? 8 : random.between(8, 12);
    p.scale = int32_t(random.between(1, 65535));
    p.extraBits = int32_t(random.between(0, 28));
    p.shift = int32_t(random.between(1, 12));
    p.zp = int32_t(random.below(511)) - 255;
    auto [low, high] = limitsOf(p.outType);
    p.lo = low, p.hi = high;
    uint32_t count = s.outer * s.axis * s.inner, entries = 1 << p.log2Size;
    std::vector<uint8_t> x(count * dtypeBytes(p.inType)),
        y(count * dtypeBytes(p.outType)),
        table(entries * dtypeBytes(p.tableType));
    for (std::vector<uint8_t> *bytes : {&x, &table})
      for (uint8_t &byte : *bytes)
        byte = uint8_t(random.next());
    runKernel("yk_softmax_lut_int", p, {x.data(), table.data(), y.data()},
              random.between(1, 4));
    auto entryOf = [&](uint32_t i) {
      return int64_t(uint32_t(loadOneI32(p.tableType, table.data(), i)));
    };
    for (uint32_t row = 0; row < s.outer * s.inner; ++row) {
      auto placeOf = [&](uint32_t i) {
        return int64_t((row / s.inner * s.axis + i) * s.inner + row % s.inner);
      };
      auto valueOf = [&](uint32_t i) {
        return loadOneI32(p.inType, x.data(), placeOf(i));
      };
      int32_t top = INT32_MIN;
      for (uint32_t i = 0; i < s.axis; ++i)
        top = std::max(top, valueOf(i));
      std::vector<int64_t> exponentials;
      int64_t sum = 0;
      uint32_t fractionBits = p.inBits - p.log2Size;
      for (uint32_t i = 0; i < s.axis; ++i) {
        uint32_t index = uint32_t(valueOf(i) - top) + (1u << p.inBits) - 1;
        uint32_t entry = index >> fractionBits;
        int64_t e = entryOf(entry),
                step = entryOf(std::min(entry + 1, entries - 1)) - e;
        e += step * int64_t(index - (entry << fractionBits)) >> fractionBits;
        exponentials.push_back(e);
        sum += e;
      }
      int64_t reverse =
          (int64_t(p.scale) << p.extraBits) / std::max<int64_t>(sum, 1);
      for (uint32_t i = 0; i < s.axis; ++i)
        ASSERT_EQ(loadOneI32(p.outType, y.data(), placeOf(i)),
                  yarrow::requantize(exponentials[i] * reverse, 1,
                                     p.shift + p.extraBits, p.zp, low, high))
            << "round " << round << ", row " << row;
    }
  }
}

// Rows that are longer than what is computed at once, by another formula.
TEST(SoftmaxColumns, quotientsOfLongRowsAreThoseOfTheFormula) {
  Random random(8);
  constexpr uint32_t kRows = 2, kAxis = 300;
  SoftmaxLutParams p{
      .inType = DType::U8, .tableType = DType::U8, .outType = DType::U8};
  p.shape = {.outer = kRows, .axis = kAxis, .inner = 1};
  p.inBits = p.log2Size = 8;
  p.numeratorFirst = 1;
  p.scale = 1, p.extraBits = 16, p.shift = -15;
  p.lo = 0, p.hi = 255;
  std::vector<uint8_t> x(kRows * kAxis), y(x.size()), table(256);
  for (std::vector<uint8_t> *bytes : {&x, &table})
    for (uint8_t &byte : *bytes)
      byte = uint8_t(random.next());
  runKernel("yk_softmax_lut_int", p, {x.data(), table.data(), y.data()});
  for (uint32_t row = 0; row < kRows; ++row) {
    const uint8_t *values = &x[row * kAxis];
    uint8_t top = *std::max_element(values, values + kAxis);
    auto exponentialOf = [&](uint32_t i) {
      return int64_t(table[255 - (top - values[i])]);
    };
    int64_t sum = 0;
    for (uint32_t i = 0; i < kAxis; ++i)
      sum += exponentialOf(i);
    for (uint32_t i = 0; i < kAxis; ++i) {
      int64_t quotient = ((exponentialOf(i) << p.extraBits) + sum / 2) / sum;
      ASSERT_EQ(y[row * kAxis + i],
                yarrow::requantize(quotient, 1, 1, 0, 0, 255))
          << "row " << row << ", value " << i;
    }
  }
}
