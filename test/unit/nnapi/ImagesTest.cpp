//===- ImagesTest.cpp - Operations of NNAPI over images -------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// Expected values follow from the definitions, written out here.
//
//===----------------------------------------------------------------------===//
#include "test/unit/nnapi/ImportedNn.h"
#include "test/unit/nnapi/NnModels.h"

using namespace yarrow;
using namespace yarrow::nnapi;
using namespace yarrow::test;
using ::testing::ElementsAre;
using ::testing::FloatNear;
using ::testing::Pointwise;

namespace {

constexpr std::int32_t kSame = 1, kValid = 2;

} // namespace

TEST(NnapiImages, KeepsIntegersBetweenTransposes) {
  NnBuilder b;
  auto x = b.input(NnBuilder::tensor(OperandType::TENSOR_QUANT8_ASYMM,
                                     {1, 2, 1, 2}, 0.5f, 128));
  Operand filter = NnBuilder::tensor(
      OperandType::TENSOR_QUANT8_SYMM_PER_CHANNEL, {2, 1, 1, 2});
  filter.channels = {0, {0.5f, 2}};
  auto w = b.constant<std::int8_t>(filter, {2, 4, 1, 1});
  auto bias = b.constant<std::int32_t>(
      NnBuilder::tensor(OperandType::TENSOR_INT32, {2}), {4, 3});
  auto y = b.output(
      NnBuilder::tensor(OperandType::TENSOR_QUANT8_ASYMM, {1, 2, 1, 2}, 1));
  auto one = b.scalar(1);
  b.add("CONV_2D",
        {x, w, bias, b.scalar(kValid), one, one, b.scalar(0), b.flag(true)},
        {y});
  ImportedNn net(b.model);
  EXPECT_THAT(net.layers(),
              ElementsAre("Transpose", "Convolution", "Transpose"));
  // Channels (1, 2) and (0, -1) times (1, 2) + 1 and (2, 2) + 3: biases have
  // the scales 0.25 and 1.
  EXPECT_THAT(net.run<std::uint8_t>({{130, 132, 128, 126}}),
              ElementsAre(2, 1, 5, 5));
}

TEST(NnapiImages, ReadsABiasInTheScalesOfEachProduct) {
  NnBuilder b;
  auto signed8 = [](Dims dims, float scale) {
    return NnBuilder::tensor(OperandType::TENSOR_QUANT8_ASYMM_SIGNED,
                             std::move(dims), scale);
  };
  auto x = b.input(signed8({1, 1}, 0.5f));
  auto bias = b.constant<std::int32_t>(
      NnBuilder::tensor(OperandType::TENSOR_INT32, {1}), {4});
  for (auto [scale, weight] : {std::pair(0.5f, 2), std::pair(2.0f, 1)}) {
    auto w =
        b.constant<std::int8_t>(signed8({1, 1}, scale), {std::int8_t(weight)});
    b.add("FULLY_CONNECTED", {x, w, bias, b.scalar(0)},
          {b.output(signed8({1, 1}, 1))});
  }
  ImportedNn net(b.model);
  EXPECT_THAT(net.layers(), ElementsAre("FullyConnected", "FullyConnected"));
  // 1 * 1 + 4 * 0.25 and 1 * 2 + 4 * 1.
  EXPECT_THAT(net.run<std::int8_t>({{2}}, 0), ElementsAre(2));
  EXPECT_THAT(net.run<std::int8_t>({{2}}, 1), ElementsAre(6));
}

