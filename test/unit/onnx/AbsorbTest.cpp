//===- AbsorbTest.cpp - QDQ nodes as stored tensors, and left alone -------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "test/unit/onnx/QdqGraph.h"
#include <gmock/gmock.h>

using namespace yarrow;
using namespace yarrow::test;
using graph::leftInFloats;
using ::testing::ElementsAre;

static const Quantization kP{ElementType::I8, {0.5f}, {3}};
static const Quantization kOther{ElementType::I8, {0.25f}, {-4}};
static const Quantization kWide{ElementType::U16, {0.001f}, {32768}};

static std::vector<std::string> reasons(const Graph &graph) {
  std::vector<std::string> all;
  for (const auto &[node, why] : leftInFloats(graph))
    all.push_back(node->op + ": " + why);
  return all;
}

//===----------------------------------------------------------------------===//
// Activations
//===----------------------------------------------------------------------===//

TEST(Absorb, LayersGiveWhatIsStored) {
  QdqGraph g;
  Tensor *x = g.pair(g.input("x"), kP, "x");
  g.output(g.pair(g.node("Relu", {x}, "y"), kOther, "y"));
  g.absorb();
  // The input and the output are floats.
  EXPECT_EQ(g.text(), "x_q:i8*0.5+3 = Identity(x)\n"
                      "y_q:i8*0.25-4 = Relu(x_q:i8*0.5+3)\n"
                      "y_d = Identity(y_q:i8*0.25-4)\n"
                      "-> y_d");
  EXPECT_TRUE(reasons(g.graph).empty());
}

TEST(Absorb, InputsAndOutputsOfIntegersAreStored) {
  QdqGraph g;
  Tensor *x = g.dequantize(g.input("x", ElementType::U16), kWide, "d");
  g.output(g.quantize(g.node("Relu", {x}, "y"), kP, "q"));
  g.absorb();
  EXPECT_EQ(g.text(), "q:i8*0.5+3 = Relu(x:u16*0.001+32768)\n"
                      "-> q:i8*0.5+3");
  EXPECT_EQ(g.graph.inputs[0]->type, ElementType::F32);
}

TEST(Absorb, ZeroPointsThatAreLeftOutAreZero) {
  QdqGraph g;
  Tensor *scale = g.constant("scale", Constant::ofFloats({}, {0.5f}));
  Tensor *q = g.node("QuantizeLinear", {g.input("x"), scale}, "q");
  g.output(g.node("Neg", {g.node("DequantizeLinear", {q, scale}, "d")}, "y"));
  g.absorb();
  EXPECT_EQ(g.text(), "q:u8*0.5+0 = Identity(x)\n"
                      "y = Neg(q:u8*0.5+0)\n"
                      "-> y");
}

TEST(Absorb, ResultsThatAreReadAsFloatsStayFloats) {
  QdqGraph g;
  Tensor *x = g.pair(g.input("x"), kP, "x");
  Tensor *y = g.node("Relu", {x}, "y");
  g.output(g.node("Sigmoid", {y}, "s"));
  g.output(g.pair(y, kP, "y"));
  g.absorb();
  EXPECT_EQ(g.text(), "x_q:i8*0.5+3 = Identity(x)\n"
                      "y = Relu(x_q:i8*0.5+3)\n"
                      "s = Sigmoid(y)\n"
                      "y_q:i8*0.5+3 = Identity(y)\n"
                      "y_d = Identity(y_q:i8*0.5+3)\n"
                      "-> s y_d");
}

TEST(Absorb, ResultsThatAreOutputsStayFloats) {
  QdqGraph g;
  Tensor *y = g.node("Relu", {g.input("x")}, "y");
  g.output(y);
  g.output(g.quantize(y, kP, "q"));
  g.absorb();
  EXPECT_EQ(g.text(), "y = Relu(x)\n"
                      "q:i8*0.5+3 = Identity(y)\n"
                      "-> y q:i8*0.5+3");
}

