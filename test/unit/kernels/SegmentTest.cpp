//===- SegmentTest.cpp - Rows that belong to numbers, in plain loops ------===//
//
// Part of Yarrow, under the Apache License v2.0.
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

constexpr int kSegmentRounds = 60;

/// What a segment's values become; of integers RQ with 3 / 2^4 and -2.
double reduced(SegmentOp op, const std::vector<double> &x) {
  if (x.empty())
    return 0;
  switch (op) {
  case SegmentOp::Sum:
    return std::accumulate(x.begin(), x.end(), 0.0);
  case SegmentOp::Mean:
    return std::accumulate(x.begin(), x.end(), 0.0) / double(x.size());
  case SegmentOp::Min:
    return *std::min_element(x.begin(), x.end());
  case SegmentOp::Max:
    return *std::max_element(x.begin(), x.end());
  case SegmentOp::Prod:
    return std::accumulate(x.begin(), x.end(), 1.0, std::multiplies<double>());
  }
  return 0;
}

TEST(Segments, RowsOfOneNumberAreReduced) {
  Random random(41);
  for (int round = 0; round < kSegmentRounds; ++round)
    for (SegmentOp op : {SegmentOp::Sum, SegmentOp::Mean, SegmentOp::Min,
                         SegmentOp::Max, SegmentOp::Prod}) {
      SegmentShape shape{.rows = random.between(1, 20),
                         .inner = random.between(1, 200),
                         .segments = random.between(1, 9),
                         .op = op};
      std::vector<int32_t> segments(shape.rows);
      for (int32_t &s : segments)
        s = int32_t(random.below(9));
      std::sort(segments.begin(), segments.end());
      auto x = randomValues<int8_t>(random, shape.rows * shape.inner, 9);
      std::vector<float> real(x.begin(), x.end()),
          y(shape.segments * shape.inner);
      std::vector<int8_t> q(y.size());
      runKernel("yk_segment_reduce_float",
                SegmentReduceFloatParams{.shape = shape},
                {real.data(), segments.data(), y.data()}, 3);
      SegmentReduceIntParams p{.shape = shape, .inZp = 1, .fill = 77};
      p.requant.scale = 3, p.requant.shift = 4, p.requant.zp = -2;
      if (op != SegmentOp::Prod)
        runKernel("yk_segment_reduce_int", p,
                  {x.data(), segments.data(), q.data()}, 3);
      for (uint32_t i = 0; i < y.size(); ++i) {
        std::vector<double> column;
        for (uint32_t row = 0; row < shape.rows; ++row)
          if (segments[row] == int32_t(i / shape.inner))
            column.push_back(x[row * shape.inner + i % shape.inner]);
        double expected = reduced(op, column);
        ASSERT_FLOAT_EQ(y[i], float(expected));
        if (op == SegmentOp::Min || op == SegmentOp::Max)
          ASSERT_EQ(q[i], column.empty() ? 77 : expected);
        for (double &v : column)
          v += 1;
        double scaled = reduced(op, column) * 3 / 16;
        if (op == SegmentOp::Sum)
          ASSERT_EQ(q[i], std::nearbyint(scaled) + 2);
        if (op == SegmentOp::Mean) // 1 / n in 14 bits
          ASSERT_NEAR(q[i], scaled + 2, 0.51);
      }
    }
}

/// Entries of a table of 8 rows, some for rows that there are not.
struct Entries {
  explicit Entries(Random &random) {
    shape.table = 8;
    shape.inner = random.between(1, 150);
    shape.rows = random.between(1, 6);
    shape.entries = random.between(1, 20);
    table = randomValues<int8_t>(random, shape.table * shape.inner, 100);
    ids = randomValues<int32_t>(random, shape.entries, 6);
    rows = randomValues<int32_t>(random, shape.entries, 9);
    for (uint32_t e = 0; e < shape.entries; ++e)
      weights.push_back(uint8_t(random.below(256)));
  }
  int32_t tableRow(uint32_t entry) const {
    int32_t row = rows[entry] < 0 ? rows[entry] + 8 : rows[entry];
    return std::clamp(row, 0, 7);
  }
  /// Sum over the entries of an output row of fn(entry).
  template <typename Fn> double sum(uint32_t row, Fn fn) const {
    double total = 0;
    for (uint32_t e = 0; e < shape.entries; ++e)
      total += ids[e] == int32_t(row) ? fn(e) : 0;
    return total;
  }

  EmbeddingShape shape;
  std::vector<int8_t> table;
  std::vector<int32_t> ids, rows;
  std::vector<uint8_t> weights;
};

