//===- JsonDamageTest.cpp - QNN graphs that are none ----------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "parser/qnn/JsonWriter.h"
#include "test/unit/qnn/GraphText.h"
#include <nlohmann/json.hpp>

using namespace yarrow;
using namespace yarrow::qnn;
using nlohmann::json;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

namespace {

std::string dataProblem(const std::string &data,
                        const std::string &dims = "[2, 2]",
                        const std::string &type = "264") {
  return problemsOf(graphText(tensorText("\"data\": " + data, dims, type)));
}

std::string encodingProblem(const std::string &form) {
  return problemsOf(graphText(tensorText(
      R"("quant_params": {"definition": 1, "encoding": 0, )" + form + "}",
      "[2, 2]", "1032")));
}

std::string nodeProblem(const std::string &members) {
  return problemsOf(
      graphText(tensorText(""), "\"n\": {\"type\": \"T\", " + members + "}"));
}

} // namespace

TEST(QnnJsonDamage, NamesWhatIsNoJson) {
  EXPECT_THAT(problemsOf(""), HasSubstr("not valid JSON"));
  EXPECT_THAT(
      problemsOf("{\"graph\": {\n\"tensors\" 3}}"),
      AllOf(HasSubstr("net.json:2: error E1040"), HasSubstr("not valid JSON")));
  EXPECT_THAT(problemsOf("[]"), HasSubstr("the file is not an object"));
  EXPECT_THAT(problemsOf("3"), HasSubstr("the file is not an object"));
  EXPECT_THAT(problemsOf("{\"a\": " + std::string(100, '[') +
                         std::string(100, ']') + "}"),
              HasSubstr("nested deeper"));
  EXPECT_THAT(problemsOf("{\"a\": " + std::string(100, '[')),
              HasSubstr("nested deeper"));
}

TEST(QnnJsonDamage, NamesKeysGivenTwice) {
  EXPECT_THAT(problemsOf("{\"graph\": {\"tensors\": {}, \"nodes\": {}},\n"
                         "\"graph\": {\"tensors\": {}, \"nodes\": {}}}"),
              AllOf(HasSubstr("net.json:2:"), HasSubstr("'graph' is given")));
  std::string tensor = tensorText("");
  EXPECT_THAT(problemsOf(graphText(tensor + ",\n" + tensor)),
              AllOf(HasSubstr("net.json:3:"), HasSubstr("two tensors")));
  std::string node =
      R"("n": {"type": "T", "input_names": [], "output_names": []})";
  EXPECT_THAT(problemsOf(graphText("", node + "," + node)),
              HasSubstr("two nodes"));
  EXPECT_THAT(problemsOf(graphText(tensorText("\"id\": 1, \"id\": 2"))),
              HasSubstr("'id' is given twice"));
  EXPECT_THAT(
      nodeProblem(R"("input_names": [], "output_names": [], "scalar_params":
                     {"p": {"8": 1}}, "tensor_params": {"p": {"t":
                     {"data_type": 8, "dims": [], "data": 1}}})"),
      HasSubstr("a parameter is given twice"));
  EXPECT_THAT(problemsOf(R"({"graphs": {"g": {"tensors": {}, "nodes": {}}},
      "graph": {"tensors": {}, "nodes": {}, "graphs":
        {"g": {"tensors": {}, "nodes": {}}}}})"),
              HasSubstr("two graphs have the same name"));
}

TEST(QnnJsonDamage, NamesWhatIsMissing) {
  EXPECT_THAT(problemsOf("{\"a\": 1}"), HasSubstr("\"graph\" is missing"));
  EXPECT_THAT(problemsOf("{\"graph\": {\"nodes\": {}}}"),
              HasSubstr("\"tensors\" is missing"));
  EXPECT_THAT(problemsOf("{\"graph\": []}"),
              HasSubstr("this is not an object"));
  EXPECT_THAT(problemsOf(graphText("\"x\": {}")),
              AllOf(HasSubstr("tensor x: \"data_type\" is missing"),
                    HasSubstr("tensor x: \"type\" is missing"),
                    HasSubstr("tensor x: \"dims\" is missing")));
  EXPECT_THAT(problemsOf(graphText("", "\"n\": {}")),
              AllOf(HasSubstr("node n: \"type\" is missing"),
                    HasSubstr("\"input_names\" is missing"),
                    HasSubstr("\"output_names\" is missing")));
}

TEST(QnnJsonDamage, NamesTypesAndKindsThatAreNone) {
  EXPECT_THAT(problemsOf(graphText(tensorText("", "[1]", "1033"))),
              AllOf(HasSubstr("net.json:2:"),
                    HasSubstr("not a type of the format"), HasSubstr("1033")));
  EXPECT_THAT(
      problemsOf(graphText(R"("x": {"data_type": 8, "type": 6, "dims": []})")),
      HasSubstr("\"type\" is out of range"));
}

