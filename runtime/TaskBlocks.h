//===- TaskBlocks.h - The control blocks of a run ---------------*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// What a driver writes for a device to execute: for each group of tasks, one
// task a TEC, in either of the formats of isa/DriverInterface.h.
//
//   TaskBlocks blocks(machine, numGroups);
//   std::optional<uint32_t> chain = device.allocate(blocks.sizeBytes());
//   std::vector<std::byte> bytes = blocks.build(*chain, groups);
//   device.write(*chain, bytes);
//   device.submit(*chain, blocks.numBlocks());
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_RUNTIME_TASKBLOCKS_H
#define YARROW_RUNTIME_TASKBLOCKS_H

#include "isa/DriverInterface.h"
#include "isa/Machine.h"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace yarrow::runtime {

/// Addresses of a group's tasks.
struct TaskGroupPlan {
  bool waitsForAll = false; ///< For all groups before.
  uint32_t startPc = 0, parameters = 0;
  std::vector<uint32_t> stacks, privateData;        ///< By TEC.
  uint32_t profileBuffer = 0, globalParameters = 0; ///< 0: none.
};

class TaskBlocks {
public:
  TaskBlocks(const isa::Machine &machine, uint32_t numGroups)
      : machine(machine), numGroups(numGroups) {}

  uint32_t numBlocks() const;
  uint32_t sizeBytes() const { return numBlocks() * isa::kTcbBytes; }
  /// All blocks, for a device that has them at \p address.
  std::vector<std::byte> build(uint32_t address,
                               const std::vector<TaskGroupPlan> &groups) const;

private:
  bool isLinked() const {
    return isa::blockFormatOf(machine.device.version) ==
           isa::BlockFormat::Linked;
  }
  /// Blocks before the first group, and those before each group's tasks.
  uint32_t headBlocks() const { return isLinked() ? 2 : 1; }
  uint32_t groupBlocks() const { return isLinked() ? 0 : 1; }
  uint32_t blockOf(uint32_t group, uint32_t tec) const;
  isa::TaskControlBlock taskBlock(uint32_t address, uint32_t group,
                                  uint32_t tec,
                                  const TaskGroupPlan &plan) const;

  const isa::Machine &machine;
  uint32_t numGroups;
};

} // namespace yarrow::runtime

#endif // YARROW_RUNTIME_TASKBLOCKS_H
