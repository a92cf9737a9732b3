//===- CApiResourcesTest.cpp - The C interface at the end of memory -------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// Under every limit of the address space the interface answers with a status;
// no exception leaves it. In processes of their own, since limits remain.
//
//===----------------------------------------------------------------------===//
#include "runtime/include/yarrow/yarrow.h"
#include "support/AtomicFile.h"
#include "test/Sanitizers.h"
#include "test/unit/runtime/SmallExecutable.h"
#include "test/unit/support/TempFolder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <string_view>

#include <sys/resource.h>
#include <unistd.h>

using namespace yarrow;

namespace {
/// Leaves \p bytes to allocate.
void limitMemory(rlim_t bytes) {
  rlim_t pages = 0;
  std::ifstream("/proc/self/statm") >> pages;
  rlimit limit = {};
  limit.rlim_cur = limit.rlim_max = pages * rlim_t(getpagesize()) + bytes;
  setrlimit(RLIMIT_AS, &limit);
}

[[noreturn]] void endWith(yarrow_status status) {
  bool isReported = std::string_view(yarrow_last_error()).size() > 10;
  _exit(status == YARROW_OK || isReported ? 40 + int(status) : 1);
}

void runSession(const std::string &path, rlim_t bytes) {
  yarrow_executable *executable = nullptr;
  yarrow_session *session = nullptr;
  if (yarrow_open(path.c_str(), &executable) != YARROW_OK)
    _exit(2);
  limitMemory(bytes);
  yarrow_status status = yarrow_create_session(executable, nullptr, &session);
  char input[SmallExecutable::kInputBytes] = {};
  if (status == YARROW_OK)
    status = yarrow_set_input(session, 0, input, sizeof(input));
  endWith(status == YARROW_OK ? yarrow_run(session) : status);
}

void openExecutable(const std::string &path, rlim_t bytes) {
  yarrow_executable *executable = nullptr;
  limitMemory(bytes);
  endWith(yarrow_open(path.c_str(), &executable));
}

class CApiResourcesTest : public ::testing::Test {
protected:
  void SetUp() override {
    GTEST_FLAG_SET(death_test_style, "threadsafe");
    ASSERT_TRUE(writeFile(path, SmallExecutable().build(), diags));
  }
  test::TempFolder folder;
  std::string path = folder / "aipu.bin";
  DiagnosticEngine diags;
};
} // namespace

TEST_F(CApiResourcesTest, NoMemoryForASession) {
  // The device's address space fits, what the cores need does not.
  EXPECT_EXIT(runSession(path, (rlim_t(1) << 32) + (4 << 20)),
              ::testing::ExitedWithCode(40 + YARROW_ERROR_RESOURCES), "");
}

TEST_F(CApiResourcesTest, NoMemoryForALargeFile) {
  if (!test::kNewThrows)
    GTEST_SKIP() << "a sanitizer's operator new ends the process";
  ASSERT_EQ(truncate(path.c_str(), 512 << 20), 0);
  EXPECT_EXIT(openExecutable(path, 64 << 20),
              ::testing::ExitedWithCode(40 + YARROW_ERROR_RESOURCES), "");
}

TEST_F(CApiResourcesTest, ATruncatedFileIsNotMapped) {
  yarrow_executable *executable = nullptr;
  yarrow_session *session = nullptr;
  ASSERT_EQ(yarrow_open(path.c_str(), &executable), YARROW_OK);
  ASSERT_EQ(truncate(path.c_str(), 0), 0);
  EXPECT_EQ(yarrow_create_session(executable, nullptr, &session), YARROW_OK)
      << yarrow_last_error();
  yarrow_close_session(session);
  yarrow_close(executable);
}
