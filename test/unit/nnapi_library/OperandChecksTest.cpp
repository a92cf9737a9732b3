//===- OperandChecksTest.cpp - Which operands a model takes ---------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// ANeuralNetworksModel_addOperand and the functions that give values, row by
// row of what the definition says of types, lengths, scales and zero points.
//
//===----------------------------------------------------------------------===//
#include "test/unit/nnapi_library/Client.h"
#include <limits>

using namespace yarrow::nnapi::test;

namespace {
struct OperandRow {
  const char *name;
  Type type;
  bool isGood;
};
void PrintTo(const OperandRow &row, std::ostream *os) { *os << row.name; }

class NnapiOperand : public ::testing::TestWithParam<OperandRow> {};

constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
constexpr float kInfinity = std::numeric_limits<float>::infinity();
constexpr int32_t kQuant8 = ANEURALNETWORKS_TENSOR_QUANT8_ASYMM;
constexpr int32_t kSigned8 = ANEURALNETWORKS_TENSOR_QUANT8_ASYMM_SIGNED;
constexpr int32_t kSymm8 = ANEURALNETWORKS_TENSOR_QUANT8_SYMM;
constexpr int32_t kChannels = ANEURALNETWORKS_TENSOR_QUANT8_SYMM_PER_CHANNEL;
constexpr int32_t kSymm16 = ANEURALNETWORKS_TENSOR_QUANT16_SYMM;
constexpr int32_t kAsymm16 = ANEURALNETWORKS_TENSOR_QUANT16_ASYMM;
constexpr int32_t kInt32 = ANEURALNETWORKS_TENSOR_INT32;

const OperandRow kOperandRows[] = {
    {"Float", floats({2, 3}), true},
    {"FloatOfOpenRank", floats({}), true},
    {"FloatOfOpenLength", floats({0, 3}), true},
    {"FloatWithScale", {ANEURALNETWORKS_TENSOR_FLOAT32, {2}, 0.5f}, false},
    {"FloatWithZeroPoint", {ANEURALNETWORKS_TENSOR_FLOAT32, {2}, 0, 1}, false},
    {"FloatTooLarge", floats({65536, 65536}), false},
    {"FloatWhoseSizeOverflows", floats({1u << 31, 1u << 31, 4, 4}), false},
    {"Float16", {ANEURALNETWORKS_TENSOR_FLOAT16, {2}}, true},
    {"Float16WithScale", {ANEURALNETWORKS_TENSOR_FLOAT16, {2}, 1.0f}, false},
    {"Bool8", {ANEURALNETWORKS_TENSOR_BOOL8, {2}}, true},
    {"Bool8WithScale", {ANEURALNETWORKS_TENSOR_BOOL8, {2}, 1.0f}, false},
    {"Bool8WithZeroPoint", {ANEURALNETWORKS_TENSOR_BOOL8, {2}, 0, 1}, false},
    {"ScalarFloat", scalar(ANEURALNETWORKS_FLOAT32), true},
    {"ScalarFloatWithAxis", {ANEURALNETWORKS_FLOAT32, {1}}, false},
    {"ScalarFloatWithScale", {ANEURALNETWORKS_FLOAT32, {}, 1.0f}, false},
    {"ScalarFloat16", scalar(ANEURALNETWORKS_FLOAT16), true},
    {"ScalarFloat16WithAxis", {ANEURALNETWORKS_FLOAT16, {1}}, false},
    {"ScalarInt", scalar(ANEURALNETWORKS_INT32), true},
    {"ScalarIntWithAxis", {ANEURALNETWORKS_INT32, {1}}, false},
    {"ScalarIntWithZeroPoint", {ANEURALNETWORKS_INT32, {}, 0, 3}, false},
    {"ScalarUnsigned", scalar(ANEURALNETWORKS_UINT32), true},
    {"ScalarUnsignedWithAxis", {ANEURALNETWORKS_UINT32, {1}}, false},
    {"ScalarBool", scalar(ANEURALNETWORKS_BOOL), true},
    {"ScalarBoolWithAxis", {ANEURALNETWORKS_BOOL, {1}}, false},
    {"Model", scalar(ANEURALNETWORKS_MODEL), true},
    {"ModelWithAxis", {ANEURALNETWORKS_MODEL, {1}}, false},
    {"Int", {kInt32, {2}}, true},
    {"IntWithScale", {kInt32, {2}, 0.25f}, true},
    {"IntWithNegativeScale", {kInt32, {2}, -0.25f}, false},
    {"IntWithZeroPoint", {kInt32, {2}, 0.25f, 1}, false},
    {"Quant8", {kQuant8, {2}, 0.5f, 128}, true},
    {"Quant8AtTheEnd", {kQuant8, {2}, 0.5f, 255}, true},
    {"Quant8BelowZero", {kQuant8, {2}, 0.5f, -1}, false},
    {"Quant8BeyondTheEnd", {kQuant8, {2}, 0.5f, 256}, false},
    {"Quant8WithoutScale", {kQuant8, {2}, 0, 0}, false},
    {"Quant8WithNegativeScale", {kQuant8, {2}, -1.0f, 0}, false},
    {"Quant8WithNan", {kQuant8, {2}, kNan, 0}, false},
    {"Quant8WithInfinity", {kQuant8, {2}, kInfinity, 0}, false},
    {"Signed8", {kSigned8, {2}, 0.5f, -128}, true},
    {"Signed8Below", {kSigned8, {2}, 0.5f, -129}, false},
    {"Signed8Beyond", {kSigned8, {2}, 0.5f, 128}, false},
    {"Signed8WithoutScale", {kSigned8, {2}, 0, 0}, false},
    {"Symm8", {kSymm8, {2}, 0.5f}, true},
    {"Symm8WithZeroPoint", {kSymm8, {2}, 0.5f, 1}, false},
    {"Symm8WithoutScale", {kSymm8, {2}}, false},
    {"PerChannel", {kChannels, {2, 3}}, true},
    {"PerChannelWithScale", {kChannels, {2, 3}, 0.5f}, false},
    {"PerChannelWithZeroPoint", {kChannels, {2, 3}, 0, 1}, false},
    {"Symm16", {kSymm16, {2}, 0.5f}, true},
    {"Symm16WithZeroPoint", {kSymm16, {2}, 0.5f, 1}, false},
    {"Symm16WithoutScale", {kSymm16, {2}}, false},
    {"Asymm16", {kAsymm16, {2}, 0.5f, 65535}, true},
    {"Asymm16Below", {kAsymm16, {2}, 0.5f, -1}, false},
    {"Asymm16Beyond", {kAsymm16, {2}, 0.5f, 65536}, false},
    {"NoSuchType", {16, {2}}, false},
    {"NegativeType", {-1, {2}}, false},
    {"VendorType", {10000, {}}, false},
    {"MoreAxesThanAnythingHas", floats(std::vector<uint32_t>(65, 1)), false},
};
} // namespace