TEST(QnnJsonDamage, NamesLengthsThatAreNone) {
  auto problem = [](const char *dims) {
    return problemsOf(graphText(tensorText("", dims)));
  };
  EXPECT_THAT(problem("[-1]"), HasSubstr("a length of \"dims\""));
  EXPECT_THAT(problem("[1.5]"), HasSubstr("a length of \"dims\""));
  EXPECT_THAT(problem("[4294967296]"), HasSubstr("a length of \"dims\""));
  EXPECT_THAT(problem("[0, 4294967295, 4294967295]"),
              HasSubstr("too many elements"));
  EXPECT_THAT(problem("3"), HasSubstr("\"dims\" has a wrong kind"));
  EXPECT_THAT(problem("[4294967295, 0]"), IsEmpty());
}

TEST(QnnJsonDamage, NamesValuesThatDoNotFit) {
  EXPECT_THAT(dataProblem("[[1, 2], [3, 256]]"),
              AllOf(HasSubstr("does not fit its type"), HasSubstr("256")));
  EXPECT_THAT(dataProblem("[8]", "[1]", "772"), HasSubstr("does not fit"));
  EXPECT_THAT(dataProblem("[16]", "[1]", "1028"), HasSubstr("does not fit"));
  EXPECT_THAT(dataProblem("[2]", "[1]", "1288"), HasSubstr("does not fit"));
  EXPECT_THAT(dataProblem("[1.0]", "[1]"), HasSubstr("does not fit"));
  EXPECT_THAT(dataProblem("[1e39]", "[1]", "562"), HasSubstr("does not fit"));
  EXPECT_THAT(dataProblem("[1e-60]", "[1]", "562"), IsEmpty());
  EXPECT_THAT(dataProblem("[65520]", "[1]", "534"), HasSubstr("does not fit"));
  EXPECT_THAT(dataProblem("[null]", "[1]", "562"), HasSubstr("does not fit"));
  EXPECT_THAT(dataProblem("[\"a\"]", "[1]", "1544"),
              HasSubstr("text values are not supported"));
}

TEST(QnnJsonDamage, NamesListsThatDoNotFit) {
  for (const char *data : {"[[1, 2], [3]]", "[[1, 2]]", "[1, 2, 3]", "[]",
                           "[[], []]", "[1, 2, 3, 4, 5]"})
    EXPECT_THAT(dataProblem(data), HasSubstr("does not match the dims"))
        << data;
  for (const char *data :
       {"5", "[[[1]]]", "[[1, 2], 3]", "[1, [2]]", "[[1, [2]]]"})
    EXPECT_THAT(dataProblem(data), HasSubstr("not nested like")) << data;
  // Lists of values are passed over, and still have to be JSON.
  for (const char *data : {"[1 2]", "[,1]", "[1,]", "[[1,2],[3,4],]", "[01]",
                           "[1.]", "[}]", "[+1]", "[\"\\q\"]"})
    EXPECT_THAT(dataProblem(data), Not(IsEmpty())) << data;
  EXPECT_THAT(
      problemsOf(graphText(
          R"("x": {"data_type": 8, "type": 3, "dims": [1], "data": [1]})")),
      HasSubstr("not static has \"data\""));
}

TEST(QnnJsonDamage, NamesEncodingsThatAreNone) {
  EXPECT_THAT(encodingProblem(R"("scale_offset": {"offset": 0})"),
              HasSubstr("\"scale\" is missing"));
  EXPECT_THAT(encodingProblem(
                  R"("scale_offset": {"scale": 1e60, "offset": 2147483648})"),
              AllOf(HasSubstr("\"scale\" is out of range"),
                    HasSubstr("\"offset\" is out of range")));
  EXPECT_THAT(
      encodingProblem(R"("bw_scale_offset": {"scale": 1, "offset": 0})"),
      HasSubstr("\"bitwidth\" is missing"));
  EXPECT_THAT(
      encodingProblem(
          R"("axis_scale_offset": {"axis": 0, "num_scale_offsets": 2, "scale_offsets":
             [{"scale": 1, "offset": 0}]})"),
      HasSubstr("the number of scales is not"));
  EXPECT_THAT(
      encodingProblem(R"("axis_scale_offset": {"axis": 0, "scale_offsets":
             [{"scale": 1, "offset": 0, "bitwidth": 4},
              {"scale": 1, "offset": 0, "bitwidth": 8}]})"),
      HasSubstr("different \"bitwidth\""));
  EXPECT_THAT(encodingProblem(R"("axis_scale_offset": 3)"),
              HasSubstr("this is not an object"));
}

