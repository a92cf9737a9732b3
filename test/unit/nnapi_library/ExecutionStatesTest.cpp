//===- ExecutionStatesTest.cpp - Executions at the wrong time -------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// Each function in each state: new, with an input, with all arguments,
// completed, reusable and completed, reusable and running.
//
//===----------------------------------------------------------------------===//
#include "test/unit/nnapi_library/StateCalls.h"

using namespace yarrow::nnapi::test;

namespace {
struct ExecutionCase {
  std::vector<float> x = {-1}, y = {5};
  Fence fence;
  Execution execution;
  Event end;

  ExecutionCase(std::size_t state, const Compilation &compilation)
      : execution(makeExecution(compilation)) {
    if (state >= 4)
      EXPECT_EQ(ANeuralNetworksExecution_setReusable(execution.get(), true),
                kGood);
    if (state >= 1)
      EXPECT_EQ(setInput(execution, 0, x), kGood);
    if (state >= 2)
      EXPECT_EQ(setOutput(execution, 0, y), kGood);
    if (state == 5)
      startAfterTheFence();
    else if (state >= 3)
      EXPECT_EQ(ANeuralNetworksExecution_compute(execution.get()), kGood);
  }
  ~ExecutionCase() { fence.signal(); }

  void startAfterTheFence() {
    const ANeuralNetworksEvent *dependency = fence.event();
    ANeuralNetworksEvent *made = nullptr;
    EXPECT_EQ(ANeuralNetworksExecution_startComputeWithDependencies(
                  execution.get(), &dependency, 1, 0, &made),
              kGood);
    end.reset(made);
  }
};
} // namespace

static int startAndWait(ANeuralNetworksExecution *execution, bool isFenced) {
  ANeuralNetworksEvent *event = nullptr;
  int result = isFenced
                   ? ANeuralNetworksExecution_startComputeWithDependencies(
                         execution, nullptr, 0, 0, &event)
                   : ANeuralNetworksExecution_startCompute(execution, &event);
  EXPECT_EQ(event != nullptr, result == kGood);
  if (event)
    result = ANeuralNetworksEvent_wait(event);
  ANeuralNetworksEvent_free(event);
  return result;
}

