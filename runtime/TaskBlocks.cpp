//===- TaskBlocks.cpp - The control blocks of a run -----------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "runtime/TaskBlocks.h"

#include <cassert>
#include <cstring>

using namespace yarrow;
using namespace yarrow::runtime;

uint32_t TaskBlocks::numBlocks() const {
  return headBlocks() + numGroups * (groupBlocks() + machine.tecs);
}

uint32_t TaskBlocks::blockOf(uint32_t group, uint32_t tec) const {
  return headBlocks() + group * (groupBlocks() + machine.tecs) + groupBlocks() +
         tec;
}

isa::TaskControlBlock TaskBlocks::taskBlock(uint32_t address, uint32_t group,
                                            uint32_t tec,
                                            const TaskGroupPlan &plan) const {
  bool endsGroup = tec + 1 == machine.tecs;
  bool endsGrid = endsGroup && group + 1 == numGroups;
  isa::TaskControlBlock block;
  block.flags = isLinked() ? uint32_t(isa::kTaskBlock) : isa::kGroupTaskBlock;
  block.flags |=
      (endsGroup ? isa::kEndsGroup : 0) | (endsGrid ? isa::kEndsGrid : 0);
  if (tec == 0 && plan.waitsForAll)
    block.flags |= isa::kWaitsForAll;
  if (isLinked()) {
    block.group = uint16_t(group % machine.cores);
    block.next = endsGroup ? blockOf(group + 1, 0) : blockOf(group, tec + 1);
    block.next = endsGrid ? 0 : address + block.next * isa::kTcbBytes;
  } else {
    block.group = uint16_t(group);
  }
  block.startPc = plan.startPc;
  (isLinked() ? block.taskId : block.contiguousTaskId) = uint16_t(tec);
  block.taskIndex[0] = uint16_t(tec);
  block.groupDim[0] = uint16_t(machine.tecs);
  block.stack = plan.stacks[tec];
  block.parameters = plan.parameters;
  block.privateData = plan.privateData[tec];
  block.profileBuffer = plan.profileBuffer;
  block.globalParameters = plan.globalParameters;
  block.ownAddress = address + blockOf(group, tec) * isa::kTcbBytes;
  return block;
}

std::vector<std::byte>
TaskBlocks::build(uint32_t address,
                  const std::vector<TaskGroupPlan> &groups) const {
  assert(groups.size() == numGroups && "a plan for each group");
  std::vector<std::byte> bytes(sizeBytes());
  auto put = [&](uint32_t block, const auto &value) {
    static_assert(sizeof value == isa::kTcbBytes);
    std::memcpy(&bytes[block * isa::kTcbBytes], &value, sizeof value);
  };
  if (isLinked()) {
    // The second block is for segments, and not linked.
    isa::InitControlBlock init;
    init.next = address + blockOf(0, 0) * isa::kTcbBytes;
    init.spaces[0] = init.spaces[1] = isa::kSpaceReadWrite;
    put(0, init);
  } else {
    put(0, isa::GridControlBlock{.groupCount = numGroups});
  }
  for (uint32_t group = 0; group < numGroups; ++group) {
    if (!isLinked()) {
      isa::GroupControlBlock init;
      init.group = uint16_t(group);
      if (groups[group].waitsForAll)
        init.flags |= isa::kWaitsForAll;
      init.spaces[0][0] = init.spaces[1][0] = uint32_t(isa::kSpaceReadWrite);
      put(blockOf(group, 0) - 1, init);
    }
    for (uint32_t tec = 0; tec < machine.tecs; ++tec)
      put(blockOf(group, tec), taskBlock(address, group, tec, groups[group]));
  }
  return bytes;
}