TEST(QnnJsonDamage, NamesNodesThatAreNone) {
  EXPECT_THAT(
      nodeProblem(R"("input_names": ["x", "z"], "output_names": [])"),
      AllOf(HasSubstr("net.json:4:"),
            HasSubstr("node n: a tensor that the node names does not exist"),
            HasSubstr("found: z")));
  EXPECT_THAT(nodeProblem(R"("input_names": [1], "output_names": [])"),
              HasSubstr("has an entry that is not a name"));
  auto scalar = [](const std::string &value) {
    return nodeProblem(
        R"("input_names": [], "output_names": [], "scalar_params": {"p": )" +
        value + "}");
  };
  EXPECT_THAT(scalar("3"), HasSubstr("parameter p: this is not an object"));
  EXPECT_THAT(scalar("{}"), HasSubstr("not have exactly one member"));
  EXPECT_THAT(scalar(R"({"8": 1, "50": 2})"),
              HasSubstr("not have exactly one member"));
  EXPECT_THAT(scalar(R"({"9": 1})"), HasSubstr("does not match the value"));
  EXPECT_THAT(scalar(R"({"x": "a"})"), HasSubstr("does not match the value"));
  EXPECT_THAT(scalar(R"({"8": [1]})"), HasSubstr("a scalar is not a number"));
  EXPECT_THAT(scalar(R"({"8": 128})"), HasSubstr("does not fit its type"));
}

TEST(QnnJsonDamage, ReportsTheFirstOfManyOfAKind) {
  std::string tensors;
  for (int i = 0; i < 100; ++i)
    tensors += (i ? ",\n" : "") + ("\"t" + std::to_string(i)) +
               "\": {\"data_type\": 1, \"type\": 3, \"dims\": [1]}";
  DiagnosticEngine diags;
  EXPECT_FALSE(parseJson(graphText(tensors), "net.json", diags));
  EXPECT_EQ(diags.all().size(), 21U);
  EXPECT_EQ(diags.all()[19].place.line, 21U);
  EXPECT_THAT(diags.all().back().str(), HasSubstr("and 80 more"));
}

//===----------------------------------------------------------------------===//
// Every member of a graph damaged in every way
//===----------------------------------------------------------------------===//

/// All values within \p root.
static void collect(const json &root, const json::json_pointer &at,
                    std::vector<json::json_pointer> &found) {
  found.push_back(at);
  if (root.is_object())
    for (const auto &[key, value] : root.items())
      collect(value, at / key, found);
  if (root.is_array())
    for (std::size_t i = 0; i < root.size(); ++i)
      collect(root[i], at / i, found);
}

TEST(QnnJsonDamage, EveryMemberIsReadOrDiagnosed) {
  json whole = json::parse(R"({"converter_command": "c", "graph": {
    "tensors": {
      "x": {"data_type": 1032, "type": 0, "dims": [1, 2], "quant_params":
        {"definition": 1, "encoding": 0, "scale_offset": {"scale": 0.5, "offset": -3}}},
      "w": {"data_type": 776, "type": 4, "dims": [2, 2], "data": [[1, 2], [3, 4]],
        "quant_params": {"definition": 1, "encoding": 3, "bw_axis_scale_offset":
          {"axis": 1, "bitwidth": 4, "num_elements": 2, "scale_offsets":
            [{"scale": 0.5, "offset": 0}, {"scale": 1.5, "offset": 0}]}}},
      "y": {"data_type": 562, "type": 1, "dims": [1, 2]}},
    "nodes": {"n": {"type": "T", "package": "qti.aisw", "input_names": ["x", "w"],
      "output_names": ["y"], "scalar_params": {"a": {"562": 0.5}, "b": {"1544": "t"}},
      "tensor_params": {"p": {"n_p": {"data_type": 306, "type": 4, "dims": [2],
        "data": [1, 2]}}}}}},
    "graphs": {"g": {"tensors": {}, "nodes": {}}}})");
  ASSERT_THAT(problemsOf(whole.dump()), IsEmpty());
  const json values[] = {nullptr,
                         true,
                         0,
                         -1,
                         5,
                         1e300,
                         INT64_MIN,
                         UINT64_MAX,
                         "",
                         "NaN",
                         json::array(),
                         json::array({json::array({1})}),
                         json::object(),
                         json::object({{"8", 1}}),
                         "removed"};
  std::vector<json::json_pointer> all;
  collect(whole, json::json_pointer(), all);
  std::size_t numRead = 0, numRefused = 0;
  for (const json::json_pointer &at : all)
    for (const json &value : values) {
      json damaged = whole;
      if (value == "removed" && !at.empty()) {
        json &parent = damaged[at.parent_pointer()];
        if (parent.is_object())
          parent.erase(at.back());
        else
          parent.erase(std::size_t(std::stoul(at.back())));
      } else {
        damaged[at] = value;
      }
      DiagnosticEngine diags;
      auto model = parseJson(damaged.dump(), "net.json", diags);
      ASSERT_EQ(model.has_value(), diags.all().empty()) << damaged;
      ++(model ? numRead : numRefused);
      if (!model)
        continue;
      // What was read can be written, and is read again.
      std::string again = jsonOf(*model);
      auto second = parseJson(again, "net.json", diags);
      ASSERT_TRUE(second) << again << diags.all().front().str();
      ASSERT_EQ(jsonOf(*second), again);
    }
  // Names, numbers and what is not read may have another value.
  EXPECT_GT(numRead, 100U);
  EXPECT_GT(numRefused, 500U);
}
