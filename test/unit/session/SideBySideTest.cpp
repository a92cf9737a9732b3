//===- SideBySideTest.cpp - Calls that run at the same time ---------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "test/Sanitizers.h"
#include "test/unit/session/Digits.h"

#include <gtest/gtest.h>

#include <unistd.h>

#include <atomic>
#include <cstdlib>
#include <fstream>
#include <functional>
#include <thread>

using namespace yarrow;
using namespace yarrow::test;

namespace {

/// What one thread asks for, and what it gets.
struct Request {
  session::QuantizeSettings quantize;
  session::CompileSettings compile;
  std::string bytes = {};
  std::vector<char> scores = {};
  DiagnosticEngine diags = {};

  void serve(const std::shared_ptr<const session::Network> &network) {
    session::Call call{diags};
    auto quantized =
        session::quantize(network, digits::samples(), quantize, call);
    auto executable = quantized
                          ? session::compile(*quantized->network, compile, call)
                          : nullptr;
    auto outputs = executable
                       ? session::run(*executable,
                                      digits::data("heldout.npy", 2), {}, call)
                       : std::nullopt;
    if (!outputs)
      return;
    bytes = executable->bytes();
    scores = outputs->front().bytes;
  }
};

std::deque<Request> requests() {
  std::deque<Request> all;
  for (const char *bits : {"8", "16"})
    for (const char *target : {"X2_1204", "Z1_0701"}) {
      Request &request = all.emplace_back();
      request.quantize.keys["weight_bits"] = bits;
      request.compile.target = target;
    }
  // One that fails, beside others that do not.
  all.emplace_back().compile.target = "X9_9999";
  return all;
}

TEST(SideBySide, DoNotSeeEachOther) {
  DiagnosticEngine diags;
  auto network = digits::network({diags});
  ASSERT_TRUE(network);
  std::deque<Request> alone = requests(), together = requests();
  for (Request &request : alone)
    request.serve(network);
  std::vector<std::thread> threads;
  for (Request &request : together)
    threads.emplace_back([&] { request.serve(network); });
  for (std::thread &thread : threads)
    thread.join();
  for (std::size_t i = 0; i < alone.size(); ++i) {
    bool isWrong = i + 1 == alone.size();
    EXPECT_EQ(alone[i].bytes.empty(), isWrong);
    EXPECT_EQ(together[i].diags.hasErrors(), isWrong);
    EXPECT_EQ(together[i].diags.all().size(), alone[i].diags.all().size());
    EXPECT_TRUE(together[i].bytes == alone[i].bytes) << i;
    EXPECT_EQ(together[i].scores, alone[i].scores) << i;
  }
  EXPECT_EQ(network.use_count(), 1);
}

/// How often a thread of Soak compiles and runs. `scripts/check.sh` asks for
/// 25: 200 compilations and runs, 1,000 compilations of MemoryDoesNotGrow.
int soakRounds() {
  const char *asked = std::getenv("YARROW_SOAK_ROUNDS");
  return asked ? std::atoi(asked) : 6;
}

/// Calls work(thread) on each of so many threads.
void onThreads(int count, const std::function<void(int)> &work) {
  std::vector<std::thread> threads;
  for (int thread = 0; thread < count; ++thread)
    threads.emplace_back(work, thread);
  for (std::thread &thread : threads)
    thread.join();
}

uint64_t residentBytes() {
  uint64_t size = 0, resident = 0;
  std::ifstream("/proc/self/statm") >> size >> resident;
  return resident * uint64_t(sysconf(_SC_PAGESIZE));
}

/// Compilations and runs, mixed: each thread its own order.
TEST(SideBySide, Soak) {
  constexpr int kThreads = 8;
  const int rounds = soakRounds();
  DiagnosticEngine diags;
  auto quantized = session::quantize(digits::network({diags}),
                                     digits::samples(), {}, {diags});
  ASSERT_TRUE(quantized);
  const char *targets[] = {"X2_1204", "Z1_0701", "Z2_1104"};
  std::vector<std::string> expected;
  for (const char *target : targets)
    expected.emplace_back(
        session::compile(*quantized->network, {.target = target}, {diags})
            ->bytes());
  std::atomic<int> same = 0, run = 0;
  onThreads(kThreads, [&](int thread) {
    DiagnosticEngine own;
    for (int round = 0; round < rounds; ++round) {
      std::size_t which = std::size_t(thread + round) % 3;
      auto executable = session::compile(*quantized->network,
                                         {.target = targets[which]}, {own});
      same += executable && executable->bytes() == expected[which];
      run +=
          executable &&
          session::run(*executable, digits::data("heldout.npy", 1), {}, {own});
    }
  });
  EXPECT_EQ(same, kThreads * rounds);
  EXPECT_EQ(run, kThreads * rounds);
  EXPECT_EQ(quantized->network.use_count(), 1);
}

/// Ten times as many compilations need no more memory.
TEST(SideBySide, MemoryDoesNotGrow) {
  if (!kNewThrows)
    GTEST_SKIP() << "sanitizers keep what is freed";
  constexpr int kThreads = 4;
  DiagnosticEngine diags;
  auto quantized = session::quantize(digits::network({diags}),
                                     digits::samples(), {}, {diags});
  ASSERT_TRUE(quantized);
  std::atomic<int> done = 0;
  auto compileUntil = [&](int count) {
    onThreads(kThreads, [&](int) {
      DiagnosticEngine own;
      while (done++ < count)
        ASSERT_TRUE(session::compile(*quantized->network, {}, {own}));
    });
    done = count;
    return residentBytes();
  };
  const int few = 4 * soakRounds();
  uint64_t before = compileUntil(few), after = compileUntil(10 * few);
  EXPECT_LE(double(after), 1.05 * double(before));
}

} // namespace
