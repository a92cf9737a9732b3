//===- LinearValuesTest.cpp - Tensors of integers, value by value ---------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "support/LinearValues.h"

#include "support/LinearValue.h"
#include "test/Random.h"

#include <gtest/gtest.h>

#include <cstring>
#include <limits>
#include <vector>

using yarrow::LinearType;
using yarrow::quantizeValue;
using yarrow::quantizeValues;

namespace {

TEST(LinearValues, areThoseOfOneAfterTheOther) {
  yarrow::testing::Random random(3);
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  const LinearType types[] = {
      {100, 0, -128, 127, 1},    {255, -3, 0, 255, 1},
      {1e-3f, 70000, 3, 200, 1}, {30000, 12, -32768, 32767, 2},
      {65535, 0, 0, 65535, 2},   {2, 0, -2147483648, 2147483647, 4},
      {7, 100, -1000, 1000, 8}};
  for (const LinearType &type : types) {
    std::vector<float> values = {
        0.0f,      -0.0f,
        0.005f,    0.015f,
        1e30f,     -1e30f,
        kInfinity, -kInfinity,
        1e-40f,    std::numeric_limits<float>::quiet_NaN()};
    for (int i = 0; i < 500; ++i)
      values.push_back(float(int32_t(random.next())) / (1u << 30));
    // Ties.
    for (int i = -20; i < 20; ++i)
      values.push_back((float(i) + 0.5f) / type.scale);
    std::vector<char> bytes(values.size() * type.bytes);
    quantizeValues(values, type, bytes.data());
    for (std::size_t i = 0; i < values.size(); ++i) {
      int64_t wanted =
          quantizeValue(values[i], type.scale, type.zp, type.lo, type.hi);
      EXPECT_EQ(std::memcmp(bytes.data() + i * type.bytes, &wanted, type.bytes),
                0)
          << values[i] << " in " << type.bytes << " bytes";
    }
  }
}

} // namespace
