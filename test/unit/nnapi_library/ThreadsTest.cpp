//===- ThreadsTest.cpp - Clients of several threads -----------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "test/unit/nnapi_library/Client.h"
#include <algorithm>
#include <atomic>
#include <numeric>
#include <random>
#include <thread>

using namespace yarrow::nnapi::test;

static constexpr unsigned kNumClients = 16;
static constexpr int kNumRuns = 24;

namespace {
/// An execution of sumModel({2, 2}) with values of its own.
struct Sum {
  std::vector<float> a, b, y;
  Execution execution;

  Sum(const Compilation &compilation, float value)
      : a(4, value), b(4, 2 * value), y(4),
        execution(makeExecution(compilation)) {
    EXPECT_EQ(setInput(execution, 0, a), kGood);
    EXPECT_EQ(setInput(execution, 1, b), kGood);
    EXPECT_EQ(setOutput(execution, 0, y), kGood);
  }
  bool isRight() const { return y == std::vector<float>(4, 3 * a[0]); }
};
} // namespace

static void inThreads(unsigned count,
                      const std::function<void(unsigned)> &body) {
  std::vector<std::thread> threads;
  for (unsigned i = 0; i != count; ++i)
    threads.emplace_back(body, i);
  for (std::thread &thread : threads)
    thread.join();
}

static int computeByEvent(const Execution &execution) {
  ANeuralNetworksEvent *event = nullptr;
  int result = ANeuralNetworksExecution_startCompute(execution.get(), &event);
  if (result == kGood)
    result = ANeuralNetworksEvent_wait(event);
  ANeuralNetworksEvent_free(event);
  return result;
}

TEST(NnapiThreads, ShareCompilations) {
  Model model = sumModel({2, 2});
  Compilation onNpu = compileFor(model, "yarrow-X2_1204");
  Compilation onReference = compileFor(model, "nnapi-reference");
  std::atomic<int> numRight = 0;
  inThreads(kNumClients, [&](unsigned client) {
    for (int run = 0; run != kNumRuns; ++run) {
      Sum sum(client % 2 ? onNpu : onReference, float(client * 100 + run));
      int result = run % 2
                       ? computeByEvent(sum.execution)
                       : ANeuralNetworksExecution_compute(sum.execution.get());
      numRight += result == kGood && sum.isRight();
    }
  });
  EXPECT_EQ(numRight, int(kNumClients) * kNumRuns);
}

TEST(NnapiThreads, CompileTheSameModel) {
  Model model = sumModel({2, 2});
  std::atomic<int> numRight = 0;
  inThreads(8, [&](unsigned client) {
    Compilation compilation =
        compileFor(model, client % 2 ? "yarrow-Z2_1104" : "nnapi-reference");
    Sum sum(compilation, float(client));
    numRight +=
        ANeuralNetworksExecution_compute(sum.execution.get()) == kGood &&
        sum.isRight();
  });
  EXPECT_EQ(numRight, 8);
}

TEST(NnapiThreads, OfOneExecutionOneRuns) {
  Model model = sumModel({2, 2});
  Compilation compilation = compileFor(model, "nnapi-reference");
  for (int round = 0; round != 20; ++round) {
    Sum sum(compilation, float(round));
    std::atomic<int> numGood = 0, numBadState = 0;
    inThreads(4, [&](unsigned) {
      int result = ANeuralNetworksExecution_compute(sum.execution.get());
      numGood += result == kGood;
      numBadState += result == ANEURALNETWORKS_BAD_STATE;
    });
    EXPECT_EQ(numGood, 1);
    EXPECT_EQ(numBadState, 3);
    EXPECT_TRUE(sum.isRight());
  }
}

TEST(NnapiThreads, ABurstRunsOneAtATime) {
  Model model = sumModel({2, 2});
  Compilation compilation = compileFor(model, "nnapi-reference");
  ANeuralNetworksBurst *made = nullptr;
  ASSERT_EQ(ANeuralNetworksBurst_create(compilation.get(), &made), kGood);
  Burst burst(made);
  std::atomic<int> numRight = 0, numOthers = 0;
  inThreads(4, [&](unsigned client) {
    for (int run = 0; run != kNumRuns; ++run) {
      Sum sum(compilation, float(client * 100 + run));
      int result;
      while ((result = ANeuralNetworksExecution_burstCompute(
                  sum.execution.get(), burst.get())) ==
             ANEURALNETWORKS_BAD_STATE)
        std::this_thread::yield();
      numRight += result == kGood && sum.isRight();
      numOthers += result != kGood;
    }
  });
  EXPECT_EQ(numRight, 4 * kNumRuns);
  EXPECT_EQ(numOthers, 0);
}

