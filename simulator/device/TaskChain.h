//===- TaskChain.h - Task control blocks ------------------------*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// Reads the 128-byte blocks that a driver has prepared, in both formats: linked
// blocks (version 3), an init block with the address spaces and then task
// blocks, the last of a group marked; and contiguous blocks (version 3.2), with
// a block for the grid and an init block for each group. Blocks are read when
// they are reached and never kept: a driver appends to a chain by writing into
// its last block.
//
//   TaskChain chain(memory, host, {.address = first});
//   while (!chain.isAtEnd()) {
//     TaskBlock block;
//     if (Fault f = chain.next(block)) ...
//   }
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_SIMULATOR_DEVICE_TASKCHAIN_H
#define YARROW_SIMULATOR_DEVICE_TASKCHAIN_H

#include "isa/DriverInterface.h"
#include "simulator/Memory.h"
#include "simulator/device/HostMemory.h"
#include "simulator/engine/Fault.h"
#include <cstdint>
#include <optional>
#include <vector>

namespace yarrow::sim {

/// Fields of a block that the device looks at.
struct TaskBlock {
  enum Kind : uint8_t { Grid, Init, Task };

  Kind kind = Task;
  /// As tasks see it: from the base of address space 0 on.
  uint32_t address = 0;
  uint32_t flags = 0, next = 0;
  uint16_t grid = 0; ///< Grid blocks.
  // Init blocks.
  uint64_t space0 = 0; ///< Base address of address space 0.
  // Task blocks.
  uint32_t startPc = 0;
  uint32_t taskId = 0, taskCount = 0;
  /// Linked: which core is to have it, modulo their number. Contiguous: its
  /// number, which others await.
  uint32_t group = 0;
  uint32_t stack = 0, parameters = 0, privateData = 0, rodata = 0;
  uint32_t printBuffer = 0, profileBuffer = 0, globalParameters = 0;
  std::vector<uint16_t> awaitedGroups;

  bool isTask() const { return kind == Task; }
  bool endsGroup() const { return flags & isa::kEndsGroup; }
  // Of a group's first task.
  bool waitsForPrevious() const {
    return flags & isa::kWaitsForPrevious && awaitedGroups.empty();
  }
  bool waitsForAll() const { return flags & isa::kWaitsForAll; }
};

/// Where a chain begins. Contiguous ones have a number of blocks.
struct ChainStart {
  uint64_t address = 0;
  std::optional<uint32_t> numBlocks;
};

class TaskChain {
public:
  /// Blocks are in \p host, or in \p memory if that is null.
  TaskChain(const Memory &memory, HostMemory *host, const ChainStart &start)
      : memory(memory), host(host), start(start), address(start.address),
        blocksLeft(start.numBlocks) {}

  bool isAtEnd() const {
    return blocksLeft ? *blocksLeft == 0 : uint32_t(address) == 0;
  }
  bool isContiguous() const { return start.numBlocks.has_value(); }
  /// A ring of linked blocks is a fault when it was followed for long.
  Fault next(TaskBlock &block);
  /// The last block that was read, where a driver appends; 0 before the first.
  uint64_t lastBlock() const { return last; }

private:
  bool read(uint64_t from, void *to, uint64_t sizeBytes) const;
  Fault decodeLinked(const uint8_t *bytes, TaskBlock &block);
  Fault decodeContiguous(const uint8_t *bytes, TaskBlock &block);

  const Memory &memory;
  HostMemory *host;
  ChainStart start;
  uint64_t address, last = 0;
  uint64_t space0 = 0;
  std::optional<uint32_t> blocksLeft;
  uint32_t numRead = 0;
};

} // namespace yarrow::sim

#endif // YARROW_SIMULATOR_DEVICE_TASKCHAIN_H