TEST(Absorb, NodesAreShared) {
  QdqGraph g;
  Tensor *y = g.node("Relu", {g.input("x")}, "y");
  // Two of each that say the same, and a DequantizeLinear that two read.
  Tensor *q = g.quantize(y, kP, "q");
  Tensor *a = g.dequantize(q, kP, "a"), *b = g.dequantize(q, kP, "b");
  Tensor *c = g.pair(y, kP, "c");
  g.output(g.node("Sum", {a, b, c, a}, "s"));
  g.absorb();
  EXPECT_EQ(g.text(), "q:i8*0.5+3 = Relu(x)\n"
                      "s = Sum(q:i8*0.5+3, q:i8*0.5+3, q:i8*0.5+3, "
                      "q:i8*0.5+3)\n"
                      "-> s");
}

TEST(Absorb, NumbersThatAreStoredInTwoFormsStayFloats) {
  QdqGraph g;
  Tensor *y = g.node("Relu", {g.input("x")}, "y");
  g.output(g.node("Sum", {g.pair(y, kP, "a"), g.pair(y, kOther, "b")}, "s"));
  // The graph gives what the first one stores by another name.
  g.output(g.quantize(y, kP, "c"));
  g.absorb();
  EXPECT_EQ(g.text(), "y = Relu(x)\n"
                      "a_q:i8*0.5+3 = Identity(y)\n"
                      "b_q:i8*0.25-4 = Identity(y)\n"
                      "s = Sum(a_q:i8*0.5+3, b_q:i8*0.25-4)\n"
                      "c:i8*0.5+3 = Identity(y)\n"
                      "-> s c:i8*0.5+3");
}

TEST(Absorb, RequantizesBetweenForms) {
  QdqGraph g;
  Tensor *a = g.pair(g.node("Relu", {g.input("x")}, "r"), kP, "a");
  Tensor *b = g.pair(a, kOther, "b");
  Tensor *same = g.pair(b, kOther, "same");
  g.output(g.node("Neg", {same}, "y"));
  g.absorb();
  // Storing the same numbers again changes nothing.
  EXPECT_EQ(g.text(), "a_q:i8*0.5+3 = Relu(x)\n"
                      "b_q:i8*0.25-4 = Identity(a_q:i8*0.5+3)\n"
                      "y = Neg(b_q:i8*0.25-4)\n"
                      "-> y");
}

TEST(Absorb, ReadsIntegersWithAnotherScale) {
  QdqGraph g;
  Quantization read{ElementType::I8, {0.75f}, {3}};
  Tensor *q = g.quantize(g.node("Relu", {g.input("x")}, "r"), kP, "q");
  g.output(g.node("Neg", {g.dequantize(q, read, "d")}, "y"));
  g.absorb();
  EXPECT_EQ(g.text(), "q:i8*0.5+3 = Relu(x)\n"
                      "d_read:i8*0.75+3 = Mul(q:i8*0.5+3, d_factor:i8*1.5+0)\n"
                      "y = Neg(d_read:i8*0.75+3)\n"
                      "-> y");
}

TEST(Absorb, AnotherZeroPointIsArithmetic) {
  QdqGraph g;
  Quantization read{ElementType::I8, {0.5f}, {4}};
  Tensor *q = g.quantize(g.node("Relu", {g.input("x")}, "r"), kP, "q");
  g.output(g.node("Neg", {g.dequantize(q, read, "d")}, "y"));
  std::string before = g.text();
  g.absorb();
  EXPECT_EQ(g.text(), before);
  EXPECT_EQ(reasons(g.graph).size(), 2u);
}

TEST(Absorb, WhatComputesWithIntegersKeepsThem) {
  QdqGraph g;
  Tensor *q = g.quantize(g.input("x"), kP, "q");
  g.output(g.dequantize(q, kP, "d"));
  g.output(g.node("MatMulInteger", {q, q}, "y"));
  std::string before = g.text();
  g.absorb();
  EXPECT_EQ(g.text(), before);
  EXPECT_THAT(reasons(g.graph),
              ElementsAre("QuantizeLinear: integers that a node other than "
                          "DequantizeLinear reads",
                          "DequantizeLinear: integers that QuantizeLinear does "
                          "not produce, or that another node reads"));
}

TEST(Absorb, IntegersOfOtherNodesAreNotStored) {
  QdqGraph g;
  Tensor *sum = g.node(
      "Add", {g.input("a", ElementType::I8), g.input("b", ElementType::I8)},
      "sum");
  g.output(g.dequantize(sum, kP, "d"));
  std::string before = g.text();
  g.absorb();
  EXPECT_EQ(g.text(), before);
}