TEST(Segments, EmbeddingsAreWeightedSums) {
  Random random(42);
  for (int round = 0; round < kSegmentRounds; ++round)
    for (EmbeddingOp op :
         {EmbeddingOp::Sum, EmbeddingOp::Mean, EmbeddingOp::RootMean}) {
      Entries given(random);
      given.shape.squares = op == EmbeddingOp::RootMean;
      EmbeddingShape shape = given.shape;
      size_t count = shape.rows * shape.inner;
      std::vector<int64_t> sums(count), totals(shape.rows);
      runKernel(
          "yk_embedding_sums",
          EmbeddingSumsParams{.shape = shape, .tableZp = 5, .weightZp = -1},
          {given.table.data(), given.ids.data(), given.rows.data(),
           given.weights.data(), sums.data(), totals.data()},
          3);
      std::vector<float> real(given.table.begin(), given.table.end()),
          weights(given.weights.begin(), given.weights.end()), y(count),
          realSums(count), realTotals(shape.rows);
      shape.tableType = shape.weightType = DType::F32;
      runKernel("yk_embedding_float",
                EmbeddingFloatParams{.shape = shape, .op = op},
                {real.data(), given.ids.data(), given.rows.data(),
                 weights.data(), y.data(), realSums.data(), realTotals.data()},
                3);
      for (uint32_t i = 0; i < count; ++i) {
        uint32_t row = i / shape.inner, column = i % shape.inner;
        auto x = [&](uint32_t e) {
          return double(given.table[given.tableRow(e) * shape.inner + column]);
        };
        auto w = [&](uint32_t e) { return double(given.weights[e]); };
        ASSERT_EQ(double(sums[i]), given.sum(row, [&](uint32_t e) {
          return (x(e) + 5) * (w(e) - 1);
        }));
        double divisor = given.sum(row, [&](uint32_t e) {
          return op == EmbeddingOp::Mean ? w(e) : w(e) * w(e);
        });
        divisor = op == EmbeddingOp::Sum        ? 1
                  : op == EmbeddingOp::RootMean ? std::sqrt(divisor)
                                                : divisor;
        double sum = given.sum(row, [&](uint32_t e) { return x(e) * w(e); });
        ASSERT_NEAR(y[i], divisor ? sum / divisor : 0,
                    1e-5 * (1 + std::abs(sum)));
      }
    }
}

TEST(Segments, RowsLongerThanTheLimitAreShortened) {
  Random random(43);
  for (int round = 0; round < kSegmentRounds; ++round) {
    Entries given(random);
    EmbeddingShape shape = given.shape;
    shape.tableType = shape.weightType = DType::F32;
    std::vector<float> real(given.table.begin(), given.table.end()),
        weights(given.weights.begin(), given.weights.end()),
        y(shape.rows * shape.inner), sums(y.size()), totals(shape.rows);
    // About as long as half of the rows are.
    float most = 74 * std::sqrt(float(shape.inner));
    runKernel("yk_embedding_float",
              EmbeddingFloatParams{
                  .shape = shape, .op = EmbeddingOp::Sum, .maxNorm = most},
              {real.data(), given.ids.data(), given.rows.data(), weights.data(),
               y.data(), sums.data(), totals.data()},
              3);
    for (uint32_t i = 0; i < y.size(); ++i) {
      double sum = given.sum(i / shape.inner, [&](uint32_t e) {
        const int8_t *row = &given.table[given.tableRow(e) * shape.inner];
        double squares = 0;
        for (uint32_t k = 0; k < shape.inner; ++k)
          squares += double(row[k]) * row[k];
        double norm = std::sqrt(squares);
        return row[i % shape.inner] * given.weights[e] *
               (norm > most ? most / norm : 1);
      });
      ASSERT_NEAR(y[i], sum, 1e-5 * (1 + std::abs(sum)));
    }
  }
}

TEST(Segments, MeansOfIntegersAreQuotients) {
  // Sums beyond 32 bits and weights beyond 16: both lose their low bits.
  const int64_t sums[] = {7, -7, int64_t(1) << 40, 5}, totals[] = {2, 1 << 20};
  EmbeddingCombineParams p{.rows = 2, .inner = 2, .op = EmbeddingOp::Mean};
  p.requant.outType = DType::I32;
  p.requant.lo = INT32_MIN, p.requant.hi = INT32_MAX;
  int32_t y[4];
  runKernel("yk_embedding_combine", p, {sums, totals, nullptr, y}, 2);
  // d0 = 42 - 32 bits, d1 = 21 - 16: 2^30 / 2^15 * 2^(10 - 5), 0 / 0.
  EXPECT_EQ(y[0], 0);
  EXPECT_EQ(y[2], 1 << 20);
  p.rows = 1;
  runKernel("yk_embedding_combine", p, {sums, totals, nullptr, y}, 2);
  EXPECT_EQ(y[0], 3);
  EXPECT_EQ(y[1], -3);
}

} // namespace
