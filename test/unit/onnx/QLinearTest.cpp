//===- QLinearTest.cpp - Operators between integers -----------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "parser/onnx/Normalise.h"
#include "parser/onnx/OnnxReader.h"
#include "test/OnnxBytes.h"
#include "test/unit/onnx/QdqGraph.h"
#include <gmock/gmock.h>

using namespace yarrow;
using namespace yarrow::test;

namespace {

Message bytesOf(const std::string &name, std::uint64_t type,
                const std::vector<int64_t> &shape, const std::string &raw) {
  Message tensor;
  for (int64_t length : shape)
    tensor.add(1, std::uint64_t(length));
  return tensor.add(2, type).add(8, name).add(9, raw);
}

/// A model of one node on x, and z, of uint8; a, b and y have their scales (as)
/// and zero points (az).
struct Model {
  Message graph;

  explicit Model(Message node) {
    node.add(7, std::string("com.microsoft"));
    build(node);
  }
  Model(Message node, int) { build(node); }

  void build(const Message &node) {
    graph.add(1, node)
        .add(5, floatsOf("as", {}, {0.5f}))
        .add(5, bytesOf("az", 2, {}, "\3"))
        .add(5, floatsOf("bs", {}, {0.25f}))
        .add(5, bytesOf("bz", 2, {}, "\4"))
        .add(5, floatsOf("ys", {}, {2}))
        .add(5, bytesOf("yz", 2, {}, "\5"))
        .add(5, floatsOf("ws", {2}, {0.5f, 0.25f}))
        .add(5, bytesOf("wz", 2, {2}, "\6\7"))
        .add(11, valueOf("x", {1, 2, 2, 2}, 2))
        .add(11, valueOf("z", {1, 2, 2, 2}, 2))
        .add(11, valueOf("c", {1, 2, 2, 2}, 9))
        .add(12, valueOf("y", {}, 2));
  }

  /// After the pass.
  std::string text() {
    std::string model =
        Message()
            .add(1, 8)
            .add(8, Message().add(1, std::string()).add(2, 17))
            .add(8, Message().add(1, std::string("com.microsoft")).add(2, 1))
            .add(7, graph)
            .bytes;
    auto owner = std::make_shared<const std::string>(model);
    DiagnosticEngine diags;
    auto read =
        onnx::parseOnnx(std::as_bytes(std::span(*owner)), owner, "m", diags);
    if (!read)
      return diags.all().front().str();
    onnx::normalise(*read);
    QdqGraph g;
    std::swap(g.graph, *read);
    g.absorb();
    return g.text();
  }
};

} // namespace

TEST(QLinear, ConvKeepsZeroPointsOfChannels) {
  Model m(nodeOf("QLinearConv",
                 {"x", "as", "az", "w", "ws", "wz", "ys", "yz", "bias"}, {"y"},
                 "q"),
          0);
  m.graph.add(5, bytesOf("w", 2, {2, 2, 1, 1}, "\1\2\xff\xfe"))
      .add(5, bytesOf("bias", 6, {2}, std::string("\1\0\0\0\2\0\0\0", 8)));
  EXPECT_THAT(
      m.text(),
      ::testing::EndsWith("y:u8*2+5 = Conv(x:u8*0.5+3, q_w:u8*0.5+6,0.25+7@0, "
                          "q_bias:i32*0.25+0,0.125+0@0)\n-> y:u8*2+5"));
}

TEST(QLinear, MatMulHasScalesOfColumns) {
  Model m(nodeOf("QLinearMatMul",
                 {"x", "as", "az", "w", "ws", "wz", "ys", "yz"}, {"y"}, "q"),
          0);
  m.graph.add(5, bytesOf("w", 2, {2, 2}, "\1\2\3\4"));
  EXPECT_EQ(m.text(), "y:u8*2+5 = MatMul(x:u8*0.5+3, "
                      "q_w:u8*0.5+6,0.25+7@1)\n-> y:u8*2+5");
}

TEST(QLinear, ScalesOfRunTimeStayArithmetic) {
  Message node = nodeOf("QLinearMatMul",
                        {"x", "s", "az", "z", "bs", "bz", "ys", "yz"}, {"y"});
  Model m(node, 0);
  m.graph.add(11, valueOf("s", {}));
  std::string text = m.text();
  EXPECT_THAT(text, ::testing::HasSubstr("= DequantizeLinear(x, s, az)"));
  // The other operand and the result are as they were.
  EXPECT_THAT(text,
              ::testing::HasSubstr("MatMul(QLinearMatMul_x, z:u8*0.25+4)"));
}

TEST(QLinear, SumsAndProducts) {
  for (const char *op : {"Add", "Mul"}) {
    Model m(nodeOf(std::string("QLinear") + op,
                   {"x", "as", "az", "z", "bs", "bz", "ys", "yz"}, {"y"}));
    EXPECT_EQ(m.text(), std::string("y:u8*2+5 = ") + op +
                            "(x:u8*0.5+3, z:u8*0.25+4)\n-> y:u8*2+5");
  }
}

TEST(QLinear, OthersBetweenTheirTensors) {
  for (const char *op : {"Sigmoid", "LeakyRelu", "Softmax", "AveragePool",
                         "GlobalAveragePool"}) {
    Model m(nodeOf(std::string("QLinear") + op, {"x", "as", "az", "ys", "yz"},
                   {"y"}));
    EXPECT_EQ(m.text(),
              std::string("y:u8*2+5 = ") + op + "(x:u8*0.5+3)\n-> y:u8*2+5");
  }
  Model concat(nodeOf("QLinearConcat",
                      {"ys", "yz", "x", "as", "az", "z", "bs", "bz"}, {"y"}));
  EXPECT_EQ(concat.text(), "y:u8*2+5 = Concat(x:u8*0.5+3, z:u8*0.25+4)\n"
                           "-> y:u8*2+5");
  Model where(nodeOf("QLinearWhere",
                     {"c", "x", "as", "az", "z", "bs", "bz", "ys", "yz"},
                     {"y"}));
  EXPECT_EQ(where.text(), "y:u8*2+5 = Where(c, x:u8*0.5+3, z:u8*0.25+4)\n"
                          "-> y:u8*2+5");
}

TEST(QLinear, GemmToIntegersAndToFloats) {
  std::vector<std::string> inputs = {"x",  "as", "az", "w", "ws",
                                     "wz", "",   "ys", "yz"};
  Model m(nodeOf("QGemm", inputs, {"y"}, "q"));
  m.graph.add(5, bytesOf("w", 2, {2, 2}, "\1\2\3\4"));
  EXPECT_EQ(m.text(), "y:u8*2+5 = Gemm(x:u8*0.5+3, "
                      "q_b:u8*0.5+6,0.25+7@1)\n-> y:u8*2+5");
  inputs.resize(6);
  Model real(nodeOf("QGemm", inputs, {"y"}, "q"));
  real.graph.add(5, bytesOf("w", 2, {2, 2}, "\1\2\3\4"));
  EXPECT_EQ(real.text(), "y = Gemm(x:u8*0.5+3, "
                         "q_b:u8*0.5+6,0.25+7@1)\n-> y");
}
