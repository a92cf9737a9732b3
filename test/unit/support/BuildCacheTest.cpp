//===- BuildCacheTest.cpp - What takes long to make, kept in a folder -----===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "support/BuildCache.h"

#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>

using namespace yarrow;

namespace {
class BuildCacheTest : public ::testing::Test {
protected:
  BuildCacheTest() {
    std::string pattern = ::testing::TempDir() + "cacheXXXXXX";
    folder = mkdtemp(pattern.data());
  }
  ~BuildCacheTest() override { std::filesystem::remove_all(folder); }

  std::filesystem::path onlyFile() const {
    return std::filesystem::directory_iterator(folder)->path();
  }

  std::filesystem::path folder;
  const std::vector<char> object = {'a', 0, 'b'};
};
} // namespace

TEST_F(BuildCacheTest, FindsWhatWasStored) {
  BuildCache(folder, "kind").store("key", object);
  EXPECT_EQ(BuildCache(folder, "kind").find("key"), object);
  EXPECT_EQ(BuildCache(folder, "kind").find("another"), std::nullopt);
  EXPECT_EQ(BuildCache(folder, "other").find("key"), std::nullopt);
  EXPECT_EQ(onlyFile().extension(), ".kind");
}

TEST_F(BuildCacheTest, TakesNoDamagedFile) {
  BuildCache cache(folder, "kind");
  cache.store("key", object);
  auto size = std::filesystem::file_size(onlyFile());
  std::ifstream in(onlyFile(), std::ios::binary);
  std::string whole(size, 0);
  in.read(whole.data(), std::streamsize(size));
  // Every byte but the last three, which are the object, is length, key or
  // digest.
  for (size_t at = 0; at < size; ++at) {
    std::string damaged = whole;
    damaged[at] ^= 4;
    std::ofstream(onlyFile(), std::ios::binary) << damaged;
    EXPECT_EQ(cache.find("key"), std::nullopt) << "byte " << at;
  }
  for (size_t left = 0; left < size; ++left) {
    std::ofstream(onlyFile(), std::ios::binary) << whole.substr(0, left);
    EXPECT_EQ(cache.find("key"), std::nullopt) << left << " bytes";
  }
  cache.store("key", object);
  EXPECT_EQ(cache.find("key"), object);
}

TEST_F(BuildCacheTest, DoesWithoutAFolder) {
  BuildCache none("", "kind"), gone((folder / "gone").string(), "kind");
  none.store("key", object);
  gone.store("key", object);
  EXPECT_EQ(none.find("key"), std::nullopt);
  EXPECT_EQ(gone.find("key"), std::nullopt);
}