TEST(Absorb, ScalesOfRunTimeStay) {
  QdqGraph g;
  Tensor *scale = g.input("scale"), *x = g.input("x");
  Tensor *q = g.node("QuantizeLinear", {x, scale}, "q");
  g.output(g.node("DequantizeLinear", {q, scale}, "d"));
  std::string before = g.text();
  g.absorb();
  EXPECT_EQ(g.text(), before);
  EXPECT_THAT(reasons(g.graph),
              ElementsAre("QuantizeLinear: a scale that is computed at run "
                          "time",
                          "DequantizeLinear: a scale that is computed at run "
                          "time"));
}

TEST(Absorb, OtherFormsStay) {
  auto reasonOf = [](auto change) {
    QdqGraph g;
    Tensor *q = g.quantize(g.input("x"), kP, "q");
    change(g);
    g.output(g.node("Neg", {g.dequantize(q, kP, "d")}, "y"));
    std::string before = g.text();
    g.absorb();
    EXPECT_EQ(g.text(), before);
    return reasons(g.graph).at(0);
  };
  EXPECT_EQ(reasonOf([](QdqGraph &g) {
              g.last->attributes["block_size"] = Attribute::of(int64_t(2));
            }),
            "QuantizeLinear: scales for blocks of 2");
  EXPECT_EQ(reasonOf([](QdqGraph &g) {
              g.last->inputs[2]->constant->narrowBits = 4;
            }),
            "QuantizeLinear: integers that do not have 8 or 16 bits");
  Quantization channels{ElementType::I8, {1, 2}, {0, 0}, 1};
  EXPECT_EQ(reasonOf([&](QdqGraph &g) {
              g.last->inputs[1] = g.scales(channels);
              g.last->inputs[2] = g.zeroPoints(channels);
            }),
            "QuantizeLinear: a scale for each channel");
  EXPECT_EQ(reasonOf([](QdqGraph &g) {
              g.last->inputs[1] =
                  g.constant("none", Constant::ofFloats({}, {0}));
            }),
            "QuantizeLinear: a scale that is not above 0");
}

TEST(Absorb, IntegersThatAreQuantizedAgainStay) {
  QdqGraph g;
  g.output(g.quantize(g.input("x", ElementType::I32), kP, "q"));
  g.absorb();
  EXPECT_THAT(reasons(g.graph),
              ElementsAre("QuantizeLinear: integers that are quantized again"));
}

TEST(Absorb, ResultsOf32BitsStay) {
  QdqGraph g;
  Tensor *sums = g.node(
      "MatMulInteger",
      {g.input("a", ElementType::U8), g.input("b", ElementType::U8)}, "sums");
  g.output(g.dequantize(sums, {ElementType::I32, {0.5f}, {0}}, "d"));
  g.absorb();
  EXPECT_THAT(
      reasons(g.graph),
      ElementsAre("DequantizeLinear: integers that do not have 8 or 16 bits"));
}

//===----------------------------------------------------------------------===//
// Constants
//===----------------------------------------------------------------------===//

TEST(Absorb, WeightsKeepTheirBytes) {
  QdqGraph g;
  Tensor *w = g.integers("w", ElementType::U8, {2, 1, 1, 1}, {7, 250});
  Tensor *b = g.integers("b", ElementType::I32, {2}, {-70000, 5});
  Quantization channels{ElementType::U8, {0.5f, 0.25f}, {128, 120}, 0};
  Quantization sums{ElementType::I32, {0.5f, 0.25f}, {0, 0}, 0};
  Tensor *x = g.dequantize(g.input("x", ElementType::I8), kP, "d");
  g.output(g.quantize(
      g.node("Conv",
             {x, g.dequantize(w, channels, "dw"), g.dequantize(b, sums, "db")},
             "y"),
      kP, "q"));
  g.absorb();
  EXPECT_EQ(g.text(), "q:i8*0.5+3 = Conv(x:i8*0.5+3, "
                      "dw:u8*0.5+128,0.25+120@0, db:i32*0.5+0,0.25+0@0)\n"
                      "-> q:i8*0.5+3");
  const graph::Node &conv = *g.graph.nodes[0];
  EXPECT_EQ(conv.inputs[1]->constant->bytes.data(), w->constant->bytes.data());
  EXPECT_THAT(conv.inputs[2]->constant->integers(), ElementsAre(-70000, 5));
}

