//===- ValuesTest.cpp - Other operators of TFLite -------------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "support/diagnostics/Import.h"
#include "test/unit/tflite/Imported.h"

using namespace yarrow;
using namespace yarrow::test;
using ::testing::ElementsAre;
using ::testing::FloatNear;
using ::testing::Pointwise;

namespace {
constexpr std::int8_t kInt8 = 9;
} // namespace

TEST(TfliteValues, FlattensBeforeAProduct) {
  TfliteModel m;
  int x = m.input("x", {1, 2, 2});
  int w = m.floats("w", {2, 4}, {1, 2, 3, 4, 1, 0, 0, -1});
  int y = m.tensor("y", {1, 2});
  m.op(9, {x, w, m.floats("b", {2}, {0.5f, 1})}, {y}, 8);
  m.outputs = {y};
  EXPECT_THAT(Imported(m).run({{1, 1, 1, 2}}), ElementsAre(14.5f, 0));
}

TEST(TfliteValues, KeepsTheModelsOwnWeights) {
  TfliteModel m;
  auto stored = [](float scale) {
    return std::map<unsigned, Flat>{{4, quantizationOf({scale}, {1})}};
  };
  m.inputs = {m.tensor("x", {1, 2}, kInt8, stored(0.5f))};
  int w = m.constant("w", {1, 2}, std::vector<std::int8_t>{3, -4}, kInt8,
                     {{4, quantizationOf({0.25f}, {0})}});
  int y = m.tensor("y", {1, 1}, kInt8, stored(0.125f));
  m.op(9, {m.inputs[0], w, -1}, {y}, 8);
  m.outputs = {y};
  Imported net(m);
  for (const Diagnostic &d : net.diags.all())
    ADD_FAILURE() << d.message << " " << d.foundText;
  ASSERT_TRUE(net.module);
  mlir::ElementsAttr weights;
  net.module->walk([&](mlir::Operation *op) {
    if (compass::recordOf(op) &&
        compass::recordOf(op)->layerType == "FullyConnected") {
      weights = op->getAttrOfType<mlir::ElementsAttr>("weights");
      compass::TensorInfo result = compass::describe(op->getResult(0));
      EXPECT_TRUE(result.isQuantized());
      EXPECT_EQ(result.storedType(), compass::StoredType(ElementType::I8));
    }
  });
  ASSERT_TRUE(weights);
  auto view = compass::viewConstant(weights);
  ASSERT_TRUE(view);
  EXPECT_EQ(view->intAt(0), 3);
  EXPECT_EQ(view->intAt(1), -4);
  // The same in floats, if that is what is asked for.
  graph::ImportOptions options;
  options.inFloats = true;
  EXPECT_THAT(Imported(m, options).run({{1, 2}}), ElementsAre(-1.25f));
}

TEST(TfliteValues, SlicesByMasks) {
  TfliteModel m;
  int x = m.input("x", {2, 3, 4});
  // x[1, ..., 3:0:-2]
  int y = m.tensor("y", {3, 2});
  m.op(45,
       {x, m.ints("begin", {1, 0, 3}), m.ints("end", {2, 0, 0}),
        m.ints("steps", {1, 1, -2})},
       {y}, 32, {{2, intOf(2)}, {4, intOf(1)}});
  m.outputs = {y};
  EXPECT_THAT(Imported(m).run({counting(24)}),
              ElementsAre(16, 14, 20, 18, 24, 22));
}

TEST(TfliteValues, SlicesBackwardToTheFirstElement) {
  TfliteModel m;
  int x = m.input("x", {4});
  // x[::-1] with a new axis behind
  int y = m.tensor("y", {4, 1});
  m.op(45,
       {x, m.ints("begin", {0, 0}), m.ints("end", {0, 0}),
        m.ints("steps", {-1, 1})},
       {y}, 32, {{0, intOf(1)}, {1, intOf(1)}, {3, intOf(2)}});
  m.outputs = {y};
  EXPECT_THAT(Imported(m).run({{1, 2, 3, 4}}), ElementsAre(4, 3, 2, 1));
}

TEST(TfliteValues, ReplacesAPart) {
  TfliteModel m;
  int x = m.input("x", {2, 3}), u = m.input("u", {1, 2});
  int y = m.tensor("y", {2, 3});
  m.op(151, {x, u, m.ints("at", {1, 5})}, {y}); // moved inside: column 1
  m.outputs = {y};
  EXPECT_THAT(Imported(m).run({{1, 2, 3, 4, 5, 6}, {8, 9}}),
              ElementsAre(1, 2, 3, 4, 8, 9));
}

TEST(TfliteValues, AddsUpdatesOfOnePlace) {
  TfliteModel m;
  int places = m.constant("places", {2, 1}, std::vector<int>{1, 1}, 2);
  int u = m.input("u", {2});
  int y = m.tensor("y", {3});
  m.op(122, {places, u, m.ints("shape", {3})}, {y});
  m.outputs = {y};
  EXPECT_THAT(Imported(m).run({{2, 5}}), ElementsAre(0, 7, 0));
}