TEST_P(NnapiOperand, IsTakenOrRefused) {
  ModelMaker maker;
  ANeuralNetworksOperandType type = GetParam().type.get();
  EXPECT_EQ(ANeuralNetworksModel_addOperand(maker.get(), &type),
            GetParam().isGood ? ANEURALNETWORKS_NO_ERROR
                              : ANEURALNETWORKS_BAD_DATA);
  // What was refused is not there.
  EXPECT_EQ(ANeuralNetworksModel_setOperandValue(maker.get(), 0, nullptr, 0),
            GetParam().isGood ? ANEURALNETWORKS_NO_ERROR
                              : ANEURALNETWORKS_BAD_DATA);
}

INSTANTIATE_TEST_SUITE_P(Types, NnapiOperand, ::testing::ValuesIn(kOperandRows),
                         [](const auto &info) { return info.param.name; });

TEST(NnapiOperandValue, HasTheOperandsSize) {
  ModelMaker maker;
  maker.operand(floats({2}));
  float values[3] = {};
  auto set = [&](int32_t index, const void *buffer, size_t length) {
    return ANeuralNetworksModel_setOperandValue(maker.get(), index, buffer,
                                                length);
  };
  EXPECT_EQ(set(0, values, 8), ANEURALNETWORKS_NO_ERROR);
  EXPECT_EQ(set(0, values, 7), ANEURALNETWORKS_BAD_DATA);
  EXPECT_EQ(set(0, values, 12), ANEURALNETWORKS_BAD_DATA);
  EXPECT_EQ(set(0, values, 0), ANEURALNETWORKS_BAD_DATA);
  EXPECT_EQ(set(-1, values, 8), ANEURALNETWORKS_BAD_DATA);
  EXPECT_EQ(set(1, values, 8), ANEURALNETWORKS_BAD_DATA);
  EXPECT_EQ(set(0, nullptr, 8), ANEURALNETWORKS_UNEXPECTED_NULL);
  EXPECT_EQ(set(0, nullptr, 0), ANEURALNETWORKS_NO_ERROR);
}

TEST(NnapiOperandValue, NeedsKnownLengths) {
  ModelMaker maker;
  maker.operand(floats({}));
  maker.operand(floats({0}));
  float value = 1;
  for (int32_t index : {0, 1})
    EXPECT_EQ(ANeuralNetworksModel_setOperandValue(maker.get(), index, &value,
                                                   sizeof value),
              ANEURALNETWORKS_BAD_DATA);
}

TEST(NnapiOperandValue, IsNotForArgumentsOfTheModel) {
  ModelMaker maker;
  uint32_t x = maker.operand(floats({1})), y = maker.operand(floats({1}));
  maker.operation(ANEURALNETWORKS_RELU, {x}, {y});
  maker.identify({x}, {y});
  float value = 1;
  for (uint32_t index : {x, y})
    EXPECT_EQ(ANeuralNetworksModel_setOperandValue(maker.get(), int32_t(index),
                                                   &value, sizeof value),
              ANEURALNETWORKS_BAD_DATA);
}