TEST(Absorb, FloatConstantsAreQuantizedHalfToEven) {
  QdqGraph g;
  Tensor *w = g.constant(
      "w", Constant::ofFloats({6}, {0.25f, 0.75f, 1.25f, -0.25f, 1e9f, -90}));
  g.output(g.node("Neg", {g.pair(w, kP, "w")}, "y"));
  g.absorb();
  ASSERT_EQ(g.graph.nodes.size(), 1u);
  // x / 0.5 is 0.5, 1.5, 2.5, -0.5, and two beyond the type; then plus 3.
  EXPECT_THAT(g.graph.nodes[0]->inputs[0]->constant->integers(),
              ElementsAre(3, 5, 5, 3, 127, -128));
}

TEST(Absorb, ScalesOfBiasesAreProducts) {
  QdqGraph g;
  Tensor *b = g.integers("b", ElementType::I32, {2}, {3, 4});
  Tensor *scale = g.node("Mul",
                         {g.constant("sx", Constant::ofFloats({}, {0.5f})),
                          g.constant("sw", Constant::ofFloats({2}, {2, 4}))},
                         "product");
  Tensor *d = g.node("DequantizeLinear", {b, scale}, "d");
  g.last->attributes["axis"] = Attribute::of(int64_t(0));
  g.output(g.node("Neg", {d}, "y"));
  g.absorb();
  EXPECT_EQ(QdqGraph::formOf(g.graph.nodes.back()->inputs[0]),
            "d:i32*1+0,2+0@0");
}

TEST(Absorb, ScalesThatDoNotFitAnAxisStay) {
  QdqGraph g;
  Tensor *w = g.integers("w", ElementType::I8, {3}, {1, 2, 3});
  g.output(g.node("Neg",
                  {g.dequantize(w, {ElementType::I8, {1, 2}, {0, 0}, 0}, "d")},
                  "y"));
  std::string before = g.text();
  g.absorb();
  EXPECT_EQ(g.text(), before); // told where the node becomes layers
}

TEST(Absorb, ConstantsAsOutputsAreFloats) {
  QdqGraph g;
  Tensor *w = g.integers("w", ElementType::I8, {2}, {5, 7});
  Tensor *d = g.dequantize(w, kP, "d");
  g.output(d);
  g.absorb();
  EXPECT_FALSE(d->quantization);
  EXPECT_THAT(d->constant->numbers(), ElementsAre(1, 2));
}

TEST(Absorb, ConstantsMoveAsIntegers) {
  QdqGraph g;
  Tensor *table = g.integers("table", ElementType::I8, {2, 2}, {1, 2, 3, 4});
  Tensor *row = g.node("Gather", {table, g.input("i", ElementType::I64)}, "r");
  g.output(g.quantize(g.dequantize(row, kP, "d"), kP, "q"));
  // Others read the same bytes as other numbers.
  g.output(g.node("Cast", {table}, "c"));
  g.absorb();
  EXPECT_EQ(g.text(), "r:i8*0.5+3 = Gather(table:i8*0.5+3, i)\n"
                      "q:i8*0.5+3 = Identity(r:i8*0.5+3)\n"
                      "c = Cast(table)\n"
                      "-> q:i8*0.5+3 c");
}

//===----------------------------------------------------------------------===//
// Graphs within
//===----------------------------------------------------------------------===//

namespace {
/// If(c) with one branch, which reads what is around it.
struct WithBranch : QdqGraph {
  std::shared_ptr<Graph> body = std::make_shared<Graph>();

  /// Relu of \p captured, stored and loaded.
  Tensor *branch(Tensor *captured) {
    Tensor *y = body->addTensor("inner"), *q = body->addTensor("inner_q"),
           *d = body->addTensor("inner_d");
    body->addNode("Relu", {captured}, {y});
    body->addNode("QuantizeLinear", {y, scales(kP), zeroPoints(kP)}, {q});
    body->addNode("DequantizeLinear", {q, scales(kP), zeroPoints(kP)}, {d});
    body->outputs = {d};
    Tensor *result = node("If", {input("c", ElementType::Bool)}, "r");
    last->attributes["then_branch"].graph = body;
    return result;
  }
  std::string bodyText() {
    QdqGraph inner;
    std::swap(inner.graph, *body);
    std::string text = inner.text();
    std::swap(inner.graph, *body);
    return text;
  }
};
} // namespace

