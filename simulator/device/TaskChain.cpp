//===- TaskChain.cpp - Task control blocks --------------------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "simulator/device/TaskChain.h"

#include "isa/ElfLayout.h"
#include <cstring>

using namespace yarrow;
using namespace yarrow::sim;

/// Byte offsets as the public driver writes them.
namespace offset {
constexpr unsigned kFlags = 0, kNext = 4, kStartPc = 12, kTaskId = 26,
                   kGroupDimX = 34, kSpaces = 48, kStack = 52, kParameters = 56,
                   kPrivateData = 60, kRodata = 64, kPrintBuffer = 68,
                   kGlobalParameters = 112;
}

/// The low bits of an address space word are permissions.
static constexpr uint64_t kSpaceControlMask = 0xFFF;

Fault sim::readTaskBlock(const Memory &memory, uint32_t address,
                         TaskBlock &block) {
  uint8_t bytes[isa::kTcbBytes];
  if (!memory.read(address, bytes, sizeof bytes))
    return faultText("task control block at ", hex(address),
                     " is outside of memory");
  auto word = [&](unsigned at) {
    uint32_t value;
    std::memcpy(&value, bytes + at, 4);
    return value;
  };
  auto half = [&](unsigned at) {
    uint16_t value;
    std::memcpy(&value, bytes + at, 2);
    return value;
  };
  block = {};
  block.address = address;
  block.flags = word(offset::kFlags);
  block.next = word(offset::kNext);
  if (!block.isTask()) {
    if ((block.flags & 0xF) != 0)
      return faultText("task control block at ", hex(address),
                       " has unknown flags ", hex(block.flags));
    block.space0 =
        (uint64_t(word(offset::kSpaces + 4)) << 32 | word(offset::kSpaces)) &
        ~kSpaceControlMask;
    return std::nullopt;
  }
  block.startPc = word(offset::kStartPc);
  block.taskId = half(offset::kTaskId);
  block.taskCount = half(offset::kGroupDimX);
  block.stack = word(offset::kStack);
  block.parameters = word(offset::kParameters);
  block.privateData = word(offset::kPrivateData);
  block.rodata = word(offset::kRodata);
  block.printBuffer = word(offset::kPrintBuffer);
  block.globalParameters = word(offset::kGlobalParameters);
  return std::nullopt;
}
