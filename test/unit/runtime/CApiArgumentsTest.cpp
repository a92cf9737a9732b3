//===- CApiArgumentsTest.cpp - What callers of the C interface get wrong --===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// A buffer that is one byte off, an index that is one too large, a machine that
// nobody knows, a file that is none: a status and a text that says what, no
// byte beyond the buffer, and no object where there is none.
//
//===----------------------------------------------------------------------===//
#include "runtime/include/yarrow/yarrow.h"
#include "support/AtomicFile.h"
#include "test/unit/runtime/SmallExecutable.h"
#include "test/unit/support/TempFolder.h"

#include <algorithm>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <vector>

using namespace yarrow;
using ::testing::HasSubstr;

namespace {
constexpr size_t kInputBytes = SmallExecutable::kInputBytes;
constexpr size_t kOutputBytes = SmallExecutable::kOutputBytes;

class CApiArguments : public ::testing::Test {
protected:
  void SetUp() override {
    ASSERT_TRUE(write(SmallExecutable().build()));
    ASSERT_EQ(yarrow_open(path.c_str(), &executable), YARROW_OK);
  }
  void TearDown() override {
    yarrow_close_session(session);
    yarrow_close(executable);
  }
  bool write(const std::string &bytes) { return writeFile(path, bytes, diags); }
  void createSession() {
    ASSERT_EQ(yarrow_create_session(executable, nullptr, &session), YARROW_OK);
  }

  test::TempFolder folder;
  std::string path = folder / "aipu.bin";
  DiagnosticEngine diags;
  yarrow_executable *executable = nullptr;
  yarrow_session *session = nullptr;
  std::vector<unsigned char> data = std::vector<unsigned char>(1024, 0xEE);
};
} // namespace

TEST_F(CApiArguments, InputsHaveTheirSize) {
  createSession();
  for (size_t bytes : {size_t(0), kInputBytes - 1, kInputBytes + 1}) {
    EXPECT_EQ(yarrow_set_input(session, 0, data.data(), bytes),
              YARROW_ERROR_ARGUMENT)
        << bytes;
    EXPECT_THAT(yarrow_last_error(), HasSubstr("differs in size"));
  }
  // Nothing was set.
  EXPECT_EQ(yarrow_run(session), YARROW_ERROR_ARGUMENT);
  EXPECT_EQ(yarrow_set_input(session, 0, nullptr, kInputBytes),
            YARROW_ERROR_ARGUMENT);
  EXPECT_EQ(yarrow_set_input(session, 0, data.data(), kInputBytes), YARROW_OK);
}

TEST_F(CApiArguments, OutputsAreWrittenWholeOrNotAtAll) {
  createSession();
  ASSERT_EQ(yarrow_set_input(session, 0, data.data(), kInputBytes), YARROW_OK);
  ASSERT_EQ(yarrow_run(session), YARROW_OK);
  std::vector<unsigned char> out(1024, 0x5A);
  for (size_t bytes :
       {size_t(0), kOutputBytes - 1, kOutputBytes + 1, out.size()}) {
    EXPECT_EQ(yarrow_get_output(session, 0, out.data(), bytes),
              YARROW_ERROR_ARGUMENT)
        << bytes;
    EXPECT_TRUE(std::ranges::all_of(out, [](int b) { return b == 0x5A; }))
        << bytes;
  }
  ASSERT_EQ(yarrow_get_output(session, 0, out.data(), kOutputBytes), YARROW_OK);
  EXPECT_EQ(out[0], 0xEE);
  EXPECT_EQ(out[kOutputBytes - 1], 200 - (SmallExecutable::kConstantBytes - 1));
  EXPECT_TRUE(std::all_of(out.begin() + kOutputBytes, out.end(),
                          [](int b) { return b == 0x5A; }));
}

TEST_F(CApiArguments, IndicesAreThoseOfTheModel) {
  createSession();
  yarrow_tensor tensor;
  ASSERT_EQ(yarrow_set_input(session, 0, data.data(), kInputBytes), YARROW_OK);
  ASSERT_EQ(yarrow_run(session), YARROW_OK);
  for (size_t index : {size_t(1), size_t(2), SIZE_MAX}) {
    EXPECT_EQ(yarrow_input(executable, index, &tensor), YARROW_ERROR_ARGUMENT);
    EXPECT_EQ(yarrow_output(executable, index, &tensor), YARROW_ERROR_ARGUMENT);
    EXPECT_EQ(yarrow_set_input(session, index, data.data(), kInputBytes),
              YARROW_ERROR_ARGUMENT);
    // Not because what lies behind the list has another size.
    EXPECT_THAT(yarrow_last_error(),
                HasSubstr("no input " + std::to_string(index)));
    EXPECT_EQ(yarrow_get_output(session, index, data.data(), kOutputBytes),
              YARROW_ERROR_ARGUMENT);
    EXPECT_THAT(yarrow_last_error(),
                HasSubstr("no output " + std::to_string(index)));
  }
  EXPECT_EQ(yarrow_input(executable, 0, nullptr), YARROW_ERROR_ARGUMENT);
  EXPECT_EQ(yarrow_input(executable, 0, &tensor), YARROW_OK);
}

TEST_F(CApiArguments, AMachineNobodyKnows) {
  yarrow_options options = YARROW_DEFAULT_OPTIONS;
  options.target = "X9_9999";
  session = reinterpret_cast<yarrow_session *>(this);
  EXPECT_NE(yarrow_create_session(executable, &options, &session), YARROW_OK);
  EXPECT_EQ(session, nullptr);
  EXPECT_THAT(yarrow_last_error(), HasSubstr("X9_9999"));
}

TEST_F(CApiArguments, FilesThatAreNoExecutable) {
  yarrow_executable *other = nullptr;
  for (const std::string &bytes : {std::string(), std::string("AIPU"),
                                   SmallExecutable().build().substr(0, 1000)}) {
    ASSERT_TRUE(write(bytes));
    other = reinterpret_cast<yarrow_executable *>(this);
    EXPECT_NE(yarrow_open(path.c_str(), &other), YARROW_OK) << bytes.size();
    EXPECT_EQ(other, nullptr);
    EXPECT_THAT(yarrow_last_error(), HasSubstr("aipu.bin"));
  }
}

// A run that faults has no output, also of an earlier run.
TEST_F(CApiArguments, AFaultIsNoSuccess) {
  SmallExecutable faulty;
  faulty.storeRegion = 7;
  ASSERT_TRUE(write(faulty.build()));
  yarrow_executable *other = nullptr;
  ASSERT_EQ(yarrow_open(path.c_str(), &other), YARROW_OK);
  ASSERT_EQ(yarrow_create_session(other, nullptr, &session), YARROW_OK);
  yarrow_close(other);
  ASSERT_EQ(yarrow_set_input(session, 0, data.data(), kInputBytes), YARROW_OK);
  EXPECT_EQ(yarrow_run(session), YARROW_ERROR_FAULT);
  EXPECT_EQ(yarrow_get_output(session, 0, data.data(), kOutputBytes),
            YARROW_ERROR_ARGUMENT);
  EXPECT_EQ(yarrow_report(session), nullptr);
  EXPECT_EQ(yarrow_trace(session), nullptr);
}
