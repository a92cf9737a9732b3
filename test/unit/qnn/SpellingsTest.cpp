//===- SpellingsTest.cpp - Nodes as converters spell them -----------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "parser/qnn/Spellings.h"
#include "test/unit/qnn/RightNodes.h"
#include "gtest/gtest.h"

using namespace yarrow;
using namespace yarrow::qnn;

namespace {

QnnNode nodeOf(const std::string &type, std::vector<QnnParam> params) {
  return {.name = "n", .type = type, .params = std::move(params)};
}

std::string typeOf(const QnnNode &node) {
  DiagnosticEngine diags;
  std::optional<QnnNode> result = inDefinitions(node, diags);
  EXPECT_EQ(result.has_value(), !diags.hasErrors());
  return result ? result->type : diags.all().at(0).str();
}

TEST(QnnSpellings, NumbersOfTheFamily) {
  QnnParam thirteen = scalar("operation", DataType::UINT_32, 13);
  EXPECT_EQ(typeOf(nodeOf("Eltwise_Binary", {thirteen})), "ElementWiseBinary");
  EXPECT_EQ(typeOf(nodeOf("Eltwise_Unary", {thirteen})), "ElementWiseUnary");
  EXPECT_EQ(typeOf(nodeOf("Neuron", {thirteen})), "ElementWiseNeuron");
  // With both the number says it.
  EXPECT_EQ(typeOf(nodeOf("Eltwise_Binary",
                          {thirteen, text("eltwise_type", "ElementWiseAdd")})),
            "ElementWiseBinary");
}

TEST(QnnSpellings, WordsAreOperators) {
  EXPECT_EQ(typeOf(nodeOf("Pool", {text("pool_type", "PoolAvg2d")})),
            "PoolAvg2d");
  EXPECT_EQ(typeOf(nodeOf("Reduce", {text("reduce_type", "ReduceMean")})),
            "ReduceMean");
  EXPECT_EQ(typeOf(nodeOf("Neuron", {text("neuron_type", "Relu")})), "Relu");
  EXPECT_EQ(
      typeOf(nodeOf("Eltwise_Unary", {text("eltwise_type", "ElementWiseAbs")})),
      "ElementWiseAbs");
}

TEST(QnnSpellings, TextsThatPrintNothingAreDropped) {
  DiagnosticEngine diags;
  QnnNode node = nodeOf("Conv2d", {scalar("group", DataType::UINT_32, 1),
                                   text("packageName", "qti.aisw"),
                                   text("some_type", "x"), text("other", "x")});
  std::optional<QnnNode> result = inDefinitions(node, diags);
  ASSERT_TRUE(result);
  ASSERT_EQ(result->params.size(), 2u);
  EXPECT_EQ(result->params[0].name, "group");
  // What is no spelling is told by the comparison with the record.
  EXPECT_EQ(result->params[1].name, "other");
}

TEST(QnnSpellings, NumbersAreNeverDropped) {
  DiagnosticEngine diags;
  QnnParam number = scalar("nms_type", DataType::UINT_32, 1);
  QnnNode node = nodeOf("DetectionOutput", {number});
  EXPECT_EQ(inDefinitions(node, diags)->params.size(), 1u);
  node = nodeOf("If", {text("then_graph", "a")});
  EXPECT_EQ(inDefinitions(node, diags)->params.size(), 1u);
}

TEST(QnnSpellings, WithoutAWordTheNodeIsWrong) {
  std::string stated = typeOf(nodeOf("Pool", {}));
  EXPECT_NE(stated.find("E1041"), std::string::npos);
  EXPECT_NE(stated.find("node n (Pool): pool_type is missing"),
            std::string::npos);
  stated = typeOf(nodeOf("Reduce", {text("reduce_type", "ReduceMeann")}));
  EXPECT_NE(stated.find("no operator ReduceMeann"), std::string::npos);
  EXPECT_NE(stated.find("ReduceMean"), std::string::npos);
}

TEST(QnnSpellings, OtherTypesStayAsTheyAre) {
  EXPECT_EQ(typeOf(nodeOf("Softmax", {})), "Softmax");
  EXPECT_EQ(typeOf(nodeOf("Mystery", {})), "Mystery");
}

} // namespace
