//===- CodeFileTest.cpp - The file that code was loaded from --------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "support/CodeFile.h"

#include <filesystem>
#include <gnu/libc-version.h>
#include <gtest/gtest.h>
#include <memory>

using namespace yarrow;

static const void *addressOf(auto *function) {
  return reinterpret_cast<const void *>(function);
}

TEST(CodeFileTest, IsTheProgramOrALibrary) {
  auto program = codeFile(addressOf(&codeFile));
  EXPECT_EQ(program, std::filesystem::read_symlink("/proc/self/exe").string());
  auto library = codeFile(addressOf(&gnu_get_libc_version));
  ASSERT_TRUE(library);
  EXPECT_TRUE(
      std::filesystem::path(*library).filename().string().starts_with("libc"))
      << *library;
}

TEST(CodeFileTest, OfOtherMemoryIsNone) {
  int onStack = 0;
  auto onHeap = std::make_unique<int>();
  EXPECT_EQ(codeFile(&onStack), std::nullopt);
  EXPECT_EQ(codeFile(onHeap.get()), std::nullopt);
  EXPECT_EQ(codeFile(nullptr), std::nullopt);
}
