//===- DotTest.cpp - Inner products are exact on every host ---------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "kernels/Dot.h"
#include "test/Random.h"

#include <gtest/gtest.h>
#include <limits>
#include <vector>

using namespace yarrow::kernels;
using yarrow::testing::Random;

namespace {

template <typename T> std::vector<T> drawn(Random &random, size_t count) {
  std::vector<T> values(count);
  for (T &v : values)
    v = T(random.next());
  return values;
}

/// Product by product, in 64 bits.
template <typename In, typename Weight>
std::vector<int64_t> oneByOne(const In *x, const Weight *w, int64_t rowStride,
                              uint32_t n, std::vector<int64_t> acc) {
  for (size_t r = 0; r < acc.size(); ++r)
    for (uint32_t i = 0; i < n; ++i)
      acc[r] += int64_t(x[i]) * w[int64_t(r) * rowStride + i];
  return acc;
}

template <typename In, typename Weight>
void expectExact(const std::vector<In> &x, const std::vector<Weight> &w,
                 int64_t rowStride, uint32_t rows, uint32_t n) {
  std::vector<int64_t> before(rows, -5);
  std::vector<int64_t> wanted =
      oneByOne(x.data(), w.data(), rowStride, n, before);
  auto expectSame = [&](const char *how, auto dot) {
    std::vector<int64_t> acc = before;
    dot(x.data(), w.data(), rowStride, rows, n, acc.data());
    EXPECT_EQ(acc, wanted) << how << ": " << rows << " rows of " << n;
  };
  expectSame("this host", dotRows<In, Weight>);
  expectSame("any host", dotRowsOf<safeTerms<In, Weight>(), In, Weight>);
}

template <typename In, typename Weight> void testTypes() {
  Random random(1);
  // No vector, 8, 16, several and what is left over of each.
  for (uint32_t n : {0u, 1u, 7u, 8u, 9u, 16u, 27u, 48u, 100u, 576u})
    for (uint32_t rows : {1u, 4u, 7u}) {
      int64_t rowStride = n + 3;
      expectExact(drawn<In>(random, n),
                  drawn<Weight>(random, size_t(rowStride) * rows), rowStride,
                  rows, n);
    }
  // The largest products, more of them than 32 bits hold.
  for (In value :
       {std::numeric_limits<In>::min(), std::numeric_limits<In>::max()})
    for (Weight weight : {std::numeric_limits<Weight>::min(),
                          std::numeric_limits<Weight>::max()}) {
      uint32_t n = 65535 + 300;
      expectExact(std::vector<In>(n, value), std::vector<Weight>(n, weight), 0,
                  5, n);
    }
}

TEST(Dot, SumsAreExactOnEveryHost) {
  testTypes<int8_t, int8_t>();
  testTypes<uint8_t, int8_t>();
  testTypes<int16_t, int8_t>();
  testTypes<uint16_t, int8_t>();
  testTypes<int8_t, int16_t>();
  testTypes<uint8_t, int16_t>();
  testTypes<int16_t, int16_t>();
  testTypes<uint16_t, int16_t>();
}

} // namespace
