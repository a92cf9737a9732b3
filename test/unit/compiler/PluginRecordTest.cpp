//===- PluginRecordTest.cpp - Records of plugins --------------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "compiler/plugin/RecordReader.h"
#include "kernels/custom/Custom.h"

#include <gtest/gtest.h>

using namespace yarrow;
using namespace yarrow::compass;

namespace {

const std::string kRecord = R"(layer_type: Mixed
summary: of all kinds
source: mixed.cpp
inputs:
  - {name: x, shape: [N, C], doc: rows}
  - {name: w, shape: [C], doc: weights}
  - {name: z, shape: as x, doc: more rows}
outputs:
  - {name: y, shape: [N, 2], doc: sums}
keys:
  - {name: alpha, kind: float, default: 0.5, bounds: [0, 1], doc: a share}
  - {name: count, kind: int, bounds: [1, 8], doc: how many}
  - {name: mode, kind: word, words: [LEAST, MOST], default: MOST, doc: which}
  - {name: flag, kind: bool, default: false, doc: whether}
kernels: {float: mixed_float, int: mixed_int}
types: {float: [float32, float16], int: [int8]}
quantize: {by: requantize, multipliers: each, signed: false}
onnx: {domain: com.example, type: MixedOp}
)";

std::optional<PluginRecord> parse(const std::string &text,
                                  DiagnosticEngine &diags) {
  return parsePluginRecord(text, "folder/mixed.yaml", diags);
}

/// The record with \p line in place of the one that begins like it up to its
/// first colon.
std::string with(const std::string &line) {
  std::string key = line.substr(0, line.find(':') + 1);
  std::size_t begin = kRecord.find(key), end = kRecord.find('\n', begin);
  return kRecord.substr(0, begin) + line + kRecord.substr(end);
}

/// The first diagnostic of a record that is refused.
std::string problemOf(const std::string &text) {
  DiagnosticEngine diags;
  EXPECT_FALSE(parse(text, diags));
  EXPECT_TRUE(diags.hasErrors());
  return diags.all().empty() ? "" : diags.all().front().str();
}

TEST(PluginRecord, IsReadWhole) {
  DiagnosticEngine diags;
  auto record = parse(kRecord, diags);
  ASSERT_TRUE(record) << diags.all().front().str();
  EXPECT_EQ(record->source, "folder/mixed.cpp");
  const PluginOperator &plugin = *record->plugin;
  EXPECT_EQ(plugin.record.layerType, "Mixed");
  ASSERT_EQ(plugin.inputs.size(), 3u);
  EXPECT_EQ(plugin.inputs[0].shape, "N,C");
  EXPECT_EQ(*plugin.inputShapes[1].axes, std::vector<std::string>{"C"});
  EXPECT_EQ(*plugin.inputShapes[2].like, 0u);
  EXPECT_EQ(*plugin.outputShapes[0].axes, (std::vector<std::string>{"N", "2"}));
  ASSERT_EQ(plugin.numKeys, 4u);
  EXPECT_EQ(plugin.keys[0].defaultText, "0.5");
  EXPECT_EQ(plugin.keyBounds[0]->most, 1.0);
  EXPECT_EQ(plugin.keys[1].least, 1);
  EXPECT_EQ(plugin.keys[1].need, Need::Required);
  EXPECT_EQ(plugin.keys[2].words.size(), 2u);
  EXPECT_EQ(plugin.record.findKey("scale_value")->ir, IrKind::Int);
  EXPECT_EQ(plugin.record.rule, RuleClass::CustomRequantRule);
  EXPECT_EQ(plugin.numMultipliers(), 3u);
  EXPECT_FALSE(plugin.isSigned);
  EXPECT_EQ(plugin.onnxType, "MixedOp");
  EXPECT_EQ(plugin.record.kernels(/*integer=*/true).front(), "mixed_int");
  EXPECT_TRUE(kernels::contains(plugin.floatTypes, kernels::DType::F16));
  EXPECT_FALSE(kernels::contains(plugin.intTypes, kernels::DType::U8));
}

