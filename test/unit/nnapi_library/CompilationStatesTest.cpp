//===- CompilationStatesTest.cpp - Compilations at the wrong time ---------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// Each function in each state: preparing, finished, failed.
//
//===----------------------------------------------------------------------===//
#include "test/unit/nnapi_library/StateCalls.h"

using namespace yarrow::nnapi::test;

/// One that is refused: the time is over before it has begun.
static Compilation compilationIn(std::size_t state, const Model &model) {
  const ANeuralNetworksDevice *device = deviceNamed("nnapi-reference");
  ANeuralNetworksCompilation *made = nullptr;
  EXPECT_EQ(ANeuralNetworksCompilation_createForDevices(model.get(), &device, 1,
                                                        &made),
            kGood);
  if (state == 2) {
    EXPECT_EQ(ANeuralNetworksCompilation_setTimeout(made, 1), kGood);
    EXPECT_EQ(ANeuralNetworksCompilation_finish(made),
              ANEURALNETWORKS_MISSED_DEADLINE_PERSISTENT);
  } else if (state == 1) {
    EXPECT_EQ(ANeuralNetworksCompilation_finish(made), kGood);
  }
  return Compilation(made);
}

TEST(NnapiStates, OfACompilation) {
  Model model = reluModel({1});
  const uint8_t token[ANEURALNETWORKS_BYTE_SIZE_OF_CACHE_TOKEN] = {};
  using C = ANeuralNetworksCompilation;
  const std::vector<int> setter = {kGood, kBadState, kBadState};
  const std::vector<int> wrongSetter = {kBadData, kBadState, kBadState};
  const std::vector<int> user = {kBadState, kGood, kBadState};
  const Call<C> calls[] = {
      {"setPreference",
       [](C *c) {
         return ANeuralNetworksCompilation_setPreference(
             c, ANEURALNETWORKS_PREFER_SUSTAINED_SPEED);
       },
       setter},
      {"setPreference of another code",
       [](C *c) { return ANeuralNetworksCompilation_setPreference(c, 3); },
       wrongSetter},
      {"setPreference of a negative code",
       [](C *c) { return ANeuralNetworksCompilation_setPreference(c, -1); },
       wrongSetter},
      {"setPriority",
       [](C *c) {
         return ANeuralNetworksCompilation_setPriority(
             c, ANEURALNETWORKS_PRIORITY_HIGH);
       },
       setter},
      {"setPriority of another code",
       [](C *c) { return ANeuralNetworksCompilation_setPriority(c, 101); },
       wrongSetter},
      {"setTimeout",
       [](C *c) {
         return ANeuralNetworksCompilation_setTimeout(c, 10'000'000'000);
       },
       setter},
      {"setCaching",
       [&](C *c) {
         return ANeuralNetworksCompilation_setCaching(c, "nowhere", token);
       },
       setter},
      {"addExtensionAttribute",
       [&](C *c) {
         return ANeuralNetworksCompilation_addExtensionAttribute(c, "vendor.x",
                                                                 0, token, 1);
       },
       wrongSetter},
      {"finish", [](C *c) { return ANeuralNetworksCompilation_finish(c); },
       setter},
      {"Execution_create",
       [](C *c) {
         ANeuralNetworksExecution *made = nullptr;
         int result = ANeuralNetworksExecution_create(c, &made);
         EXPECT_EQ(made != nullptr, result == kGood);
         ANeuralNetworksExecution_free(made);
         return result;
       },
       user},
      {"Burst_create",
       [](C *c) {
         ANeuralNetworksBurst *made = nullptr;
         int result = ANeuralNetworksBurst_create(c, &made);
         EXPECT_EQ(made != nullptr, result == kGood);
         ANeuralNetworksBurst_free(made);
         return result;
       },
       user},
      {"getPreferredMemoryAlignmentForInput",
       [](C *c) {
         uint32_t value = 0;
         int result =
             ANeuralNetworksCompilation_getPreferredMemoryAlignmentForInput(
                 c, 0, &value);
         EXPECT_EQ(value != 0 && (value & (value - 1)) == 0, result == kGood);
         return result;
       },
       user},
      {"getPreferredMemoryPaddingForOutput",
       [](C *c) {
         uint32_t value = 0;
         int result =
             ANeuralNetworksCompilation_getPreferredMemoryPaddingForOutput(
                 c, 0, &value);
         EXPECT_EQ(value != 0, result == kGood);
         return result;
       },
       user},
      {"getPreferredMemoryPaddingForInput of none",
       [](C *c) {
         uint32_t value;
         return ANeuralNetworksCompilation_getPreferredMemoryPaddingForInput(
             c, 1, &value);
       },
       {kBadState, kBadData, kBadState}},
      {"getPreferredMemoryAlignmentForOutput of none",
       [](C *c) {
         uint32_t value;
         return ANeuralNetworksCompilation_getPreferredMemoryAlignmentForOutput(
             c, 1, &value);
       },
       {kBadState, kBadData, kBadState}},
      {"MemoryDesc_addInputRole",
       [](C *c) {
         ANeuralNetworksMemoryDesc *desc = nullptr;
         EXPECT_EQ(ANeuralNetworksMemoryDesc_create(&desc), kGood);
         int result = ANeuralNetworksMemoryDesc_addInputRole(desc, c, 0, 1);
         ANeuralNetworksMemoryDesc_free(desc);
         return result;
       },
       {kBadData, kGood, kBadData}},
  };
  for (const Call<C> &call : calls)
    for (std::size_t state = 0; state < call.results.size(); ++state) {
      Compilation compilation = compilationIn(state, model);
      EXPECT_EQ(call.call(compilation.get()), call.results[state])
          << call.name << " in state " << state;
    }
}
