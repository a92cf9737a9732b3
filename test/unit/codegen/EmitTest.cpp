//===- EmitTest.cpp - Networks that cannot share an executable ------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "codegen/Emit.h"
#include "dialects/compass/Compass.h"
#include "dialects/npu/Npu.h"
#include "mlir/Parser/Parser.h"

#include <gmock/gmock.h>

using namespace yarrow;

namespace {

/// Of a copy whose input and output have these quantizations, and so many rows.
std::string networkText(int rows, const std::string &input,
                        const std::string &output) {
  auto typeOf = [&](const std::string &quantization) {
    return "tensor<" + std::to_string(rows) + "x4x!quant.uniform<u8:f32, " +
           quantization + ">>";
  };
  return "func.func @main() -> " + typeOf(output) +
         " {\n  %x = compass.input() {compass.tops = [\"x\"]} : () -> " +
         typeOf(input) +
         " loc(\"x\")\n  %y = compass.cast(%x) {compass.tops = [\"y\"]} : (" +
         typeOf(input) + ") -> " + typeOf(output) +
         " loc(\"y\")\n  return %y : " + typeOf(output) +
         "\n}\nfunc.func @npu_main() {\n  return\n}\n";
}

/// What is wrong with an executable for both: message and tensor.
std::string problemOf(const std::string &first, const std::string &other) {
  mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
  mlir::DialectRegistry registry;
  compass::registerDialects(registry);
  registry.insert<npu::NpuDialect>();
  context.appendDialectRegistry(registry);
  context.loadAllAvailableDialects();
  auto a = mlir::parseSourceString<mlir::ModuleOp>(first, &context);
  auto b = mlir::parseSourceString<mlir::ModuleOp>(other, &context);
  if (!a || !b)
    return "not a network";
  DiagnosticEngine diags;
  isa::Machine machine = isa::findTarget("X2_1204", diags).value();
  bool isWritten = emitExecutable({*a, *b}, machine, /*path=*/"", {}, diags);
  EXPECT_NE(isWritten, diags.hasErrors());
  return isWritten ? "" : diags.all().front().str();
}

} // namespace

// A driver has one description of each tensor. Other scales and other zero
// points are other quantizations, each by itself.
TEST(Emit, ShapesShareTheQuantization) {
  const std::string same = "0.05:3";
  std::string first = networkText(1, same, same);
  for (const char *other : {"0.1:3", "0.05:4", "0.1:4"}) {
    EXPECT_THAT(problemOf(first, networkText(2, other, same)),
                ::testing::HasSubstr("for other shapes the network has an "
                                     "input with another quantization"))
        << other;
    EXPECT_THAT(problemOf(first, networkText(2, same, other)),
                ::testing::HasSubstr("for other shapes the network has an "
                                     "output with another quantization"))
        << other;
  }
  EXPECT_THAT(problemOf(first, networkText(2, same, same)),
              ::testing::Not(::testing::HasSubstr("quantization")));
}
