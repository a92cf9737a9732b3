//===- ExcerptTest.cpp ----------------------------------------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "compiler/driver/Excerpt.h"
#include "test/unit/support/TempFolder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

using namespace yarrow;

namespace {

/// The text that is marked.
std::string marked(std::string_view line, const Place &place) {
  SourceMark mark = markOf(line, place);
  return std::string(line.substr(mark.offset, mark.length));
}

/// Columns of the longest line.
std::size_t widest(const std::string &text) {
  std::size_t most = 0, current = 0;
  for (char c : text) {
    if ((c & 0xC0) != 0x80)
      ++current;
    if (c == '\n')
      current = 0;
    most = std::max(most, current);
  }
  return most;
}

TEST(MarkOf, TakesTheValueByDefault) {
  EXPECT_EQ(marked("stride_x=two", {}), "two");
  EXPECT_EQ(marked("  weight_bits = 9000 ", {}), "9000");
  EXPECT_EQ(marked("  \"tecs\": 5,", {}), "5");
  EXPECT_EQ(marked("[GBulder]", {}), "[GBulder]");
  EXPECT_EQ(marked("key=", {}), "key=");
  EXPECT_EQ(marked("", {}), "");
}

TEST(MarkOf, PrefersWholeItemsToPartsOfNames) {
  EXPECT_EQ(markOf("layer_bottom=[a/b,ab,a]", {.token = "a"}).offset, 21u);
  EXPECT_EQ(markOf("layer_bottom=[xa,a/b]", {.token = "a"}).offset, 17u);
  EXPECT_EQ(markOf("layer_bottom=[xay]", {.token = "a"}).offset, 1u);
  EXPECT_EQ(marked("Weigth_Bits = 8", {.token = "weigth_bits"}), "Weigth_Bits");
  EXPECT_EQ(marked("stride_x=2", {.token = "nowhere"}), "2");
}

TEST(MarkOf, LooksFromTheColumnOn) {
  EXPECT_EQ(markOf("[1,1,1]", {.token = "1", .column = 4}).offset, 3u);
  EXPECT_EQ(marked("a=[1,2", {.column = 4}), "1");
  // What is missing at the end has a place behind it.
  EXPECT_EQ(markOf("a=[1", {.column = 5}).offset, 4u);
  EXPECT_EQ(markOf("a=[1", {.column = 99}).offset, 4u);
}

TEST(Excerpt, MarksBelowTheLine) {
  EXPECT_EQ(excerpt("stride_x=two", 12, {9, 3}, 100), "\n  12 | stride_x=two"
                                                      "\n     |          ^~~");
  EXPECT_EQ(excerpt("a=[1", 12345, {4, 1}, 100), "\n12345 | a=[1"
                                                 "\n      |     ^");
  EXPECT_EQ(excerpt("", 1, {0, 0}, 100), "\n   1 | ");
  EXPECT_EQ(excerpt("x=1", 1, {2, 1}, 100, /*useColor=*/true),
            "\n   1 | x=1"
            "\n     |   \033[1;32m^\033[0m");
}

TEST(Excerpt, CountsCharactersAndNotBytes) {
  EXPECT_EQ(excerpt("\xC3\xA4=\tb", 1, {4, 1}, 100), "\n   1 | \xC3\xA4= b"
                                                     "\n     |    ^");
}

TEST(Excerpt, CutsLongLinesAroundTheMark) {
  std::string line = "offsets=[";
  for (int i = 0; i < 100000; ++i)
    line += std::to_string(i) + ",";
  std::size_t at = line.find(",77777,") + 1;
  for (std::size_t columns : {40, 80, 100, 200}) {
    std::string text = excerpt(line, 7, {at, 5}, columns);
    EXPECT_LE(widest(text), columns);
    EXPECT_THAT(text, ::testing::HasSubstr("\n   7 | ..."));
    EXPECT_THAT(text, ::testing::HasSubstr(",77777,"));
    EXPECT_THAT(text, ::testing::HasSubstr("...\n"));
    std::size_t shown = text.find("77777") - text.find("| ");
    EXPECT_EQ(text.find('^') - text.rfind("| "), shown);
  }
  // A mark that is too long itself.
  std::string text = excerpt(line, 7, {8, line.size() - 8}, 80);
  EXPECT_THAT(text, ::testing::HasSubstr("offsets=[0,1,2,"));
  EXPECT_LE(widest(text), 80u);
  EXPECT_LE(widest(excerpt(line, 7, {at, 5}, 0)), 27u);
}

TEST(SourceFiles, GivesLinesByNumber) {
  test::TempFolder folder;
  DiagnosticEngine diags;
  std::string path = folder / "a.txt";
  std::ofstream(path) << "one\r\ntwo\n\nlast";
  SourceFiles files;
  EXPECT_EQ(files.line(path, 1), "one");
  EXPECT_EQ(files.line(path, 2), "two");
  EXPECT_EQ(files.line(path, 3), "");
  EXPECT_EQ(files.line(path, 4), "last");
  EXPECT_EQ(files.line(path, 5), std::nullopt);
  EXPECT_EQ(files.line(path, 0), std::nullopt);
  EXPECT_EQ(files.line(folder / "none", 1), std::nullopt);
}

TEST(Printable, ReplacesWhatATerminalActsUpon) {
  EXPECT_EQ(printable("a\033[2Jb\x07\x7F"), "a?[2Jb??");
  EXPECT_EQ(printable("\xC2\x9B"), "?"); // a control of Latin-1
  EXPECT_EQ(printable("\xC3\xA4\xE2\x82\xAC"), "\xC3\xA4\xE2\x82\xAC");
  EXPECT_EQ(printable("\xC0\xAF \xE0\x80\x80 \xFF"), "?? ??? ?");
  EXPECT_EQ(printable("\xED\xA0\x80"), "???");      // half of a pair
  EXPECT_EQ(printable("\xF4\x90\x80\x80"), "????"); // beyond Unicode
  EXPECT_EQ(printable("cut \xE2\x82"), "cut ??");
}

} // namespace
