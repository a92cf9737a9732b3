//===- WinogradTest.cpp - The matrices of minimal filtering ---------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// Against the matrices that Lavin and Gray print, and, for every size, against
// the identity that makes them filters.
//
//===----------------------------------------------------------------------===//
#include "support/Winograd.h"

#include <gtest/gtest.h>
#include <numeric>

using namespace yarrow;

namespace {

using Rows = std::vector<std::vector<Rational>>;
Rows whole(const std::vector<std::vector<int64_t>> &rows) {
  Rows result;
  for (const auto &row : rows) {
    result.emplace_back();
    for (int64_t value : row)
      result.back().push_back({value, 1});
  }
  return result;
}

Rows outputTransform(const WinogradMatrices &f) {
  Rows rows(f.outputs);
  for (unsigned i = 0; i < f.outputs; ++i)
    for (unsigned t = 0; t < f.tile(); ++t)
      rows[i].push_back(f.at(i, t));
  return rows;
}
Rows weightTransform(const WinogradMatrices &f) {
  Rows rows(f.tile());
  for (unsigned t = 0; t < f.tile(); ++t)
    for (unsigned k = 0; k < f.kernel; ++k)
      rows[t].push_back(f.g(t, k));
  return rows;
}
Rows inputTransform(const WinogradMatrices &f) {
  Rows rows(f.tile());
  for (unsigned t = 0; t < f.tile(); ++t)
    for (unsigned j = 0; j < f.tile(); ++j)
      rows[t].push_back(f.bt(t, j));
  return rows;
}

/// All sizes whose tile is in [2, most].
std::vector<WinogradMatrices> allSizes(unsigned most = kMaxWinogradTile) {
  std::vector<WinogradMatrices> all;
  for (unsigned m = 1; m <= most; ++m)
    for (unsigned r = 1; m + r - 1 <= most; ++r)
      all.push_back(winogradMatrices(m, r));
  return all;
}

std::string nameOf(const WinogradMatrices &f) {
  return "F(" + std::to_string(f.outputs) + "," + std::to_string(f.kernel) +
         ")";
}

} // namespace

namespace yarrow {
static void PrintTo(const Rational &r, std::ostream *stream) {
  *stream << r.num << "/" << r.den;
}
} // namespace yarrow

TEST(Winograd, PublishedF23) {
  WinogradMatrices f = winogradMatrices(2, 3);
  EXPECT_EQ(inputTransform(f),
            whole({{1, 0, -1, 0}, {0, 1, 1, 0}, {0, -1, 1, 0}, {0, 1, 0, -1}}));
  EXPECT_EQ(outputTransform(f), whole({{1, 1, 1, 0}, {0, 1, -1, -1}}));
  EXPECT_EQ(weightTransform(f), (Rows{{{1, 1}, {0, 1}, {0, 1}},
                                      {{1, 2}, {1, 2}, {1, 2}},
                                      {{1, 2}, {-1, 2}, {1, 2}},
                                      {{0, 1}, {0, 1}, {1, 1}}}));
}

TEST(Winograd, PublishedF43) {
  WinogradMatrices f = winogradMatrices(4, 3);
  EXPECT_EQ(inputTransform(f), whole({{4, 0, -5, 0, 1, 0},
                                      {0, -4, -4, 1, 1, 0},
                                      {0, 4, -4, -1, 1, 0},
                                      {0, -2, -1, 2, 1, 0},
                                      {0, 2, -1, -2, 1, 0},
                                      {0, 4, 0, -5, 0, 1}}));
  EXPECT_EQ(outputTransform(f), whole({{1, 1, 1, 1, 1, 0},
                                       {0, 1, -1, 2, -2, 0},
                                       {0, 1, 1, 4, 4, 0},
                                       {0, 1, -1, 8, -8, 1}}));
  EXPECT_EQ(weightTransform(f), (Rows{{{1, 4}, {0, 1}, {0, 1}},
                                      {{-1, 6}, {-1, 6}, {-1, 6}},
                                      {{-1, 6}, {1, 6}, {-1, 6}},
                                      {{1, 24}, {1, 12}, {1, 6}},
                                      {{1, 24}, {-1, 12}, {1, 6}},
                                      {{0, 1}, {0, 1}, {1, 1}}}));
}

TEST(Winograd, AxesWithoutAFilterArePlain) {
  // Each weight meets its input, and the products are added up.
  WinogradMatrices rows = winogradMatrices(1, 3);
  EXPECT_EQ(inputTransform(rows), whole({{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}));
  EXPECT_EQ(weightTransform(rows), whole({{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}));
  EXPECT_EQ(outputTransform(rows), whole({{1, 1, 1}}));
  // One weight meets every input.
  WinogradMatrices one = winogradMatrices(3, 1);
  EXPECT_EQ(inputTransform(one), whole({{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}));
  EXPECT_EQ(weightTransform(one), whole({{1}, {1}, {1}}));
  EXPECT_EQ(outputTransform(one), whole({{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}));
}

TEST(Winograd, FiltersExactly) {
  // y_i = sum over k of g_k d_(i+k) is linear in g and in d: it holds for all
  // if it holds for unit vectors, whose y_i is 1 where j = i + k, else 0.
  for (const WinogradMatrices &f : allSizes())
    for (unsigned i = 0; i < f.outputs; ++i)
      for (unsigned k = 0; k < f.kernel; ++k)
        for (unsigned j = 0; j < f.tile(); ++j) {
          // Over a common denominator: those of G divide 2^8 * 3^3 * 5^2 * 7,
          // those of A^T and B^T powers of 2 up to 2^7.
          constexpr int64_t kCommon = 256 * 27 * 25 * 7;
          __int128 sum = 0;
          for (unsigned t = 0; t < f.tile(); ++t) {
            Rational a = f.at(i, t), g = f.g(t, k), b = f.bt(t, j);
            ASSERT_EQ(kCommon % g.den, 0) << nameOf(f);
            ASSERT_EQ(128 % a.den, 0) << nameOf(f);
            ASSERT_EQ(128 % b.den, 0) << nameOf(f);
            sum += __int128(g.num) * (kCommon / g.den) * a.num * (128 / a.den) *
                   b.num * (128 / b.den);
          }
          __int128 expected = j == i + k ? __int128(kCommon) * 128 * 128 : 0;
          EXPECT_TRUE(sum == expected) << nameOf(f) << " output " << i
                                       << " weight " << k << " input " << j;
        }
}

TEST(Winograd, LowestTerms) {
  for (const WinogradMatrices &f : allSizes())
    for (const auto *matrix :
         {&f.outputTransform, &f.weightTransform, &f.inputTransform})
      for (const Rational &r : *matrix) {
        EXPECT_GT(r.den, 0) << nameOf(f);
        EXPECT_EQ(std::gcd(r.num, r.den), 1) << nameOf(f);
      }
}

TEST(Winograd, WholeUpToTilesOfSix) {
  // Five points are whole numbers and infinity is the sixth; axes without a
  // filter need none.
  for (const WinogradMatrices &f : allSizes())
    EXPECT_EQ(f.isIntegral(), f.tile() <= 6 || f.outputs == 1 || f.kernel == 1)
        << nameOf(f);
}
