//===- MappedFileTest.cpp - Files that change while they are read ---------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "support/MappedFile.h"
#include "support/AtomicFile.h"
#include "support/MappingGuard.h"
#include "support/diagnostics/Files.h"
#include "test/Sanitizers.h"
#include "test/unit/support/TempFolder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <csignal>
#include <thread>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

using namespace yarrow;
using yarrow::test::TempFolder;

namespace {
constexpr std::size_t fileBytes = 1 << 20;

/// A mapped file of ones; mappings are guarded from then on.
class MappedFileTest : public ::testing::Test {
protected:
  void SetUp() override {
    guardMappings();
    write(path, std::string(fileBytes, '\1'));
    file = MappedFile::open(path, diags);
    ASSERT_TRUE(file);
  }
  void TearDown() override {
    file.reset();
    forgetDamagedFiles();
  }

  static void write(const std::string &path, const std::string &text) {
    std::ofstream(path, std::ios::binary) << text;
  }
  std::size_t sum() const {
    std::size_t total = 0;
    for (std::byte b : file->bytes())
      total += std::size_t(b);
    return total;
  }
  void expectDamage(const char *reason) {
    EXPECT_EQ(file->damage(), reason);
    DiagnosticEngine reported;
    EXPECT_FALSE(checkReadFiles(reported));
    ASSERT_EQ(reported.numErrors(), 1u);
    EXPECT_EQ(reported.all()[0].id, diag::FileUnreadable);
    EXPECT_EQ(reported.all()[0].place.file, path);
    EXPECT_EQ(reported.all()[0].foundText, reason);
  }

  TempFolder folder;
  std::string path = folder / "data";
  DiagnosticEngine diags;
  std::shared_ptr<const MappedFile> file;
};

constexpr const char *shorter = "the file became shorter while it was read";
constexpr const char *changed = "the file was changed while it was read";
} // namespace

TEST_F(MappedFileTest, IntactFilesAreFine) {
  EXPECT_EQ(sum(), fileBytes);
  EXPECT_TRUE(checkReadFiles(diags));
  EXPECT_TRUE(writeFile(folder / "out", "result", diags));
}

TEST_F(MappedFileTest, TruncatedFileIsZerosAndAnError) {
  ASSERT_EQ(truncate(path.c_str(), 4096), 0);
  EXPECT_EQ(sum(), 4096u); // not SIGBUS
  expectDamage(shorter);
}

TEST_F(MappedFileTest, TruncationWithinThePageIsSeen) {
  ASSERT_EQ(truncate(path.c_str(), fileBytes - 1), 0);
  EXPECT_EQ(sum(), fileBytes - 1);
  expectDamage(shorter);
}

TEST_F(MappedFileTest, TruncatedToNothingInOtherThreads) {
  ASSERT_EQ(truncate(path.c_str(), 0), 0);
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i)
    threads.emplace_back([&] { EXPECT_EQ(sum(), 0u); });
  for (std::thread &thread : threads)
    thread.join();
  expectDamage(shorter);
}

TEST_F(MappedFileTest, TruncatedAndGrownAgain) {
  ASSERT_EQ(truncate(path.c_str(), 0), 0);
  EXPECT_EQ(sum(), 0u);
  ASSERT_EQ(truncate(path.c_str(), fileBytes), 0);
  expectDamage("a part of the file could not be read");
}

TEST_F(MappedFileTest, OverwrittenFileIsAnError) {
  std::fstream(path, std::ios::in | std::ios::out) << "other";
  // Clocks of file systems may be coarse.
  timespec times[2] = {{0, UTIME_OMIT}, {1, 0}};
  ASSERT_EQ(utimensat(AT_FDCWD, path.c_str(), times, 0), 0);
  expectDamage(changed);
}

TEST_F(MappedFileTest, AReplacedFileIsAnotherFile) {
  ASSERT_TRUE(writeFile(path, "new", diags));
  EXPECT_EQ(sum(), fileBytes);
  EXPECT_TRUE(checkReadFiles(diags));
}

TEST_F(MappedFileTest, NothingIsPublishedAfterDamage) {
  ASSERT_EQ(truncate(path.c_str(), 0), 0);
  file.reset(); // the data are gone, what was computed of them is not
  EXPECT_FALSE(writeFile(folder / "out", "result", diags));
  EXPECT_THAT(folder.names(), ::testing::ElementsAre("data"));
  ASSERT_EQ(diags.numErrors(), 1u);
  EXPECT_EQ(diags.all()[0].id, diag::FileUnreadable);
  // Said once, and still so.
  EXPECT_FALSE(writeFile(folder / "out", "result", diags));
  EXPECT_EQ(diags.numErrors(), 1u);
}

TEST_F(MappedFileTest, CopyingADamagedFileNamesTheFile) {
  ASSERT_EQ(truncate(path.c_str(), 0), 0);
  EXPECT_FALSE(writeFile(folder / "out", file->text(), diags));
  ASSERT_EQ(diags.numErrors(), 1u);
  EXPECT_EQ(diags.all()[0].id, diag::FileUnreadable);
}

TEST_F(MappedFileTest, ReleaseKeepsTheBytes) {
  MappedFile::release(file->bytes());
  EXPECT_EQ(sum(), fileBytes);
  std::vector<std::byte> own(1 << 16, std::byte(1));
  MappedFile::release(own);
  EXPECT_EQ(std::count(own.begin(), own.end(), std::byte(1)), 1 << 16);
}

TEST_F(MappedFileTest, OtherBusErrorsStillEndTheProcess) {
  if (test::kHasThreadSanitizer)
    GTEST_SKIP() << "the action that our handler restores is TSan's, which "
                    "reports the signal and exits with 66";
  EXPECT_EXIT(raise(SIGBUS), ::testing::KilledBySignal(SIGBUS), "");
}

TEST_F(MappedFileTest, FilesThatWereReadAreKnown) {
  struct stat info;
  ASSERT_EQ(stat(path.c_str(), &info), 0);
  FileIdentity identity{uint64_t(info.st_dev), uint64_t(info.st_ino)};
  EXPECT_EQ(readFiles().count(identity), 1u);
}
