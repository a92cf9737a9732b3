//===- CompatIrTest.cpp - IR of models that were quantized before ---------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// test/data/compat/net.txt is in the form in which the Compass Parser writes
// such models. What is read from it is what it says, and it is written again
// with the same lines and the same weights.
//
//===----------------------------------------------------------------------===//
#include "dialects/compass/Compass.h"
#include "dialects/compass/Compat.h"
#include "dialects/compass/Layers.h"
#include "dialects/compass/conv/ConvOps.h"
#include "dialects/compass/graph/Graphs.h"
#include "parser/compass/CompassReader.h"
#include "test/unit/support/TempFolder.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <sstream>

using namespace yarrow;
using namespace yarrow::compass;

namespace {

const std::string kText =
    std::string(YARROW_SOURCE_DIR) + "/test/data/compat/net.txt";

std::string contents(const std::string &path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

std::vector<std::string> sortedLines(const std::string &text) {
  std::vector<std::string> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);)
    lines.push_back(line);
  std::sort(lines.begin(), lines.end());
  return lines;
}

class CompatIr : public ::testing::Test {
protected:
  void SetUp() override {
    module = readCompassIr(context, kText, "", diags);
    ASSERT_TRUE(module) << diags.all().front().str();
  }

  /// The layer of that name.
  mlir::Operation *layer(const char *name) {
    for (mlir::Operation &op : mainGraph(*module).getBody().front())
      if (layerNameOf(&op) == name)
        return &op;
    return nullptr;
  }

  mlir::MLIRContext context;
  DiagnosticEngine diags;
  mlir::OwningOpRef<mlir::ModuleOp> module;
};

TEST_F(CompatIr, TypesHaveTheModelsStepsAndZeroPoints) {
  EXPECT_TRUE(isCompat(*module));
  mlir::Value x = layer("x")->getResult(0);
  EXPECT_EQ(stepOf(x), double(0.0125f));
  EXPECT_EQ(zeroPointOf(x), -3);
  TensorInfo info = describe(x);
  EXPECT_TRUE(info.isQuantized());
  EXPECT_EQ(info.zp, 3) << "Compass has the other sign";
  // The range of real numbers is none of stored integers.
  EXPECT_EQ(info.lo, -128);
  EXPECT_EQ(info.hi, 127);
}

TEST_F(CompatIr, LayersComputeRealNumbers) {
  EXPECT_TRUE(computesStoredReals(layer("conv")));
  EXPECT_FALSE(isIntegerLayer(layer("conv")));
  setCompat(*module, false);
  EXPECT_FALSE(computesStoredReals(layer("conv")));
  EXPECT_TRUE(isIntegerLayer(layer("conv")));
}

TEST_F(CompatIr, ConstantsHaveTheirMeaningInTextOrInTheWeightsFile) {
  auto perChannel = meaningOf(layer("conv"), "weights");
  ASSERT_TRUE(perChannel);
  ASSERT_EQ(perChannel->steps.size(), 8u);
  EXPECT_EQ(perChannel->stepAt(3), double(0.005f));
  EXPECT_EQ(perChannel->zeroPointAt(7), 0);
  auto whole = meaningOf(layer("fc"), "weights");
  ASSERT_TRUE(whole);
  EXPECT_EQ(whole->stepAt(4), double(0.004f));
  EXPECT_FALSE(meaningOf(layer("pool"), "weights"));
}

TEST_F(CompatIr, TextAndWeightsAreWrittenAsTheyWereRead) {
  test::TempFolder folder;
  std::string txt = folder / "net.txt", bin = folder / "net.bin";
  ASSERT_TRUE(writeCompassIr(*module, txt, bin, diags));
  // All but the digest, which makes the two files belong together.
  std::string written = contents(txt);
  std::size_t digest = written.find("weights_digest=");
  ASSERT_NE(digest, std::string::npos);
  written.erase(digest, written.find('\n', digest) + 1 - digest);
  // Keys of a depthwise layer are in another order.
  EXPECT_EQ(sortedLines(written), sortedLines(contents(kText)));
  EXPECT_EQ(contents(bin), contents(kText.substr(0, kText.size() - 3) + "bin"));
}

TEST(SteppedType, IsOfWhatAnIntegerTypeCanHave) {
  mlir::MLIRContext context;
  mlir::DialectRegistry registry;
  registerDialects(registry);
  context.appendDialectRegistry(registry);
  context.loadAllAvailableDialects();
  EXPECT_TRUE(steppedType(&context, {4}, DType::U8, 0.5, 255));
  EXPECT_FALSE(steppedType(&context, {4}, DType::U8, 0.5, -1));
  EXPECT_FALSE(steppedType(&context, {4}, DType::I8, 0.5, 128));
  EXPECT_FALSE(steppedType(&context, {4}, DType::I8, 0, 0));
  EXPECT_FALSE(steppedType(&context, {4}, DType::I8, 1e-60, 0))
      << "0 as a float32";
  EXPECT_FALSE(steppedType(&context, {4}, DType::F32, 0.5, 0));
  EXPECT_FALSE(steppedType(&context, {4}, DType::I64, 0.5, 0));
}

} // namespace
