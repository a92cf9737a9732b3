//===- ModelStatesTest.cpp - Models at the wrong time ---------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// Each function in each state: building, finished, wrong.
//
//===----------------------------------------------------------------------===//
#include "test/unit/nnapi_library/StateCalls.h"

using namespace yarrow::nnapi::test;

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
