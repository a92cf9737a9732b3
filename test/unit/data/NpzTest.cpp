//===- NpzTest.cpp - Archives of arrays -----------------------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "support/Npz.h"
#include "support/NpzWriter.h"
#include "support/diagnostics/Files.h"
#include "test/TemporaryFile.h"
#include "test/unit/data/ZipWriter.h"
#include "gtest/gtest.h"

using namespace yarrow;

namespace {

class NpzTest : public ::testing::Test {
protected:
  std::optional<std::vector<NpzArray>> read(const std::string &bytes) {
    std::ofstream(file.path(), std::ios::binary) << bytes;
    diags = std::make_unique<DiagnosticEngine>();
    return readNpz(file.path(), *diags);
  }
  std::string two(bool isDeflated, bool isZip64 = false) {
    ZipWriter zip;
    zip.add("b.npy", npyOf({2, 3}, {1, 2, 3, 4, 5, 6}), isDeflated, isZip64);
    zip.add("a.npy", npyOf({1}, {7}), isDeflated, isZip64);
    return zip.finish();
  }
  yarrow::testing::TemporaryFile file;
  std::unique_ptr<DiagnosticEngine> diags;
};

TEST_F(NpzTest, ReadsStoredAndDeflatedInTheFilesOrder) {
  for (bool isDeflated : {false, true})
    for (bool isZip64 : {false, true}) {
      auto arrays = read(two(isDeflated, isZip64));
      ASSERT_TRUE(arrays);
      ASSERT_EQ(arrays->size(), 2u);
      EXPECT_EQ((*arrays)[0].name, "b");
      EXPECT_EQ((*arrays)[0].array.shape, (std::vector<int64_t>{2, 3}));
      EXPECT_EQ((*arrays)[0].array.toFloats(),
                (std::vector<float>{1, 2, 3, 4, 5, 6}));
      EXPECT_EQ((*arrays)[1].name, "a");
      EXPECT_EQ((*arrays)[1].array.name, file.path() + ":a");
    }
}

TEST_F(NpzTest, ReadsWhatIsWritten) {
  diags = std::make_unique<DiagnosticEngine>();
  float values[] = {1, 2, 3, 4, 5, 6};
  int64_t shape[] = {2, 3};
  {
    AtomicFile out(file.path(), *diags);
    NpzWriter zip(out);
    for (const char *name : {"scores", "a,b:0", "scores"})
      zip.add(name, npyHeader(NpyType::Float32, shape),
              std::as_bytes(std::span(values)));
    zip.finish();
    ASSERT_TRUE(out.commit());
  }
  auto arrays = readNpz(file.path(), *diags);
  ASSERT_TRUE(arrays);
  ASSERT_EQ(arrays->size(), 3u);
  EXPECT_EQ((*arrays)[0].name, "scores");
  EXPECT_EQ((*arrays)[1].name, "a,b:0");
  EXPECT_EQ((*arrays)[2].name, "scores_1"); // no name stands twice
  EXPECT_EQ((*arrays)[2].array.shape, (std::vector<int64_t>{2, 3}));
  EXPECT_EQ((*arrays)[2].array.toFloats(),
            (std::vector<float>{1, 2, 3, 4, 5, 6}));
}

TEST_F(NpzTest, ReadsPastAComment) {
  std::string bytes = two(true) + "hello";
  bytes[bytes.size() - 5 - 2] = 5;
  EXPECT_TRUE(read(bytes));
}

TEST_F(NpzTest, RefusesWhatIsNone) {
  for (const std::string &bytes :
       {std::string(), std::string("PK"), std::string(100, 'x')}) {
    EXPECT_FALSE(read(bytes));
    ASSERT_EQ(diags->numErrors(), 1u);
    EXPECT_EQ(diags->all()[0].id, diag::NpyMalformed);
  }
  ZipWriter none;
  none.add("readme.txt", "text", false);
  EXPECT_FALSE(read(none.finish()));
}

/// Whatever one byte is changed to: arrays of that size or an error.
TEST_F(NpzTest, SurvivesDamage) {
  std::size_t refused = 0;
  for (bool isDeflated : {false, true}) {
    std::string whole = two(isDeflated, true);
    for (std::size_t at = 0; at < whole.size(); ++at)
      for (int change : {1, 0x80, 0xFF}) {
        std::string bytes = whole;
        bytes[at] = char(bytes[at] ^ change);
        auto arrays = read(bytes);
        EXPECT_EQ(arrays.has_value(), !diags->hasErrors());
        refused += !arrays;
      }
    for (std::size_t size = 0; size < whole.size(); ++size)
      EXPECT_FALSE(read(whole.substr(0, size)));
  }
  EXPECT_GT(refused, 500u);
}

TEST_F(NpzTest, RefusesOtherMethods) {
  std::string bytes = two(false);
  std::size_t entry = bytes.find("PK\x01\x02");
  bytes[entry + 10] = 12; // bzip2
  EXPECT_FALSE(read(bytes));
  EXPECT_EQ(diags->all()[0].id, diag::NpyUnsupported);
}

} // namespace
