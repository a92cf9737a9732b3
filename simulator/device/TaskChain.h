//===- TaskChain.h - Task control blocks ------------------------*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// Reads the 128-byte blocks that a driver (version 3) links into a chain: an
// init block that gives the address spaces, then task blocks, the last of a
// group marked. Blocks are read when they are reached and never kept: a driver
// appends to a chain by writing into its last block.
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_SIMULATOR_DEVICE_TASKCHAIN_H
#define YARROW_SIMULATOR_DEVICE_TASKCHAIN_H

#include "isa/DriverInterface.h"
#include "simulator/Memory.h"
#include "simulator/engine/Fault.h"
#include <cstdint>

namespace yarrow::sim {

/// Fields of a block that the device looks at.
struct TaskBlock {
  uint32_t address = 0;
  uint32_t flags = 0, next = 0;
  // Init blocks.
  uint64_t space0 = 0; ///< Base address of address space 0.
  // Task blocks.
  uint32_t startPc = 0;
  uint32_t taskId = 0, taskCount = 0;
  uint32_t group = 0; ///< Which core is to have it, modulo their number.
  uint32_t stack = 0, parameters = 0, privateData = 0, rodata = 0;
  uint32_t printBuffer = 0, globalParameters = 0;

  bool isTask() const {
    return (flags & isa::kBlockKindMask) == isa::kTaskBlock;
  }
  bool endsGroup() const { return flags & isa::kEndsGroup; }
  // Of a group's first task.
  bool waitsForPrevious() const { return flags & isa::kWaitsForPrevious; }
  bool waitsForAll() const { return flags & isa::kWaitsForAll; }
};

Fault readTaskBlock(const Memory &memory, uint32_t address, TaskBlock &block);

} // namespace yarrow::sim

#endif // YARROW_SIMULATOR_DEVICE_TASKCHAIN_H
