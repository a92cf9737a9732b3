//===- BroadcastTest.cpp - Strides of broadcast operands ------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "dialects/compass/eltwise/Elementwise.h"
#include "dialects/compass/network/Evaluator.h"
#include "kernels/arithmetic/Eltwise.h"
#include "test/unit/compass/LayerTesting.h"
#include <cstring>
#include <gmock/gmock.h>

using namespace yarrow;
using namespace yarrow::compass;
using llvm::ArrayRef;
using ::testing::ElementsAreArray;

namespace {

using Shape = std::vector<int64_t>;

std::string typeText(const Shape &shape) {
  std::string text = "tensor<";
  for (int64_t d : shape)
    text += std::to_string(d) + "x";
  return text + "f32>";
}

std::string addText(const Shape &a, const Shape &b, const Shape &out) {
  std::string ta = typeText(a), tb = typeText(b), to = typeText(out);
  return "%a = compass.input() : () -> " + ta +
         "\n%b = compass.input() {input_index = 1 : i64} : () -> " + tb +
         "\n%c = compass.add(%a, %b) : (" + ta + ", " + tb + ") -> " + to;
}

int64_t countOf(const Shape &shape) {
  int64_t n = 1;
  for (int64_t d : shape)
    n *= d;
  return n;
}

/// Element of `shape` that fills output element `i`: repeated like numpy's
/// tile.
int64_t sourceOf(const Shape &shape, const Shape &out, int64_t i) {
  int64_t at = 0, stride = 1;
  for (size_t k = 0; k < out.size(); ++k) {
    int64_t index = i % out[out.size() - 1 - k];
    i /= out[out.size() - 1 - k];
    if (k >= shape.size())
      continue;
    int64_t dim = shape[shape.size() - 1 - k];
    at += index % dim * stride;
    stride *= dim;
  }
  return at;
}

std::vector<char> ramp(int64_t n, float step) {
  std::vector<float> values(n);
  for (int64_t i = 0; i < n; ++i)
    values[i] = float(i) * step;
  std::vector<char> bytes(n * sizeof(float));
  std::memcpy(bytes.data(), values.data(), bytes.size());
  return bytes;
}

void expectAddRepeats(const Shape &a, const Shape &b, const Shape &out) {
  Layers net(addText(a, b, out));
  ASSERT_EQ(net.errors(), "");
  std::vector<char> left = ramp(countOf(a), 1), right = ramp(countOf(b), 1000);
  std::vector<TensorBytes> results;
  ASSERT_TRUE(succeeded(
      evaluateOp(net.layer(), {TensorBytesRef(left), right}, results)));
  std::vector<float> found(countOf(out)), expected;
  ASSERT_EQ(results[0].size(), found.size() * sizeof(float));
  std::memcpy(found.data(), results[0].data(), results[0].size());
  for (int64_t i = 0; i < countOf(out); ++i)
    expected.push_back(float(sourceOf(a, out, i) + 1000 * sourceOf(b, out, i)));
  EXPECT_THAT(found, ElementsAreArray(expected));
}

TEST(Broadcast, SameShape) { expectAddRepeats({2, 3}, {2, 3}, {2, 3}); }
TEST(Broadcast, Scalar) { expectAddRepeats({2, 3}, {}, {2, 3}); }
TEST(Broadcast, MissingLeadingAxes) {
  expectAddRepeats({4}, {2, 3, 4}, {2, 3, 4});
}
TEST(Broadcast, BothRepeat) { expectAddRepeats({3, 1}, {1, 5}, {3, 5}); }
TEST(Broadcast, MultipleOfInnerAxis) {
  expectAddRepeats({2, 3}, {2, 6}, {2, 6});
}
TEST(Broadcast, MultiplesOfSeveralAxes) {
  expectAddRepeats({2, 6, 4}, {4, 3, 2}, {4, 6, 4});
}

TEST(Broadcast, TiledAxisBecomesTwo) {
  Layers net(addText({2, 6}, {2, 3}, {2, 6}));
  auto shape = broadcastOf(net.layer(), {2, 6}, {2, 3}, {2, 6});
  ASSERT_TRUE(succeeded(shape));
  EXPECT_THAT(ArrayRef(shape->dims, shape->rank),
              ::testing::ElementsAre(2, 2, 3));
  EXPECT_THAT(ArrayRef(shape->strideA, 3), ::testing::ElementsAre(6, 3, 1));
  EXPECT_THAT(ArrayRef(shape->strideB, 3), ::testing::ElementsAre(3, 0, 1));
}

TEST(Broadcast, ShapesThatDoNotFit) {
  Layers net(addText({2, 4}, {2, 3}, {2, 4}));
  EXPECT_THAT(net.errors(),
              ::testing::HasSubstr("shapes [2,4] and [2,3] do not broadcast"));
}

TEST(Broadcast, TooManyAxes) {
  Layers net(addText({2, 1, 2, 1, 2, 1, 2, 1, 2}, {1, 2, 1, 2, 1, 2, 1, 2, 1},
                     {2, 2, 2, 2, 2, 2, 2, 2, 2}));
  EXPECT_THAT(net.errors(),
              ::testing::HasSubstr(
                  "broadcasting over this many axes is not supported yet; "
                  "found 9"));
}

} // namespace
