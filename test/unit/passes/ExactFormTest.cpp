//===- ExactFormTest.cpp - Direct convolutions as exact Winograd layers ---===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "passes/winograd/ExactForm.h"
#include "dialects/compass/conv/ConvOps.h"
#include "dialects/compass/conv/Winograd.h"
#include "mlir/IR/Verifier.h"
#include "test/unit/passes/WinogradLayer.h"

#include <gtest/gtest.h>

using namespace yarrow;
using namespace mlir;
using kernels::DType;
using yarrow::testing::evaluate;
using yarrow::testing::Random;
using yarrow::testing::WinogradLayer;

static WinogradLayer directLayer() {
  WinogradLayer layer;
  layer.isDirect = true;
  return layer;
}

static unsigned rewriteAll(ModuleOp module) {
  return rewriteExactWinograd(module, [](Operation *) { return true; });
}

// Random layers, also with all weights and inputs at the ends of their types,
// keep every byte.
TEST(ExactForm, SameBytes) {
  Random random(3);
  for (int i = 0; i < 60; ++i) {
    MLIRContext context;
    WinogradLayer layer = directLayer();
    layer.setRandomShape(random, 20);
    layer.fill(random, -128, 127);
    auto module = layer.parse(context);
    ASSERT_TRUE(module) << layer.text();
    std::vector<char> input = layer.randomInput(random);
    auto before = evaluate(*module, input);
    ASSERT_EQ(before.size(), 1u);
    EXPECT_EQ(rewriteAll(*module), 1u);
    ASSERT_TRUE(succeeded(verify(*module))) << layer.text();
    EXPECT_EQ(evaluate(*module, input), before) << layer.text();
    EXPECT_EQ(rewriteAll(*module), 0u) << "a layer is rewritten once";
  }
}

TEST(ExactForm, OnlyWhatIsWanted) {
  MLIRContext context;
  Random random(4);
  WinogradLayer layer = directLayer();
  layer.fill(random);
  auto module = layer.parse(context);
  ASSERT_TRUE(module);
  EXPECT_EQ(rewriteExactWinograd(*module, [](Operation *) { return false; }),
            0u);
  unsigned candidates = 0;
  module->walk([&](compass::ConvolutionOp op) {
    candidates += isExactWinogradCandidate(op);
    EXPECT_FALSE(compass::isWinogradLayer(op));
  });
  EXPECT_EQ(candidates, 1u);
}

TEST(ExactForm, NoCandidates) {
  Random random(5);
  auto isCandidate = [&](WinogradLayer layer) {
    MLIRContext context;
    layer.fill(random, -127, 127);
    auto module = layer.parse(context);
    EXPECT_TRUE(module) << layer.text();
    return module && rewriteAll(*module) != 0;
  };
  EXPECT_TRUE(isCandidate(directLayer()));
  WinogradLayer tall = directLayer();
  tall.kernelY = 4;
  EXPECT_FALSE(isCandidate(tall));
  WinogradLayer wide = directLayer();
  wide.isWide = true;
  EXPECT_FALSE(isCandidate(wide));
  WinogradLayer words = directLayer();
  words.inType = DType::I16;
  EXPECT_FALSE(isCandidate(words));
  WinogradLayer transformed;
  EXPECT_FALSE(isCandidate(transformed));
}
