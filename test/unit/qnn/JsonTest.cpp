//===- JsonTest.cpp - QNN graphs as JSON ----------------------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "parser/qnn/JsonWriter.h"
#include "test/unit/qnn/GraphText.h"
#include <cmath>
#include <filesystem>
#include <fstream>
#include <limits>
#include <nlohmann/json.hpp>
#include <sstream>

using namespace yarrow;
using namespace yarrow::qnn;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using Form = Encoding::Form;
namespace fs = std::filesystem;

namespace {

/// The encoding of a static tensor of \p type.
Encoding encodingOf(const std::string &params,
                    const std::string &type = "1032") {
  return modelOf(graphText(
                     tensorText("\"quant_params\": " + params, "[2, 2]", type)))
      .find("x")
      ->encoding;
}

std::string paramsOf(const std::string &params) {
  return graphText("", R"("n": {"type": "T", "input_names": [],
      "output_names": [], "scalar_params": {)" +
                           params + "}}");
}

QnnParam scalarOf(const std::string &value) {
  return *modelOf(paramsOf("\"p\": " + value)).nodes.at(0).param("p");
}

/// What is written of a graph reads as the same JSON.
void expectSameAgain(const std::string &text) {
  std::string again = jsonOf(modelOf(text));
  EXPECT_EQ(nlohmann::json::parse(text), nlohmann::json::parse(again)) << again;
}

} // namespace

TEST(QnnJson, WritesGoldensAsTheyAre) {
  fs::path folder = fs::path(YARROW_SHARED_DIR) / "spec" / "qnn_json";
  if (!fs::is_directory(folder))
    GTEST_SKIP() << "skipped: no reference packs";
  std::size_t count = 0;
  for (const fs::directory_entry &entry : fs::directory_iterator(folder)) {
    if (entry.path().stem().extension() == ".qparams")
      continue;
    std::stringstream text;
    text << std::ifstream(entry.path()).rdbuf();
    expectSameAgain(text.str());
    QnnModel model = modelOf(text.str());
    EXPECT_EQ(model.tensors.size(), 8U);
    EXPECT_EQ(model.nodes.size(), 5U);
    EXPECT_EQ(model.find("weights_quant")->encoding.scales.size(), 3U);
    EXPECT_EQ(model.find("weights_quant")->encoding.axis, 3);
    ++count;
  }
  EXPECT_GE(count, 2U);
}

TEST(QnnJson, ReadsTensorsAndNodesWithTheirPlaces) {
  QnnModel model = modelOf(graphText(
      R"("x": {"data_type": 562, "type": 0, "dims": [1, 4], "id": [1, {"a": 2}]},
"y": {"data_type": 562, "type": 1, "dims": [1, 4]})",
      R"("elu": {"type": "Elu", "input_names": ["x"], "output_names": ["y"],
"scalar_params": {
"alpha": {"562": 0.5}}})"));
  ASSERT_EQ(model.tensors.size(), 2U);
  EXPECT_EQ(model.find("x")->kind, TensorKind::Input);
  EXPECT_THAT(model.find("x")->dims, ElementsAre(1, 4));
  EXPECT_EQ(model.find("x")->others[0].second, R"([1,{"a":2}])");
  EXPECT_EQ(model.find("y")->place.line, 3U);
  ASSERT_EQ(model.nodes.size(), 1U);
  EXPECT_THAT(model.nodes[0].inputs, ElementsAre("x"));
  EXPECT_EQ(model.nodes[0].package, "qti.aisw");
  EXPECT_EQ(model.nodes[0].place.line, 5U);
  const QnnParam *alpha = model.nodes[0].param("alpha");
  ASSERT_TRUE(alpha);
  EXPECT_EQ(alpha->place.line, 7U);
  EXPECT_THAT(valuesOf<float>(alpha->tensor), ElementsAre(0.5F));
}

TEST(QnnJson, ReportsPlacesInFilesOfOneLine) {
  QnnModel model =
      modelOf(R"({"graph":{"nodes":{},"tensors":{"x":{"data_type":8,)"
              R"("dims":[],"type":3}}}})");
  EXPECT_EQ(model.find("x")->place.line, 1U);
  EXPECT_EQ(model.find("x")->place.column, 33U);
}

TEST(QnnJson, ReadsScalarsOfAllTypes) {
  EXPECT_THAT(
      valuesOf<std::uint32_t>(scalarOf(R"({"306": 4294967295})").tensor),
      ElementsAre(4294967295U));
  EXPECT_THAT(valuesOf<std::int64_t>(
                  scalarOf(R"({"100": -9223372036854775808})").tensor),
              ElementsAre(INT64_MIN));
  EXPECT_THAT(valuesOf<std::uint64_t>(
                  scalarOf(R"({"356": 18446744073709551615})").tensor),
              ElementsAre(UINT64_MAX));
  EXPECT_THAT(valuesOf<std::uint8_t>(scalarOf(R"({"1288": true})").tensor),
              ElementsAre(1));
  EXPECT_THAT(valuesOf<float>(scalarOf(R"({"562": 0.1})").tensor),
              ElementsAre(0.1F));
  EXPECT_THAT(valuesOf<double>(scalarOf(R"({"612": 0.1})").tensor),
              ElementsAre(0.1));
  EXPECT_THAT(valuesOf<std::uint16_t>(scalarOf(R"({"534": -2})").tensor),
              ElementsAre(0xc000));
}

