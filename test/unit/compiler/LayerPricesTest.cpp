//===- LayerPricesTest.cpp - What a layer's bits make dearer --------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "compiler/precision/LayerPrices.h"
#include "compiler/pipeline/Context.h"
#include "dialects/compass/Compass.h"
#include "dialects/compass/graph/Graphs.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Parser/Parser.h"
#include "gmock/gmock.h"

using namespace yarrow;
using ::testing::ElementsAre;

namespace {

const char *kAfterAMove = R"(
func.func @main(%x: tensor<1x4xf32>) -> (tensor<4xf32>, tensor<1x4xf32>) {
  %a = compass.exp(%x) : (tensor<1x4xf32>) -> tensor<1x4xf32> loc("made")
  %m = compass.reshape(%a) {shape = array<i64: 4>} : (tensor<1x4xf32>) -> tensor<4xf32> loc("moved")
  %b = compass.exp(%m) : (tensor<4xf32>) -> tensor<4xf32> loc("read")
  %c = compass.exp(%b) : (tensor<4xf32>) -> tensor<4xf32> loc("further")
  return %c, %a : tensor<4xf32>, tensor<1x4xf32>
})";

TEST(LayerPrices, countReadersAfterMoves) {
  auto context = makeContext();
  auto module =
      mlir::parseSourceString<mlir::ModuleOp>(kAfterAMove, context.get());
  ASSERT_TRUE(module);
  mlir::Operation &first =
      compass::mainGraph(*module).getBody().front().front();
  std::vector<std::string> names;
  for (mlir::Operation *op : dearerWith(&first))
    names.push_back(compass::layerNameOf(op).str());
  EXPECT_THAT(names, ElementsAre("made", "moved", "read"));
}

runtime::LayerReport rowOf(const char *name, uint64_t cycles) {
  runtime::LayerReport row;
  row.name = name;
  row.cycles = cycles;
  return row;
}

// With other bits, other layers are computed together.
TEST(LayerPrices, shareRowsOfSeveralLayers) {
  LayerPrices prices;
  prices.names = {"conv", "add", "pool"};
  prices.narrowOfRow = {10, 10, 7};
  runtime::Report report;
  report.layers = {rowOf("conv + add", 50), rowOf("pool", 9)};
  EXPECT_THAT(prices.moreOfRows(report), ElementsAre(15, 15, 2));
  report.layers = {rowOf("conv", 30), rowOf("add + pool", 20),
                   rowOf("conv", 5)};
  EXPECT_THAT(prices.moreOfRows(report), ElementsAre(25, 0, 3));
}

TEST(LayerPrices, countRowsOfSeveralLayersOnce) {
  std::vector<runtime::LayerReport> rows = {
      rowOf("conv + add", 10), rowOf("con", 200), rowOf("relu", 3000)};
  EXPECT_EQ(cyclesOfLayers(rows, {"conv", "add"}), 10u);
  EXPECT_EQ(cyclesOfLayers(rows, {"add", "relu"}), 3010u);
  EXPECT_EQ(cyclesOfLayers(rows, {"other"}), 0u);
}

} // namespace
