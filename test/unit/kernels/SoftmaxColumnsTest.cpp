//===- SoftmaxColumnsTest.cpp - Softmax of floats along any axis ----------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// Rows side by side are computed together: the same bits as one by one, where
// the axis is the last.
//
//===----------------------------------------------------------------------===//
#include "test/Random.h"
#include "test/unit/kernels/KernelTesting.h"

#include <cmath>

using namespace yarrow::kernels;
using namespace yarrow::kernels::testing;
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
