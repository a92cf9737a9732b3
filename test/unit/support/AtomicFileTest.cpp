//===- AtomicFileTest.cpp - All of the file or nothing --------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "support/AtomicFile.h"
#include "support/FolderLock.h"
#include "support/diagnostics/Files.h"
#include "test/unit/support/TempFolder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <csignal>
#include <thread>

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

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
  EXPECT_THAT(folder.names(), ::testing::ElementsAre("out"));
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
  EXPECT_THAT(folder.names(), ::testing::ElementsAre("out"));
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
  EXPECT_EQ(diags.all()[0].id, diag::FileUnwritable);
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

TEST(AtomicFile, FollowsLinksToWhatIsNotThereYet) {
  TempFolder folder;
  DiagnosticEngine diags;
  std::filesystem::create_symlink("real", folder / "link");
  EXPECT_TRUE(writeFile(folder / "link", "new", diags));
  EXPECT_TRUE(std::filesystem::is_symlink(folder / "link"));
  EXPECT_EQ(contents(folder / "real"), "new");
}

TEST(AtomicFile, APipeWithoutReaderIsAnError) {
  TempFolder folder;
  DiagnosticEngine diags;
  ASSERT_EQ(mkfifo((folder / "pipe").c_str(), 0600), 0);
  EXPECT_FALSE(writeFile(folder / "pipe", "a", diags)); // after some seconds
  ASSERT_EQ(diags.numErrors(), 1u);
  EXPECT_EQ(diags.all()[0].id, diag::FileUnwritable);
  EXPECT_EQ(diags.all()[0].foundText, "Broken pipe");
}

TEST(AtomicFile, APipeWaitsForItsReader) {
  TempFolder folder;
  DiagnosticEngine diags;
  ASSERT_EQ(mkfifo((folder / "pipe").c_str(), 0600), 0);
  std::string found;
  std::thread reader([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    found = contents(folder / "pipe");
  });
  EXPECT_TRUE(writeFile(folder / "pipe", std::string(300000, 'x'), diags));
  reader.join();
  EXPECT_EQ(found, std::string(300000, 'x'));
}

TEST(AtomicFile, WritesADescriptorWhereItStands) {
  TempFolder folder;
  DiagnosticEngine diags;
  int fd = open((folder / "out").c_str(), O_WRONLY | O_CREAT, 0600);
  ASSERT_GE(fd, 0);
  ASSERT_EQ(write(fd, "a", 1), 1);
  EXPECT_TRUE(writeFile("/dev/fd/" + std::to_string(fd), "b", diags));
  ASSERT_EQ(write(fd, "c", 1), 1);
  close(fd);
  EXPECT_EQ(contents(folder / "out"), "abc");
  EXPECT_FALSE(writeFile("/dev/fd/" + std::to_string(fd), "b", diags));
}

TEST(AtomicFile, TogetherMeansAllOrNone) {
  TempFolder folder;
  DiagnosticEngine diags;
  ASSERT_TRUE(writeFile(folder / "a", "old", diags));
  AtomicFile a(folder / "a", diags), full("/dev/full", diags);
  a.append("new");
  full.append("new");
  EXPECT_FALSE(commitTogether({&a, &full}));
  EXPECT_EQ(contents(folder / "a"), "old");
  EXPECT_THAT(folder.names(), ::testing::ElementsAre("a"));
  AtomicFile c(folder / "a", diags), d(folder / "d", diags);
  c.append("new");
  d.append("new");
  EXPECT_TRUE(commitTogether({&c, &d}));
  EXPECT_EQ(contents(folder / "a"), "new");
  EXPECT_EQ(contents(folder / "d"), "new");
}

/// What a process leaves that is ended in the middle of writing "out".
static void dieWriting(const TempFolder &folder, int signal) {
  pid_t child = fork();
  if (child == 0) {
    DiagnosticEngine diags;
    AtomicFile file(folder / "out", diags);
    file.append(std::string(200000, 'x'));
    raise(signal);
  }
  waitpid(child, nullptr, 0);
}

TEST(AtomicFile, TheNextWriterRemovesWhatTheDeadLeft) {
  TempFolder folder;
  DiagnosticEngine diags;
  dieWriting(folder, SIGKILL);
  dieWriting(folder, SIGKILL);
  EXPECT_GE(folder.names().size(), 1u);
  // Of a writer that lives, whatever its number, and files that only look so.
  std::ofstream(folder / "out.tmp12-x") << "kept";
  AtomicFile other(folder / "out", diags);
  std::string own = std::to_string(getpid());
  AtomicFile file(folder / "out", diags);
  file.append("new");
  EXPECT_TRUE(file.commit());
  EXPECT_THAT(folder.names(), ::testing::UnorderedElementsAre(
                                  "out", "out.tmp12-x",
                                  ::testing::StartsWith("out.tmp" + own)));
  other.append("newer");
  EXPECT_TRUE(other.commit());
  EXPECT_EQ(contents(folder / "out"), "newer");
}