// What the header says to the C++ file is what customParams writes.
TEST(PluginRecord, ParametersAreThoseOfTheHeader) {
  DiagnosticEngine diags;
  auto record = parse(kRecord, diags);
  ASSERT_TRUE(record);
  std::string header = kernelHeader(*record->plugin);
  EXPECT_NE(header.find("enum class Mixed_mode : uint32_t { LEAST, MOST };"),
            std::string::npos);
  EXPECT_NE(
      header.find("  float alpha; ///< a share\n  int32_t count; ///< how "
                  "many\n  Mixed_mode mode; ///< which\n  uint32_t flag;"),
      std::string::npos);
  EXPECT_NE(header.find("CustomLayer<3, 1, 3, MixedKeys>"), std::string::npos);
  struct Keys {
    float alpha;
    int32_t count;
    uint32_t mode, flag;
  };
  EXPECT_EQ(record->plugin->paramsBytes(),
            sizeof(kernels::CustomLayer<3, 1, 3, Keys>));
}

TEST(PluginRecord, EveryFaultIsReportedAtItsLine) {
  struct Case {
    const char *line, *found;
  } cases[] = {
      {"layer_type: Softmax",
       ":1: error E1101: the layer type Softmax already exists"},
      {"layer_type: mixed",
       ":1: error E1101: the layer type's name is not valid"},
      {"summary: [a]", ":2: error E1101: the key summary"},
      {"  - {name: x, shape: [N, c], doc: rows}",
       ":5: error E1101: an axis of the shape"},
      {"  - {name: z, shape: as v, doc: rows}",
       ":7: error E1101: no earlier input has the name v"},
      {"  - {name: w, shape: any, doc: rows, colour: red}",
       ":6: error E1101: an input has an unknown key colour"},
      {"  - {name: y, shape: [M, 2], doc: sums}",
       ":9: error E1101: no input has an axis M"},
      {"  - {name: y, shape: N * 2, doc: sums}",
       ":9: error E1101: the shape is not valid"},
      {"  - {name: y, doc: sums}",
       ":9: error E1101: an output has no key shape"},
      {"  - {name: alpha, kind: float, default: 2, bounds: [0, 1], doc: a}",
       ":11: error E1101: the default of the key alpha"},
      {"  - {name: alpha, kind: real, doc: a}",
       ":11: error E1101: the key kind of the key alpha"},
      {"  - {name: count, kind: int, bounds: [1, 0.5], doc: a}",
       ":12: error E1101: the bounds of the key count"},
      {"  - {name: flag, kind: bool, words: [A], doc: a}",
       ":14: error E1101: only keys of kind word have words"},
      {"  - {name: flag, kind: bool, name: a, doc: a}",
       ":14: error E1101: the key name appears twice"},
      {"  - {name: for, kind: bool, doc: a}",
       ":14: error E1101: the name of a key"},
      {"kernels: {float: yk_lut}", ":15: error E1101: a kernel has a name"},
      {"kernels: {float: mixed}",
       ":17: error E1101: a requantized layer needs an integer kernel"},
      {"types: {int: [int4]}", ":16: error E1101: kernels of plugins"},
      {"quantize: {by: tabel}", ":17: error E1101: the key by of quantize"},
      {"quantize: {by: table}",
       ":17: error E1101: a table is a function of one"},
      {"onnx: {type: A}", ":18: error E1101: onnx has no key domain"},
      {"summary: *anchor",
       ":2: error E1101: anchors, aliases and tags are not allowed"},
      {"summary: \"open", "error E1101: the text is not YAML"},
  };
  for (const Case &c : cases) {
    std::string text = with(c.line);
    // `name` stands in many lines: by the name, then.
    if (std::string(c.line).starts_with("  - {name: ")) {
      std::string name = std::string(c.line).substr(0, 12);
      std::size_t begin = kRecord.find(name);
      if (begin == std::string::npos)
        begin = kRecord.find("  - {name: alpha");
      text = kRecord.substr(0, begin) + c.line +
             kRecord.substr(kRecord.find('\n', begin));
    }
    EXPECT_NE(problemOf(text).find(c.found), std::string::npos)
        << c.line << "\n"
        << problemOf(text);
  }
}

TEST(PluginRecord, TextsThatAreNoRecords) {
  for (const std::string &text :
       {std::string(), std::string("a"), std::string("[1, 2]"),
        std::string(200, '['), std::string(5000, '-'), kRecord + "---\na: b\n",
        std::string("a: b\0c: d", 9), std::string(40000, '\n')})
    EXPECT_NE(problemOf(text).find("E1101"), std::string::npos);
}

TEST(PluginRecord, HintsAtWhatWasMeant) {
  EXPECT_NE(problemOf(kRecord + "sumary: a\n").find("did you mean summary?"),
            std::string::npos);
  EXPECT_NE(
      problemOf(with("quantize: {by: tabel}")).find("did you mean table?"),
      std::string::npos);
}

} // namespace
