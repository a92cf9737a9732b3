//===- PerLayerTest.cpp - Settings that differ between layers -------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "compiler/config/ConfigValues.h"

#include <gmock/gmock.h>

using namespace yarrow::config;
using ::testing::HasSubstr;

namespace {

PerLayer<int> read(std::string_view text) {
  PerLayer<int> value;
  std::string problem;
  EXPECT_TRUE(readValue(text, {ValueKind::Integer, 0, 100}, "", value, problem))
      << problem;
  return value;
}

std::string problemOf(std::string_view text) {
  PerLayer<int> value;
  std::string problem;
  EXPECT_FALSE(
      readValue(text, {ValueKind::Integer, 0, 100}, "", value, problem))
      << text;
  return problem;
}

} // namespace

TEST(PerLayer, GlobalValueAlone) {
  PerLayer<int> value = read(" 8 ");
  EXPECT_EQ(value.get({1, "Convolution", "", "conv"}), 8);
  EXPECT_TRUE(value.isUniform());
}

TEST(PerLayer, ChoosesByTypeIdAndName) {
  PerLayer<int> value = read("8 & <[Convolution, fullyconnected]:16> "
                             "< [(0,3), (7,7)] : 4 ><{.*_head\\d{1,2}}:12>");
  EXPECT_FALSE(value.isUniform());
  EXPECT_EQ(value.get({5, "convolution", "", "x"}), 16);
  EXPECT_EQ(value.get({5, "FullyConnected", "", "x"}), 16);
  EXPECT_EQ(value.get({3, "Abs", "", "x"}), 4);
  EXPECT_EQ(value.get({4, "Abs", "", "x"}), 8);
  EXPECT_EQ(value.get({7, "Abs", "", "x"}), 4);
  EXPECT_EQ(value.get({9, "Abs", "", "box_head12"}), 12);
  EXPECT_EQ(value.get({9, "Abs", "", "box_head"}), 8);
}

TEST(PerLayer, KeepsThePrecedenceOfTheOptimizer) {
  PerLayer<int> value = read("0 & <{a}:1> <{a.*}:2> <[Abs]:3> <[RELU]:4> "
                             "<[Abs]:5> <[(1,5)]:6> <[(2,3)]:7>");
  EXPECT_EQ(value.get({2, "Abs", "", "a"}), 6);
  EXPECT_EQ(value.get({9, "Abs", "", "a"}), 5);
  EXPECT_EQ(value.get({9, "Activation", "RELU", "a"}), 4);
  EXPECT_EQ(value.get({9, "Sub", "", "ab"}), 1);
  EXPECT_EQ(value.get({9, "Sub", "", "ba"}), 0);
}

TEST(PerLayer, OrdersRulesByPriority) {
  PerLayer<int> value = read("0 & <[(1,5)]:1> <{a}:2> <[Abs]:3> <[(2,3)]:4> "
                             "<{b}:5> <[Sub]:6>");
  std::vector<int> values;
  for (const auto *rule : value.byRisingPriority())
    values.push_back(rule->value);
  EXPECT_EQ(values, (std::vector<int>{5, 2, 3, 6, 4, 1}));
}

TEST(PerLayer, NamesMayHoldColonsAndBrackets) {
  PerLayer<int> value = read("8 & <{model/[a-c]:0;.*}:16>");
  EXPECT_EQ(value.get({0, "Abs", "", "model/b:0;rest"}), 16);
}

TEST(PerLayer, NamesMatchInPolynomialTime) {
  PerLayer<int> value = read("8 & <{(a*)*b}:16>");
  std::string name(5000, 'a');
  EXPECT_EQ(value.get({0, "Abs", "", name}), 8);
  EXPECT_EQ(value.get({0, "Abs", "", name + "b"}), 16);
}

TEST(PerLayer, ExplainsProblems) {
  EXPECT_THAT(problemOf("x"), HasSubstr("'x' is not an integer"));
  EXPECT_THAT(problemOf("101"), HasSubstr("from 0 to 100"));
  EXPECT_THAT(problemOf("8 & <[A]:x>"), HasSubstr("'x' is not an integer"));
  EXPECT_THAT(problemOf("8 &"), HasSubstr("one side of '&' is empty"));
  EXPECT_THAT(problemOf("8 & [A]:4"), HasSubstr("not in < >"));
  EXPECT_THAT(problemOf("8 & <[A]:4"), HasSubstr("not in < >"));
  EXPECT_THAT(problemOf("8 & <A:4>"), HasSubstr("no selection of layers"));
  EXPECT_THAT(problemOf("8 & <[A]:>"), HasSubstr("has no value"));
  EXPECT_THAT(problemOf("8 & <[A B]:4>"),
              HasSubstr("not a selection of layers"));
  EXPECT_THAT(problemOf("8 & <[(1)]:4>"),
              HasSubstr("not a selection of layers"));
  EXPECT_THAT(problemOf("8 & <[(1,2)(3,4)]:4>"),
              HasSubstr("not a selection of layers"));
  EXPECT_THAT(problemOf("8 & <{(}:4>"), HasSubstr("not a regular expression"));
  EXPECT_THAT(problemOf("8 & <{a{99999}}:4>"), HasSubstr("3 digits"));
  // Rules of 18 characters would take half a megabyte each.
  EXPECT_THAT(problemOf("8 & <{(a{99}){99}}:4>"), HasSubstr("100 repetitions"));
  EXPECT_THAT(problemOf("8 & <{(a{2,51}){2}}:4>"),
              HasSubstr("100 repetitions"));
  EXPECT_EQ(read("8 & <{(a{2,50}){2}}:4>").get({0, "Abs", "", "aaaa"}), 4);
}

TEST(PerLayer, SelectorsHaveText) {
  std::string problem;
  for (const char *text : {"[a,b]", "[(1,2),(3,4)]", "{x.*}"})
    EXPECT_EQ(parseSelector(text, problem)->str(), text);
}
