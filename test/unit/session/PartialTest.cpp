//===- PartialTest.cpp - Models that have scales in part ------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "compiler/session/Compile.h"
#include "compiler/session/Network.h"
#include "compiler/session/Quantize.h"
#include "support/diagnostics/Quantizer.h"
#include "test/OnnxBytes.h"

#include <gtest/gtest.h>

#include <algorithm>

using namespace yarrow;
using namespace yarrow::test;

namespace {

/// The int8 0.
Message zeroPointOf(const std::string &name) {
  return Message().add(2, 3).add(8, name).add(9, std::string(1, '\0'));
}

/// A product in floats, whose result is stored in 8 bits, and a product of
/// that.
std::string partial() {
  Message graph;
  graph.add(1, nodeOf("MatMul", {"x", "w"}, {"p"}))
      .add(1, nodeOf("QuantizeLinear", {"p", "s", "z"}, {"q"}))
      .add(1, nodeOf("DequantizeLinear", {"q", "s", "z"}, {"d"}))
      .add(1, nodeOf("MatMul", {"d", "w"}, {"y"}))
      .add(5, floatsOf("w", {2, 2}, {0.5f, -0.25f, 0.125f, 0.75f}))
      .add(5, floatsOf("s", {}, {0.0625f}))
      .add(5, zeroPointOf("z"))
      .add(11, valueOf("x", {1, 2}))
      .add(12, valueOf("y", {1, 2}));
  return modelOf(graph);
}

bool has(const DiagnosticEngine &diags, DiagId id) {
  return std::ranges::any_of(diags.all(),
                             [&](const Diagnostic &d) { return d.id == id; });
}

TEST(Partial, SamplesCompleteTheScales) {
  std::string bytes = partial();
  DiagnosticEngine diags;
  session::ModelSource source{"partial.onnx"};
  source.bytes = std::as_bytes(std::span(bytes));
  auto network = session::load(source, {diags});
  ASSERT_TRUE(network);
  ASSERT_TRUE(network->toComplete());
  EXPECT_FALSE(network->toComplete()->isQuantized());

  const float values[] = {1, -1, 2, -2, 0.5f, 1, -1, 3};
  NpyView samples;
  samples.name = "samples";
  samples.type = NpyType::Float32;
  samples.shape = {4, 2};
  samples.data = values;
  samples.numElements = std::size(values);
  auto quantized = session::quantize(network, {{{"x", samples}}}, {}, {diags});
  ASSERT_TRUE(quantized);
  EXPECT_TRUE(quantized->network->isQuantized());
  EXPECT_TRUE(has(diags, diag::PrequantizedSummary));
  EXPECT_TRUE(session::compile(*quantized->network, {}, {diags}));
}

/// Without samples it is compiled as its file says.
TEST(Partial, CompilesAsItIs) {
  std::string bytes = partial();
  DiagnosticEngine diags;
  session::ModelSource source{"partial.onnx"};
  source.bytes = std::as_bytes(std::span(bytes));
  auto network = session::load(source, {diags});
  ASSERT_TRUE(network);
  EXPECT_TRUE(session::compile(*network, {}, {diags}));
  EXPECT_FALSE(diags.hasErrors());
}

} // namespace
