//===- GoldenTest.cpp - Graphs that a converter has written ---------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "dialects/compass/Compat.h"
#include "parser/qnn/JsonReader.h"
#include "parser/qnn/QnnImport.h"
#include "parser/qnn/Weights.h"
#include "quantizer/prequantized/Prequantized.h"
#include "test/ImportedModule.h"
#include <filesystem>
#include <gmock/gmock.h>

using namespace yarrow;
using namespace yarrow::test;

/// They have no weights: what they compute means nothing, but in integers.
TEST(QnnGolden, ComputesConvolutionsInIntegers) {
  for (const char *name : {"ort_ConvU8S8S32_PerChannel.json",
                           "ort_ConvU16S4S32_PerChannel.json"}) {
    SCOPED_TRACE(name);
    std::string path =
        std::string(YARROW_SHARED_DIR) + "/spec/qnn_json/" + name;
    if (!std::filesystem::exists(path))
      GTEST_SKIP() << path;
    ImportedModule net;
    auto model = qnn::readJson(path, net.diags);
    ASSERT_TRUE(model);
    makeUpWeights(*model, net.diags);
    net.module = qnn::importQnnModel(net.context, *model, {}, net.diags);
    ASSERT_TRUE(net.module) << net.diags.all().back().str();
    EXPECT_TRUE(compass::isCompat(*net.module));
    ASSERT_TRUE(convertPrequantized(*net.module, {}, net.diags));
    EXPECT_THAT(net.layers(), ::testing::Contains("Convolution"));
    for (const Diagnostic &d : net.diags.all())
      EXPECT_NE(d.id->code, "N0409") << d.str();
  }
}
