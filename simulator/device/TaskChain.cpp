//===- TaskChain.cpp - Task control blocks --------------------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "simulator/device/TaskChain.h"

#include <cstring>

using namespace yarrow;
using namespace yarrow::sim;

/// A chain longer than this many blocks is taken for a ring.
static constexpr uint32_t kMaxBlocks = 1 << 16;

template <typename Block> static Block as(const uint8_t *bytes) {
  Block block;
  static_assert(sizeof block == isa::kTcbBytes);
  std::memcpy(&block, bytes, sizeof block);
  return block;
}

static Fault unknownFlags(uint64_t address, uint32_t flags) {
  return faultText("task control block at ", hex(address),
                   " has unknown flags ", hex(flags));
}

static void setTask(const uint8_t *bytes, TaskBlock &block) {
  auto task = as<isa::TaskControlBlock>(bytes);
  block.kind = TaskBlock::Task;
  block.startPc = task.startPc;
  block.taskId = task.taskId;
  block.taskCount = task.groupDim[0];
  block.group = task.group;
  block.stack = task.stack;
  block.parameters = task.parameters;
  block.privateData = task.privateData;
  block.rodata = task.rodata;
  block.printBuffer = task.printBuffer;
  block.profileBuffer = task.profileBuffer;
  block.globalParameters = task.globalParameters;
}

Fault TaskChain::decodeLinked(const uint8_t *bytes, TaskBlock &block) {
  auto task = as<isa::TaskControlBlock>(bytes);
  block.flags = task.flags;
  block.next = task.next;
  switch (task.flags & isa::kBlockKindMask) {
  case isa::kTaskBlock:
    setTask(bytes, block);
    return std::nullopt;
  case 0:
    block.kind = TaskBlock::Init;
    block.space0 =
        as<isa::InitControlBlock>(bytes).spaces[0] & ~isa::kSpaceControlMask;
    return std::nullopt;
  default:
    return unknownFlags(address, task.flags);
  }
}

Fault TaskChain::decodeContiguous(const uint8_t *bytes, TaskBlock &block) {
  auto task = as<isa::TaskControlBlock>(bytes);
  block.flags = task.flags;
  switch (task.flags & isa::kBlockKindMask) {
  case isa::kGridBlock:
    block.kind = TaskBlock::Grid;
    block.grid = as<isa::GridControlBlock>(bytes).grid;
    return std::nullopt;
  case isa::kGroupBlock: {
    auto group = as<isa::GroupControlBlock>(bytes);
    block.kind = TaskBlock::Init;
    block.space0 = (uint64_t(group.spaces[0][1]) << 32 | group.spaces[0][0]) &
                   ~isa::kSpaceControlMask;
    return std::nullopt;
  }
  case isa::kGroupTaskBlock:
    setTask(bytes, block);
    block.taskId = task.contiguousTaskId;
    if (task.flags & isa::kWaitsForGroups)
      for (uint16_t awaited : task.awaitedGroups)
        if (awaited & isa::kAwaitsGroup)
          block.awaitedGroups.push_back(awaited & ~isa::kAwaitsGroup);
    return std::nullopt;
  default:
    return unknownFlags(address, task.flags);
  }
}

bool TaskChain::read(uint64_t from, void *to, uint64_t sizeBytes) const {
  if (host)
    return host->bufferAt(from) && host->read(from, to, sizeBytes);
  return from <= UINT32_MAX && memory.read(uint32_t(from), to, sizeBytes);
}

Fault TaskChain::next(TaskBlock &block) {
  if (++numRead > kMaxBlocks)
    return faultText("the task chain does not end");
  uint8_t bytes[isa::kTcbBytes];
  if (!read(address, bytes, sizeof bytes))
    return faultText("task control block at ", hex(address),
                     " is outside of memory");
  block = {};
  if (Fault f = blocksLeft ? decodeContiguous(bytes, block)
                           : decodeLinked(bytes, block))
    return f;
  if (block.kind == TaskBlock::Init)
    space0 = block.space0;
  block.address = uint32_t(address - space0);
  last = address;
  if (blocksLeft) {
    --*blocksLeft;
    address += isa::kTcbBytes;
  } else {
    // Links are low words; a chain does not leave the 4 GiB that it begins in.
    address = block.next == 0 ? 0 : (start.address >> 32 << 32) | block.next;
  }
  return std::nullopt;
}
