//===- ImagesTest.cpp - Operators of TFLite over images -------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// Expected values follow from the definitions, written out here.
//
//===----------------------------------------------------------------------===//
#include "test/unit/tflite/Imported.h"

using namespace yarrow;
using namespace yarrow::test;
using ::testing::ElementsAre;
using ::testing::ElementsAreArray;
using ::testing::FloatNear;
using ::testing::Pointwise;

namespace {
/// padding, stride_w, stride_h in the fields 0, 1 and 2.
std::map<unsigned, Flat> windowOf(int padding, int stride) {
  return {{0, byteOf(padding)}, {1, intOf(stride)}, {2, intOf(stride)}};
}
constexpr int kSame = 0, kValid = 1;
} // namespace

TEST(TfliteImages, PadsOneMoreAfterThanBefore) {
  TfliteModel m;
  int x = m.input("x", {1, 4, 1, 1});
  int w = m.floats("w", {1, 3, 1, 1}, {1, 10, 100});
  int b = m.floats("b", {1}, {0.5f});
  int y = m.tensor("y", {1, 2, 1, 1});
  m.op(3, {x, w, b}, {y}, 1, windowOf(kSame, 2));
  m.outputs = {y};
  Imported net(m);
  EXPECT_THAT(net.layers(), ElementsAre("Convolution"));
  // (2 - 1) * 2 + 3 - 4 = 1 pad, all of it behind.
  EXPECT_THAT(net.run({{1, 2, 3, 4}}), ElementsAre(321.5f, 43.5f));
}

TEST(TfliteImages, PoolsNoMoreThanWholeWindows) {
  // filter_width and filter_height are the fields 3 and 4.
  std::map<unsigned, Flat> options = windowOf(kValid, 2);
  options.insert({{3, intOf(1)}, {4, intOf(1)}});
  TfliteModel m;
  // The window of the second column would begin behind the last one.
  int x = m.input("x", {1, 2, 2, 1});
  int y = m.tensor("y", {1, 1, 1, 1});
  m.op(17, {x}, {y}, 5, options);
  m.outputs = {y};
  EXPECT_THAT(Imported(m).run({{7, 2, 3, 4}}), ElementsAre(7));
}

TEST(TfliteImages, TurnsDepthwiseWeights) {
  TfliteModel m;
  int x = m.input("x", {1, 1, 2, 2});
  // Of each column the weights of four outputs, two for each channel.
  int w = m.floats("w", {1, 1, 2, 4}, {1, 2, 3, 4, 10, 20, 30, 40});
  int y = m.tensor("y", {1, 1, 1, 4});
  m.op(4, {x, w, -1}, {y}, 2, windowOf(kValid, 1));
  m.outputs = {y};
  Imported net(m);
  EXPECT_THAT(net.layers(), ElementsAre("DepthwiseConv"));
  // Columns (1, 2) and (3, 5) of two channels.
  EXPECT_THAT(net.run({{1, 2, 3, 5}}), ElementsAre(31, 62, 156, 208));
}

TEST(TfliteImages, TakesADepthwiseOfOneChannelForAConvolution) {
  TfliteModel m;
  int x = m.input("x", {1, 1, 2, 1});
  int w = m.floats("w", {1, 1, 2, 2}, {1, 2, 10, 20});
  int y = m.tensor("y", {1, 1, 1, 2});
  m.op(4, {x, w, -1}, {y}, 2, windowOf(kValid, 1));
  m.outputs = {y};
  Imported net(m);
  EXPECT_THAT(net.layers(), ElementsAre("Convolution"));
  EXPECT_THAT(net.run({{3, 4}}), ElementsAre(43, 86));
}

TEST(TfliteImages, FindsGroupsInTheWeights) {
  TfliteModel m;
  int x = m.input("x", {1, 1, 1, 4});
  int w = m.floats("w", {2, 1, 1, 2}, {1, 10, 100, 1000});
  int y = m.tensor("y", {1, 1, 1, 2});
  m.op(3, {x, w, -1}, {y}, 1, windowOf(kValid, 1));
  m.outputs = {y};
  EXPECT_THAT(Imported(m).run({{1, 2, 3, 4}}), ElementsAre(21, 4300));
}