TEST(TfliteValues, FoldsBetaBeforeASoftmax) {
  TfliteModel m;
  int x = m.input("x", {1, 2});
  int y = m.tensor("y", {1, 2});
  m.op(25, {x}, {y}, 9, {{0, Flat::number(2.0f)}});
  m.outputs = {y};
  float less = 1 / (1 + std::exp(2.0f));
  EXPECT_THAT(Imported(m).run({{0, 1}}),
              Pointwise(FloatNear(1e-6f), {less, 1 - less}));
}

TEST(TfliteValues, RoundsQuotientsDown) {
  TfliteModel m;
  int x = m.input("x", {2});
  int y = m.tensor("y", {2});
  m.op(90, {x, m.floats("by", {1}, {2})}, {y});
  m.outputs = {y};
  EXPECT_THAT(Imported(m).run({{3, -3}}), ElementsAre(1, -2));
}

/// The gates of one cell, without a state before: input weights of i, f, c, o,
/// then as many of the state, biases.
TEST(TfliteValues, RunsAnLstmFromAFreshState) {
  TfliteModel m;
  int x = m.input("x", {1, 2, 1});
  std::vector<std::int32_t> from = {x};
  for (float w : {0.5f, 1.0f, -1.0f, 2.0f, 0.25f, 0.5f, 1.5f, -0.5f})
    from.push_back(m.floats("w", {1, 1}, {w}));
  from.insert(from.end(), {-1, -1, -1});
  for (float b : {0.1f, 0.2f, 0.3f, 0.4f})
    from.push_back(m.floats("b", {1}, {b}));
  from.insert(from.end(), {-1, -1});
  std::map<unsigned, Flat> variable = {{5, Flat::number(std::uint8_t(1))}};
  from.push_back(m.tensor("h", {1, 1}, 0, variable));
  from.push_back(m.tensor("c", {1, 1}, 0, variable));
  int y = m.tensor("y", {1, 2, 1});
  m.op(44, from, {y}, 71, {{0, byteOf(4)}});
  m.outputs = {y};
  auto sigmoid = [](double v) { return 1 / (1 + std::exp(-v)); };
  std::vector<float> expected;
  double h = 0, c = 0;
  for (double v : {1.0, -2.0}) {
    double i = sigmoid(0.5 * v + 0.25 * h + 0.1),
           f = sigmoid(v + 0.5 * h + 0.2), g = std::tanh(-v + 1.5 * h + 0.3),
           o = sigmoid(2 * v - 0.5 * h + 0.4);
    c = f * c + i * g;
    h = o * std::tanh(c);
    expected.push_back(float(h));
  }
  Imported net(m);
  EXPECT_THAT(net.run({{1, -2}}), Pointwise(FloatNear(1e-5f), expected));
  ASSERT_FALSE(net.diags.all().empty());
  EXPECT_EQ(net.diags.all().front().id, diag::TfliteFreshState);
}

TEST(TfliteValues, KeepsOfAnSvdfTheNewestStep) {
  TfliteModel m;
  int x = m.input("x", {1, 2});
  int features = m.floats("features", {2, 2}, {1, 2, 3, 4});
  int time = m.floats("time", {2, 3}, {9, 9, 0.5f, 9, 9, 2});
  int state =
      m.tensor("state", {1, 6}, 0, {{5, Flat::number(std::uint8_t(1))}});
  int y = m.tensor("y", {1, 1});
  m.op(27, {x, features, time, m.floats("bias", {1}, {-1}), state}, {y}, 6,
       {{0, intOf(2)}, {1, byteOf(1)}});
  m.outputs = {y};
  // 0.5 * (1 + 4) + 2 * (3 + 8) - 1
  EXPECT_THAT(Imported(m).run({{1, 2}}), ElementsAre(23.5f));
}

TEST(TfliteValues, ListsBoxesThatDoNotOverlap) {
  TfliteModel m;
  int boxes = m.input("boxes", {3, 4}), scores = m.input("scores", {3});
  int most = m.constant("most", {}, std::vector<int>{2}, 2),
      overlap = m.floats("overlap", {}, {0.5f}),
      least = m.floats("least", {}, {0.1f}), sigma = m.floats("sigma", {}, {0});
  int indices = m.tensor("indices", {2}, 2), kept = m.tensor("kept", {2}),
      count = m.tensor("count", {}, 2);
  m.op(121, {boxes, scores, most, overlap, least, sigma},
       {indices, kept, count});
  m.outputs = {kept};
  // The second is the first one again, the third one's score is too low.
  EXPECT_THAT(Imported(m).run(
                  {{0, 0, 1, 1, 0, 0, 1, 1, 2, 2, 3, 3}, {0.5f, 0.75f, 0.05f}}),
              ElementsAre(0.75f, 0));
}
