//===- SelectionTest.cpp - Kernels that choose, against plain loops -------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// ArgMinMax, TopK, InTopK, Where, GatherElements, GatherND, OneHot, Compress,
// NonZero and Unique over random shapes, of few different values so that there
// are ties.
//
//===----------------------------------------------------------------------===//
#include "support/Numeric.h"
#include "test/Random.h"
#include "test/unit/kernels/KernelTesting.h"
#include "test/unit/kernels/RandomValues.h"

#include <algorithm>
#include <cmath>
#include <numeric>

using namespace yarrow;
using namespace yarrow::kernels;
using namespace yarrow::kernels::testing;
using yarrow::testing::Random;

namespace {

constexpr int kSelectionRounds = 60;

/// Indices along the axis, best first, of equal values the first or last.
template <typename T>
std::vector<uint32_t> ranking(const std::vector<T> &column, bool least,
                              bool last) {
  std::vector<uint32_t> order(column.size());
  std::iota(order.begin(), order.end(), 0);
  std::sort(order.begin(), order.end(), [&](uint32_t a, uint32_t b) {
    if (column[a] != column[b])
      return least ? column[a] < column[b] : column[a] > column[b];
    return last ? a > b : a < b;
  });
  return order;
}

template <typename T> void checkRanks(DType type, uint64_t seed) {
  Random random(seed);
  for (int round = 0; round < kSelectionRounds; ++round) {
    TopKParams p{.outer = random.between(1, 3),
                 .axis = random.between(1, round % 2 ? 300 : 9),
                 .inner = random.oneIn(2) ? 1 : random.between(2, 5),
                 .type = type,
                 .indexType = DType::I32,
                 .least = random.below(2),
                 .last = random.below(2)};
    p.k = random.between(1, p.axis);
    ArgMinMaxParams arg{.outer = p.outer,
                        .axis = p.axis,
                        .inner = p.inner,
                        .inType = type,
                        .outType = DType::I32,
                        .least = p.least,
                        .last = p.last,
                        .most = INT32_MAX};
    auto x = randomValues<T>(random, size_t(p.outer) * p.axis * p.inner, 20);
    std::vector<T> best(size_t(p.outer) * p.k * p.inner);
    std::vector<int32_t> indices(best.size()), found(p.outer * p.inner);
    uint32_t tasks = random.between(1, 5);
    runKernel("yk_top_k", p, {x.data(), best.data(), indices.data()}, tasks);
    runKernel("yk_arg_min_max", arg, {x.data(), found.data()}, tasks);
    for (uint32_t o = 0; o < p.outer; ++o)
      for (uint32_t i = 0; i < p.inner; ++i) {
        std::vector<T> column(p.axis);
        for (uint32_t a = 0; a < p.axis; ++a)
          column[a] = x[(o * p.axis + a) * p.inner + i];
        auto order = ranking(column, p.least, p.last);
        ASSERT_EQ(found[o * p.inner + i], int32_t(order[0]));
        for (uint32_t k = 0; k < p.k; ++k) {
          size_t at = (o * p.k + k) * p.inner + i;
          ASSERT_EQ(indices[at], int32_t(order[k]));
          ASSERT_EQ(best[at], column[order[k]]);
        }
      }
  }
}

TEST(Selection, RanksAreThoseOfASort) {
  checkRanks<int8_t>(DType::I8, 1);
  checkRanks<uint8_t>(DType::U8, 2);
  checkRanks<int16_t>(DType::I16, 3);
  checkRanks<uint16_t>(DType::U16, 4);
  checkRanks<int32_t>(DType::I32, 5);
  checkRanks<uint32_t>(DType::U32, 6);
  checkRanks<float>(DType::F32, 7);
}

TEST(Selection, FloatsOfAllKindsHaveTheirOrder) {
  std::vector<float> x = {0.0f, -0.0f,     1e-45f, -1e-45f,
                          3.0f, -INFINITY, -3.0f,  INFINITY};
  for (uint32_t least : {0u, 1u}) {
    TopKParams p{.axis = 8,
                 .k = 8,
                 .type = DType::F32,
                 .indexType = DType::I32,
                 .least = least};
    std::vector<float> best(8);
    std::vector<int32_t> indices(8);
    runKernel("yk_top_k", p, {x.data(), best.data(), indices.data()});
    std::vector<int32_t> falling = {7, 4, 2, 0, 1, 3, 6, 5},
                         rising = {5, 6, 3, 0, 1, 2, 4, 7};
    EXPECT_EQ(indices, least ? rising : falling);
  }
  // A NaN wins either way.
  x[5] = NAN;
  for (uint32_t least : {0u, 1u}) {
    int32_t found = -1;
    runKernel("yk_arg_min_max",
              ArgMinMaxParams{.axis = 8,
                              .inType = DType::F32,
                              .outType = DType::I32,
                              .least = least},
              {x.data(), &found});
    EXPECT_EQ(found, 5);
  }
}

TEST(Selection, NaNWinsInLongRowsAndInColumns) {
  // The first and the last of two, in rows of strips, in short ones and in
  // columns.
  struct {
    uint32_t axis, inner, first, second;
  } shapes[] = {{100, 1, 37, 98}, {20, 1, 4, 11}, {9, 40, 2, 7}};
  for (const auto &shape : shapes)
    for (uint32_t last : {0u, 1u}) {
      std::vector<uint16_t> x(shape.axis * shape.inner, 0x7c00); // infinity
      for (uint32_t at : {shape.first, shape.second})
        x[at * shape.inner] = 0x7e00;
      std::vector<int32_t> found(shape.inner, -1);
      runKernel("yk_arg_min_max",
                ArgMinMaxParams{.axis = shape.axis,
                                .inner = shape.inner,
                                .inType = DType::F16,
                                .outType = DType::I32,
                                .last = last},
                {x.data(), found.data()});
      EXPECT_EQ(found[0], int32_t(last ? shape.second : shape.first));
      if (shape.inner > 1)
        EXPECT_EQ(found[1], int32_t(last ? shape.axis - 1 : 0));
    }
}

TEST(Selection, InTopKCountsGreaterPredictions) {
  Random random(11);
  for (int round = 0; round < kSelectionRounds; ++round) {
    InTopKParams p{.rows = random.between(1, 9),
                   .classes = random.between(1, 200),
                   .k = random.between(1, 5)};
    auto x = randomValues<int8_t>(random, p.rows * p.classes, 9);
    auto targets = randomValues<int32_t>(random, p.rows, int(p.classes) + 1);
    std::vector<uint8_t> hits(p.rows);
    runKernel("yk_in_top_k", p, {x.data(), targets.data(), hits.data()}, 3);
    for (uint32_t row = 0; row < p.rows; ++row) {
      int32_t target = targets[row];
      bool hit = target >= 0 && target < int32_t(p.classes);
      auto *first = x.data() + row * p.classes;
      if (hit)
        hit = std::count_if(first, first + p.classes, [&](int8_t v) {
                return v > first[target];
              }) < int(p.k);
      ASSERT_EQ(hits[row], hit);
    }
  }
}

TEST(Selection, WhereChoosesAndRequantizes) {
  Random random(12);
  for (int round = 0; round < kSelectionRounds; ++round) {
    uint32_t rows = random.between(1, 5), columns = random.between(1, 300);
    WhereIntParams p;
    // [rows, columns], [1, columns] and [rows, 1].
    p.shape = {.rank = 2,
               .dims = {rows, columns},
               .strides = {{int32_t(columns), 1}, {0, 1}, {1, 0}}};
    p.conditionZp = random.oneIn(2) ? 0 : 3;
    p.choices[0] = {DType::I8, 5, 177, 8};
    p.choices[1] = {DType::I16, -2, 11, int32_t(random.below(6)) - 2};
    p.requant.zp = -7;
    auto condition = randomValues<uint8_t>(random, rows * columns, 2);
    auto a = randomValues<int8_t>(random, columns, 127);
    auto b = randomValues<int16_t>(random, rows, 100);
    std::vector<int8_t> y(rows * columns);
    runKernel("yk_where_int", p,
              {condition.data(), a.data(), b.data(), y.data()}, 3);
    WhereParams moved{.shape = p.shape, .elemBytes = 2};
    std::vector<int16_t> wide(a.begin(), a.end()), z(y.size());
    runKernel("yk_where", moved,
              {condition.data(), wide.data(), b.data(), z.data()}, 3);
    for (uint32_t i = 0; i < y.size(); ++i) {
      int8_t x1 = a[i % columns];
      int16_t x2 = b[i / columns];
      int32_t expected =
          condition[i] + p.conditionZp != 0
              ? requantize(x1 + 5, 177, 8, -7, -128, 127)
              : requantize(x2 - 2, 11, p.choices[1].shift, -7, -128, 127);
      ASSERT_EQ(y[i], expected);
      ASSERT_EQ(z[i], condition[i] ? x1 : x2);
    }
  }
}

/// The element of an axis that an index means.
int32_t wrapped(int32_t index, int32_t size) {
  index = index < 0 ? index + size : index;
  return std::clamp(index, 0, size - 1);
}

TEST(Selection, GatherReadsInsideAtAnyIndex) {
  Random random(13);
  for (int round = 0; round < kSelectionRounds; ++round) {
    uint32_t a = random.between(1, 6), b = random.between(1, 6),
             c = random.between(1, 40), n = random.between(1, 200);
    auto x = randomValues<int16_t>(random, a * b * c, 30000);
    auto places = randomValues<int32_t>(random, 2 * n, 8);
    std::vector<int16_t> y(n * c);
    GatherNDParams p{
        .elemBytes = 2, .places = n, .inner = c, .rank = 2, .dims = {a, b}};
    runKernel("yk_gather_nd", p, {x.data(), places.data(), y.data()}, 3);
    for (uint32_t i = 0; i < n * c; ++i) {
      int32_t row = wrapped(places[2 * (i / c)], int32_t(a)),
              column = wrapped(places[2 * (i / c) + 1], int32_t(b));
      ASSERT_EQ(y[i], x[(row * b + column) * c + i % c]);
    }
    // Along the middle axis, of a corner of x.
    uint32_t rows = random.between(1, a), columns = random.between(1, c);
    auto index = randomValues<int32_t>(random, rows * n * columns, 9);
    std::vector<int16_t> z(index.size());
    GatherElementsParams q{.elemBytes = 2,
                           .rank = 3,
                           .dims = {rows, n, columns},
                           .strides = {int32_t(b * c), 0, 1},
                           .axisSize = int32_t(b),
                           .axisStride = int32_t(c)};
    runKernel("yk_gather_elements", q, {x.data(), index.data(), z.data()}, 3);
    for (uint32_t i = 0; i < z.size(); ++i) {
      int32_t at = index[i] < 0 ? index[i] + int32_t(b) : index[i];
      at = at < 0 || at >= int32_t(b) ? int32_t(b) - 1 : at;
      ASSERT_EQ(z[i], x[(i / (n * columns) * b + at) * c + i % columns]);
    }
  }
}

TEST(Selection, CheckIndicesReportsTheFirstOutOfBounds) {
  auto faultOf = [](std::vector<int32_t> indices, uint32_t fromEnd) {
    int32_t fault[2] = {-1, -1};
    CheckIndicesParams p{.places = uint32_t(indices.size()) / 2,
                         .rank = 2,
                         .lengths = {3, 5},
                         .fromEnd = fromEnd};
    runKernel("yk_check_indices", p, {indices.data(), fault}, 1);
    return std::pair(fault[0], fault[1]);
  };
  EXPECT_EQ(faultOf({2, 4, 0, 0, -3, -5}, 1), std::pair(0, 0));
  EXPECT_EQ(faultOf({2, 4, 0, 0, -3, -6}, 1), std::pair(-6, 5));
  EXPECT_EQ(faultOf({2, 4, 3, 5}, 1), std::pair(3, 3));
  EXPECT_EQ(faultOf({2, 4, 0, -1}, 0), std::pair(-1, 5));
}

TEST(Selection, OneHotIsOnAtItsIndex) {
  Random random(14);
  for (int round = 0; round < kSelectionRounds; ++round) {
    OneHotParams p{.outer = random.between(1, 40),
                   .depth = random.between(1, 9),
                   .inner = random.oneIn(2) ? 1 : random.between(2, 150),
                   .elemBytes = 2,
                   .on = {7, 0},
                   .off = {9, 0}};
    auto index = randomValues<int32_t>(random, p.outer * p.inner, 9);
    std::vector<int16_t> y(p.outer * p.depth * p.inner);
    runKernel("yk_one_hot", p, {index.data(), y.data()}, 3);
    for (uint32_t i = 0; i < y.size(); ++i) {
      uint32_t o = i / (p.depth * p.inner), d = i / p.inner % p.depth;
      int32_t at = index[o * p.inner + i % p.inner];
      ASSERT_EQ(y[i], at == int32_t(d) ? 7 : 9);
    }
  }
  // Neither half of an index of 64 bits decides alone.
  int64_t wide = (int64_t(1) << 32) + 1;
  float real = 1.75f;
  int8_t y[2];
  OneHotParams p{.depth = 2, .on = {1, 0}};
  p.indexType = DType::I64;
  runKernel("yk_one_hot", p, {&wide, y});
  EXPECT_EQ(y[1], 0);
  p.indexType = DType::F32;
  runKernel("yk_one_hot", p, {&real, y});
  EXPECT_EQ(y[1], 1);
}

TEST(Selection, CompressKeepsSlicesAndFills) {
  Random random(15);
  for (int round = 0; round < kSelectionRounds; ++round) {
    CompressParams p{.elemBytes = 1,
                     .outer = random.between(1, 5),
                     .axis = random.between(1, 30),
                     .inner = random.between(1, 40),
                     .fill = {77, 0}};
    p.conditions = random.between(1, p.axis);
    p.capacity = random.between(1, p.axis);
    auto x = randomValues<int8_t>(random, p.outer * p.axis * p.inner, 50);
    auto condition = randomValues<uint8_t>(random, p.conditions, 1);
    std::vector<int8_t> y(p.outer * p.capacity * p.inner), expected;
    runKernel("yk_compress", p, {x.data(), condition.data(), y.data()},
              random.between(1, 5));
    for (uint32_t o = 0; o < p.outer; ++o) {
      for (uint32_t a = 0; a < p.conditions; ++a)
        for (uint32_t i = 0; condition[a] && i < p.inner; ++i)
          expected.push_back(x[(o * p.axis + a) * p.inner + i]);
      expected.resize((o + 1) * p.capacity * p.inner, 77);
    }
    ASSERT_EQ(y, expected);
  }
}

TEST(Selection, NonZeroListsPlaces) {
  Random random(16);
  for (int round = 0; round < kSelectionRounds; ++round) {
    NonZeroParams p{.rank = 2,
                    .dims = {random.between(1, 9), random.between(1, 200)},
                    .inType = DType::F32,
                    .mostIndex = 150};
    p.capacity = random.between(1, p.dims[0] * p.dims[1]);
    auto x = randomValues<float>(random, p.dims[0] * p.dims[1], round % 4);
    std::vector<int32_t> places(2 * p.capacity, -1), expected(2 * p.capacity);
    int32_t count = -1, found = 0;
    runKernel("yk_non_zero", p, {x.data(), places.data(), &count},
              random.between(1, 5));
    for (uint32_t i = 0; i < x.size(); ++i)
      if (x[i] != 0 && found < int32_t(p.capacity)) {
        expected[found] = int32_t(i / p.dims[1]);
        expected[p.capacity + found++] = std::min<int>(i % p.dims[1], 150);
      }
    ASSERT_EQ(count, found);
    ASSERT_EQ(places, expected);
  }
}

TEST(Selection, UniqueNumbersSlices) {
  Random random(17);
  for (int round = 0; round < kSelectionRounds; ++round) {
    UniqueParams p{.outer = random.between(1, 2),
                   .axis = random.between(1, 40),
                   .inner = random.between(1, 2),
                   .sorted = random.below(2),
                   .type = DType::I8,
                   .fill = 99};
    p.capacity = random.between(1, p.axis);
    auto x = randomValues<int8_t>(random, p.outer * p.axis * p.inner, 2);
    std::vector<int8_t> y(p.outer * p.capacity * p.inner);
    std::vector<int32_t> indices(p.capacity), inverse(p.axis),
        counts(p.capacity), order(2 * p.axis);
    runKernel("yk_unique", p,
              {x.data(), y.data(), indices.data(), inverse.data(),
               counts.data(), order.data()},
              2);
    auto sliceOf = [&](const std::vector<int8_t> &from, uint32_t length,
                       uint32_t a) {
      std::vector<int8_t> slice;
      for (uint32_t o = 0; o < p.outer; ++o)
        for (uint32_t i = 0; i < p.inner; ++i)
          slice.push_back(from[(o * length + a) * p.inner + i]);
      return slice;
    };
    std::vector<std::vector<int8_t>> slices, distinct;
    for (uint32_t a = 0; a < p.axis; ++a) {
      slices.push_back(sliceOf(x, p.axis, a));
      if (std::find(distinct.begin(), distinct.end(), slices.back()) ==
          distinct.end())
        distinct.push_back(slices.back());
    }
    if (p.sorted)
      std::sort(distinct.begin(), distinct.end());
    for (uint32_t k = 0; k < p.capacity; ++k) {
      bool exists = k < distinct.size();
      std::vector<int8_t> filler(p.outer * p.inner, 99);
      ASSERT_EQ(sliceOf(y, p.capacity, k), exists ? distinct[k] : filler);
      auto first = std::find(slices.begin(), slices.end(),
                             exists ? distinct[k] : slices[0]);
      ASSERT_EQ(indices[k], exists ? first - slices.begin() : 0);
      ASSERT_EQ(counts[k],
                exists ? std::count(slices.begin(), slices.end(), distinct[k])
                       : 0);
    }
    for (uint32_t a = 0; a < p.axis; ++a)
      ASSERT_EQ(distinct[inverse[a]], slices[a]);
  }
}

} // namespace
