//===- GuardTest.cpp - What programs may access ---------------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "simulator/AddressMap.h"
#include "test/unit/simulator/DeviceFixture.h"
#include <gmock/gmock.h>

using namespace yarrow;
using namespace yarrow::sim;
using namespace yarrow::device_test;
using ::testing::HasSubstr;

namespace {
/// A program that tells its sizes: parameters, descriptors and constants lie in
/// the data, stacks at the end of the SRAM.
class GuardTest : public DeviceTest {
protected:
  static constexpr uint32_t kDescriptors = kData + 0x1000,
                            kConstants = kData + 0x2000, kFree = kData + 0x3000;

  Program guarded() {
    Program p;
    p.guarded = true;
    p.header.stackTopAddress = stackTop();
    p.header.descriptorBytes = 64;
    p.header.constantBytes = 256;
    return p;
  }
  uint32_t stackTop() const {
    return isa::kSramBaseAddress + machine.sramBytes;
  }
  std::string runGuarded(const Program &p, uint32_t tasks = 1) {
    put(kData, isa::kParameterMagic);
    put(kData + isa::ParameterRegionCount * 4, 3);
    put(kData + isa::ParameterDescriptors * 4, kDescriptors);
    put(kData + isa::ParameterRegions * 4, isa::kSramBaseAddress);
    put(kData + (isa::ParameterRegions + 1) * 4, kConstants);
    put(kData + (isa::ParameterRegions + 2) * 4, kFree);
    return run(p, tasks);
  }
  /// The fault of a store to \p address.
  std::string store(uint32_t address) {
    Program p = guarded();
    p.constant(Program::T0, address);
    p.store(Program::T1, Program::T0, 0);
    p.end();
    return runGuarded(p);
  }
  std::string load(uint32_t address) {
    Program p = guarded();
    p.constant(Program::T0, address);
    p.load(Program::T1, Program::T0, 0);
    p.end();
    return runGuarded(p);
  }
};
} // namespace

TEST_F(GuardTest, LetsAProgramHaveItsMemory) {
  for (uint32_t address :
       {kFree, kConstants + 256, kDescriptors + 64, isa::kSramBaseAddress,
        stackTop() - 4, stackTop() - isa::kSramStackBytes, kTop - 4}) {
    EXPECT_EQ(store(address), "") << std::hex << address;
    EXPECT_EQ(load(address), "") << std::hex << address;
  }
  for (uint32_t address : {kText, kData, kDescriptors, kConstants})
    EXPECT_EQ(load(address), "") << std::hex << address;
}

TEST_F(GuardTest, TextCannotBeWritten) {
  EXPECT_THAT(store(kText + isa::kTextHeaderBytes),
              HasSubstr("a write of 4 bytes at 0x00001040, in the program's "
                        "text, which is read only"));
  EXPECT_EQ(device->faultSite().cause, FaultSite::Memory);
  EXPECT_EQ(device->faultSite().pc, kText + isa::kTextHeaderBytes + 8);
}

TEST_F(GuardTest, ConstantsCannotBeWritten) {
  EXPECT_THAT(store(kConstants + 252), HasSubstr("in the constants, which"));
  EXPECT_THAT(store(kDescriptors), HasSubstr("in the descriptors, which"));
  EXPECT_THAT(store(kData + 8), HasSubstr("in the parameter block, which"));
}

TEST_F(GuardTest, WhatIsNotThereCannotBeAccessed) {
  EXPECT_THAT(load(0xD0000000), HasSubstr("a read of 4 bytes at 0xd0000000, "
                                          "where this TEC has no memory"));
  EXPECT_THAT(store(stackTop()), HasSubstr("(0 bytes after the stack of TEC "
                                           "0)"));
  EXPECT_THAT(load(kTop - 2), HasSubstr("in DDR, which ends at"));
}

TEST_F(GuardTest, OnlyTextIsExecuted) {
  Program p = guarded();
  p.constant(Program::T0, kFree);
  p.word(Program::T0 << 15 | 0x67); // jr t0
  EXPECT_THAT(runGuarded(p), HasSubstr("a fetch of 4 bytes at 0x00023000, in "
                                       "DDR, which is not executable"));
  Program falls = guarded(); // over the end of its text
  falls.addi(0, 0, 0);
  EXPECT_THAT(runGuarded(falls), HasSubstr("a fetch of 4 bytes"));
}

TEST_F(GuardTest, StacksOverflowIntoNothing) {
  // Each TEC takes its stack from the top, as compiled programs do.
  Program p = guarded();
  p.word(stackTop() | Program::Sp << 7 | 0x37); // lui
  p.shiftLeft(Program::T0, Program::A3, 14);
  p.word(0x40000000u | Program::T0 << 20 | Program::Sp << 15 |
         Program::Sp << 7 | 0x33); // sub sp, sp, t0
  for (int i = 0; i < 8; ++i)
    p.addi(Program::Sp, Program::Sp, -2048);
  Program fits = p;
  fits.store(Program::T0, Program::Sp, 0);
  fits.end();
  EXPECT_EQ(runGuarded(fits, 4), "");
  p.addi(Program::Sp, Program::Sp, -16);
  p.end();
  EXPECT_THAT(runGuarded(p, 4), HasSubstr("stack overflow: sp would be"));
  EXPECT_EQ(device->faultSite().cause, FaultSite::Memory);
}

TEST_F(GuardTest, StacksOfOthersAreOutOfReach) {
  Program p = guarded();
  p.constant(Program::T0, stackTop() - 4); // of TEC 0
  p.store(Program::T1, Program::T0, 0);
  p.end();
  EXPECT_THAT(runGuarded(p, 2), HasSubstr("TEC 1: a write of 4 bytes"));
}

TEST(AddressMap, JoinsAreasThatTouch) {
  AddressMap map;
  map.add({0x3000, 0x4000, MemoryArea::kWrite, "c"});
  map.add({0x1000, 0x2000, MemoryArea::kRead, "a"});
  map.add({0x2000, 0x3000, MemoryArea::kExecute, "b"});
  map.add({0x9000, 0x9000, MemoryArea::kWrite, "empty"});
  ASSERT_EQ(map.windows(Access::Read).size(), 1u);
  EXPECT_EQ(map.windows(Access::Read)[0].base, 0x1000u);
  EXPECT_EQ(map.windows(Access::Read)[0].sizeBytes, 0x3000u);
  EXPECT_TRUE(map.allows(Access::Read, 0x1ffe, 4));
  EXPECT_FALSE(map.allows(Access::Read, 0x3ffe, 4));
  EXPECT_FALSE(map.allows(Access::Write, 0x2000, 1));
  EXPECT_TRUE(map.allows(Access::Fetch, 0x2000, 4));
  EXPECT_FALSE(map.allows(Access::Fetch, 0x3000, 4));
}
