//===- TaskChain.cpp - Task control blocks --------------------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "simulator/device/TaskChain.h"

#include "isa/DriverInterface.h"
#include <cstring>

using namespace yarrow;
using namespace yarrow::sim;

Fault sim::readTaskBlock(const Memory &memory, uint32_t address,
                         TaskBlock &block) {
  uint8_t bytes[isa::kTcbBytes];
  if (!memory.read(address, bytes, sizeof bytes))
    return faultText("task control block at ", hex(address),
                     " is outside of memory");
  isa::InitControlBlock init;
  isa::TaskControlBlock task;
  std::memcpy(&init, bytes, sizeof init);
  std::memcpy(&task, bytes, sizeof task);
  block = {};
  block.address = address;
  block.flags = task.flags;
  block.next = task.next;
  if (!block.isTask()) {
    if ((block.flags & isa::kBlockKindMask) != 0)
      return faultText("task control block at ", hex(address),
                       " has unknown flags ", hex(block.flags));
    block.space0 = init.spaces[0] & ~isa::kSpaceControlMask;
    return std::nullopt;
  }
  block.startPc = task.startPc;
  block.taskId = task.taskId;
  block.taskCount = task.groupDim[0];
  block.group = task.group;
  block.stack = task.stack;
  block.parameters = task.parameters;
  block.privateData = task.privateData;
  block.rodata = task.rodata;
  block.printBuffer = task.printBuffer;
  block.globalParameters = task.globalParameters;
  return std::nullopt;
}
