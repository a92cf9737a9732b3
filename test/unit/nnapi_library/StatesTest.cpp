//===- StatesTest.cpp - Functions called at the wrong time ----------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// Of each kind of object, every function in every state of its life: a table
// says in which it is allowed.
//
//===----------------------------------------------------------------------===//
#include "test/unit/nnapi_library/Client.h"
#include <functional>
#include <sys/mman.h>

using namespace yarrow::nnapi::test;

namespace {
template <typename Handle> struct Call {
  const char *name;
  std::function<int(Handle *)> call;
  std::vector<int> results; ///< Of each state.
};
} // namespace

/// Four bytes of a file.
static Memory floatInMemory() {
  File file({1});
  ANeuralNetworksMemory *made = nullptr;
  EXPECT_EQ(ANeuralNetworksMemory_createFromFd(4, PROT_READ | PROT_WRITE,
                                               file.descriptor(), 0, &made),
            kGood);
  return Memory(made);
}

//===----------------------------------------------------------------------===//
// Models: building, finished, wrong.

/// y = relu(x) without its arguments identified; two more operands.
static ModelMaker begunModel() {
  ModelMaker maker;
  uint32_t x = maker.operand(floats({1})), y = maker.operand(floats({1}));
  maker.operand(scalar(ANEURALNETWORKS_INT32));
  maker.operand({ANEURALNETWORKS_TENSOR_QUANT8_SYMM_PER_CHANNEL, {1}});
  const float scale = 1;
  ANeuralNetworksSymmPerChannelQuantParams channels = {0, 1, &scale};
  EXPECT_EQ(ANeuralNetworksModel_setOperandSymmPerChannelQuantParams(
                maker.get(), 3, &channels),
            kGood);
  maker.operation(ANEURALNETWORKS_RELU, {x}, {y});
  return maker;
}

static ModelMaker modelIn(std::size_t state) {
  ModelMaker maker = begunModel();
  if (state == 1) {
    maker.identify({0}, {1});
    for (int32_t unused : {2, 3})
      EXPECT_EQ(
          ANeuralNetworksModel_setOperandValue(maker.get(), unused, nullptr, 0),
          kGood);
  }
  if (state != 0)
    EXPECT_EQ(ANeuralNetworksModel_finish(maker.get()),
              state == 1 ? kGood : kBadData);
  return maker;
}

