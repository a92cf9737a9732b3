//===- NodeCheckTest.cpp - Nodes beside the definition of operators -------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "parser/onnx/OnnxReader.h"
#include "parser/onnx/OperatorRecords.h"
#include "test/OnnxBytes.h"
#include <gmock/gmock.h>

using namespace yarrow;
using namespace yarrow::test;
using ::testing::AllOf;
using ::testing::HasSubstr;

namespace {

constexpr std::uint64_t kFloat = 1, kUint8 = 2, kInt8 = 3, kInt64 = 7;

/// What is said of a model of one node; "" if it is right.
std::string problemsOf(const std::string &bytes) {
  DiagnosticEngine diags;
  auto owner = std::make_shared<const std::string>(bytes);
  auto graph =
      onnx::parseOnnx(std::as_bytes(std::span(*owner)), owner, "m.onnx", diags);
  EXPECT_EQ(graph != nullptr, !diags.hasErrors());
  std::string text;
  for (const Diagnostic &d : diags.all())
    text += d.str() + "\n";
  return text;
}

/// x, and y of node "n" with \p attributes.
std::string problemsOf(const std::string &op,
                       const std::vector<Message> &attributes,
                       std::uint64_t opset,
                       const std::vector<std::string> &inputs = {"x"}) {
  Message node = nodeOf(op, inputs, {"y"}, "n");
  for (const Message &a : attributes)
    node.add(5, a);
  Message graph;
  graph.add(1, node);
  for (const std::string &input : inputs)
    graph.add(11, valueOf(input, {4, 4}));
  return problemsOf(modelOf(graph.add(12, valueOf("y", {4, 4})), opset));
}

/// The same of inputs of these types.
std::string problemsOfTypes(const std::string &op,
                            const std::vector<std::uint64_t> &types,
                            std::uint64_t result = kFloat,
                            std::uint64_t opset = 17) {
  Message graph;
  std::vector<std::string> names;
  for (std::uint64_t type : types) {
    names.push_back("x" + std::to_string(names.size()));
    graph.add(11, valueOf(names.back(), {4}, type));
  }
  graph.add(1, nodeOf(op, names, {"y"}, "n"));
  return problemsOf(modelOf(graph.add(12, valueOf("y", {4}, result)), opset));
}

} // namespace

TEST(NodeCheck, KnowsAttributesByVersion) {
  EXPECT_EQ(problemsOf("Clip", {floatAttribute("min", 0)}, 9), "");
  EXPECT_THAT(problemsOf("Clip", {floatAttribute("min", 0)}, 17),
              AllOf(HasSubstr("node n: error E1009: Clip: the operator has no "
                              "attribute min"),
                    HasSubstr("version 11 removed it")));
  EXPECT_THAT(problemsOf("ReduceMean", {intsAttribute("axes", {0})}, 18),
              HasSubstr("the operator has no attribute axes"));
  EXPECT_EQ(problemsOf("ReduceMean", {intsAttribute("axes", {0})}, 17), "");
  EXPECT_THAT(problemsOf("Gather", {intAttribute("axes", 0)}, 17, {"x", "i"}),
              HasSubstr("did you mean axis?"));
  EXPECT_THAT(problemsOf("TopK", {intAttribute("largest", 0)}, 10, {"x", "k"}),
              HasSubstr("version 11 added it"));
}

TEST(NodeCheck, AttributesStandOnceAndPrintTheirType) {
  EXPECT_THAT(problemsOf("Softmax",
                         {intAttribute("axis", 0), intAttribute("axis", 1)},
                         17),
              HasSubstr("Softmax: the attribute axis is given twice"));
  EXPECT_THAT(problemsOf("Softmax", {floatAttribute("axis", 1)}, 17),
              AllOf(HasSubstr("the attribute axis has a wrong type"),
                    HasSubstr("found: a float"),
                    HasSubstr("expected: an integer")));
  EXPECT_THAT(problemsOf("Softmax",
                         {Message().add(1, std::string("axis")).add(3, 1)}, 17),
              HasSubstr("the attribute axis has an unknown type"));
  EXPECT_THAT(
      problemsOf("Softmax",
                 {Message().add(1, std::string("axis")).add(3, 1).add(20, 7)},
                 17),
      HasSubstr("has a type that does not match its value"));
  EXPECT_THAT(problemsOf("Concat", {}, 17, {"x", "z"}),
              HasSubstr("the attribute axis is missing"));
}

