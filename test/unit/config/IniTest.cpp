//===- IniTest.cpp - Sections of key = value lines ------------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "compiler/config/Ini.h"

#include <gmock/gmock.h>

using namespace yarrow;
using namespace yarrow::config;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

namespace {

std::string flat(std::string_view text) {
  DiagnosticEngine diags;
  auto sections = parseIni(text, "net.cfg", diags);
  if (!sections)
    return "?";
  std::string result;
  for (const IniSection &section : *sections) {
    result += "[" + section.name + "]";
    for (const IniEntry &entry : section.entries)
      result += entry.key + "=" + entry.value + "@" +
                std::to_string(entry.line) + ";";
  }
  return result;
}

std::vector<std::string> problems(std::string_view text) {
  DiagnosticEngine diags;
  EXPECT_FALSE(parseIni(text, "net.cfg", diags));
  std::vector<std::string> result;
  for (const Diagnostic &diag : diags.all())
    result.push_back(diag.str());
  return result;
}

} // namespace

TEST(Ini, ReadsAsConfigparser) {
  EXPECT_EQ(flat("\xEF\xBB\xBF# note\n[Common]\r\nMode = run \n;x=1\n"
                 "a: b=c\nempty =\n[GBuilder]\nA = [1, 2] # kept\n"),
            "[Common]mode=run@3;a=b=c@5;empty=@6;"
            "[GBuilder]a=[1, 2] # kept@8;");
  EXPECT_EQ(flat(""), "");
}

TEST(Ini, DeeperLinesContinueAValue) {
  EXPECT_EQ(flat("[A]\nx = 1,\n  2,\n# note\n\n  3\ny = 4\n"),
            "[A]x=1,\n2,\n3@2;y=4@7;");
  // A file that is indented as a whole has no continuations.
  EXPECT_EQ(flat("  [A]\n  x = 1\n  y = 2\n  [B]\n"), "[A]x=1@2;y=2@3;[B]");
}

TEST(Ini, ReportsAllProblems) {
  EXPECT_THAT(problems("x=1\n[A\n[]\n[B]\nword\n= 1\ny=1\nY=2\n[B]\n"),
              ElementsAre(HasSubstr("net.cfg:1"), HasSubstr("net.cfg:2"),
                          HasSubstr("net.cfg:3"), HasSubstr("net.cfg:5"),
                          HasSubstr("net.cfg:6"),
                          HasSubstr("given twice, first in line 7"),
                          HasSubstr("[B] is given twice")));
}