TEST(NnapiOperandValue, OfAModelIsAModel) {
  ModelMaker maker;
  maker.operand(scalar(ANEURALNETWORKS_MODEL));
  maker.operand(floats({1}));
  char byte = 0;
  EXPECT_EQ(ANeuralNetworksModel_setOperandValue(maker.get(), 0, &byte, 1),
            ANEURALNETWORKS_BAD_DATA);
  Model value = reluModel({1});
  auto set = [&](int32_t index, const ANeuralNetworksModel *model) {
    return ANeuralNetworksModel_setOperandValueFromModel(maker.get(), index,
                                                         model);
  };
  EXPECT_EQ(set(0, value.get()), ANEURALNETWORKS_NO_ERROR);
  EXPECT_EQ(set(1, value.get()), ANEURALNETWORKS_BAD_DATA);
  EXPECT_EQ(set(2, value.get()), ANEURALNETWORKS_BAD_DATA);
  EXPECT_EQ(set(-1, value.get()), ANEURALNETWORKS_BAD_DATA);
  EXPECT_EQ(set(0, nullptr), ANEURALNETWORKS_UNEXPECTED_NULL);
  EXPECT_EQ(set(0, maker.get()), ANEURALNETWORKS_BAD_STATE) << "itself";
  ModelMaker unfinished;
  EXPECT_EQ(set(0, unfinished.get()), ANEURALNETWORKS_BAD_STATE);
}

TEST(NnapiOperandValue, LiesInMemory) {
  File file({1, 2, 3, 4});
  ANeuralNetworksMemory *made = nullptr;
  ASSERT_EQ(ANeuralNetworksMemory_createFromFd(16, 1 /* PROT_READ */,
                                               file.descriptor(), 0, &made),
            ANEURALNETWORKS_NO_ERROR);
  Memory memory(made);
  ModelMaker maker;
  maker.operand(floats({2}));
  auto set = [&](int32_t index, size_t offset, size_t length) {
    return ANeuralNetworksModel_setOperandValueFromMemory(
        maker.get(), index, memory.get(), offset, length);
  };
  EXPECT_EQ(set(0, 4, 8), ANEURALNETWORKS_NO_ERROR);
  EXPECT_EQ(set(0, 8, 8), ANEURALNETWORKS_NO_ERROR);
  EXPECT_EQ(set(0, 12, 8), ANEURALNETWORKS_BAD_DATA) << "beyond the end";
  EXPECT_EQ(set(0, SIZE_MAX - 3, 8), ANEURALNETWORKS_BAD_DATA) << "overflow";
  EXPECT_EQ(set(0, 0, 4), ANEURALNETWORKS_BAD_DATA) << "too short";
  EXPECT_EQ(set(1, 0, 8), ANEURALNETWORKS_BAD_DATA) << "no operand";
  EXPECT_EQ(ANeuralNetworksModel_setOperandValueFromMemory(maker.get(), 0,
                                                           nullptr, 0, 8),
            ANEURALNETWORKS_UNEXPECTED_NULL);
}

TEST(NnapiChannelScales, FitTheOperand) {
  ModelMaker maker;
  maker.operand({kChannels, {2, 3}});
  maker.operand(floats({2, 3}));
  float good[] = {0.5f, 0.25f, 1}, zero[] = {0.5f, 0, 1},
        negative[] = {0.5f, 1, -1}, nan[] = {kNan, 1, 1};
  auto set = [&](int32_t index, uint32_t axis, uint32_t count,
                 const float *scales) {
    ANeuralNetworksSymmPerChannelQuantParams params = {axis, count, scales};
    return ANeuralNetworksModel_setOperandSymmPerChannelQuantParams(
        maker.get(), index, &params);
  };
  EXPECT_EQ(set(0, 1, 3, good), ANEURALNETWORKS_NO_ERROR);
  EXPECT_EQ(set(0, 0, 2, good), ANEURALNETWORKS_NO_ERROR);
  EXPECT_EQ(set(0, 0, 3, good), ANEURALNETWORKS_BAD_DATA);
  EXPECT_EQ(set(0, 1, 2, good), ANEURALNETWORKS_BAD_DATA);
  EXPECT_EQ(set(0, 2, 3, good), ANEURALNETWORKS_BAD_DATA);
  EXPECT_EQ(set(0, 1, 3, zero), ANEURALNETWORKS_BAD_DATA);
  EXPECT_EQ(set(0, 1, 3, negative), ANEURALNETWORKS_BAD_DATA);
  EXPECT_EQ(set(0, 1, 3, nan), ANEURALNETWORKS_BAD_DATA);
  EXPECT_EQ(set(0, 1, 3, nullptr), ANEURALNETWORKS_UNEXPECTED_NULL);
  EXPECT_EQ(set(1, 1, 3, good), ANEURALNETWORKS_BAD_DATA) << "not per channel";
  EXPECT_EQ(set(2, 1, 3, good), ANEURALNETWORKS_BAD_DATA) << "no operand";
  EXPECT_EQ(set(-1, 1, 3, good), ANEURALNETWORKS_BAD_DATA);
  EXPECT_EQ(ANeuralNetworksModel_setOperandSymmPerChannelQuantParams(
                maker.get(), 0, nullptr),
            ANEURALNETWORKS_UNEXPECTED_NULL);
}
