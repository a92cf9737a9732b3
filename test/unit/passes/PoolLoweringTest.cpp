//===- PoolLoweringTest.cpp - Pooling on the tensor engine ----------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "mlir/Parser/Parser.h"
#include "test/Random.h"
#include "test/conformance/RunNpu.h"

#include <gtest/gtest.h>

using namespace yarrow;
using yarrow::testing::Random;

// Tiles of rows that see nothing but padding. 256 KB of SRAM do not hold the
// 900 KB of the result.
TEST(PoolLowering, RowsOfPadding) {
  Random random(1);
  for (const char *method : {"MAX", "AVG"}) {
    mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
    mlir::DialectRegistry registry;
    compass::registerDialects(registry);
    context.appendDialectRegistry(registry);
    context.loadAllAvailableDialects();
    std::string in = "tensor<1x2x2x64x!quant.uniform<u8:f32, 0.05:7>>";
    std::string out = "tensor<1x120x120x64x!quant.uniform<u8:f32, 0.05:7>>";
    std::string text =
        "func.func @main() -> " + out +
        " {\n  %x = compass.input() {compass.tops = [\"x\"]} : () -> " + in +
        "\n  %y = compass.pooling(%x) {compass.tops = [\"y\"], method = \"" +
        method +
        "\", kernel_x = 3 : i64, kernel_y = 3 : i64, pad_left = 60 : i64, "
        "pad_right = 60 : i64, pad_top = 60 : i64, pad_bottom = 60 : i64} : (" +
        in + ") -> " + out + "\n  return %y : " + out + "\n}\n";
    auto module = mlir::parseSourceString<mlir::ModuleOp>(text, &context);
    ASSERT_TRUE(module) << text;
    DiagnosticEngine diags;
    auto evaluator = compass::Evaluator::create(*module, diags);
    ASSERT_TRUE(evaluator);
    compass::TensorBytes input(2 * 2 * 64);
    for (char &byte : input)
      byte = char(random.below(256));
    conformance::SampleOutputs expected(1), functional, timed;
    evaluator->run({compass::TensorBytesRef(input)}, expected.front());
    ASSERT_TRUE(conformance::compileAndRun(*module, {"Z1_0701"}, {{input}},
                                           functional, timed, diags))
        << (diags.all().empty() ? "" : diags.all().front().str());
    EXPECT_TRUE(functional == expected) << method;
    EXPECT_TRUE(timed == expected) << method;
  }
}