TEST(NnapiImages, RefusesFiltersThatDoNotFit) {
  struct Case {
    const char *operation;
    Dims image, filter;
    std::int32_t scheme, multiplier; ///< Or groups.
  };
  for (const Case &c :
       {Case{"DEPTHWISE_CONV_2D", {1, 2, 2, 2}, {1, 1, 1, 2}, kSame, 2},
        Case{"DEPTHWISE_CONV_2D", {1, 2, 2, 2}, {2, 1, 1, 2}, kSame, 1},
        Case{"GROUPED_CONV_2D", {1, 2, 2, 2}, {2, 1, 1, 2}, kSame, 2},
        Case{"GROUPED_CONV_2D", {1, 2, 2, 2}, {3, 1, 1, 1}, kSame, 2},
        Case{"GROUPED_CONV_2D", {1, 2, 2, 2}, {2, 1, 1, 1}, 3, 2},
        Case{"GROUPED_CONV_2D", {1, 2, 2}, {2, 1, 1, 1}, kSame, 2}}) {
    NnBuilder b;
    auto x = b.input(NnBuilder::floats(c.image));
    std::size_t weights = 1;
    for (std::uint32_t length : c.filter)
      weights *= length;
    auto w = b.constant<float>(NnBuilder::floats(c.filter),
                               std::vector<float>(weights));
    auto outputs = c.filter[0] == 1 ? c.filter[3] : c.filter[0];
    auto bias = b.constant<float>(NnBuilder::floats({outputs}),
                                  std::vector<float>(outputs));
    auto y = b.output(NnBuilder::floats({1, 2, 2, outputs}));
    auto one = b.scalar(1);
    b.add(c.operation,
          {x, w, bias, b.scalar(c.scheme), one, one, b.scalar(c.multiplier),
           b.scalar(0), b.flag(false)},
          {y});
    EXPECT_TRUE(isBad(b.model))
        << c.operation << " " << ::testing::PrintToString(c.filter);
  }
}

TEST(NnapiImages, RefusesPoolsOfPaddingAlone) {
  for (bool isTooWide : {false, true}) {
    NnBuilder b;
    auto x = b.input(NnBuilder::floats({1, 1, 2, 1}));
    auto y = b.output(NnBuilder::floats({1, 1, isTooWide ? 3u : 2u, 1}));
    auto none = b.scalar(0), one = b.scalar(1);
    b.add("AVERAGE_POOL_2D",
          {x, none, b.scalar(isTooWide ? 2 : 1), none, none, one, one,
           b.scalar(2), one, none},
          {y});
    if (isTooWide)
      EXPECT_TRUE(isBad(b.model));
    else // Pads do not count.
      EXPECT_THAT(ImportedNn(b.model).run<float>({{2, 6}}), ElementsAre(4, 6));
  }
}

TEST(NnapiImages, NormalisesNeighboursAlongAnyAxis) {
  NnBuilder b;
  auto x = b.input(NnBuilder::floats({2, 2}));
  auto y = b.output(NnBuilder::floats({2, 2}));
  b.add("LOCAL_RESPONSE_NORMALIZATION",
        {x, b.scalar(1), b.scalar(1.0f), b.scalar(1.0f), b.scalar(1.0f),
         b.scalar(0)},
        {y});
  // Squares of a column add up to 10 and 20.
  EXPECT_THAT(ImportedNn(b.model).run<float>({{1, 2, 3, 4}}),
              Pointwise(FloatNear(1e-6f),
                        {1.0f / 11, 2.0f / 21, 3.0f / 11, 4.0f / 21}));
}

TEST(NnapiImages, ResizesByScalesRoundedDown) {
  NnBuilder b;
  auto x = b.input(NnBuilder::floats({1, 1, 2, 1}));
  auto y = b.output(NnBuilder::floats({1, 2, 3, 1}));
  b.add("RESIZE_NEAREST_NEIGHBOR",
        {x, b.scalar(1.9f), b.scalar(2.1f), b.flag(false)}, {y});
  EXPECT_THAT(ImportedNn(b.model).run<float>({{1, 2}}),
              ElementsAre(1, 1, 2, 1, 1, 2));
}

TEST(NnapiImages, ShufflesChannelsAsOneLayer) {
  NnBuilder b;
  auto x = b.input(NnBuilder::floats({1, 4, 1, 2}));
  auto y = b.output(NnBuilder::floats({1, 4, 1, 2}));
  b.add("CHANNEL_SHUFFLE", {x, b.scalar(2), b.scalar(-3)}, {y});
  ImportedNn net(b.model);
  EXPECT_THAT(net.layers(),
              ElementsAre("Transpose", "ChannelShuffle", "Transpose"));
  EXPECT_THAT(net.run<float>({{1, 2, 3, 4, 5, 6, 7, 8}}),
              ElementsAre(1, 2, 5, 6, 3, 4, 7, 8));
}
