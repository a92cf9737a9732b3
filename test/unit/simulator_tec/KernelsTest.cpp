//===- KernelsTest.cpp - Compiled programs: TEC equals host ---------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "test/unit/simulator_tec/Kernels.h"
#include "test/unit/simulator_tec/TecFixture.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <random>

using namespace yarrow::sim;

static const char *const kNames[] = {
#define NAME(KERNEL) #KERNEL,
    YARROW_TEST_KERNELS(NAME)
#undef NAME
};

namespace {
struct Variant {
  const char *name;
  TecOptions options;
  uint32_t inAddress, outAddress;
};
class KernelTest : public ::testing::TestWithParam<unsigned> {};
} // namespace

static std::vector<uint8_t> randomBytes(unsigned seed) {
  std::mt19937 random(seed);
  std::vector<uint8_t> bytes(kInBytes);
  for (uint8_t &byte : bytes)
    byte = uint8_t(random());
  return bytes;
}

TEST_P(KernelTest, EqualsHost) {
  const Variant variants[] = {
      {"functional", {}, 0x100000, 0x200000},
      {"any host",
       {.timed = false, .timing = {}, .anyHost = true},
       0x100000,
       0x200000},
      {"timed, in SRAM",
       {.timed = true, .timing = {}},
       Memory::kSramBase,
       Memory::kSramBase + 0x10000},
  };
  static const std::vector<uint8_t> image = readBytes(YARROW_TEC_KERNELS);
  ASSERT_FALSE(image.empty());
  for (const Variant &variant : variants) {
    Machine m(variant.options);
    ASSERT_TRUE(m.loadImage(image));
    for (int count : {0, 1, 7, 64, 333, int(kMaxCount)}) {
      SCOPED_TRACE(std::string(variant.name) + ", count " +
                   std::to_string(count));
      std::vector<uint8_t> in = randomBytes(GetParam() * 100 + count);
      std::vector<uint8_t> expected(kOutBytes, 0xA5), out(kOutBytes, 0xA5);
      ASSERT_TRUE(m.memory->write(variant.inAddress, in.data(), in.size()));
      ASSERT_TRUE(m.memory->write(variant.outAddress, out.data(), out.size()));
      kernelTable[GetParam()](in.data(), expected.data(), count);
      m.restart();
      m.tec.setX(10, variant.inAddress);
      m.tec.setX(11, variant.outAddress);
      m.tec.setX(12, uint32_t(count));
      m.tec.setX(13, GetParam());
      ASSERT_EQ(m.tec.run(50000000), TecStop::Ended) << m.tec.fault().str();
      ASSERT_TRUE(m.memory->read(variant.outAddress, out.data(), out.size()));
      auto differs = std::mismatch(out.begin(), out.end(), expected.begin());
      ASSERT_TRUE(differs.first == out.end())
          << "byte " << differs.first - out.begin();
    }
    EXPECT_EQ(variant.options.timed, m.tec.cycles() > m.tec.retired());
  }
}

INSTANTIATE_TEST_SUITE_P(All, KernelTest,
                         ::testing::Range(0u, unsigned(std::size(kNames))),
                         [](const auto &info) {
                           return std::string(kNames[info.param]);
                         });