TEST(TfliteImages, TransposesAConvolution) {
  TfliteModel m;
  int shape = m.ints("shape", {1, 4, 1, 1});
  int w = m.floats("w", {1, 3, 1, 1}, {1, 10, 100});
  int x = m.input("x", {1, 2, 1, 1});
  int y = m.tensor("y", {1, 4, 1, 1});
  m.op(67, {shape, w, x}, {y}, 49, windowOf(kSame, 2));
  m.outputs = {y};
  Imported net(m);
  EXPECT_THAT(net.layers(), ElementsAre("ConvTranspose"));
  // 1 10 100 and, two on, 2 20 200; the fifth is cut off.
  EXPECT_THAT(net.run({{1, 2}}), ElementsAre(1, 10, 102, 20));
}

// Where the shape is an input, the model's own shape of the result holds: that
// behind the activation.
TEST(TfliteImages, TransposesToTheShapeThatTheModelStates) {
  constexpr int kRelu = 1;
  TfliteModel m;
  int shape = m.input("shape", {4}, 2);
  int w = m.floats("w", {1, 3, 1, 1}, {1, -10, 100});
  int x = m.input("x", {1, 2, 1, 1});
  int y = m.tensor("y", {1, 3, 1, 1});
  auto options = windowOf(kSame, 2);
  options[3] = intOf(kRelu);
  m.op(67, {shape, w, x}, {y}, 49, options);
  m.outputs = {y};
  Imported net(m);
  EXPECT_THAT(net.layers(), ElementsAre("ConvTranspose", "Activation"));
  // 1 -10 100 and, two on, 2 -20 200; the first and the fifth are cut off.
  EXPECT_THAT(net.run({{1, 3, 1, 1}, {1, 2}}), ElementsAre(0, 102, 0));
}

TEST(TfliteImages, RefusesWeightsOfOtherChannels) {
  TfliteModel m;
  int shape = m.ints("shape", {1, 4, 1, 1});
  int w = m.floats("w", {1, 3, 1, 1}, {1, 10, 100});
  int x = m.input("x", {1, 2, 1, 5});
  int y = m.tensor("y", {1, 4, 1, 1});
  m.op(67, {shape, w, x}, {y}, 49, windowOf(kSame, 2));
  m.outputs = {y};
  Imported net(m);
  ASSERT_EQ(net.diags.all().size(), 1u);
  EXPECT_EQ(net.diags.all()[0].message,
            "TransposeConv: weights and input do not match in their channels");
  EXPECT_EQ(net.diags.all()[0].foundText, "[1,3,1,1]");
  EXPECT_EQ(net.diags.all()[0].expectedText, "[1,2,1,5]");
}

TEST(TfliteImages, CountsNoPadsInAMean) {
  TfliteModel m;
  int x = m.input("x", {1, 3, 1, 1});
  int y = m.tensor("y", {1, 2, 1, 1});
  auto options = windowOf(kSame, 2);
  options[3] = intOf(1);
  options[4] = intOf(2);
  m.op(1, {x}, {y}, 5, options);
  m.outputs = {y};
  EXPECT_THAT(Imported(m).run({{1, 3, 8}}), ElementsAre(2, 8));
}

TEST(TfliteImages, TakesTheRootOfTheMeanOfSquares) {
  TfliteModel m;
  int x = m.input("x", {1, 2, 1, 1});
  int y = m.tensor("y", {1, 1, 1, 1});
  auto options = windowOf(kValid, 1);
  options[3] = intOf(1);
  options[4] = intOf(2);
  m.op(12, {x}, {y}, 5, options);
  m.outputs = {y};
  EXPECT_THAT(Imported(m).run({{1, 7}}), ElementsAre(5));
}

TEST(TfliteImages, ResizesAsTheOptionsPrint) {
  for (auto [corners, centres, expected] :
       {std::tuple(0, 0, std::vector<float>{0, 2, 4, 4}),
        std::tuple(1, 0, std::vector<float>{0, 4 / 3.0f, 8 / 3.0f, 4}),
        std::tuple(0, 1, std::vector<float>{0, 1, 3, 4})}) {
    TfliteModel m;
    int x = m.input("x", {1, 1, 2, 1});
    int y = m.tensor("y", {1, 1, 4, 1});
    m.op(23, {x, m.ints("size", {1, 4})}, {y}, 15,
         {{2, byteOf(corners)}, {3, byteOf(centres)}});
    m.outputs = {y};
    EXPECT_THAT(Imported(m).run({{0, 4}}),
                Pointwise(FloatNear(1e-5f), expected));
  }
}

