//===- NamesTest.cpp - Metrics by name ------------------------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "quantizer/scores/Score.h"
#include "gtest/gtest.h"

using namespace yarrow;

namespace {

ScoreProblem problemOf(const std::string &name,
                       const std::vector<std::string> &arguments = {}) {
  ScoreProblem problem;
  EXPECT_FALSE(ScoreRequest::read(name, arguments, "", problem)) << name;
  return problem;
}

TEST(ScoreNames, OfATaskPointToAProgram) {
  std::size_t tasks = 0;
  for (const ScoreRecord &record : scoreRecords()) {
    if (record.make)
      continue;
    ++tasks;
    ScoreProblem problem = problemOf(std::string(record.name));
    EXPECT_NE(problem.hint.find("program("), std::string::npos);
    EXPECT_NE(problem.message.find("belongs to a task"), std::string::npos);
  }
  EXPECT_EQ(tasks, 37u);
}

TEST(ScoreNames, AreNearOthers) {
  EXPECT_NE(problemOf("CosDistanceMetrik").hint.find("CosDistanceMetric"),
            std::string::npos);
  EXPECT_NE(problemOf("Nothing").message.find("not known"), std::string::npos);
}

TEST(ScoreNames, CheckTheirArguments) {
  EXPECT_EQ(problemOf("TopKMetric", {"0"}).expected,
            "K: an integer from 1 to 1000000");
  EXPECT_EQ(problemOf("TopKMetric", {"1", "perhaps"}).expected,
            "with_argmax: True or False");
  EXPECT_EQ(problemOf("CosDistanceMetric", {"1"}).expected, "no argument '1'");
  EXPECT_EQ(problemOf("F1scoreMetric", {"NHCW"}).expected,
            "layout: NHWC or NCHW");
  EXPECT_EQ(problemOf("program").expected, "path: the path of a file");
}

TEST(ScoreNames, KeepTheirSpelling) {
  ScoreProblem problem;
  auto request =
      ScoreRequest::read("topkmetric", {"K=5", "False"}, "", problem);
  ASSERT_TRUE(request);
  EXPECT_EQ(request->text(), "TopKMetric(K=5,False)");
  EXPECT_TRUE(request->needsLabels());
}

} // namespace
