//===- ExportTest.cpp - From layers to ONNX models ------------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "parser/onnx/OnnxReader.h"
#include "parser/onnx/export/OnnxExport.h"
#include "parser/onnx/export/TensorForms.h"
#include "support/diagnostics/Import.h"
#include "test/TemporaryFile.h"
#include "test/unit/onnx/Imported.h"

using namespace yarrow;
using namespace yarrow::test;
using compass::DType;
using ::testing::ElementsAre;

static compass::TensorInfo quantized(DType type, int32_t zp, int64_t lo,
                                     int64_t hi) {
  compass::TensorInfo info;
  info.dtype = type, info.quantized = true, info.scale = 4, info.zp = zp;
  info.lo = lo, info.hi = hi;
  return info;
}

TEST(Export, CarriesZeroPoints) {
  auto plain = onnx::carrierOf(quantized(DType::U8, -3, 0, 255));
  ASSERT_TRUE(plain);
  EXPECT_EQ(plain->type, DType::U8);
  EXPECT_EQ(plain->zeroPoint, 3);
  EXPECT_EQ(plain->scale, 0.25f);
  EXPECT_FALSE(plain->isWider);
  // Behind a CLIP: all that the type holds lies above 0.
  auto beyond = onnx::carrierOf(quantized(DType::U8, 22, 0, 255));
  ASSERT_TRUE(beyond);
  EXPECT_EQ(beyond->type, DType::I16);
  EXPECT_EQ(beyond->zeroPoint, -22);
  EXPECT_TRUE(beyond->isWider);
  auto restricted = onnx::carrierOf(quantized(DType::I8, 0, -127, 127));
  ASSERT_TRUE(restricted);
  EXPECT_TRUE(restricted->isWider);
  EXPECT_FALSE(onnx::carrierOf(quantized(DType::U16, 1, 0, 65535)));
  EXPECT_FALSE(onnx::carrierOf(quantized(DType::I32, 0, -100, 100)));
}

/// What is left of a model after import and export.
static std::vector<std::string> exportedNodes(Imported &net) {
  yarrow::testing::TemporaryFile file;
  onnx::ExportSummary summary;
  if (!onnx::exportOnnx(*net.module, file.path(), "net", summary, net.diags))
    return {};
  auto read = onnx::readOnnx(file.path(), net.diags);
  std::vector<std::string> ops;
  for (const auto &node : read->nodes)
    ops.push_back(node->op + " " + node->name);
  return ops;
}

TEST(Export, TransposesCostNothingBetweenImages) {
  // Import puts transposes around the pools; a sum reads their results.
  Message pool = nodeOf("MaxPool", {"x"}, {"a"}, "/pool");
  pool.add(5, intsAttribute("kernel_shape", {2, 2}));
  Message graph;
  graph.add(1, pool)
      .add(1, nodeOf("Relu", {"a"}, {"b"}, "/relu"))
      .add(1, nodeOf("Add", {"a", "b"}, {"y"}, "/add"))
      .add(11, valueOf("x", {1, 3, 6, 6}))
      .add(12, valueOf("y", {}));
  Imported net(modelOf(graph));
  ASSERT_TRUE(net.module);
  EXPECT_THAT(exportedNodes(net),
              ElementsAre("MaxPool /pool", "Relu /relu", "Add /add"));
  EXPECT_TRUE(net.diags.all().empty());
}

TEST(Export, ReportsAllLayersThatItHasNoFormFor) {
  Message graph;
  graph.add(1, nodeOf("IsInf", {"x"}, {"a"}, "/far"))
      .add(1, nodeOf("Relu", {"x"}, {"b"}, "/relu"))
      .add(1, nodeOf("IsNaN", {"b"}, {"c"}, "/holes"))
      .add(11, valueOf("x", {4}))
      .add(12, valueOf("a", {}, 9))
      .add(12, valueOf("c", {}, 9));
  Imported net(modelOf(graph));
  ASSERT_TRUE(net.module);
  EXPECT_TRUE(exportedNodes(net).empty());
  std::vector<std::string> layers;
  for (const Diagnostic &d : net.diags.all()) {
    EXPECT_EQ(d.id, diag::ExportForm);
    layers.push_back(d.place.layer);
  }
  EXPECT_THAT(layers, ElementsAre("/far", "/holes"));
}

TEST(Export, RefusesResultsThatOnnxLacks) {
  // Mean and deviation of a norm, which ONNX gives in training alone.
  Message norm = nodeOf("LayerNormalization", {"x", "w"}, {"y", "m"}, "/norm");
  Message graph;
  graph.add(1, norm)
      .add(1, nodeOf("Relu", {"y"}, {"z"}, "/relu"))
      .add(5, floatsOf("w", {4}, {1, 2, 3, 4}))
      .add(11, valueOf("x", {2, 4}))
      .add(12, valueOf("z", {}))
      .add(12, valueOf("m", {}));
  Imported net(modelOf(graph));
  ASSERT_TRUE(net.module);
  EXPECT_TRUE(exportedNodes(net).empty());
  ASSERT_EQ(net.diags.all().size(), 1u);
  const Diagnostic &d = net.diags.all()[0];
  EXPECT_EQ(d.id, diag::ExportForm);
  EXPECT_EQ(d.place.layer, "/norm");
}

TEST(Export, WritesFloatLayersInNoSteps) {
  Message graph;
  graph.add(1, nodeOf("Relu", {"x"}, {"y"}, "/relu"))
      .add(11, valueOf("x", {1, 3, 4, 4}))
      .add(12, valueOf("y", {}));
  Imported net(modelOf(graph));
  ASSERT_TRUE(net.module);
  yarrow::testing::TemporaryFile file;
  onnx::ExportSummary summary;
  onnx::ExportOptions options;
  options.isExact = true;
  EXPECT_TRUE(onnx::exportOnnx(*net.module, file.path(), "net", summary,
                               net.diags, options));
  EXPECT_EQ(summary.layersInSteps, 0u);
  EXPECT_EQ(summary.nodes, 1u);
}