TEST(QnnJson, ReadsNumbersThatAreNotFinite) {
  constexpr float infinity = std::numeric_limits<float>::infinity();
  EXPECT_THAT(valuesOf<float>(scalarOf(R"({"562": "-Infinity"})").tensor),
              ElementsAre(-infinity));
  EXPECT_THAT(valuesOf<float>(scalarOf(R"({"562": -Infinity})").tensor),
              ElementsAre(-infinity));
  QnnModel model = modelOf(
      graphText(tensorText(R"("data": [NaN, "inf"])", "[2]", "562"), ""));
  std::vector<float> values = valuesOf<float>(*model.find("x"));
  ASSERT_EQ(values.size(), 2U);
  EXPECT_TRUE(std::isnan(values[0]));
  EXPECT_EQ(values[1], infinity);
  EXPECT_THAT(jsonOf(model), ::testing::HasSubstr(R"(["NaN", "Infinity"])"));
}

TEST(QnnJson, KeepsTheTypesOfTexts) {
  for (const char *type : {"2147483647", "1544", "306"}) {
    std::string text = std::string("{\"") + type + "\": \"a \\\" b\"}";
    QnnParam param = scalarOf(text);
    EXPECT_EQ(param.text, "a \" b");
    EXPECT_EQ(param.tensor.type, DataType::STRING);
    EXPECT_THAT(jsonOf(modelOf(paramsOf("\"p\": " + text))),
                ::testing::HasSubstr(text));
  }
}

TEST(QnnJson, ReadsDataNestedOrFlat) {
  for (const char *data : {"[[1, 2], [3, 4]]", "[1, 2, 3, 4]"})
    EXPECT_THAT(
        valuesOf<std::uint8_t>(
            *modelOf(graphText(tensorText(std::string("\"data\": ") + data)))
                 .find("x")),
        ElementsAre(1, 2, 3, 4));
  auto dataOf = [](const char *dims, const char *type, const char *data) {
    return *modelOf(graphText(tensorText(std::string("\"data\": ") + data, dims,
                                         type)))
                .find("x");
  };
  EXPECT_THAT(valuesOf<std::int8_t>(dataOf("[2]", "772", "[-8, 7]")),
              ElementsAre(-8, 7));
  EXPECT_THAT(valuesOf<std::int32_t>(dataOf("[]", "50", "-5")),
              ElementsAre(-5));
  EXPECT_THAT(valuesOf<std::int32_t>(dataOf("[]", "50", "[6]")),
              ElementsAre(6));
  EXPECT_THAT(valuesOf<std::int32_t>(dataOf("[2, 0]", "50", "[[], []]")),
              IsEmpty());
  EXPECT_TRUE(dataOf("[0]", "50", "[]").hasValue);
}

TEST(QnnJson, TakesTheFormOfAnEncodingFromItsMember) {
  Encoding plain = encodingOf(
      R"({"definition": 1, "encoding": 0, "scale_offset": {"scale": 0.5, "offset": -3}})");
  EXPECT_EQ(plain.form, Form::ScaleOffset);
  EXPECT_THAT(plain.scales, ElementsAre(0.5F));
  EXPECT_THAT(plain.offsets, ElementsAre(-3));
  EXPECT_THAT(plain.written, IsEmpty());

  Encoding axis = encodingOf(
      R"({"definition": 1, "encoding": 1, "axis_scale_offset": {"axis": 1,
          "scale_offsets": [{"scale": 0.5, "offset": 0}, {"scale": 2, "offset": 1}]}})");
  EXPECT_EQ(axis.form, Form::AxisScaleOffset);
  EXPECT_EQ(axis.axis, 1);
  EXPECT_THAT(axis.scales, ElementsAre(0.5F, 2.F));
  EXPECT_THAT(axis.offsets, ElementsAre(0, 1));

  Encoding narrow = encodingOf(
      R"({"definition": 1, "encoding": 3, "bw_axis_scale_offset": {"axis": 0,
          "bitwidth": 4, "num_elements": 1, "scale_offsets": [{"scale": 1, "offset": 0}]}})",
      "776");
  EXPECT_EQ(narrow.form, Form::BitWidthAxisScaleOffset);
  EXPECT_EQ(narrow.bitWidth, 4U);

  Encoding lists = encodingOf(
      R"({"definition": 1, "bw_axis_scale_offset": {"axis": 0, "bitwidth": 4,
          "scales": [1, 2], "offsets": [3, 4]}})",
      "776");
  EXPECT_THAT(lists.scales, ElementsAre(1.F, 2.F));
  EXPECT_THAT(lists.offsets, ElementsAre(3, 4));
}

