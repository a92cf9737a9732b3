//===- DescriptorsTest.cpp - Encoding of engine commands ------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "isa/Descriptors.h"
#include <gtest/gtest.h>
#include <random>

using namespace yarrow::isa;

template <typename D> struct DescriptorTest : ::testing::Test {
  static constexpr uint32_t kHeader = D::kOpcode | D::kNumWords << 8;

  static std::vector<uint32_t> zeros() {
    std::vector<uint32_t> words(D::kNumWords);
    words[0] = kHeader;
    return words;
  }
  /// The bits that a decoder must accept, found by setting one at a time.
  static std::vector<uint32_t> fieldBits() {
    std::vector<uint32_t> bits(D::kNumWords);
    for (uint32_t word = 1; word < D::kNumWords; ++word)
      for (uint32_t bit = 0; bit < 32; ++bit) {
        std::vector<uint32_t> words = zeros();
        words[word] = 1u << bit;
        if (decode(words))
          bits[word] |= 1u << bit;
      }
    return bits;
  }
};
using Descriptors = ::testing::Types<Copy, Conv, MatMul, Pool>;
TYPED_TEST_SUITE(DescriptorTest, Descriptors);

TYPED_TEST(DescriptorTest, RandomWordsSurviveDecodeAndEncode) {
  std::vector<uint32_t> bits = this->fieldBits();
  std::mt19937 random(1);
  for (int round = 0; round < 200; ++round) {
    std::vector<uint32_t> words = this->zeros();
    for (size_t i = 1; i < words.size(); ++i)
      words[i] = uint32_t(random()) & bits[i];
    std::optional<AnyDescriptor> decoded = decode(words);
    ASSERT_TRUE(decoded);
    ASSERT_TRUE(std::holds_alternative<TypeParam>(*decoded));
    std::vector<uint32_t> again;
    std::get<TypeParam>(*decoded).encode(again);
    if (again.size() == TypeParam::kNumWords) {
      ASSERT_EQ(again, words);
    }
    ASSERT_EQ(*decode(again), *decoded);
  }
}

TYPED_TEST(DescriptorTest, EveryMemberReachesTheWords) {
  TypeParam descriptor;
  std::vector<uint32_t> zero;
  descriptor.encode(zero);
  unsigned members = 0;
  descriptor.forEachMember([&](std::string_view name, auto &member) {
    using Member = std::remove_reference_t<decltype(member)>;
    Member before = member;
    member = Member(1);
    std::vector<uint32_t> words;
    descriptor.encode(words);
    EXPECT_NE(words, zero) << name;
    EXPECT_EQ(std::get<TypeParam>(*decode(words)), descriptor) << name;
    member = before;
    ++members;
  });
  EXPECT_GT(members, 10u);
}

TYPED_TEST(DescriptorTest, ReservedBitsAreRefused) {
  std::vector<uint32_t> bits = this->fieldBits();
  // The opcode word has no room for anything else.
  for (uint32_t bit = 16; bit < 32; ++bit) {
    std::vector<uint32_t> words = this->zeros();
    words[0] |= 1u << bit;
    EXPECT_FALSE(decode(words)) << bit;
  }
  for (unsigned i = 1; i < kHeaderWords; ++i)
    EXPECT_EQ(bits[i], 0xffffffffu) << "wait counts have all 32 bits";
}

/// As executables of before a field have it.
TYPED_TEST(DescriptorTest, LastWordsMayBeMissing) {
  TypeParam descriptor;
  std::vector<uint32_t> words;
  descriptor.encode(words);
  EXPECT_EQ(words.size(), TypeParam::kLeastWords);
  while (words.size() < TypeParam::kNumWords)
    words.push_back(0);
  words[0] = this->kHeader;
  EXPECT_EQ(std::get<TypeParam>(*decode(words)), descriptor);
  descriptor.forEachMember([&](std::string_view, auto &member) {
    member = std::remove_reference_t<decltype(member)>(1);
  });
  words.clear();
  descriptor.encode(words);
  EXPECT_EQ(words.size(), TypeParam::kNumWords);
}

TYPED_TEST(DescriptorTest, WrongLengthsAreRefused) {
  std::vector<uint32_t> words = this->zeros();
  EXPECT_TRUE(decode(words));
  for (uint32_t length :
       {0u, 1u, TypeParam::kLeastWords - 1, TypeParam::kNumWords + 1, 255u}) {
    words[0] = TypeParam::kOpcode | length << 8;
    EXPECT_FALSE(decode(words)) << length;
  }
  words = this->zeros();
  words.pop_back();
  EXPECT_FALSE(decode(words));
}

TEST(Descriptors, UnknownOpcodesAreRefused) {
  EXPECT_FALSE(decode({}));
  for (uint32_t opcode = 0; opcode < 256; ++opcode) {
    std::vector<uint32_t> words(256);
    words[0] = opcode | 24 << 8;
    bool isKnown = opcode == Copy::kOpcode || opcode == Conv::kOpcode ||
                   opcode == MatMul::kOpcode || opcode == Pool::kOpcode;
    if (!isKnown)
      EXPECT_FALSE(decode(words)) << opcode;
  }
}

TEST(Descriptors, DisassemblyNamesFieldsThatAreSet) {
  Pool pool;
  pool.method = PoolMethod::Avg;
  pool.kernelY = 3;
  pool.waits[unsigned(Unit::DmaLoad)] = 7;
  std::string text = disassemble(pool);
  EXPECT_NE(text.find("pool"), std::string::npos);
  EXPECT_NE(text.find("method=avg"), std::string::npos);
  EXPECT_NE(text.find("kernelY=3"), std::string::npos);
  EXPECT_NE(text.find("wait.load=7"), std::string::npos);
  EXPECT_EQ(text.find("kernelX"), std::string::npos);
}

TEST(Descriptors, DisassemblyLeavesOutAModeThatIsNotUsed) {
  Conv conv;
  EXPECT_EQ(disassemble(conv).find("winograd"), std::string::npos);
  conv.winograd = WinogradMode::F2x2_3x3;
  EXPECT_NE(disassemble(conv).find(" winograd=f(2x2,3x3)"), std::string::npos);
  // Of other enumerations 0 is a value as any.
  EXPECT_NE(disassemble(conv).find(" activation=none"), std::string::npos);
}

TEST(Descriptors, WinogradWeightsAreFollowedByTapShifts) {
  Conv conv;
  conv.kernelY = conv.kernelX = 3;
  conv.groups = 1;
  conv.inChannels = 5, conv.outChannels = 3;
  EXPECT_EQ(weightBytesOf(conv), 9u * 5 * 3);
  conv.winograd = WinogradMode::F2_3;
  EXPECT_EQ(weightBytesOf(conv), 12u * 5 * 3);
  conv.hasTapShifts = true;
  EXPECT_EQ(tapShiftOffset(conv), 192u);
  EXPECT_EQ(weightBytesOf(conv), 192u + 12 * 3);
  conv.winograd = WinogradMode::F2x2_3x3;
  conv.weightType = ElementType::I16;
  EXPECT_EQ(tapShiftOffset(conv), 16u * 5 * 3 * 2);
}
