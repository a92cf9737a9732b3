//===- FlatTest.cpp - Tables of a flatbuffer ------------------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "parser/tflite/Flat.h"
#include "test/FlatBytes.h"
#include <gmock/gmock.h>

using namespace yarrow::tflite;
using ::testing::ElementsAre;
using ::testing::IsNull;
using ::testing::NotNull;
using yarrow::test::Flat;
using yarrow::test::FlatWriter;

static Bytes bytesOf(const std::string &text) {
  return std::as_bytes(std::span(text));
}

static std::string sample() {
  return FlatWriter::write(
      Flat::table({{0, Flat::number(std::uint32_t(7))},
                   {1, Flat::text("name")},
                   {3, Flat::list(std::vector<std::int64_t>{-1, 5})},
                   {4, Flat::tables({Flat::table({{0, Flat::number('a')}}),
                                     Flat::table({})})},
                   {5, Flat::table({{2, Flat::number(1.5f)}})}}),
      "TEST");
}

TEST(Flat, ReadsFieldsOfEachKind) {
  std::string text = sample();
  FlatFile file(bytesOf(text));
  FlatTable root = file.root("TEST");
  EXPECT_EQ(root.number<std::uint32_t>(0, 0), 7u);
  EXPECT_EQ(root.text(1), "name");
  EXPECT_THAT(root.list<std::int64_t>(3).copy(), ElementsAre(-1, 5));
  ASSERT_EQ(root.tables(4).size(), 2u);
  EXPECT_EQ(root.tables(4)[0].number<char>(0, 'x'), 'a');
  EXPECT_EQ(root.table(5).number<float>(2, 0), 1.5f);
  EXPECT_THAT(file.error(), IsNull());
}

TEST(Flat, GivesDefaultsOfWhatIsAbsent) {
  std::string text = sample();
  FlatFile file(bytesOf(text));
  FlatTable root = file.root("TEST");
  EXPECT_EQ(root.number<std::int32_t>(2, -4), -4); // left out
  EXPECT_EQ(root.number<std::int32_t>(99, 3), 3);  // beyond the list of fields
  EXPECT_FALSE(root.table(2).isPresent());
  EXPECT_TRUE(root.table(2).list<int>(0).empty());
  EXPECT_EQ(root.tables(4)[1].number<char>(0, 'x'), 'x');
  EXPECT_THAT(file.error(), IsNull());
}

TEST(Flat, RefusesOtherLetters) {
  std::string text = sample();
  FlatFile file(bytesOf(text));
  EXPECT_FALSE(file.root("TFL3").isPresent());
  ASSERT_THAT(file.error(), NotNull());
  EXPECT_EQ(file.errorOffset(), 4u);
}

/// Everything there is, so that every hop is made.
static void readAll(FlatFile &file) {
  FlatTable root = file.root("TEST");
  (void)root.number<std::uint32_t>(0, 0);
  (void)root.text(1);
  (void)root.list<std::int64_t>(3).copy();
  for (const FlatTable &inner : root.tables(4))
    (void)inner.number<char>(0, 'x');
  (void)root.table(5).number<float>(2, 0);
}

TEST(Flat, FindsEveryTruncation) {
  std::string text = sample();
  // Only the bytes that align what is behind them may be missed.
  for (std::size_t size = 0; size + 4 < text.size(); ++size) {
    std::string shorter = text.substr(0, size);
    FlatFile file(bytesOf(shorter));
    readAll(file);
    EXPECT_THAT(file.error(), NotNull()) << size << " bytes";
    EXPECT_LE(file.errorOffset(), size);
  }
}

TEST(Flat, FollowsNoOffsetOutOfTheFile) {
  std::string text = sample();
  unsigned found = 0;
  for (std::size_t at = 0; at + 4 <= text.size(); ++at)
    for (std::uint32_t value : {0u, 0x7fffffffu, 0x80000000u, 0xffffffffu}) {
      std::string broken = text;
      std::memcpy(&broken[at], &value, sizeof value);
      FlatFile file(bytesOf(broken));
      readAll(file); // which the sanitizers watch
      found += file.error() != nullptr;
    }
  EXPECT_GT(found, text.size());
}

TEST(Flat, ReportedFirstIsWhatIsWrongFirst) {
  std::string text = sample();
  std::uint32_t far = 0x7ffffff0;
  std::memcpy(&text[0], &far, sizeof far);
  FlatFile file(bytesOf(text));
  readAll(file);
  EXPECT_STREQ(file.error(), "an offset beyond the end of the file");
  EXPECT_EQ(file.errorOffset(), 0u);
}
