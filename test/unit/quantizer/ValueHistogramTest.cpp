//===- ValueHistogramTest.cpp - How values of a tensor are spread ---------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "quantizer/math/ValueHistogram.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <numeric>
#include <random>
#include <vector>

using namespace yarrow;

namespace {

constexpr std::size_t kHalf = ValueHistogram::kHalf;

TEST(ValueHistogram, BinsByTheDefinition) {
  ValueHistogram h;
  std::vector<float> values = {0.0f, 0.5f, -0.5f, 3.99f, -4.0f, 1.0f};
  h.add(values);
  EXPECT_EQ(h.bound(), 8); // above 4, of which -4 is the magnitude
  EXPECT_EQ(h.min(), -4.0f);
  EXPECT_EQ(h.max(), 3.99f);
  std::vector<uint64_t> expected(ValueHistogram::kBins);
  for (float x : values)
    ++expected[std::size_t(std::floor((x / 8 + 1) * float(kHalf)))];
  EXPECT_TRUE(std::equal(expected.begin(), expected.end(), h.counts().begin()));
}

/// In any order and any parts, the result is the same.
TEST(ValueHistogram, PartsMergeToTheWhole) {
  std::mt19937 generator(7);
  std::vector<float> values;
  for (int i = 0; i < 1000; ++i)
    values.push_back(std::ldexp(float(int(generator() % 2001) - 1000),
                                int(generator() % 12) - 14));
  ValueHistogram whole, forward, backward;
  whole.add(values);
  for (std::size_t i = 0; i < values.size(); i += 100) {
    ValueHistogram part;
    part.add(std::span(values).subspan(i, 100));
    forward.merge(part);
  }
  for (std::size_t i = values.size(); i > 0; --i)
    backward.add(std::span(values).subspan(i - 1, 1));
  for (const ValueHistogram *other : {&forward, &backward}) {
    EXPECT_EQ(other->bound(), whole.bound());
    EXPECT_EQ(other->counts(), whole.counts());
    EXPECT_EQ(other->min(), whole.min());
    EXPECT_EQ(other->max(), whole.max());
  }
  EXPECT_EQ(std::accumulate(whole.counts().begin(), whole.counts().end(),
                            uint64_t(0)),
            values.size());
}

TEST(ValueHistogram, ValuesWithoutAPlace) {
  ValueHistogram h;
  h.add(std::vector<float>{std::numeric_limits<float>::infinity(),
                           std::numeric_limits<float>::quiet_NaN()});
  EXPECT_TRUE(h.isEmpty());
  h.add(std::vector<float>{0.0f, 0.0f});
  EXPECT_FALSE(h.isEmpty());
  EXPECT_EQ(h.counts()[kHalf], 2u);
  h.add(std::vector<float>{std::numeric_limits<float>::max()});
  EXPECT_EQ(h.counts()[kHalf], 2u);
}

} // namespace
