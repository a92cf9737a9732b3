//===- FloatReasonTest.cpp - Why a layer stays in floats ------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "quantizer/rules/FloatReason.h"
#include "dialects/compass/ExtraKeys.h"
#include "test/unit/quantizer/TestNetwork.h"

#include <gtest/gtest.h>

using namespace yarrow;

namespace {

class FloatReason : public ::testing::Test {
protected:
  FloatReason()
      : network(R"(
func.func @main() -> tensor<1x4xf32> {
  %x = compass.input() : () -> tensor<1x4xf32> loc("x")
  %y = compass.activation(%x) {method = "RELU"} : (tensor<1x4xf32>) -> tensor<1x4xf32> loc("y")
  return %y : tensor<1x4xf32>
})"),
        layer(network.find("activation")) {}

  std::string keyAfter(llvm::StringRef reason) {
    setFloatReason(layer, reason);
    return compass::extraText(layer, "float_reason").str();
  }

  TestNetwork network;
  mlir::Operation *layer;
};

TEST_F(FloatReason, PhrasesComeBack) {
  EXPECT_EQ(keyAfter("trigger_float_op"), "trigger_float_op");
  EXPECT_EQ(floatReasonOf(layer), "trigger_float_op");
  EXPECT_EQ(keyAfter("adapt_to_functions, as 16 bits are too few for /exp"),
            "[adapt_to_functions,as 16 bits are too few for /exp]");
  EXPECT_EQ(floatReasonOf(layer),
            "adapt_to_functions, as 16 bits are too few for /exp");
}

// IR text has no place for some characters.
TEST_F(FloatReason, WhatTextCannotHold) {
  EXPECT_EQ(keyAfter("a=1 [of #2]\xC3\xA9"), "a_1 _of _2___");
}

TEST_F(FloatReason, NoneIsNoKey) {
  EXPECT_EQ(floatReasonOf(layer), "");
  keyAfter("quant_type");
  EXPECT_EQ(keyAfter(""), "");
  EXPECT_EQ(floatReasonOf(layer), "");
}

} // namespace
