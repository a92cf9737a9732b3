//===- FormatTest.cpp - Numbers and tables --------------------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "support/Format.h"
#include "support/TextTable.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <sstream>

using namespace yarrow;

TEST(Format, Counts) {
  EXPECT_EQ(formatCount(0), "0");
  EXPECT_EQ(formatCount(999), "999");
  EXPECT_EQ(formatCount(1000), "1,000");
  EXPECT_EQ(formatCount(18446744073709551615u), "18,446,744,073,709,551,615");
}

TEST(Format, BytesFixedPercent) {
  EXPECT_EQ(formatBytes(1023), "1023 B");
  EXPECT_EQ(formatBytes(1536), "1.50 KB");
  EXPECT_EQ(formatBytes(4u << 20), "4.00 MB");
  EXPECT_EQ(formatBytes(UINT64_MAX), "16777216.00 TB");
  EXPECT_EQ(formatFixed(-0.125, 2), "-0.12");
  EXPECT_EQ(formatFixed(1e308, 0).size(), 309u);
  EXPECT_EQ(formatFixed(0.0 / 0.0, 2), "nan");
  EXPECT_EQ(formatPercent(1, 8), "12.5%");
  EXPECT_EQ(formatPercent(1, 0), "-");
}

TEST(Format, ShellWords) {
  EXPECT_EQ(shellWord("out/net_o.txt"), "out/net_o.txt");
  EXPECT_EQ(shellWord("x=1,3,8,8"), "x=1,3,8,8");
  EXPECT_EQ(shellWord("my files/a.npy"), "'my files/a.npy'");
  EXPECT_EQ(shellWord("8 & <[Softmax]:16>"), "'8 & <[Softmax]:16>'");
  EXPECT_EQ(shellWord("it's"), "'it'\\''s'");
  EXPECT_EQ(shellWord(""), "''");
}

TEST(TextTable, AlignsTextLeftAndNumbersRight) {
  TextTable table;
  table.column("layer").number("cycles").column("bound");
  table.row({"conv1", "12,345", "compute"}).row({"µ", "7"});
  table.rule().row({"sum", "12,352"});
  EXPECT_EQ(table.str(), "layer  cycles  bound\n"
                         "-----  ------  -------\n"
                         "conv1  12,345  compute\n"
                         "µ           7\n"
                         "-----  ------  -------\n"
                         "sum    12,352\n");
}

static TextTable wideTable() {
  TextTable table;
  table.column("layer").shortened().number("cycles").number("MACs").optional(2);
  table.number("span").optional(1).column("reason").wrapped();
  table.row({"/encoder/blocks.11/attention/output/dense/MatMul", "1,234", "5",
             "99", "the array waits for weights from DDR, as they are many"});
  table.rule().row({"total", "1,234", "5", "99"});
  return table;
}

TEST(TextTable, NarrowOnesShortenThenWrapThenLeaveOut) {
  EXPECT_EQ(
      wideTable().str(70),
      "layer                     cycles  MACs  span  reason\n"
      "------------------------  ------  ----  ----  "
      "------------------------\n"
      "/encode…put/dense/MatMul   1,234     5    99  the array waits for\n"
      "                                              weights from DDR, as\n"
      "                                              they are many\n"
      "------------------------  ------  ----  ----  "
      "------------------------\n"
      "total                      1,234     5    99\n");
  EXPECT_EQ(wideTable().str(60),
            "layer                 cycles  MACs  reason\n"
            "--------------------  ------  ----  ------------------------\n"
            "/encod…/dense/MatMul   1,234     5  the array waits for\n"
            "                                    weights from DDR, as\n"
            "                                    they are many\n"
            "--------------------  ------  ----  ------------------------\n"
            "total                  1,234     5\n"
            "(--wide also shows: span)\n");
}

TEST(TextTable, FitsWhateverTheWidthAndNumbersStayWhole) {
  for (std::size_t width = 26; width < 150; ++width) {
    std::istringstream lines(wideTable().str(width));
    for (std::string line; std::getline(lines, line);) {
      std::size_t length = std::size_t(std::count_if(
          line.begin(), line.end(), [](char c) { return (c & 0xC0) != 0x80; }));
      EXPECT_LE(length, width) << line;
    }
    EXPECT_NE(wideTable().str(width).find(" 1,234"), std::string::npos);
  }
  EXPECT_EQ(wideTable().str().find("…"), std::string::npos);
  EXPECT_EQ(wideTable().str().find("--wide"), std::string::npos);
}

TEST(TextTable, ShortenedNamesStayDifferent) {
  TextTable tails;
  tails.column("layer").shortened().number("cycles");
  tails.row({"/model/layer2/layer2.0/shortcut/Pad", "1"});
  tails.row({"/model/layer3/layer3.0/shortcut/Pad", "2"});
  EXPECT_EQ(tails.str(26), "layer               cycles\n"
                           "------------------  ------\n"
                           "…r2.0/shortcut/Pad       1\n"
                           "…r3.0/shortcut/Pad       2\n");
  TextTable heads;
  heads.column("layer").shortened().number("cycles");
  heads.row({"/encoder/attention/output/MatMul", "1"});
  heads.row({"/decoder/attention/output/MatMul", "2"});
  EXPECT_EQ(heads.str(30), "layer                   cycles\n"
                           "----------------------  ------\n"
                           "/encode…/output/MatMul       1\n"
                           "/decode…/output/MatMul       2\n");
}

TEST(TextTable, WrapsAtBlanksAndCutsLongWords) {
  using Lines = std::vector<std::string>;
  EXPECT_EQ(wrapText("", 5), Lines{""});
  EXPECT_EQ(wrapText("one two three", 7), (Lines{"one two", "three"}));
  EXPECT_EQ(wrapText("µµµµµµµµ x", 5), (Lines{"µµµµµ", "µµµ x"}));
  EXPECT_EQ(wrapText("ab  cd", 3), (Lines{"ab", "cd"}));
}
