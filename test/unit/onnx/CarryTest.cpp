//===- CarryTest.cpp - Stored tensors that are moved ----------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "test/unit/onnx/QdqGraph.h"
#include <gmock/gmock.h>

using namespace yarrow;
using namespace yarrow::test;

static const Quantization kCarried{ElementType::U8, {0.5f}, {3}};
static const Quantization kOtherCarried{ElementType::U8, {0.25f}, {4}};

TEST(Carry, MovesBetweenTheNodes) {
  QdqGraph g;
  Tensor *x = g.dequantize(g.input("x", ElementType::U8), kCarried, "d");
  Tensor *t = g.node("Transpose",
                     {g.pair(g.node("MaxPool", {x}, "m"), kCarried, "m")}, "t");
  g.output(g.quantize(t, kCarried, "q"));
  g.absorb();
  EXPECT_EQ(g.text(), "m_q:u8*0.5+3 = MaxPool(x:u8*0.5+3)\n"
                      "q:u8*0.5+3 = Transpose(m_q:u8*0.5+3)\n"
                      "-> q:u8*0.5+3");
}

TEST(Carry, MovesIntegers) {
  QdqGraph g;
  Tensor *q = g.quantize(g.node("Relu", {g.input("x")}, "r"), kCarried, "q");
  Tensor *moved = g.node("Reshape", {q, g.input("s", ElementType::I64)}, "s");
  g.output(g.node("Neg", {g.dequantize(moved, kCarried, "d")}, "y"));
  g.absorb();
  EXPECT_EQ(g.text(), "q:u8*0.5+3 = Relu(x)\n"
                      "s:u8*0.5+3 = Reshape(q:u8*0.5+3, s)\n"
                      "y = Neg(s:u8*0.5+3)\n"
                      "-> y");
}

TEST(Carry, IntegersThatLeaveInPartStay) {
  QdqGraph g;
  Tensor *q = g.quantize(g.node("Relu", {g.input("x")}, "r"), kCarried, "q");
  Tensor *moved = g.node("Transpose", {q}, "t");
  g.output(g.dequantize(moved, kCarried, "d"));
  g.output(g.node("Cast", {moved}, "c"));
  std::string before = g.text();
  g.absorb();
  EXPECT_EQ(g.text(), before);
}

TEST(Carry, PaddingOfIntegersIsNotOfZeros) {
  QdqGraph g;
  Tensor *q = g.quantize(g.node("Relu", {g.input("x")}, "r"), kCarried, "q");
  g.output(g.dequantize(g.node("Pad", {q, g.input("p", ElementType::I64)}, "p"),
                        kCarried, "d"));
  std::string before = g.text();
  g.absorb();
  EXPECT_EQ(g.text(), before); // 0 means -1.5
}

TEST(Carry, StoresBeforeMoves) {
  QdqGraph g;
  Tensor *x = g.node("Relu", {g.input("x")}, "r");
  Tensor *padded = g.node("Pad", {x, g.input("p", ElementType::I64)}, "pad");
  g.output(g.quantize(g.node("Flatten", {padded}, "f"), kCarried, "q"));
  g.absorb();
  EXPECT_EQ(g.text(), "r:u8*0.5+3 = Relu(x)\n"
                      "pad:u8*0.5+3 = Pad(r:u8*0.5+3, p)\n"
                      "q:u8*0.5+3 = Flatten(pad:u8*0.5+3)\n"
                      "-> q:u8*0.5+3");
}

TEST(Carry, PaddingWithOtherNumbersIsComputed) {
  QdqGraph g;
  Tensor *one = g.constant("one", Constant::ofFloats({}, {1}));
  Tensor *x = g.dequantize(g.input("x", ElementType::U8), kCarried, "d");
  Tensor *p = g.node("Pad", {x, g.input("p", ElementType::I64), one}, "pad");
  g.output(g.node("Neg", {p}, "y"));
  g.absorb();
  EXPECT_EQ(g.text(), "pad = Pad(x:u8*0.5+3, p, one)\n"
                      "y = Neg(pad)\n"
                      "-> y");
}

