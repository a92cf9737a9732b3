//===- IntegersTest.cpp - Products of integers, scales of blocks ----------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "support/diagnostics/Import.h"
#include "test/unit/onnx/Imported.h"

using namespace yarrow;
using namespace yarrow::test;
using ::testing::ElementsAre;
using ::testing::FloatNear;
using ::testing::Pointwise;

/// A tensor of bytes: uint8 is 2, int8 is 3.
static Message bytesOf(const std::string &name,
                       const std::vector<int64_t> &shape, uint64_t type,
                       const std::vector<int> &values) {
  Message tensor;
  for (int64_t length : shape)
    tensor.add(1, uint64_t(length));
  std::string raw;
  for (int value : values)
    raw += char(value);
  return tensor.add(2, type).add(8, name).add(9, raw);
}

/// As numbers of elements are computed from shapes.
TEST(Integers, ProductsAlongAxesAreExact) {
  Message node = nodeOf("ReduceProd", {"x", "axes"}, {"y"});
  node.add(5, intAttribute("keepdims", 0));
  Message axes, graph;
  axes.add(1, uint64_t(2)).add(2, uint64_t(7)).add(8, std::string("axes"));
  axes.add(7, uint64_t(0)).add(7, uint64_t(2));
  graph.add(1, node)
      .add(5, axes)
      .add(11, valueOf("x", {2, 1, 3}, 6))
      .add(12, valueOf("y", {}, 6));
  Imported net(modelOf(graph, 18));
  ASSERT_TRUE(net.module);
  EXPECT_THAT((net.runAs<int32_t, int32_t>({{2, -3, 5, 7, 11, 1009}})),
              ElementsAre(2 * -3 * 5 * 7 * 11 * 1009));
}

/// Padding is at the zero point, whatever that is: it adds nothing.
TEST(ConvInteger, SubtractsAZeroPointOfRunTime) {
  for (bool isSignal : {false, true})
    for (int group : {1, 2}) {
      std::vector<int> weights;
      for (int i = 0; i < 2 * (2 / group) * 3; ++i)
        weights.push_back((i * 5) % 13 + 2);
      std::vector<int64_t> shape = {1, 2, 4}, filter = {2, 2 / group, 3};
      if (!isSignal)
        shape.insert(shape.begin() + 2, 1),
            filter.insert(filter.begin() + 2, 1);
      Message node = nodeOf("ConvInteger", {"x", "w", "zx", "zw"}, {"y"});
      node.add(5, intsAttribute("pads", isSignal
                                            ? std::vector<int64_t>{1, 1}
                                            : std::vector<int64_t>{0, 1, 0, 1}))
          .add(5, intAttribute("group", group));
      Message graph;
      graph.add(1, node)
          .add(5, bytesOf("w", filter, 2, weights))
          .add(5, bytesOf("zw", {}, 2, {3}))
          .add(11, valueOf("x", shape, 2))
          .add(11, valueOf("zx", {}, 2))
          .add(12, valueOf("y", {}, 6));
      Imported net(modelOf(graph));
      ASSERT_TRUE(net.module);
      std::vector<uint8_t> x = {0, 200, 17, 255, 90, 3, 128, 41};
      const int zero = 119;
      std::vector<int32_t> expected;
      for (int o = 0; o < 2; ++o)
        for (int place = 0; place < 4; ++place) {
          int32_t sum = 0;
          for (int c = 0; c < 2 / group; ++c)
            for (int k = 0; k < 3; ++k) {
              int at = place + k - 1, channel = group == 2 ? o : c;
              if (at >= 0 && at < 4)
                sum += (x[size_t(channel * 4 + at)] - zero) *
                       (weights[size_t((o * (2 / group) + c) * 3 + k)] - 3);
            }
          expected.push_back(sum);
        }
      EXPECT_EQ((net.runAs<int32_t, uint8_t>({x, {uint8_t(zero)}})), expected);
    }
}

/// [2,2,3] times [3,2] or [2,3,2], with zero points of rows and columns.
TEST(MatMulInteger, SubtractsZeroPointsOfRunTime) {
  const std::vector<uint8_t> a = {1, 250, 3, 44, 5, 6, 17, 88, 9, 0, 255, 12},
                             b = {7, 200, 9, 10, 255, 0, 3, 4, 5, 6, 7, 80};
  for (bool hasRows : {false, true})
    for (bool hasColumns : {false, true})
      for (bool isBatch : {false, true}) {
        std::vector<uint8_t> za = hasRows ? std::vector<uint8_t>{5, 130}
                                          : std::vector<uint8_t>{77},
                             zb = hasColumns ? std::vector<uint8_t>{9, 201}
                                             : std::vector<uint8_t>{4};
        std::vector<uint8_t> right(b.begin(), b.begin() + (isBatch ? 12 : 6));
        auto zeros = [](const char *name, size_t count, bool isList) {
          return valueOf(name,
                         isList ? std::vector<int64_t>{int64_t(count)}
                                : std::vector<int64_t>{},
                         2);
        };
        Message graph;
        graph.add(1, nodeOf("MatMulInteger", {"a", "b", "za", "zb"}, {"y"}))
            .add(11, valueOf("a", {2, 2, 3}, 2))
            .add(11, valueOf("b",
                             isBatch ? std::vector<int64_t>{2, 3, 2}
                                     : std::vector<int64_t>{3, 2},
                             2))
            .add(11, zeros("za", za.size(), hasRows))
            .add(11, zeros("zb", zb.size(), hasColumns))
            .add(12, valueOf("y", {}, 6));
        Imported net(modelOf(graph));
        ASSERT_TRUE(net.module);
        std::vector<int32_t> expected;
        for (size_t i = 0; i < 8; ++i) {
          size_t batch = i / 4, row = i / 2 % 2, column = i % 2;
          int32_t sum = 0;
          for (size_t k = 0; k < 3; ++k)
            sum += (a[batch * 6 + row * 3 + k] - za[hasRows ? row : 0]) *
                   (right[(isBatch ? batch * 6 : 0) + k * 2 + column] -
                    zb[hasColumns ? column : 0]);
          expected.push_back(sum);
        }
        EXPECT_EQ((net.runAs<int32_t, uint8_t>({a, right, za, zb})), expected);
      }
}

