//===- ConstantViewTest.cpp - Sums over constants of every type -----------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "dialects/compass/Tensors.h"
#include <algorithm>
#include <cstring>
#include <gtest/gtest.h>

using namespace yarrow;
using namespace yarrow::compass;

/// A view of \p values, which begin at an odd address as densely packed weights
/// may.
template <typename T>
static void check(DType dtype, const std::vector<T> &values) {
  SCOPED_TRACE(int(dtype));
  std::vector<char> bytes(values.size() * sizeof(T) + 1);
  std::memcpy(&bytes[1], values.data(), values.size() * sizeof(T));
  ConstantView view;
  view.dtype = dtype;
  view.shape = {int64_t(values.size())};
  view.bytes = llvm::ArrayRef(bytes).drop_front();
  ASSERT_EQ(view.numElements(), int64_t(values.size()));
  for (size_t first = 0; first <= values.size(); ++first)
    for (size_t count = 0; first + count <= values.size(); ++count) {
      int64_t sum = 0;
      uint64_t magnitude = 0;
      for (size_t i = first; i < first + count; ++i) {
        EXPECT_EQ(view.intAt(int64_t(i)), int64_t(values[i]));
        sum += int64_t(values[i]);
        magnitude += uint64_t(std::abs(int64_t(values[i])));
      }
      EXPECT_EQ(view.sumOf(int64_t(first), int64_t(count)), sum);
      EXPECT_EQ(view.magnitudeOf(int64_t(first), int64_t(count)), magnitude);
    }
  auto [least, greatest] = view.extremesWithZero();
  EXPECT_EQ(least, std::min<int64_t>(0, *std::ranges::min_element(values)));
  EXPECT_EQ(greatest, std::max<int64_t>(0, *std::ranges::max_element(values)));
}

TEST(ConstantView, SumsOfEveryType) {
  check<int8_t>(DType::I8, {-128, 127, 3, -1, -128, 5, 7});
  check<uint8_t>(DType::U8, {255, 128, 3, 255, 0});
  check<uint8_t>(DType::Bool, {1, 0, 1});
  check<int16_t>(DType::I16, {-32768, 32767, -1, -32768});
  check<uint16_t>(DType::U16, {65535, 32768, 1, 65535});
  check<int32_t>(DType::I32, {INT32_MIN, INT32_MAX, -1, INT32_MIN});
  check<uint32_t>(DType::U32, {UINT32_MAX, 7, UINT32_MAX});
  check<int64_t>(DType::I64, {-(int64_t(1) << 60), 5, int64_t(1) << 59});
  check<float>(DType::F32, {-3, 4, 100});
}

// All negative, and all positive: 0 is one of the ends.
TEST(ConstantView, ExtremesHaveZero) {
  check<int8_t>(DType::I8, {-5, -7, -1});
  check<int8_t>(DType::I8, {5, 7, 1});
}