TEST(NodeCheck, OperatorsAreOfTheModelsSet) {
  EXPECT_EQ(problemsOf("Gelu", {}, 20), "");
  EXPECT_THAT(problemsOf("Gelu", {}, 7),
              AllOf(HasSubstr("newer than the model's operator set"),
                    HasSubstr("version 20 or newer")));
  EXPECT_THAT(problemsOf("Upsample", {}, 11, {"x", "s"}),
              HasSubstr("use Resize instead"));
  EXPECT_THAT(problemsOf("Clip", {}, 10, {"x", "z"}),
              HasSubstr("wrong number of inputs"));
  // ONNX Runtime writes it into old sets.
  EXPECT_EQ(problemsOf("LayerNormalization", {}, 12, {"x", "s"}), "");
}

TEST(NodeCheck, AModelHasAnOperatorSet) {
  Message graph;
  graph.add(1, nodeOf("Relu", {"x"}, {"y"}, "n"))
      .add(11, valueOf("x", {4}))
      .add(12, valueOf("y", {4}));
  EXPECT_THAT(
      problemsOf(Message().add(1, 8).add(7, graph).bytes),
      HasSubstr("error E1002: the model does not import an operator set"));
  Message other = Message().add(1, std::string("com.microsoft")).add(2, 1);
  EXPECT_THAT(problemsOf(Message().add(1, 8).add(8, other).add(7, graph).bytes),
              HasSubstr("no opset_import for ai.onnx"));
}

TEST(NodeCheck, OtherDomainsAreTheirOwn) {
  Message node = nodeOf("Clip", {"x"}, {"y"}, "n");
  node.add(5, floatAttribute("anything", 1)).add(7, std::string("my.domain"));
  Message graph;
  graph.add(1, node).add(11, valueOf("x", {4})).add(12, valueOf("y", {4}));
  EXPECT_EQ(problemsOf(modelOf(graph)), "");
}

TEST(TypeCheck, OperatorsTakeTheirTypes) {
  EXPECT_EQ(problemsOfTypes("Gather", {kFloat, kInt64}), "");
  EXPECT_THAT(problemsOfTypes("Gather", {kFloat, kFloat}),
              AllOf(HasSubstr("found: float of tensor x1"),
                    HasSubstr("expected: int32, int64")));
  EXPECT_THAT(problemsOfTypes("Add", {kFloat, kInt64}),
              HasSubstr("Add: inputs have different types"));
  EXPECT_THAT(problemsOfTypes("DequantizeLinear", {kUint8, kFloat, kInt8}),
              HasSubstr("found: int8 of tensor x2, uint8 of tensor x0"));
  EXPECT_THAT(problemsOfTypes("Conv", {kFloat, kFloat, kInt64}),
              HasSubstr("int64 of tensor x2"));
  EXPECT_THAT(problemsOfTypes("Where", {kFloat, kFloat, kFloat}),
              HasSubstr("expected: bool"));
}

TEST(TypeCheck, StatedTypesAreThoseOfTheNodes) {
  EXPECT_EQ(problemsOfTypes("Shape", {kFloat}, kInt64), "");
  EXPECT_THAT(problemsOfTypes("Shape", {kFloat}, kFloat),
              AllOf(HasSubstr("a wrong type for the result y"),
                    HasSubstr("expected: int64")));
  // Behind a node that says its type by an attribute, and one that keeps it.
  Message graph;
  graph.add(1, nodeOf("Cast", {"x"}, {"a"}, "c").add(5, intAttribute("to", 7)))
      .add(1, nodeOf("Identity", {"a"}, {"y"}, "n"))
      .add(11, valueOf("x", {4}))
      .add(12, valueOf("y", {4}));
  EXPECT_THAT(problemsOf(modelOf(graph)),
              HasSubstr("node n: error E1009: Identity: the file states"));
}

TEST(TypeCheck, ListedConstantsAreWhatTheyAreListedAs) {
  auto listed = [](const Message &as) {
    Message graph;
    graph.add(1, nodeOf("Add", {"x", "w"}, {"y"}, "n"))
        .add(5, floatsOf("w", {2}, {1, 2}))
        .add(11, valueOf("x", {2}))
        .add(11, as)
        .add(12, valueOf("y", {2}));
    return problemsOf(modelOf(graph));
  };
  EXPECT_EQ(listed(valueOf("w", {2})), "");
  EXPECT_THAT(listed(valueOf("w", {3})),
              AllOf(HasSubstr("E1008"), HasSubstr("found: a constant of float "
                                                  "[2]")));
  EXPECT_THAT(listed(valueOf("w", {2}, kInt64)), HasSubstr("int64 [2]"));
}

TEST(OperatorRecords, VersionsFollowOneAnother) {
  for (const onnx::OperatorRecord &record : onnx::allRecords()) {
    SCOPED_TRACE(record.name);
    EXPECT_LT(record.since, record.until);
    for (std::size_t i = 1; i < record.signatures.size(); ++i)
      EXPECT_LT(record.signatures[i - 1].since, record.signatures[i].since);
    for (const onnx::AttributeRecord &a : record.attributes)
      EXPECT_LT(a.since, a.until) << a.name;
  }
}
