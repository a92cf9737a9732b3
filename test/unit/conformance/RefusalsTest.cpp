//===- RefusalsTest.cpp - The list of what may be refused -----------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "test/conformance/Refusals.h"
#include "test/TemporaryFile.h"
#include "gtest/gtest.h"
#include <fstream>

using namespace yarrow;
using conformance::Refusals;

namespace {

/// "" or what is wrong with a list of these lines.
std::string read(Refusals &list, const std::string &lines) {
  yarrow::testing::TemporaryFile file;
  std::ofstream(file.path()) << lines;
  std::string problem = list.read(file.path());
  return problem.empty() ? "" : problem.substr(file.path().size());
}

TEST(Refusals, AllowsWhatIsListedForTheSameIr) {
  Refusals list;
  ASSERT_EQ(read(list, "# of operators\nint  2 E0308 Mod  # later\n\n"), "");
  EXPECT_TRUE(list.allows("int", "E0308 Mod"));
  EXPECT_FALSE(list.allows("float", "E0308 Mod"));
  EXPECT_FALSE(list.allows("int", "E0302 Mod"));
  EXPECT_FALSE(list.allows("int", "E0308 Mod and more"));
}

TEST(Refusals, NothingIsAllowedWithoutAList) {
  EXPECT_FALSE(Refusals().allows("int", "E0308 Mod"));
}

TEST(Refusals, AnotherNumberOfPacksIsADifference) {
  Refusals list;
  ASSERT_EQ(read(list, "int 2 E0308 Mod\nfloat 1 E0308 Mod\n"), "");
  EXPECT_TRUE(list.differences("int", {{"E0308 Mod", 2}}).empty());
  EXPECT_EQ(list.differences("int", {{"E0308 Mod", 3}}).size(), 1u);
  EXPECT_EQ(list.differences("int", {}),
            std::vector<std::string>{"E0308 Mod: refuses 0 packs, on the list "
                                     "2; what works is to be taken off it"});
}

TEST(Refusals, BrokenLinesAreErrors) {
  Refusals list;
  EXPECT_EQ(read(list, "int 1 E0308 Mod\nall 1 E0308 Div\n"),
            ":2: expected '<int|float> <packs> <reason>'");
  EXPECT_EQ(read(list, "int E0308 Mod\n"),
            ":1: expected '<int|float> <packs> <reason>'");
  EXPECT_EQ(read(list, "int 0 E0308 Gemm\n"),
            ":1: expected '<int|float> <packs> <reason>'");
  EXPECT_EQ(read(list, "int 1 E0308 Tile\nint 2 E0308 Tile\n"),
            ":2: the reason comes twice");
  EXPECT_NE(list.read("/nowhere/refusals.txt"), "");
}

} // namespace