TEST(Absorb, BranchesStoreWithin) {
  WithBranch g;
  Tensor *x = g.pair(g.node("Neg", {g.input("x")}, "n"), kP, "x");
  g.output(g.quantize(g.branch(x), kP, "q"));
  g.absorb();
  // What comes out of a branch is real.
  EXPECT_EQ(g.bodyText(), "inner_q:i8*0.5+3 = Relu(x_q:i8*0.5+3)\n"
                          "inner_d = Identity(inner_q:i8*0.5+3)\n"
                          "-> inner_d");
  EXPECT_EQ(g.text(), "x_q:i8*0.5+3 = Neg(x)\n"
                      "r = If(c)\n"
                      "q:i8*0.5+3 = Identity(r)\n"
                      "-> q:i8*0.5+3");
}

TEST(Absorb, BranchesGiveNumbersFromAround) {
  WithBranch g;
  Tensor *x = g.pair(g.node("Neg", {g.input("x")}, "n"), kP, "x");
  g.output(g.branch(x));
  g.body->outputs = {x};
  g.absorb();
  EXPECT_THAT(g.bodyText(),
              ::testing::HasSubstr("x_d = Identity(x_q:i8*0.5+3)"));
  EXPECT_FALSE(g.body->outputs[0]->quantization);
}

TEST(Absorb, BranchesGiveNumbersOfStoredConstants) {
  WithBranch g;
  Tensor *w = g.integers("w", ElementType::I8, {2}, {5, 7});
  Tensor *d = g.dequantize(w, kP, "d");
  g.output(g.branch(d)); // which stores them
  g.body->outputs = {d};
  g.absorb();
  const Tensor *output = g.body->outputs[0];
  ASSERT_TRUE(output->constant);
  EXPECT_FALSE(output->quantization);
  EXPECT_EQ(output->constant->numbers(), (std::vector<double>{1, 2}));
}

TEST(Absorb, LoopsCarryNumbers) {
  WithBranch g;
  Tensor *x = g.pair(g.node("Neg", {g.input("x")}, "n"), kP, "x");
  Tensor *w = g.integers("w", ElementType::I8, {2}, {5, 7});
  Tensor *d = g.dequantize(w, kP, "d");
  g.output(g.branch(x)); // which reads what is stored
  Node &loop = *g.last;
  loop.op = "Loop";
  loop.inputs = {nullptr, nullptr, x, d};
  g.absorb();
  EXPECT_THAT(g.bodyText(), ::testing::HasSubstr("Relu(x_q:i8*0.5+3)"));
  const Node &real = *g.graph.nodes[1];
  EXPECT_EQ(real.op, "Identity");
  EXPECT_EQ(loop.inputs[2], real.outputs[0]);
  EXPECT_FALSE(loop.inputs[2]->quantization);
  EXPECT_EQ(loop.inputs[3]->constant->numbers(), (std::vector<double>{1, 2}));
}

TEST(Absorb, IntegersThatBranchesReadStay) {
  WithBranch g;
  Tensor *q = g.quantize(g.input("x"), kP, "q");
  g.output(g.dequantize(q, kP, "d"));
  g.output(g.branch(q));
  g.absorb();
  EXPECT_FALSE(q->quantization);
}

//===----------------------------------------------------------------------===//
// Floats
//===----------------------------------------------------------------------===//

TEST(Absorb, FloatsForgetHowTensorsAreStored) {
  QdqGraph g;
  Tensor *w = g.integers("w", ElementType::I8, {2}, {5, 7});
  Tensor *x = g.dequantize(g.input("x", ElementType::I8), kP, "d");
  g.output(g.pair(g.node("Mul", {x, g.dequantize(w, kP, "dw")}, "y"), kP, "y"));
  g.absorb();
  graph::forgetStored(g.graph);
  EXPECT_EQ(g.text(), "y_q = Mul(x, dw:i8*0.5+3)\n"
                      "y_d = Identity(y_q)\n"
                      "-> y_d");
}
