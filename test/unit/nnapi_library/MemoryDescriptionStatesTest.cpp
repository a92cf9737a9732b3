//===- MemoryDescriptionStatesTest.cpp - Descriptions of memory in time ---===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// Each function in each state: empty, with a role, finished.
//
//===----------------------------------------------------------------------===//
#include "test/unit/nnapi_library/StateCalls.h"

using namespace yarrow::nnapi::test;

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
