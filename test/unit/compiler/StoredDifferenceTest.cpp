//===- StoredDifferenceTest.cpp -------------------------------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "compiler/eval/StoredDifference.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

using namespace yarrow;

namespace {

template <typename T>
StoredValues valuesOf(NpyType type, const std::vector<T> &elements) {
  return {type, std::as_bytes(std::span(elements))};
}

TEST(StoredDifference, CountsIntegersAsTheyAreStored) {
  std::vector<int8_t> computed{-128, 3, 5, 127}, recorded{-128, 4, 5, -128};
  StoredDifference d;
  d.add(2, valuesOf(NpyType::Int8, computed),
        valuesOf(NpyType::Int8, recorded));
  EXPECT_EQ(d.elements, 4u);
  EXPECT_EQ(d.equal, 2u);
  EXPECT_EQ(d.offByOne, 1u);
  EXPECT_EQ(d.more, 1u);
  EXPECT_EQ(d.worst, 255);
  ASSERT_TRUE(d.first);
  EXPECT_EQ(d.first->sample, 2u);
  EXPECT_EQ(d.first->element, 1u);
}

TEST(StoredDifference, HasNoOverflowAtTheExtremes) {
  std::vector<int64_t> least{INT64_MIN}, most{INT64_MAX};
  StoredDifference d;
  d.add(0, valuesOf(NpyType::Int64, least), valuesOf(NpyType::Int64, most));
  EXPECT_EQ(d.worst, 18446744073709551615.0);
}

TEST(StoredDifference, TakesFloatsByTheirAbsoluteDifference) {
  float nan = std::numeric_limits<float>::quiet_NaN();
  std::vector<float> computed{1, nan, nan, 0.5f};
  std::vector<double> recorded{2, double(nan), 1, 0.5};
  StoredDifference d;
  d.add(0, valuesOf(NpyType::Float32, computed),
        valuesOf(NpyType::Float64, recorded));
  EXPECT_EQ(d.equal, 2u) << "0.5, and two NaNs";
  EXPECT_EQ(d.offByOne, 0u) << "floats have no next one";
  EXPECT_EQ(d.more, 2u);
  EXPECT_TRUE(std::isinf(d.worst)) << "NaN is far from any number";
}

TEST(StoredDifference, ReadsBfloat16) {
  std::vector<uint16_t> one{0x3f80};
  std::vector<float> recorded{1};
  StoredDifference d;
  d.add(0, {NpyType::UInt16, std::as_bytes(std::span(one)), true},
        valuesOf(NpyType::Float32, recorded));
  EXPECT_TRUE(d.isEqual());
}

TEST(StoredDifference, AddsUpAndKeepsTheFirst) {
  std::vector<uint8_t> a{0, 1}, b{0, 2};
  StoredDifference one, two;
  one.add(0, valuesOf(NpyType::UInt8, a), valuesOf(NpyType::UInt8, a));
  two.add(1, valuesOf(NpyType::UInt8, a), valuesOf(NpyType::UInt8, b));
  one += two;
  EXPECT_EQ(one.elements, 4u);
  EXPECT_EQ(one.equal, 3u);
  ASSERT_TRUE(one.first);
  EXPECT_EQ(one.first->sample, 1u);
}

} // namespace