TEST(QnnJson, KnowsBitWidthsUnderOtherNames) {
  auto withBits = [](const char *number, const char *bits) {
    return encodingOf(std::string(R"({"definition": 1, "encoding": )") +
                      number + R"(, "scale_offset": {"scale": 1, "offset": 0,
          "is_symmetric": false, "bitwidth": )" +
                      bits + "}}");
  };
  EXPECT_EQ(withBits("0", "8").form, Form::ScaleOffset);
  EXPECT_EQ(withBits("0", "8").bitWidth, 0U);
  EXPECT_EQ(withBits("2", "8").form, Form::BitWidthScaleOffset);
  EXPECT_EQ(withBits("0", "4").form, Form::BitWidthScaleOffset);
  EXPECT_EQ(withBits("0", "4").bitWidth, 4U);
}

TEST(QnnJson, KeepsEncodingsThatItDoesNotRead) {
  std::string blocks =
      R"({"definition":1,"encoding":4,"blockwise_expansion":{"axis":0}})";
  Encoding other = encodingOf(blocks);
  EXPECT_EQ(other.form, Form::Other);
  EXPECT_EQ(other.other, "blockwise_expansion");
  EXPECT_EQ(other.written, blocks);
  EXPECT_EQ(encodingOf(R"({"definition": 1, "encoding": 7})").other,
            "encoding 7");
  EXPECT_EQ(encodingOf(R"({"definition": 2147483647, "encoding": 0,
                           "scale_offset": {"scale": 0, "offset": 0}})")
                .form,
            Form::None);
}

TEST(QnnJson, WritesWhatItReads) {
  // Every form of an encoding, of a parameter and of data; graphs of If.
  expectSameAgain(R"({
    "converter_command": "a; b", "op_types": ["If"],
    "graph": {"version": 1.50, "tensors": {
      "u": {"data_type": 1032, "dims": [2], "type": 3, "rank": 1, "quant_params":
        {"definition": 1, "encoding": 2, "bw_scale_offset":
          {"bitwidth": 4, "scale": 0.1, "offset": -128, "extra": null}}},
      "v": {"data_type": 776, "dims": [2], "type": 4, "quant_params":
        {"definition": 1, "encoding": 4, "blockwise_expansion": {"a": [1.25e-3]}}},
      "w": {"data_type": 1032, "dims": [2], "type": 3, "quant_params":
        {"definition": 1, "encoding": 2, "scale_offset":
          {"bitwidth": 8, "minimum": -1, "scale": 0.5, "offset": -128}}}},
      "nodes": {"n": {"type": "If", "package": "p", "input_names": ["u"],
        "output_names": ["w"], "param_map": {}, "scalar_params":
          {"then_graph": {"1544": "t"}, "a": {"562": 0.5}, "b": {"8": -1}},
        "tensor_params": {"p": {"n_p": {"data_type": 534, "dims": [2, 1, 2],
          "type": 4, "data": [[[0.5, 1.0]], [[2.0, -4.0]]], "quant_params":
            {"definition": 2147483647, "encoding": 2147483647}}}}}}},
    "graphs": {"t": {"nodes": {}, "tensors": {}, "graphs":
      {"within": {"tensors": {}, "nodes": {}}}}}})");
}

TEST(QnnJson, ReadsGraphsThatIfNames) {
  QnnModel model = modelOf(R"({"graph": {"tensors": {}, "nodes": {}},
    "graphs": {"then": {"nodes": {}, "tensors":
      {"x": {"data_type": 50, "dims": [], "type": 0}}}}})");
  ASSERT_TRUE(model.graphs.contains("then"));
  EXPECT_TRUE(model.graphs.at("then")->find("x"));
  EXPECT_FALSE(model.find("x"));
}

TEST(QnnJson, TakesTensorsThatAreLeftOut) {
  for (const char *more :
       {"", R"(, "data_type": 2147483647)",
        R"(, "data_type": 562, "dims": [2], "quant_params": {}, "id": 1)"}) {
    QnnModel model =
        modelOf(graphText(std::string(R"("x": {"type": 5)") + more + "}"));
    EXPECT_EQ(model.find("x")->kind, TensorKind::Null);
    modelOf(jsonOf(model));
  }
}

TEST(QnnJson, WritesTheSameWhateverTheOrder) {
  QnnModel model;
  model.add({.name = "b", .dims = {2}, .kind = TensorKind::Input});
  model.add({.name = "a", .dims = {2}, .kind = TensorKind::Output});
  QnnModel other;
  other.add(model.tensors[1]);
  other.add(model.tensors[0]);
  EXPECT_EQ(jsonOf(model), jsonOf(other));
}