TEST(NnapiStates, OfAnExecution) {
  Model model = reluModel({1});
  Compilation compilation = compileFor(model, "nnapi-reference");
  ANeuralNetworksBurst *madeBurst = nullptr;
  ASSERT_EQ(ANeuralNetworksBurst_create(compilation.get(), &madeBurst), kGood);
  Burst burst(madeBurst);
  std::vector<float> value = {1};
  using E = ANeuralNetworksExecution;
  Memory memory = floatInMemory();
  const std::vector<int> computes = {kBadData,  kBadData, kGood,
                                     kBadState, kGood,    kBadState};
  const std::vector<int> setting = {kGood,     kGood,     kGood,
                                    kBadState, kBadState, kBadState};
  const std::vector<int> first = {kGood,     kBadState, kBadState,
                                  kBadState, kBadState, kBadState};
  const std::vector<int> output = {kGood,     kGood,     kBadState,
                                   kBadState, kBadState, kBadState};
  const std::vector<int> none = {kBadData,  kBadData,  kBadData,
                                 kBadState, kBadState, kBadState};
  const std::vector<int> asks = {kBadState, kBadState, kBadState,
                                 kGood,     kGood,     kBadState};
  const std::vector<int> asksWrong = {kBadState, kBadState, kBadState,
                                      kBadData,  kBadData,  kBadState};
  const Call<E> calls[] = {
      {"setInput",
       [&](E *e) {
         return ANeuralNetworksExecution_setInput(e, 0, nullptr, value.data(),
                                                  4);
       },
       first},
      {"setOutput",
       [&](E *e) {
         return ANeuralNetworksExecution_setOutput(e, 0, nullptr, value.data(),
                                                   4);
       },
       output},
      {"setInputFromMemory",
       [&](E *e) {
         return ANeuralNetworksExecution_setInputFromMemory(e, 0, nullptr,
                                                            memory.get(), 0, 4);
       },
       first},
      {"setOutputFromMemory",
       [&](E *e) {
         return ANeuralNetworksExecution_setOutputFromMemory(
             e, 0, nullptr, memory.get(), 0, 4);
       },
       output},
      {"setInputFromMemory of none",
       [&](E *e) {
         return ANeuralNetworksExecution_setInputFromMemory(e, 1, nullptr,
                                                            memory.get(), 0, 4);
       },
       none},
      {"setOutputFromMemory of none",
       [&](E *e) {
         return ANeuralNetworksExecution_setOutputFromMemory(
             e, -1, nullptr, memory.get(), 0, 4);
       },
       none},
      {"setInput of none",
       [&](E *e) {
         return ANeuralNetworksExecution_setInput(e, 1, nullptr, value.data(),
                                                  4);
       },
       none},
      {"setReusable",
       [](E *e) { return ANeuralNetworksExecution_setReusable(e, true); },
       first},
      {"enableInputAndOutputPadding",
       [](E *e) {
         return ANeuralNetworksExecution_enableInputAndOutputPadding(e, true);
       },
       first},
      {"setMeasureTiming",
       [](E *e) { return ANeuralNetworksExecution_setMeasureTiming(e, true); },
       setting},
      {"setTimeout",
       [](E *e) {
         return ANeuralNetworksExecution_setTimeout(e, 10'000'000'000);
       },
       setting},
      {"setLoopTimeout",
       [](E *e) { return ANeuralNetworksExecution_setLoopTimeout(e, 1000); },
       setting},
      {"addExtensionAttribute",
       [](E *e) {
         return ANeuralNetworksExecution_addExtensionAttribute(e, "vendor.x", 0,
                                                               "x", 1);
       },
       none},
      {"compute", [](E *e) { return ANeuralNetworksExecution_compute(e); },
       computes},
      {"startCompute", [](E *e) { return startAndWait(e, false); }, computes},
      {"startComputeWithDependencies",
       [](E *e) { return startAndWait(e, true); }, computes},
      {"burstCompute",
       [&](E *e) {
         return ANeuralNetworksExecution_burstCompute(e, burst.get());
       },
       computes},
      {"getOutputOperandRank",
       [](E *e) {
         uint32_t rank = 0;
         int result =
             ANeuralNetworksExecution_getOutputOperandRank(e, 0, &rank);
         EXPECT_EQ(rank, result == kGood ? 1u : 0u);
         return result;
       },
       asks},
      {"getOutputOperandRank of none",
       [](E *e) {
         uint32_t rank;
         return ANeuralNetworksExecution_getOutputOperandRank(e, 1, &rank);
       },
       asksWrong},
      {"getOutputOperandDimensions",
       [](E *e) {
         uint32_t dims[1] = {};
         int result =
             ANeuralNetworksExecution_getOutputOperandDimensions(e, 0, dims);
         EXPECT_EQ(dims[0], result == kGood ? 1u : 0u);
         return result;
       },
       asks},
      {"getOutputOperandDimensions of none",
       [](E *e) {
         uint32_t dims[1];
         return ANeuralNetworksExecution_getOutputOperandDimensions(e, -1,
                                                                    dims);
       },
       asksWrong},
      {"getDuration, not measured",
       [](E *e) {
         uint64_t duration;
         return ANeuralNetworksExecution_getDuration(
             e, ANEURALNETWORKS_DURATION_IN_DRIVER, &duration);
       },
       std::vector<int>(6, kBadState)},
  };
  for (const Call<E> &call : calls)
    for (std::size_t state = 0; state < call.results.size(); ++state) {
      ExecutionCase it(state, compilation);
      EXPECT_EQ(call.call(it.execution.get()), call.results[state])
          << call.name << " in state " << state;
    }
}
