//===- RecordedTest.cpp ---------------------------------------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "compiler/eval/References.h"

#include <gtest/gtest.h>

#include <numeric>

using namespace yarrow;

namespace {

/// Two runs of [1,2,2,3] as a model has them, [2,3,2,2]: 0, 1, 2 and so on.
struct TwoRuns {
  std::vector<int8_t> elements = std::vector<int8_t>(24);
  NetworkTensor tensor;
  Recorded recorded;

  TwoRuns() {
    std::iota(elements.begin(), elements.end(), int8_t(0));
    tensor.info.dtype = compass::DType::I8;
    tensor.info.shape = {1, 2, 2, 3};
    recorded.array = {NpyType::Int8, {2, 3, 2, 2}, 24, elements.data()};
    recorded.runs = 2;
  }
  std::vector<int8_t> valuesOf(std::size_t run) {
    std::vector<std::byte> buffer;
    auto bytes = recorded.valuesOf(run, tensor, buffer).bytes;
    auto *begin = reinterpret_cast<const int8_t *>(bytes.data());
    return {begin, begin + bytes.size()};
  }
};

TEST(Recorded, HasTheRunsOneAfterTheOther) {
  TwoRuns runs;
  EXPECT_EQ(runs.valuesOf(0).front(), 0);
  EXPECT_EQ(runs.valuesOf(1).front(), 12);
  EXPECT_EQ(runs.valuesOf(1).size(), 12u);
}

TEST(Recorded, BringsChannelsAfterTheOtherAxes) {
  TwoRuns runs;
  runs.recorded.isChannelsFirst = true;
  EXPECT_EQ(runs.valuesOf(0),
            (std::vector<int8_t>{0, 4, 8, 1, 5, 9, 2, 6, 10, 3, 7, 11}));
  EXPECT_EQ(runs.valuesOf(1)[1], 16);
}

} // namespace
