//===- LocationsTest.cpp - Where layers and their keys stand --------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "dialects/compass/Compass.h"
#include "dialects/compass/MlirDiagnostics.h"
#include "mlir/Bytecode/BytecodeWriter.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Parser/Parser.h"
#include "support/diagnostics/Operators.h"
#include "llvm/Support/raw_ostream.h"
#include <gtest/gtest.h>

using namespace yarrow;
using namespace yarrow::compass;

TEST(Locations, EveryKeyHasItsLine) {
  mlir::MLIRContext context;
  mlir::Location loc = layerLocation(&context, "conv1", "net.txt", 12,
                                     {{"layer_id", 12}, {"stride_x", 20}});
  EXPECT_EQ(placeOf(loc).line, 12u);
  EXPECT_EQ(placeOf(loc).file, "net.txt");
  EXPECT_EQ(placeOf(loc).layer, "conv1");
  EXPECT_EQ(placeOf(loc, "stride_x").line, 20u);
  EXPECT_EQ(placeOf(loc, "stride_y").line, 12u);
}

TEST(Locations, LayersWithTheSameKeysShareOneList) {
  mlir::MLIRContext context;
  auto metadataOf = [&](unsigned line) {
    auto loc = layerLocation(&context, "conv", "net.txt", line,
                             {{"layer_id", line}, {"layer_name", line + 1}});
    auto named = mlir::cast<mlir::NameLoc>(loc);
    return mlir::cast<mlir::FusedLoc>(named.getChildLoc()).getMetadata();
  };
  EXPECT_EQ(metadataOf(5), metadataOf(50));
}

TEST(Locations, ANodeOfAnotherFormatIsAPlace) {
  mlir::MLIRContext context;
  mlir::Location loc =
      nodeLocation(&context, "conv1", "net.onnx", "node Conv_3");
  yarrow::DiagnosticEngine diags;
  diags.report(diag::OpInvalid, placeOf(loc, "stride_x"), "it is odd");
  EXPECT_TRUE(diags.all().front().str().starts_with(
      "net.onnx: node Conv_3: error E0301: layer 'conv1': it is odd"))
      << diags.all().front().str();
}

TEST(Locations, LastThroughBytecode) {
  mlir::MLIRContext context;
  auto module = mlir::ModuleOp::create(
      layerLocation(&context, "conv1", "net.txt", 12, {{"stride_x", 20}}));
  std::string bytes;
  llvm::raw_string_ostream os(bytes);
  ASSERT_TRUE(succeeded(mlir::writeBytecodeToFile(module, os)));
  module->erase();
  auto copy = mlir::parseSourceString<mlir::ModuleOp>(bytes, &context);
  ASSERT_TRUE(copy);
  EXPECT_EQ(placeOf(copy->getLoc(), "stride_x").line, 20u);
}