/// What quantize_dynamic makes of a product: no integers are lost on the way.
TEST(MatMulInteger, FollowsDynamicQuantizeLinear) {
  Message graph;
  graph.add(1, nodeOf("DynamicQuantizeLinear", {"x"}, {"q", "s", "z"}))
      .add(1, nodeOf("MatMulInteger", {"q", "w", "z", "zw"}, {"p"}));
  Message cast = nodeOf("Cast", {"p"}, {"f"});
  cast.add(5, intAttribute("to", 1));
  graph.add(1, cast)
      .add(1, nodeOf("Mul", {"f", "s"}, {"g"}))
      .add(1, nodeOf("Mul", {"g", "sw"}, {"y"}))
      .add(5, bytesOf("w", {3, 2}, 3, {1, -2, 3, 4, -5, 6}))
      .add(5, bytesOf("zw", {}, 3, {0}))
      .add(5, floatsOf("sw", {}, {0.5f}))
      .add(11, valueOf("x", {1, 3}))
      .add(12, valueOf("y", {1, 2}));
  Imported net(modelOf(graph));
  ASSERT_TRUE(net.module);
  // scale 3 / 255, zero point 85: -1, 0.5, 2 are 0, 127 or 128, 255.
  float step = 3.0f / 255;
  EXPECT_THAT(net.run({-1, 0.5f, 2}),
              Pointwise(FloatNear(1e-5f),
                        {0.5f * step * (-85 * 1 + 42 * 3 + 170 * -5),
                         0.5f * step * (-85 * -2 + 42 * 4 + 170 * 6)}));
}

/// One scale and zero point for each two rows; the last block is shorter.
TEST(DequantizeLinear, HasScalesOfBlocks) {
  const std::vector<int> stored = {1, -2, 3, -4, 5, -6, 7, -8, 9, -10};
  const std::vector<float> scales = {0.5f, 1, 2, 4, 8, 16};
  const std::vector<int> zeros = {0, 1, -1, 2, 3, -3};
  std::vector<float> expected;
  for (size_t i = 0; i < 10; ++i) {
    size_t block = i / 2 / 2 * 2 + i % 2;
    expected.push_back(float(stored[i] - zeros[block]) * scales[block]);
  }
  for (bool isConstant : {true, false}) {
    Message node = nodeOf("DequantizeLinear", {"q", "s", "z"}, {"d"});
    node.add(5, intAttribute("axis", 0)).add(5, intAttribute("block_size", 2));
    Message graph;
    graph.add(1, node)
        .add(1, nodeOf("Add", {"x", "d"}, {"y"}))
        .add(5, floatsOf("s", {3, 2}, scales))
        .add(5, bytesOf("z", {3, 2}, 3, zeros))
        .add(11, valueOf("x", {5, 2}))
        .add(12, valueOf("y", {5, 2}));
    if (isConstant)
      graph.add(5, bytesOf("q", {5, 2}, 3, stored));
    else
      graph.add(11, valueOf("q", {5, 2}, 3));
    Imported net(modelOf(graph, 21));
    ASSERT_TRUE(net.module);
    if (isConstant) {
      EXPECT_THAT(net.layers(), ElementsAre("Eltwise"));
      EXPECT_EQ(net.run(std::vector<float>(10, 0)), expected);
      continue;
    }
    auto evaluator = compass::Evaluator::create(*net.module, net.diags);
    ASSERT_TRUE(evaluator);
    std::vector<float> x(10, 0);
    std::vector<int8_t> q(stored.begin(), stored.end());
    std::vector<compass::TensorBytes> outputs;
    evaluator->run(
        std::vector<compass::TensorBytesRef>{
            {reinterpret_cast<const char *>(x.data()), 40},
            {reinterpret_cast<const char *>(q.data()), 10}},
        outputs);
    std::vector<float> y(10);
    std::memcpy(y.data(), outputs[0].data(), 40);
    EXPECT_EQ(y, expected);
  }
}

TEST(DequantizeLinear, ReportsBlocksThatDoNotFit) {
  Message node = nodeOf("DequantizeLinear", {"q", "s"}, {"y"});
  node.add(5, intAttribute("axis", 0)).add(5, intAttribute("block_size", 2));
  Message graph;
  graph.add(1, node)
      .add(5, floatsOf("s", {2, 2}, {1, 2, 3, 4}))
      .add(11, valueOf("q", {5, 2}, 3))
      .add(12, valueOf("y", {}));
  Imported net(modelOf(graph, 21));
  ASSERT_EQ(net.diags.all().size(), 2u); // and that it is computed in floats
  const Diagnostic &d = net.diags.all().back();
  EXPECT_EQ(d.id, diag::ImportBadNode);
  EXPECT_EQ(d.expectedText, "[3,2]");
}
