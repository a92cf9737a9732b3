//===- ProgramTest.cpp - A metric of the user's own -----------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "support/diagnostics/Measuring.h"
#include "test/TemporaryFile.h"
#include "test/unit/scores/Scoring.h"

#include <filesystem>
#include <fstream>

using namespace yarrow;
namespace fs = std::filesystem;

namespace {

class ProgramTest : public ::testing::Test {
protected:
  void SetUp() override {
    auto classes = std::make_shared<std::vector<int64_t>>();
    *classes = {3, 1, 4};
    samples.labelArrays = {
        {NpyType::Int64, {3}, 3, classes->data(), classes, "labels"}};
    for (int i = 0; i < 2; ++i)
      samples.add({{{float(i), 2, 3}, {3}}, {{7}, {1}}}, {{{1}, {}}});
  }
  double run(const std::string &script,
             std::vector<std::string> arguments = {}) {
    std::ofstream(program.path()) << "#!/bin/sh\n" << script;
    fs::permissions(program.path(), fs::perms::owner_all);
    arguments.insert(arguments.begin(), program.path());
    return samples.score("program", arguments);
  }
  yarrow::testing::TemporaryFile program;
  Samples samples;
};

TEST_F(ProgramTest, TakesTheLastLine) {
  EXPECT_DOUBLE_EQ(run("echo classes 3\necho 0.75\n"), 0.75);
  EXPECT_DOUBLE_EQ(run("echo 1e-3"), 1e-3);
}

TEST_F(ProgramTest, PassesArgumentsAsTheyAre) {
  EXPECT_DOUBLE_EQ(
      run("test \"$1\" = '$(exit 1); a b' && echo 1", {"$(exit 1); a b"}), 1);
}

TEST_F(ProgramTest, GivesOutputsAndTheLabelsOfTheSamples) {
  yarrow::testing::TemporaryFile copy;
  fs::create_directories(copy.path());
  EXPECT_EQ(run("cp \"$1\"/*.npy " + copy.path() + "; echo 2"), 2);
  DiagnosticEngine diags;
  auto first = readNpy(copy.path() + "/output_0.npy", diags);
  auto second = readNpy(copy.path() + "/output_1.npy", diags);
  auto labels = readNpy(copy.path() + "/label_0.npy", diags);
  ASSERT_TRUE(first && second && labels);
  EXPECT_EQ(first->shape, (std::vector<int64_t>{2, 3}));
  EXPECT_EQ(first->toFloats(), (std::vector<float>{0, 2, 3, 1, 2, 3}));
  EXPECT_EQ(second->toFloats(), (std::vector<float>{7, 7}));
  EXPECT_EQ(labels->type, NpyType::Int64);
  EXPECT_EQ(labels->toIntegers(), (std::vector<int64_t>{3, 1}));
  fs::remove_all(copy.path());
}

TEST_F(ProgramTest, RemovesItsFolder) {
  yarrow::testing::TemporaryFile name;
  EXPECT_EQ(run("echo \"$1\" > " + name.path() + "; echo 1"), 1);
  std::string folder;
  std::getline(std::ifstream(name.path()) >> std::ws, folder);
  EXPECT_FALSE(folder.empty());
  EXPECT_FALSE(fs::exists(folder)) << folder;
}

TEST_F(ProgramTest, ReportsOfFailures) {
  EXPECT_TRUE(std::isnan(run("echo 1; exit 4")));
  ASSERT_EQ(samples.diags.numErrors(), 1u);
  const Diagnostic &d = samples.diags.all()[0];
  EXPECT_EQ(d.id, diag::MetricProgram);
  EXPECT_TRUE(std::isnan(run("echo good")));
  EXPECT_TRUE(std::isnan(run("true")));
  EXPECT_TRUE(std::isnan(run("echo nan")));
  EXPECT_EQ(samples.diags.numErrors(), 4u);
}

TEST_F(ProgramTest, MustBeExecutable) {
  std::ofstream(program.path()) << "1";
  EXPECT_TRUE(std::isnan(samples.score("program", {program.path()})));
  EXPECT_NE(samples.problem.find("an executable program"), std::string::npos);
  EXPECT_TRUE(std::isnan(samples.score("program", {"/none/such"})));
  EXPECT_NE(samples.problem.find("exists, unlike /none/such"),
            std::string::npos);
}

} // namespace
