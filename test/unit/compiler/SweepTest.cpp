//===- SweepTest.cpp - Which machines a sweep is of, and its knees --------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "compiler/sweep/Sweep.h"
#include "support/diagnostics/Settings.h"
#include <gtest/gtest.h>

using namespace yarrow;

namespace {

using Values = std::vector<uint64_t>;

isa::Machine base() {
  DiagnosticEngine diags;
  return *isa::findTarget("X2_1204", diags);
}

Values valuesOf(const std::string &text) {
  DiagnosticEngine diags;
  auto axis = parseMachineAxis(text, base(), diags);
  EXPECT_EQ(axis.has_value(), !diags.hasErrors()) << text;
  return axis ? axis->values : Values();
}

} // namespace

TEST(MachineAxis, ListsAndRanges) {
  EXPECT_EQ(valuesOf("ddrBytesPerCycle=8,16,32"), (Values{8, 16, 32}));
  EXPECT_EQ(valuesOf("sramBytes=256K:2M:x2"),
            (Values{256 << 10, 512 << 10, 1 << 20, 2 << 20}));
  EXPECT_EQ(valuesOf("tec.floatCycles=2:9:+3"), (Values{2, 5, 8}));
  EXPECT_EQ(valuesOf("macArray.pixels=16"), (Values{16}));
}

TEST(MachineAxis, WhatIsNoneIsRefused) {
  for (const char *text :
       {"sramBytes", "sramBytes=", "sramBytes=0", "sramBytes=1,",
        "sramBytes=-1", "sramBytes=4,4", "sramBytes=8,4", "sramBytes=1:4",
        "sramBytes=1:4:2", "sramBytes=1:4:x1", "sramBytes=1:4:x",
        "sramBytes=4:1:+1", "sramBytes=1:4:+0", "sramBytes=1G",
        "sramBytes=1.5M", "=1"})
    EXPECT_EQ(valuesOf(text), Values()) << text;
}

TEST(MachineAxis, AnUnknownKeyNamesTheNearest) {
  for (auto [key, hint] : {std::pair("sramByte", "sramBytes"),
                           {"macArray.pixel", "macArray.pixels"}}) {
    DiagnosticEngine diags;
    EXPECT_FALSE(parseMachineAxis(std::string(key) + "=1", base(), diags));
    ASSERT_EQ(diags.all().size(), 1u);
    EXPECT_EQ(diags.all()[0].id, diag::TargetInvalid);
    EXPECT_NE(diags.all()[0].hintText.find(hint), std::string::npos);
  }
  // What device it is, is no size of it.
  EXPECT_EQ(valuesOf("device.version=5"), Values());
}

TEST(MachineAxis, AllCombinationsTheLastTheFastest) {
  DiagnosticEngine diags;
  auto machines = machinesOf(
      base(), {{"sramBytes", {1 << 20, 2 << 20}}, {"macArray.pixels", {8, 16}}},
      diags);
  ASSERT_TRUE(machines);
  ASSERT_EQ(machines->size(), 4u);
  EXPECT_EQ((*machines)[1].sramBytes, 1u << 20);
  EXPECT_EQ((*machines)[1].macArray.pixels, 16u);
  EXPECT_EQ((*machines)[2].sramBytes, 2u << 20);
  EXPECT_EQ((*machines)[2].macArray.pixels, 8u);
  EXPECT_EQ((*machines)[3].ddrBytesPerCycle, base().ddrBytesPerCycle);
}

TEST(MachineAxis, NumbersThatAMachineCannotHave) {
  DiagnosticEngine diags;
  EXPECT_FALSE(machinesOf(base(), {{"cores", {1, 4000000}}}, diags));
  ASSERT_TRUE(diags.hasErrors());
  EXPECT_EQ(diags.all()[0].id, diag::TargetInvalid);
  DiagnosticEngine many;
  Values hundred(100);
  EXPECT_FALSE(machinesOf(
      base(), {{"sramBytes", hundred}, {"clockMhz", hundred}}, many));
}

TEST(MachineAxis, ShortNumbers) {
  EXPECT_EQ(shortNumber(24), "24");
  EXPECT_EQ(shortNumber(1024), "1024");
  EXPECT_EQ(shortNumber(8192), "8K");
  EXPECT_EQ(shortNumber(1 << 20), "1M");
  EXPECT_EQ(shortNumber((1 << 20) + 1), "1048577");
}

// Two axes of three numbers; the second saves nothing from its second number
// on, the first 5 % up to its last.
TEST(Sweep, AKneeIsWhereMoreSavesLessThanItsShare) {
  SweepResult result;
  result.axes = {{"a", {1, 2, 3}}, {"b", {1, 2, 3}}};
  for (uint64_t cycles : {2000, 1000, 990, 1900, 950, 940, 1700, 895, 894}) {
    result.points.emplace_back();
    result.points.back().cycles = cycles;
  }
  findKnees(result);
  std::vector<size_t> ofA, ofB;
  for (size_t i = 0; i < 9; ++i) {
    if (result.points[i].isKnee[0])
      ofA.push_back(i);
    if (result.points[i].isKnee[1])
      ofB.push_back(i);
  }
  EXPECT_EQ(ofB, (std::vector<size_t>{1, 4, 7}));
  // 1900 and 950 are more than 5 % above 1700 and 895, 940 is not above 894.
  EXPECT_EQ(ofA, (std::vector<size_t>{5, 6, 7}));
}

TEST(Sweep, MachinesThatDoNotCompileAreNoKnees) {
  SweepResult result;
  result.axes = {{"a", {1, 2, 3}}};
  result.points.resize(3);
  result.points[0].problem = "E0602 too small";
  result.points[1].cycles = 100;
  result.points[2].cycles = 99;
  findKnees(result);
  EXPECT_FALSE(result.points[0].isKnee[0]);
  EXPECT_TRUE(result.points[1].isKnee[0]);
  EXPECT_FALSE(result.points[2].isKnee[0]);
}

TEST(Sweep, ThePageHasEveryPoint) {
  SweepResult result;
  result.model = "<net>";
  result.base = "X2_1204";
  result.axes = {{"sramBytes", {4096, 8192}}, {"cores", {1, 2}}};
  result.points.resize(4);
  for (size_t i = 0; i < 3; ++i) {
    result.points[i].values = {i < 2 ? 4096u : 8192u, 1 + i % 2};
    result.points[i].cycles = 1000 - i;
  }
  result.points[3].values = {8192, 2};
  result.points[3].problem = "E0602 \"no\"";
  findKnees(result);
  std::string page = result.html();
  EXPECT_NE(page.find("&lt;net&gt; on variations of X2_1204"), page.npos);
  for (const char *text :
       {"sramBytes 4K, cores 1: 1,000", "sramBytes 8K, cores 1: 998",
        "E0602 &quot;no&quot;"})
    EXPECT_NE(page.find(text), page.npos) << text;
  EXPECT_EQ(page.find("<net>"), page.npos);
  EXPECT_EQ(page.find("nan"), page.npos);
}