TEST(TfliteImages, TakesTheNearestPixel) {
  for (auto [corners, centres, expected] :
       {std::tuple(0, 0, std::vector<float>{1, 1, 1, 2, 2}),
        std::tuple(1, 0, std::vector<float>{1, 1, 2, 2, 2}),
        std::tuple(0, 1, std::vector<float>{1, 1, 2, 2, 2})}) {
    TfliteModel m;
    int x = m.input("x", {1, 1, 2, 1});
    int y = m.tensor("y", {1, 1, 5, 1});
    m.op(97, {x, m.ints("size", {1, 5})}, {y}, 74,
         {{0, byteOf(corners)}, {1, byteOf(centres)}});
    m.outputs = {y};
    EXPECT_THAT(Imported(m).run({{1, 2}}), ElementsAreArray(expected));
  }
}

TEST(TfliteImages, MovesBlocksIntoTheBatchAndBack) {
  TfliteModel m;
  int x = m.input("x", {1, 3, 2, 1});
  int block = m.ints("block", {2, 2});
  int pads = m.constant("pads", {2, 2}, std::vector<int>{0, 1, 0, 0}, 2);
  int moved = m.tensor("moved", {4, 2, 1, 1}), y = m.tensor("y", {1, 3, 2, 1});
  m.op(38, {x, block, pads}, {moved});
  m.op(37, {moved, block, pads}, {y});
  m.outputs = {moved, y};
  Imported net(m);
  std::vector<float> image = {1, 2, 3, 4, 5, 6};
  EXPECT_THAT(net.run({image}, 0), ElementsAre(1, 5, 2, 6, 3, 0, 4, 0));
  EXPECT_THAT(net.run({image}, 1), ElementsAreArray(image));
}

TEST(TfliteImages, MovesRowsOfASignalIntoTheBatch) {
  TfliteModel m;
  int x = m.input("x", {1, 4, 2});
  int pads = m.constant("pads", {1, 2}, std::vector<int>{0, 0}, 2);
  int y = m.tensor("y", {2, 2, 2});
  m.op(38, {x, m.ints("block", {2}), pads}, {y});
  m.outputs = {y};
  EXPECT_THAT(Imported(m).run({counting(8)}),
              ElementsAre(1, 2, 5, 6, 3, 4, 7, 8));
}

TEST(TfliteImages, NormalisesBySumsOfSquares) {
  TfliteModel m;
  int x = m.input("x", {1, 1, 1, 3});
  int y = m.tensor("y", {1, 1, 1, 3});
  m.op(13, {x}, {y}, 13,
       {{0, intOf(1)},
        {1, Flat::number(1.0f)},
        {2, Flat::number(2.0f)},
        {3, Flat::number(0.5f)}});
  m.outputs = {y};
  auto of = [](float x, float sum) { return x / std::sqrt(1 + 2 * sum); };
  EXPECT_THAT(Imported(m).run({{1, 2, 3}}),
              Pointwise(FloatNear(1e-6f), {of(1, 5), of(2, 14), of(3, 13)}));
}

TEST(TfliteImages, LeavesNoTransposes) {
  TfliteModel m;
  int x = m.input("x", {1, 4, 4, 2});
  int w = m.floats("w", {2, 1, 1, 2}, {1, 0, 0, 1});
  int a = m.tensor("a", {1, 4, 4, 2}), b = m.tensor("b", {1, 4, 4, 2}),
      c = m.tensor("c", {1, 2});
  m.op(3, {x, w, -1}, {a}, 1, windowOf(kSame, 1));
  m.op(0, {a, x}, {b});
  m.op(40, {b, m.ints("axes", {1, 2})}, {c});
  m.outputs = {c};
  EXPECT_THAT(Imported(m).layers(),
              ElementsAre("Convolution", "Eltwise", "Reduce", "Reshape"));
}
