//===- WinogradFaultsTest.cpp - Broken Winograd commands ------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "test/unit/simulator/ConvCases.h"
#include <gmock/gmock.h>

using namespace yarrow;
using namespace yarrow::sim;
using namespace yarrow::isa;
using naive::ConvCase;
using naive::Random;
using ::testing::AllOf;
using ::testing::HasSubstr;

namespace {
constexpr uint64_t kWinogradFaultsSramBytes = 8 << 20;
constexpr WinogradUnit kFaultsUnit{10, 12, 16384, 4};

class WinogradFaults : public ::testing::Test {
protected:
  void SetUp() override {
    memory = Memory::create(kWinogradFaultsSramBytes);
    Conv &c = t.conv;
    c.kernelY = c.kernelX = 3;
    c.strideY = c.strideX = c.dilationY = c.dilationX = c.groups = 1;
    c.winograd = WinogradMode::F2x2_3x3;
    c.weightType = ElementType::I16;
    c.hasTapShifts = true;
    c.inHeight = c.inWidth = c.outHeight = c.outWidth = 4;
    c.inChannels = c.outChannels = 8;
    c.inPixelStride = c.outPixelStride = 8;
    c.inRowStride = c.outRowStride = 32;
    c.input = t.place(128);
    c.weights = t.place(weightBytesOf(c));
    c.bias = t.place(32);
    c.partials = t.place(512);
    c.output = t.place(128);
    c.outMin = -128, c.outMax = 127;
    c.scale = 1;
    std::memset(memory->hostBase() + Memory::kSramBase, 0, t.top);
  }
  template <typename Change>
  std::string faultOf(Change change, WinogradUnit unit = kFaultsUnit) {
    TensorEngine engine(*memory, unit);
    Conv c = t.conv;
    change(c);
    return engine.execute(c).value_or("");
  }
  std::unique_ptr<Memory> memory;
  ConvCase t;
};
} // namespace

TEST_F(WinogradFaults, TheCommandItselfIsLegal) {
  EXPECT_EQ(faultOf([](Conv &) {}), "");
}

TEST_F(WinogradFaults, WithoutTheMode) {
  EXPECT_EQ(faultOf([](Conv &) {}, {}),
            "conv: this machine has no Winograd f(2x2,3x3)");
  EXPECT_EQ(faultOf([](Conv &) {}, {9, 12, 16384, 4}),
            "conv: this machine has no Winograd f(2x2,3x3)");
  auto toRow = [](Conv &c) { c.winograd = WinogradMode::F2_3; };
  EXPECT_EQ(faultOf(toRow, {9, 12, 16384, 4}), "");
  EXPECT_EQ(faultOf(toRow, {8, 12, 16384, 4}),
            "conv: this machine has no Winograd f(2,3)");
  auto plain = [](auto set) {
    return [set](Conv &c) {
      c.winograd = WinogradMode::None;
      c.hasTapShifts = false;
      c.winogradShift = 0;
      set(c);
    };
  };
  EXPECT_EQ(faultOf(plain([](Conv &) {}), {}), "");
  for (const std::string &fault :
       {faultOf(plain([](Conv &c) { c.hasTapShifts = true; })),
        faultOf(plain([](Conv &c) { c.winogradShift = 1; }))})
    EXPECT_EQ(fault,
              "conv: tap shifts or winogradShift without a Winograd mode");
  EXPECT_EQ(faultOf([](Conv &c) { c.winograd = WinogradMode(3); }),
            "conv: unknown Winograd mode");
}

TEST_F(WinogradFaults, Windows) {
  EXPECT_EQ(faultOf([](Conv &c) { c.kernelY = 5; }),
            "conv: Winograd f(2x2,3x3) has a window of 3x3, not of 5x3");
  EXPECT_THAT(faultOf([](Conv &c) { c.kernelX = 1; }),
              HasSubstr("a window of 3x3, not of 3x1"));
  for (uint32_t Conv::*field :
       {&Conv::strideY, &Conv::strideX, &Conv::dilationY, &Conv::dilationX})
    EXPECT_THAT(faultOf([&](Conv &c) { c.*field = 2; }),
                HasSubstr("has strides and dilations of 1, not"));
  EXPECT_THAT(faultOf([](Conv &c) { c.groups = 2; }),
              HasSubstr("neither groups nor depthwise"));
  EXPECT_THAT(faultOf([](Conv &c) { c.depthwise = true; }),
              HasSubstr("neither groups nor depthwise"));
  for (bool Conv::*field : {&Conv::accumulateIn, &Conv::accumulateOut})
    EXPECT_THAT(faultOf([&](Conv &c) { c.*field = true; }),
                HasSubstr("neither takes nor gives partial sums"));
}