TEST(AtomicFile, AHandlerOfSignalsCanRemoveTemporaries) {
  TempFolder folder;
  DiagnosticEngine diags;
  AtomicFile file(folder / "out", diags);
  EXPECT_EQ(folder.names().size(), 1u);
  removeTemporaryFiles();
  EXPECT_TRUE(folder.names().empty());
}

TEST(AtomicFile, SignalsWaitBetweenTwoRenames) {
  EXPECT_FALSE(PublishScope::holdBack(SIGTERM));
  auto publish = [] {
    std::signal(SIGTERM, [](int signal) {
      if (!PublishScope::holdBack(signal))
        _exit(42);
    });
    {
      PublishScope outer;
      PublishScope inner;
      (void)raise(SIGTERM);
    }
    _exit(0);
  };
  EXPECT_EXIT(publish(), ::testing::ExitedWithCode(42), "");
}

/// A writer that is killed before, between or after the renames of a pair.
static void dieAtRename(const TempFolder &folder, unsigned numRenames) {
  pid_t child = fork();
  if (child == 0) {
    // The steps of commitTogether, one by one.
    TemporaryFile bin, txt;
    if (!bin.create(folder / "net.bin") || !txt.create(folder / "net.txt"))
      _exit(1);
    (void)writeDescriptor(bin.descriptor(), "new");
    (void)writeDescriptor(txt.descriptor(), "new");
    if (numRenames > 0)
      bin.renameTo(folder / "net.bin");
    if (numRenames > 1)
      txt.renameTo(folder / "net.txt");
    raise(SIGKILL);
  }
  waitpid(child, nullptr, 0);
}

TEST(AtomicFile, KilledAtEachRenameEveryFileIsWhole) {
  for (unsigned numRenames = 0; numRenames <= 2; ++numRenames) {
    TempFolder folder;
    DiagnosticEngine diags;
    ASSERT_TRUE(writeFile(folder / "net.txt", "old", diags));
    ASSERT_TRUE(writeFile(folder / "net.bin", "old", diags));
    dieAtRename(folder, numRenames);
    EXPECT_EQ(contents(folder / "net.bin"), numRenames > 0 ? "new" : "old");
    EXPECT_EQ(contents(folder / "net.txt"), numRenames > 1 ? "new" : "old");
    AtomicFile bin(folder / "net.bin", diags), txt(folder / "net.txt", diags);
    EXPECT_TRUE(commitTogether({&bin, &txt}));
    EXPECT_THAT(folder.names(),
                ::testing::UnorderedElementsAre("net.bin", "net.txt"));
  }
}

TEST(AtomicFile, PairsOfSeveralWritersNeverMix) {
  TempFolder folder;
  std::atomic<bool> isDone{false};
  std::atomic<int> mixed{0};
  std::thread reader([&] {
    while (!isDone) {
      FolderLock lock({folder / "a"}, FolderLock::Shared);
      if (contents(folder / "a") != contents(folder / "b"))
        ++mixed;
    }
  });
  std::vector<std::thread> writers;
  for (int w = 0; w < 4; ++w)
    writers.emplace_back([&, w] {
      for (int i = 0; i < 25; ++i) {
        DiagnosticEngine diags;
        AtomicFile a(folder / "a", diags), b(folder / "b", diags);
        std::string text = std::to_string(w * 100 + i);
        a.append(text);
        b.append(text);
        EXPECT_TRUE(commitTogether({&a, &b}));
      }
    });
  for (std::thread &writer : writers)
    writer.join();
  isDone = true;
  reader.join();
  EXPECT_EQ(mixed, 0);
  EXPECT_EQ(contents(folder / "a"), contents(folder / "b"));
  EXPECT_THAT(folder.names(), ::testing::UnorderedElementsAre("a", "b"));
}

TEST(FolderLock, IsNotWaitedForForEver) {
  TempFolder folder;
  FolderLock first({folder / "a"}, FolderLock::Exclusive);
  EXPECT_TRUE(first.isComplete());
  FolderLock second({folder / "b"}, FolderLock::Shared,
                    std::chrono::milliseconds(20));
  EXPECT_FALSE(second.isComplete());
}

TEST(FolderLock, ReadersShareIt) {
  TempFolder folder;
  FolderLock first({folder / "a", folder / "b"}, FolderLock::Shared);
  FolderLock second({folder / "a"}, FolderLock::Shared);
  EXPECT_TRUE(first.isComplete());
  EXPECT_TRUE(second.isComplete());
}
