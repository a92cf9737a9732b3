//===- TensorTypesTest.cpp - Values of blocks -----------------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// Blocks are packed here, and valued by the formulas of the format. What other
// blocks there are is checked in test/e2e/gguf.py.
//
//===----------------------------------------------------------------------===//
#include "parser/gguf/TensorTypes.h"
#include "support/Half.h"
#include <cstring>
#include <gmock/gmock.h>
#include <vector>

using namespace yarrow;

namespace {

void putHalf(std::vector<std::uint8_t> &block, float value) {
  std::uint16_t bits = floatToHalf(value);
  block.push_back(std::uint8_t(bits));
  block.push_back(std::uint8_t(bits >> 8));
}

/// The values of one block of the type \p number.
std::vector<float> decoded(std::uint32_t number,
                           const std::vector<std::uint8_t> &block) {
  const gguf::TensorType *type = gguf::findTensorType(number);
  EXPECT_EQ(block.size(), type->blockBytes);
  // At an odd address, as in a file.
  std::vector<std::byte> bytes(block.size() + 1);
  std::memcpy(bytes.data() + 1, block.data(), block.size());
  std::vector<float> values(type->blockElements);
  type->decode(bytes.data() + 1, 1, values.data());
  return values;
}

/// Integers of \p bits bits that follow no order.
unsigned spread(std::size_t i, unsigned bits) {
  return unsigned(i * 2654435761u >> 16) & ((1u << bits) - 1);
}

} // namespace

TEST(GgufTensorTypes, FloatsOf16Bits) {
  EXPECT_THAT(decoded(1, {0x00, 0xC1}), ::testing::ElementsAre(-2.5f));
  EXPECT_THAT(decoded(30, {0x20, 0xC0}), ::testing::ElementsAre(-2.5f));
}

TEST(GgufTensorTypes, BlocksOf32) {
  std::vector<std::uint8_t> q4_0, q4_1, q8_0;
  putHalf(q4_0, 0.25f);
  putHalf(q4_1, 0.25f);
  putHalf(q4_1, -1.5f);
  putHalf(q8_0, 0.125f);
  for (std::size_t i = 0; i < 16; ++i) {
    auto both = std::uint8_t(spread(i, 4) | spread(i + 16, 4) << 4);
    q4_0.push_back(both);
    q4_1.push_back(both);
  }
  for (std::size_t i = 0; i < 32; ++i)
    q8_0.push_back(std::uint8_t(spread(i, 8)));
  std::vector<float> a = decoded(2, q4_0), b = decoded(3, q4_1),
                     c = decoded(8, q8_0);
  for (std::size_t i = 0; i < 32; ++i) {
    EXPECT_EQ(a[i], 0.25f * float(int(spread(i, 4)) - 8));
    EXPECT_EQ(b[i], 0.25f * float(spread(i, 4)) - 1.5f);
    EXPECT_EQ(c[i], 0.125f * float(std::int8_t(spread(i, 8))));
  }
}

TEST(GgufTensorTypes, BlocksOf256WithScalesOf6Bits) {
  std::vector<std::uint8_t> block;
  putHalf(block, 0.5f);
  putHalf(block, 0.25f);
  auto scale = [](std::size_t part) { return spread(part + 900, 6); };
  auto offset = [](std::size_t part) { return spread(part + 700, 6); };
  for (std::size_t i = 0; i < 4; ++i)
    block.push_back(std::uint8_t(scale(i) | scale(i + 4) >> 4 << 6));
  for (std::size_t i = 0; i < 4; ++i)
    block.push_back(std::uint8_t(offset(i) | offset(i + 4) >> 4 << 6));
  for (std::size_t i = 4; i < 8; ++i)
    block.push_back(std::uint8_t((scale(i) & 15) | (offset(i) & 15) << 4));
  for (std::size_t i = 0; i < 256; i += 64)
    for (std::size_t k = i; k < i + 32; ++k)
      block.push_back(std::uint8_t(spread(k, 4) | spread(k + 32, 4) << 4));
  std::vector<float> values = decoded(12, block);
  for (std::size_t i = 0; i < 256; ++i)
    EXPECT_EQ(values[i], 0.5f * float(scale(i / 32)) * float(spread(i, 4)) -
                             0.25f * float(offset(i / 32)))
        << i;
}

TEST(GgufTensorTypes, BlocksOf256OfSixBits) {
  std::vector<std::uint8_t> low(128), high(64), block;
  for (std::size_t i = 0; i < 256; ++i) {
    std::size_t half = i / 128, part = i % 128 / 32, place = i % 32;
    low[half * 64 + part % 2 * 32 + place] |=
        std::uint8_t((spread(i, 6) & 15) << (part / 2 * 4));
    high[half * 32 + place] |= std::uint8_t(spread(i, 6) >> 4 << (2 * part));
  }
  block = low;
  block.insert(block.end(), high.begin(), high.end());
  for (std::size_t i = 0; i < 16; ++i)
    block.push_back(std::uint8_t(spread(i + 300, 8)));
  putHalf(block, 0.0625f);
  std::vector<float> values = decoded(14, block);
  for (std::size_t i = 0; i < 256; ++i)
    EXPECT_EQ(values[i], 0.0625f * float(std::int8_t(spread(i / 16 + 300, 8))) *
                             float(int(spread(i, 6)) - 32))
        << i;
}

TEST(GgufTensorTypes, HaveNames) {
  EXPECT_EQ(gguf::tensorTypeText(13), "Q5_K");
  EXPECT_EQ(gguf::tensorTypeText(77), "type 77");
  EXPECT_EQ(gguf::findTensorType(13), nullptr);
  EXPECT_EQ(gguf::readTensorTypesText(),
            "F32, F16, Q4_0, Q4_1, Q8_0, Q4_K, Q6_K or BF16");
}