TEST(NnapiThreads, WaitForOneEvent) {
  Model model = sumModel({2, 2});
  Compilation compilation = compileFor(model, "nnapi-reference");
  Sum sum(compilation, 5);
  ANeuralNetworksEvent *made = nullptr;
  ASSERT_EQ(ANeuralNetworksExecution_startCompute(sum.execution.get(), &made),
            kGood);
  Event event(made);
  std::atomic<int> numGood = 0;
  inThreads(8, [&](unsigned) {
    numGood += ANeuralNetworksEvent_wait(event.get()) == kGood && sum.isRight();
  });
  EXPECT_EQ(numGood, 8);
}

TEST(NnapiThreads, DependOnOneAnother) {
  Model model = sumModel({1});
  Compilation compilation = compileFor(model, "nnapi-reference");
  // Every execution doubles what the one before has made.
  constexpr int kNumDoublings = 12;
  std::vector<std::vector<float>> values(kNumDoublings + 1,
                                         std::vector<float>(1));
  values[0][0] = 1;
  std::vector<Execution> executions;
  std::vector<Event> events;
  for (int i = 0; i != kNumDoublings; ++i) {
    executions.push_back(makeExecution(compilation));
    const Execution &execution = executions.back();
    EXPECT_EQ(setInput(execution, 0, values[i]), kGood);
    EXPECT_EQ(setInput(execution, 1, values[i]), kGood);
    EXPECT_EQ(setOutput(execution, 0, values[i + 1]), kGood);
    const ANeuralNetworksEvent *before = i ? events.back().get() : nullptr;
    ANeuralNetworksEvent *made = nullptr;
    ASSERT_EQ(ANeuralNetworksExecution_startComputeWithDependencies(
                  execution.get(), &before, i ? 1 : 0, 0, &made),
              kGood);
    events.emplace_back(made);
  }
  EXPECT_EQ(ANeuralNetworksEvent_wait(events.back().get()), kGood);
  EXPECT_EQ(values.back()[0], float(1 << kNumDoublings));
}

TEST(NnapiThreads, FreeWhatComputes) {
  Model model = sumModel({2, 2});
  Compilation compilation = compileFor(model, "nnapi-reference");
  for (int round = 0; round != 40; ++round) {
    Sum sum(compilation, float(round));
    ANeuralNetworksExecution *execution = sum.execution.get();
    int result = -1;
    std::thread computing(
        [&] { result = ANeuralNetworksExecution_compute(execution); });
    // Refused as there are no extensions, until it has begun.
    while (ANeuralNetworksExecution_addExtensionAttribute(
               execution, "vendor.x", 0, "x", 1) == ANEURALNETWORKS_BAD_DATA)
      std::this_thread::yield();
    sum.execution.reset(); // waits
    EXPECT_TRUE(sum.isRight());
    computing.join();
    EXPECT_EQ(result, kGood);
  }
}

TEST(NnapiThreads, FreeInAnyOrder) {
  std::minstd_rand random(1);
  for (int round = 0; round != 60; ++round) {
    Model model = sumModel({2, 2});
    Compilation compilation = compileFor(model, "nnapi-reference");
    auto sum = std::make_unique<Sum>(compilation, float(round));
    auto kept = sum->y.data();
    ANeuralNetworksBurst *madeBurst = nullptr;
    ASSERT_EQ(ANeuralNetworksBurst_create(compilation.get(), &madeBurst),
              kGood);
    Burst burst(madeBurst);
    ANeuralNetworksEvent *madeEvent = nullptr;
    ASSERT_EQ(
        ANeuralNetworksExecution_startCompute(sum->execution.get(), &madeEvent),
        kGood);
    Event event(madeEvent);
    std::vector<std::function<void()>> frees = {
        [&] { model.reset(); }, [&] { compilation.reset(); },
        [&] { burst.reset(); }, [&] { event.reset(); },
        [&] {
          sum->execution.reset(); // waits, so the buffers may be looked at
          EXPECT_EQ(kept[0], 3.0f * float(round));
        }};
    std::ranges::shuffle(frees, random);
    if (round % 2) {
      for (const auto &free : frees)
        free();
    } else {
      inThreads(unsigned(frees.size()), [&](unsigned i) { frees[i](); });
    }
  }
}