TEST(NnapiStates, OfAModel) {
  const int32_t value = 1;
  const float scale = 1;
  const uint32_t x = 0, y = 1, z = 2;
  Type type = floats({1});
  ANeuralNetworksOperandType raw = type.get();
  ANeuralNetworksSymmPerChannelQuantParams channels = {0, 1, &scale};
  Model other = reluModel({1});
  Memory memory = floatInMemory();
  using M = ANeuralNetworksModel;
  const Call<M> calls[] = {
      {"addOperand",
       [&](M *m) { return ANeuralNetworksModel_addOperand(m, &raw); },
       {kGood, kBadState, kBadState}},
      {"setOperandValue",
       [&](M *m) {
         return ANeuralNetworksModel_setOperandValue(m, 2, &value, 4);
       },
       {kGood, kBadState, kBadState}},
      {"setOperandValue, wrong as well",
       [&](M *m) {
         return ANeuralNetworksModel_setOperandValue(m, 99, &value, 4);
       },
       {kBadData, kBadState, kBadState}},
      {"setOperandValueFromMemory",
       [&](M *m) {
         return ANeuralNetworksModel_setOperandValueFromMemory(
             m, 2, memory.get(), 0, 4);
       },
       {kGood, kBadState, kBadState}},
      {"setOperandValueFromMemory, wrong as well",
       [&](M *m) {
         return ANeuralNetworksModel_setOperandValueFromMemory(
             m, 2, memory.get(), 0, 3);
       },
       {kBadData, kBadState, kBadState}},
      {"setOperandValueFromModel",
       [&](M *m) {
         return ANeuralNetworksModel_setOperandValueFromModel(m, 2,
                                                              other.get());
       },
       {kBadData, kBadState, kBadState}},
      {"setOperandSymmPerChannelQuantParams",
       [&](M *m) {
         return ANeuralNetworksModel_setOperandSymmPerChannelQuantParams(
             m, 3, &channels);
       },
       {kGood, kBadState, kBadState}},
      {"addOperation",
       [&](M *m) {
         return ANeuralNetworksModel_addOperation(m, ANEURALNETWORKS_TANH, 1,
                                                  &x, 1, &y);
       },
       {kGood, kBadState, kBadState}},
      {"addOperation, wrong as well",
       [&](M *m) {
         return ANeuralNetworksModel_addOperation(m, ANEURALNETWORKS_TANH, 1,
                                                  &z, 1, &y);
       },
       {kBadData, kBadState, kBadState}},
      {"identifyInputsAndOutputs",
       [&](M *m) {
         return ANeuralNetworksModel_identifyInputsAndOutputs(m, 1, &x, 1, &y);
       },
       {kGood, kBadState, kBadState}},
      {"relaxComputationFloat32toFloat16",
       [&](M *m) {
         return ANeuralNetworksModel_relaxComputationFloat32toFloat16(m, true);
       },
       {kGood, kBadState, kBadState}},
      {"setOperandExtensionData",
       [&](M *m) {
         return ANeuralNetworksModel_setOperandExtensionData(m, 0, &value, 4);
       },
       {kBadData, kBadState, kBadState}},
      {"finish",
       [](M *m) { return ANeuralNetworksModel_finish(m); },
       {kBadData, kBadState, kBadState}},
      {"Compilation_create",
       [](M *m) {
         ANeuralNetworksCompilation *made = nullptr;
         int result = ANeuralNetworksCompilation_create(m, &made);
         EXPECT_EQ(made != nullptr, result == kGood);
         ANeuralNetworksCompilation_free(made);
         return result;
       },
       {kBadState, kGood, kBadState}},
      {"Compilation_createForDevices",
       [](M *m) {
         const ANeuralNetworksDevice *device = deviceNamed("nnapi-reference");
         ANeuralNetworksCompilation *made = nullptr;
         int result =
             ANeuralNetworksCompilation_createForDevices(m, &device, 1, &made);
         EXPECT_EQ(made != nullptr, result == kGood);
         ANeuralNetworksCompilation_free(made);
         return result;
       },
       {kBadState, kGood, kBadState}},
      {"getSupportedOperationsForDevices",
       [](M *m) {
         const ANeuralNetworksDevice *device = deviceNamed("nnapi-reference");
         bool supported[2];
         return ANeuralNetworksModel_getSupportedOperationsForDevices(
             m, &device, 1, supported);
       },
       {kBadState, kGood, kBadState}},
  };
  for (const Call<M> &call : calls)
    for (std::size_t state = 0; state < call.results.size(); ++state) {
      ModelMaker maker = modelIn(state);
      EXPECT_EQ(call.call(maker.get()), call.results[state])
          << call.name << " in state " << state;
    }
}

//===----------------------------------------------------------------------===//
// Compilations: preparing, finished, failed.

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