TEST(Carry, FloatInputsAreStoredAfterMoves) {
  QdqGraph g;
  g.output(g.quantize(g.node("Flatten", {g.input("x")}, "f"), kCarried, "q"));
  g.absorb();
  EXPECT_EQ(g.text(), "q_moved = Flatten(x)\n"
                      "q:u8*0.5+3 = Identity(q_moved)\n"
                      "-> q:u8*0.5+3");
}

TEST(Carry, WhatOthersReadIsStoredAfterMoves) {
  QdqGraph g;
  Tensor *x = g.node("Relu", {g.input("x")}, "r");
  g.output(x);
  g.output(g.quantize(g.node("Flatten", {x}, "f"), kCarried, "q"));
  g.absorb();
  EXPECT_EQ(g.text(), "r = Relu(x)\n"
                      "q_moved = Flatten(r)\n"
                      "q:u8*0.5+3 = Identity(q_moved)\n"
                      "-> r q:u8*0.5+3");
}

TEST(Carry, OtherFormsComeAfterMoves) {
  QdqGraph g;
  Tensor *x = g.dequantize(g.input("x", ElementType::U8), kCarried, "d");
  g.output(g.quantize(g.node("Flatten", {x}, "f"), kOtherCarried, "q"));
  g.absorb();
  EXPECT_EQ(g.text(), "q_moved:u8*0.5+3 = Flatten(x:u8*0.5+3)\n"
                      "q:u8*0.25+4 = Identity(q_moved:u8*0.5+3)\n"
                      "-> q:u8*0.25+4");
}

TEST(Carry, OutputsStayFloats) {
  QdqGraph g;
  Tensor *x = g.dequantize(g.input("x", ElementType::U8), kCarried, "d");
  g.output(g.node("Flatten", {x}, "f"));
  g.absorb();
  EXPECT_EQ(g.text(), "f_moved:u8*0.5+3 = Flatten(x:u8*0.5+3)\n"
                      "f = Identity(f_moved:u8*0.5+3)\n"
                      "-> f");
}

TEST(Carry, PlacesAreNoElements) {
  QdqGraph g;
  Tensor *x = g.dequantize(g.input("x", ElementType::U8), kCarried, "d");
  Tensor *m = g.node("MaxPool", {x}, "m");
  g.last->outputs.push_back(g.graph.addTensor("places"));
  g.output(g.node("Neg", {m}, "y"));
  g.output(g.last->outputs[0]);
  g.absorb();
  EXPECT_FALSE(m->quantization);
}

TEST(Carry, ConcatOfOneForm) {
  QdqGraph g;
  Tensor *a = g.dequantize(g.input("a", ElementType::U8), kCarried, "da"),
         *b = g.dequantize(g.input("b", ElementType::U8), kCarried, "db"),
         *c = g.dequantize(g.input("c", ElementType::U8), kOtherCarried, "dc");
  Tensor *same = g.node("Concat", {a, b}, "same");
  Tensor *other = g.node("Concat", {a, c}, "other");
  g.output(g.node("Neg", {same}, "y"));
  g.output(g.node("Neg", {other}, "z"));
  g.absorb();
  EXPECT_EQ(QdqGraph::formOf(same), "same:u8*0.5+3");
  EXPECT_EQ(QdqGraph::formOf(other), "other");
}

TEST(Carry, TransposedWeightsKeepTheirChannels) {
  QdqGraph g;
  Quantization rows{ElementType::I8, {1, 2}, {0, 0}, 0};
  Tensor *w = g.dequantize(
      g.integers("w", ElementType::I8, {2, 3}, {1, 2, 3, 4, 5, 6}), rows, "w");
  Tensor *t = g.node("Transpose", {w}, "t");
  Tensor *r = g.node("Reshape", {w, g.input("s", ElementType::I64)}, "r");
  g.output(g.node("MatMul", {g.input("x"), t}, "y"));
  g.output(r);
  g.absorb();
  EXPECT_EQ(QdqGraph::formOf(t), "t:i8*1+0,2+0@1");
  EXPECT_EQ(QdqGraph::formOf(r), "r"); // its channels may be anywhere
}
