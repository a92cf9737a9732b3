//===- DriverInterfaceTest.cpp - Task control blocks, byte for byte -------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// The expected bytes are what the public driver writes for X2, field by field.
//
//===----------------------------------------------------------------------===//
#include "isa/DriverInterface.h"

#include <algorithm>
#include <cstring>
#include <gtest/gtest.h>

using namespace yarrow::isa;

namespace {
class Block {
public:
  template <typename T> explicit Block(const T &block) {
    static_assert(sizeof block == sizeof bytes);
    std::memcpy(bytes, &block, sizeof bytes);
  }
  uint32_t word(unsigned at) const { return get<uint32_t>(at); }
  uint16_t half(unsigned at) const { return get<uint16_t>(at); }
  /// All bytes that are not zero.
  unsigned used() const {
    return unsigned(sizeof bytes) -
           unsigned(std::count(std::begin(bytes), std::end(bytes), 0));
  }

private:
  template <typename T> T get(unsigned at) const {
    T value;
    std::memcpy(&value, bytes + at, sizeof value);
    return value;
  }
  uint8_t bytes[128];
};
} // namespace

TEST(DriverInterface, AnInitBlockNamesTheAddressSpaces) {
  InitControlBlock init;
  init.next = 0x01020304;
  init.spaces[0] = init.spaces[1] = kSpaceReadWrite;
  Block block(init);
  EXPECT_EQ(block.word(0), 0x10000u);
  EXPECT_EQ(block.word(4), 0x01020304u);
  EXPECT_EQ(block.word(48), 0x60u);
  EXPECT_EQ(block.word(56), 0x60u);
  EXPECT_EQ(block.used(), 1u + 4 + 1 + 1);
}

TEST(DriverInterface, ATaskBlockHasTheDriversOffsets) {
  TaskControlBlock task;
  task.flags |= kEndsGroup | kEndsGrid;
  task.startPc = 0x1040;
  task.taskId = task.taskIndex[0] = 3;
  task.groupDim[0] = 4;
  task.stack = 0x52, task.parameters = 0x56, task.privateData = 0x60;
  task.rodata = 0x64, task.printBuffer = 0x68, task.profileBuffer = 0x72;
  task.ownAddress = 0x108, task.globalParameters = 0x112;
  Block block(task);
  EXPECT_EQ(block.word(0), 0xC1u);
  EXPECT_EQ(block.word(12), 0x1040u);
  EXPECT_EQ(block.word(16), 0x3Du);
  EXPECT_EQ(block.half(26), 3u);
  for (unsigned dim : {28, 30, 32, 36, 38, 40})
    EXPECT_EQ(block.half(dim), 1u) << dim;
  EXPECT_EQ(block.half(34), 4u);
  EXPECT_EQ(block.half(46), 3u);
  EXPECT_EQ(block.word(52), 0x52u);
  EXPECT_EQ(block.word(56), 0x56u);
  EXPECT_EQ(block.word(60), 0x60u);
  EXPECT_EQ(block.word(64), 0x64u);
  EXPECT_EQ(block.word(68), 0x68u);
  EXPECT_EQ(block.word(72), 0x72u);
  EXPECT_EQ(block.word(108), 0x108u);
  EXPECT_EQ(block.word(112), 0x112u);
}