//===----------------------------------------------------------------------===//
// Executions: new, with an input, with all arguments, completed, reusable and
// completed, reusable and running.

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
      startBehindTheFence();
    else if (state >= 3)
      EXPECT_EQ(ANeuralNetworksExecution_compute(execution.get()), kGood);
  }
  ~ExecutionCase() { fence.signal(); }

  void startBehindTheFence() {
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

//===----------------------------------------------------------------------===//
// Descriptions of memory: empty, with a role, finished.

TEST(NnapiStates, OfAMemoryDescription) {
  Model model = sumModel({2}), openModel = sumModel({0});
  Compilation compilation = compileFor(model, "nnapi-reference");
  Compilation open = compileFor(openModel, "nnapi-reference");
  const uint32_t two[] = {2}, three[] = {3}, twice[] = {2, 2};
  using D = ANeuralNetworksMemoryDesc;
  auto addInput = [](D *d, const Compilation &c, uint32_t index, float f) {
    return ANeuralNetworksMemoryDesc_addInputRole(d, c.get(), index, f);
  };
  const std::vector<int> setter = {kGood, kGood, kBadState};
  const std::vector<int> wrong = {kBadData, kBadData, kBadState};
  const Call<D> calls[] = {
      {"addInputRole", [&](D *d) { return addInput(d, compilation, 1, 1); },
       setter},
      {"addInputRole of open lengths",
       [&](D *d) { return addInput(d, open, 1, 1); }, setter},
      {"addInputRole again",
       [&](D *d) { return addInput(d, compilation, 0, 1); },
       {kGood, kBadData, kBadState}},
      {"addInputRole of none",
       [&](D *d) { return addInput(d, compilation, 2, 1); }, wrong},
      {"addInputRole, never",
       [&](D *d) { return addInput(d, compilation, 1, 0); }, wrong},
      {"addInputRole, more than always",
       [&](D *d) { return addInput(d, compilation, 1, 1.5f); }, wrong},
      {"addOutputRole",
       [&](D *d) {
         return ANeuralNetworksMemoryDesc_addOutputRole(d, compilation.get(), 0,
                                                        0.5f);
       },
       setter},
      {"setDimensions",
       [&](D *d) { return ANeuralNetworksMemoryDesc_setDimensions(d, 1, two); },
       setter},
      {"setDimensions of others",
       [&](D *d) {
         return ANeuralNetworksMemoryDesc_setDimensions(d, 1, three);
       },
       {kGood, kBadData, kBadState}},
      {"setDimensions of another rank",
       [&](D *d) {
         return ANeuralNetworksMemoryDesc_setDimensions(d, 2, twice);
       },
       {kGood, kBadData, kBadState}},
      {"finish",
       [](D *d) { return ANeuralNetworksMemoryDesc_finish(d); },
       {kBadData, kGood, kBadState}},
      {"Memory_createFromDesc",
       [](D *d) {
         ANeuralNetworksMemory *made = nullptr;
         int result = ANeuralNetworksMemory_createFromDesc(d, &made);
         EXPECT_EQ(made != nullptr, result == kGood);
         ANeuralNetworksMemory_free(made);
         return result;
       },
       {kBadState, kBadState, kGood}},
  };
  for (const Call<D> &call : calls)
    for (std::size_t state = 0; state < call.results.size(); ++state) {
      D *desc = nullptr;
      ASSERT_EQ(ANeuralNetworksMemoryDesc_create(&desc), kGood);
      if (state >= 1)
        EXPECT_EQ(addInput(desc, compilation, 0, 1), kGood);
      if (state >= 2)
        EXPECT_EQ(ANeuralNetworksMemoryDesc_finish(desc), kGood);
      EXPECT_EQ(call.call(desc), call.results[state])
          << call.name << " in state " << state;
      ANeuralNetworksMemoryDesc_free(desc);
    }
}

TEST(NnapiStates, OfAMemoryDescriptionOfAScalar) {
  // y = pad(x) with a scalar that only a run knows.
  ModelMaker maker;
  uint32_t x = maker.operand(floats({1})),
           pads = maker.constant<int32_t>(
               {ANEURALNETWORKS_TENSOR_INT32, {1, 2}}, {1, 1}),
           value = maker.operand(scalar(ANEURALNETWORKS_FLOAT32)),
           y = maker.operand(floats({3}));
  maker.operation(ANEURALNETWORKS_PAD_V2, {x, pads, value}, {y});
  Model model = maker.finish({x, value}, {y});
  Compilation compilation = compileFor(model, "nnapi-reference");
  const uint32_t two[] = {2};
  for (bool isRoleFirst : {true, false}) {
    ANeuralNetworksMemoryDesc *made = nullptr;
    ASSERT_EQ(ANeuralNetworksMemoryDesc_create(&made), kGood);
    MemoryDesc desc(made);
    auto addRole = [&] {
      return ANeuralNetworksMemoryDesc_addInputRole(made, compilation.get(), 1,
                                                    1);
    };
    if (isRoleFirst)
      EXPECT_EQ(addRole(), kGood);
    EXPECT_EQ(ANeuralNetworksMemoryDesc_setDimensions(made, 1, two),
              isRoleFirst ? kBadData : kGood);
    if (!isRoleFirst)
      EXPECT_EQ(addRole(), kBadData) << "a scalar has no lengths";
  }
}
