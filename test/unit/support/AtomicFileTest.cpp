//===- AtomicFileTest.cpp - All of the file or nothing --------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "support/AtomicFile.h"
#include "test/unit/support/TempFolder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sys/stat.h>

using namespace yarrow;
using yarrow::test::contents;
using yarrow::test::TempFolder;

TEST(AtomicFile, AppearsOnCommit) {
  TempFolder folder;
  DiagnosticEngine diags;
  AtomicFile file(folder / "out", diags);
  EXPECT_TRUE(file.append("abc"));
  EXPECT_TRUE(file.append(std::string(200000, 'x')));
  EXPECT_TRUE(file.append("z"));
  EXPECT_FALSE(std::filesystem::exists(folder / "out"));
  EXPECT_TRUE(file.commit());
  EXPECT_EQ(contents(folder / "out"), "abc" + std::string(200000, 'x') + "z");
  EXPECT_THAT(folder.names(), testing::ElementsAre("out"));
}

TEST(AtomicFile, LeavesNothingWithoutCommit) {
  TempFolder folder;
  DiagnosticEngine diags;
  ASSERT_TRUE(writeFile(folder / "out", "old", diags));
  {
    AtomicFile file(folder / "out", diags);
    file.append("half of the new");
  }
  EXPECT_EQ(contents(folder / "out"), "old");
  EXPECT_THAT(folder.names(), testing::ElementsAre("out"));
  EXPECT_FALSE(diags.hasErrors());
}

TEST(AtomicFile, ReportsAMissingFolderOnce) {
  TempFolder folder;
  DiagnosticEngine diags;
  AtomicFile file(folder / "no/out", diags);
  EXPECT_FALSE(file.append("a"));
  EXPECT_FALSE(file.append("b"));
  EXPECT_FALSE(file.commit());
  ASSERT_EQ(diags.numErrors(), 1u);
  EXPECT_EQ(diags.all()[0].id, DiagId::FileUnwritable);
  EXPECT_EQ(diags.all()[0].hintText, "create the folder first");
}

TEST(AtomicFile, RefusesAFolder) {
  TempFolder folder;
  DiagnosticEngine diags;
  EXPECT_FALSE(writeFile(folder / "", "a", diags));
  EXPECT_EQ(diags.numErrors(), 1u);
}

TEST(AtomicFile, FailsCleanlyOnAFullDisk) {
  DiagnosticEngine diags;
  EXPECT_FALSE(writeFile("/dev/full", "a", diags));
  ASSERT_EQ(diags.numErrors(), 1u);
  EXPECT_EQ(diags.all()[0].foundText, "No space left on device");
}

TEST(AtomicFile, WritesDevicesDirectly) {
  DiagnosticEngine diags;
  EXPECT_TRUE(writeFile("/dev/null", "a", diags));
  struct stat info;
  ASSERT_EQ(stat("/dev/null", &info), 0);
  EXPECT_TRUE(S_ISCHR(info.st_mode));
}

TEST(AtomicFile, FollowsLinksAndKeepsPermissions) {
  TempFolder folder;
  DiagnosticEngine diags;
  ASSERT_TRUE(writeFile(folder / "real", "old", diags));
  ASSERT_EQ(chmod((folder / "real").c_str(), 0640), 0);
  std::filesystem::create_symlink("real", folder / "link");
  EXPECT_TRUE(writeFile(folder / "link", "new", diags));
  EXPECT_TRUE(std::filesystem::is_symlink(folder / "link"));
  EXPECT_EQ(contents(folder / "real"), "new");
  struct stat info;
  ASSERT_EQ(stat((folder / "real").c_str(), &info), 0);
  EXPECT_EQ(info.st_mode & 07777, 0640u);
}
