//===- CheckOperandTest.cpp - What NNAPI asks of an operand ---------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "parser/nnapi/CheckModel.h"
#include "test/unit/nnapi/NnModels.h"
#include <cmath>
#include <gmock/gmock.h>

using namespace yarrow;
using namespace yarrow::nnapi;
using ::testing::HasSubstr;
using yarrow::test::Dims;
using yarrow::test::NnBuilder;

namespace {

std::string problemOf(const Operand &operand) {
  std::string why;
  EXPECT_EQ(checkOperand(operand, &why), why.empty());
  return why;
}

std::string problemOf(OperandType type, Dims dims, float scale = 0,
                      std::int32_t zeroPoint = 0) {
  return problemOf(NnBuilder::tensor(type, std::move(dims), scale, zeroPoint));
}

Operand perChannel(Dims dims, std::uint32_t axis, std::vector<float> scales) {
  Operand operand = NnBuilder::tensor(
      OperandType::TENSOR_QUANT8_SYMM_PER_CHANNEL, std::move(dims));
  operand.channels = {axis, std::move(scales)};
  return operand;
}

} // namespace

TEST(CheckOperand, TakesEveryTypeAsItIs) {
  for (const OperandTypeEntry &type : allOperandTypes()) {
    bool isQuantized = type.storage == Storage::Asymmetric ||
                       type.storage == Storage::Symmetric;
    Dims dims = type.isTensor ? Dims{2, 3} : Dims{};
    EXPECT_EQ(problemOf(type.type, dims, isQuantized ? 0.5f : 0), "")
        << type.name;
    EXPECT_NE(problemOf(type.type, dims, isQuantized ? 0 : -0.5f), "")
        << type.name;
  }
}

TEST(CheckOperand, KnowsTheTypes) {
  EXPECT_EQ(problemOf(OperandType(16), {}), "type 16 is not an operand type");
  EXPECT_EQ(problemOf(OperandType(-1), {}), "type -1 is not an operand type");
}

TEST(CheckOperand, WantsScalarsWithoutAxes) {
  EXPECT_THAT(problemOf(OperandType::INT32, {1}), HasSubstr("is a scalar"));
  EXPECT_THAT(problemOf(OperandType::MODEL, {1}), HasSubstr("is a scalar"));
}

TEST(CheckOperand, BoundsTheSize) {
  EXPECT_EQ(problemOf(OperandType::TENSOR_BOOL8, {65536, 65535}), "");
  EXPECT_THAT(problemOf(OperandType::TENSOR_BOOL8, {65536, 65536}),
              HasSubstr("2^32"));
  // 2^64 bytes would be 0 in 64 bits.
  EXPECT_THAT(problemOf(OperandType::TENSOR_FLOAT32,
                        {1u << 31, 1u << 31, 1u << 31, 1u << 31}),
              HasSubstr("2^32"));
  EXPECT_THAT(problemOf(OperandType::TENSOR_FLOAT32, {0, 1u << 30}),
              HasSubstr("2^32"));
}

TEST(CheckOperand, BoundsZeroPoints) {
  const struct {
    OperandType type;
    std::int32_t least, most;
  } kRanges[] = {
      {OperandType::TENSOR_QUANT8_ASYMM, 0, 255},
      {OperandType::TENSOR_QUANT8_ASYMM_SIGNED, -128, 127},
      {OperandType::TENSOR_QUANT16_ASYMM, 0, 65535},
      {OperandType::TENSOR_QUANT16_SYMM, 0, 0},
      {OperandType::TENSOR_QUANT8_SYMM, 0, 0},
  };
  for (const auto &range : kRanges) {
    for (std::int32_t in : {range.least, range.most})
      EXPECT_EQ(problemOf(range.type, {1}, 1, in), "");
    for (std::int32_t out : {range.least - 1, range.most + 1})
      EXPECT_THAT(problemOf(range.type, {1}, 1, out), HasSubstr("zero point"));
  }
  EXPECT_THAT(problemOf(OperandType::TENSOR_FLOAT32, {1}, 0, 1),
              HasSubstr("zero point"));
  EXPECT_THAT(problemOf(OperandType::TENSOR_INT32, {1}, 0.5f, 1),
              HasSubstr("zero point"));
}

TEST(CheckOperand, WantsScalesAboveZero) {
  for (float scale : {0.f, -1.f, NAN, INFINITY})
    EXPECT_THAT(problemOf(OperandType::TENSOR_QUANT8_ASYMM, {1}, scale),
                HasSubstr("scale"));
  EXPECT_THAT(problemOf(OperandType::TENSOR_FLOAT32, {1}, 1),
              HasSubstr("scale"));
  EXPECT_THAT(problemOf(OperandType::TENSOR_BOOL8, {1}, 1), HasSubstr("scale"));
  EXPECT_THAT(problemOf(OperandType::INT32, {}, 1), HasSubstr("scale"));
  EXPECT_THAT(problemOf(OperandType::TENSOR_QUANT8_SYMM_PER_CHANNEL, {1}, 1),
              HasSubstr("scale"));
  EXPECT_EQ(problemOf(OperandType::TENSOR_INT32, {1}, 0.25f), "");
  EXPECT_THAT(problemOf(OperandType::TENSOR_INT32, {1}, NAN),
              HasSubstr("scale"));
}

TEST(CheckOperand, WantsAScaleForEachChannel) {
  EXPECT_EQ(problemOf(perChannel({2, 3}, 1, {1, 2, 3})), "");
  EXPECT_EQ(problemOf(perChannel({2, 3}, 0, {1, 2})), "");
  EXPECT_THAT(problemOf(perChannel({2, 3}, 2, {1, 2})), HasSubstr("axis 2"));
  EXPECT_THAT(problemOf(perChannel({2, 3}, 0, {1, 2, 3})),
              HasSubstr("3 scales for 2"));
  EXPECT_THAT(problemOf(perChannel({2, 3}, 0, {1, 0})), HasSubstr("scale"));
  EXPECT_THAT(problemOf(perChannel({2, 3}, 0, {1, NAN})), HasSubstr("scale"));
  // They are set after the operand is added.
  Operand later = perChannel({2, 3}, 0, {});
  EXPECT_EQ(problemOf(later), "");
  std::string why;
  EXPECT_FALSE(checkChannels(later, &why));
  EXPECT_THAT(why, HasSubstr("missing"));
  Operand none = NnBuilder::tensor(OperandType::TENSOR_QUANT8_SYMM, {2}, 1);
  EXPECT_FALSE(checkChannels(none, &why));
  EXPECT_THAT(why, HasSubstr("cannot have per-channel scales"));
}