TEST_F(WinogradFaults, Types) {
  for (ElementType type : {ElementType::I16, ElementType::U16})
    EXPECT_THAT(faultOf([&](Conv &c) { c.inType = type; }),
                AllOf(HasSubstr("takes int8 or uint8 inputs, not"),
                      HasSubstr(std::string(name(type)))));
  EXPECT_THAT(faultOf([](Conv &c) { c.weightType = ElementType::U8; }),
              HasSubstr("takes int8 or int16 weights, not uint8"));
  EXPECT_THAT(faultOf([](Conv &) {}, {10, 8, 8192, 4}),
              HasSubstr("with int16 weights, on multipliers of 8 bits"));
  EXPECT_EQ(faultOf([](Conv &c) { c.weightType = ElementType::I8; },
                    {10, 8, 8192, 4}),
            "");
}

TEST_F(WinogradFaults, PadValues) {
  auto withPad = [this](ElementType type, int32_t pad) {
    return faultOf([=](Conv &c) {
      c.inType = type;
      c.padValue = pad;
    });
  };
  for (int32_t pad : {-128, 127})
    EXPECT_EQ(withPad(ElementType::I8, pad), "");
  for (int32_t pad : {0, 255})
    EXPECT_EQ(withPad(ElementType::U8, pad), "");
  for (int32_t pad : {-129, 128})
    EXPECT_THAT(withPad(ElementType::I8, pad),
                HasSubstr("is not a value of int8"));
  for (int32_t pad : {-1, 256})
    EXPECT_THAT(withPad(ElementType::U8, pad),
                HasSubstr("is not a value of uint8"));
}

TEST_F(WinogradFaults, ValuesInSram) {
  const Conv &c = t.conv;
  auto weightFault = [&](int64_t weight) {
    naive::write(*memory, ElementType::I16, c.weights + 2 * (128 + 5), weight);
    return faultOf([](Conv &) {});
  };
  EXPECT_EQ(weightFault(2047), "");
  EXPECT_EQ(weightFault(-2048), "");
  for (int64_t weight : {2048, -2049, 32767})
    EXPECT_EQ(weightFault(weight),
              "conv: weight " + std::to_string(weight) +
                  " of output channel 1 does not fit the multipliers' 12 bits");
  EXPECT_EQ(faultOf([](Conv &) {}, {10, 16, 16384, 4}), "");
  weightFault(0);
  auto shiftFault = [&](int64_t shift) {
    naive::write(*memory, ElementType::U8,
                 c.weights + tapShiftOffset(c) + 2 * 16 + 7, shift);
    return faultOf([](Conv &) {});
  };
  EXPECT_EQ(shiftFault(15), "");
  EXPECT_EQ(shiftFault(16),
            "conv: tap shift 16 of output channel 2, tap 7, is above 15");
}

TEST_F(WinogradFaults, OperandsEndInTheSram) {
  auto weightsAt = [this](uint64_t offset, bool hasShifts) {
    return faultOf([=](Conv &c) {
      c.weights = uint32_t(offset);
      c.hasTapShifts = hasShifts;
    });
  };
  std::memset(memory->hostBase() + Memory::kSramBase, 0,
              kWinogradFaultsSramBytes);
  // Weights of 8 filters of 16 taps and 8 channels, then 8 * 16 shifts.
  EXPECT_EQ(weightsAt(kWinogradFaultsSramBytes - 2048, false), "");
  EXPECT_THAT(weightsAt(kWinogradFaultsSramBytes - 2047, false),
              HasSubstr("conv: weights"));
  EXPECT_EQ(weightsAt(kWinogradFaultsSramBytes - 2048 - 128, true), "");
  EXPECT_THAT(weightsAt(kWinogradFaultsSramBytes - 2048 - 127, true),
              HasSubstr("conv: weights"));
}

// Commands of broken executables: whatever the words and the SRAM hold, a fault
// or a result.
TEST_F(WinogradFaults, AnyWords) {
  TensorEngine engine(*memory, kFaultsUnit);
  Random r(3);
  unsigned faults = 0, results = 0;
  for (int i = 0; i < 20000; ++i) {
    if (i % 1000 == 0)
      r.fill(*memory, 0, kWinogradFaultsSramBytes);
    Conv legal = t.conv;
    legal.winograd = r.oneOf({WinogradMode::F2_3, WinogradMode::F2x2_3x3});
    legal.weightType = r.oneOf({ElementType::I8, ElementType::I16});
    legal.hasTapShifts = r.chance(20);
    std::vector<uint32_t> words;
    legal.encode(words);
    for (int64_t changes = r.in(0, 3); changes > 0; --changes) {
      uint32_t &word = words[size_t(r.in(kHeaderWords, words.size() - 1))];
      auto bits = uint32_t(r.in(0, 24));
      auto value = uint32_t(r.oneOf<int64_t>(
          {0, 1, 2, 16, 127, 255, r.in(0, 255), r.in(0, UINT32_MAX)}));
      word = (word & ~(255u << bits)) | value << bits;
    }
    if (std::optional<Conv> c = Conv::decode(words))
      ++(engine.execute(*c) ? faults : results);
  }
  EXPECT_GT(faults, 5000u);
  EXPECT_GT(results, 2000u);
}
