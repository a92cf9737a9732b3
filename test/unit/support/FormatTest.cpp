//===- FormatTest.cpp - Numbers and tables --------------------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "support/Format.h"
#include "support/TextTable.h"

#include <gtest/gtest.h>

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
