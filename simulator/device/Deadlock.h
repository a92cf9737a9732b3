//===- Deadlock.h - Who waits for what ------------------------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// When no TEC and no engine can go on and not all have ended, this tells what
// each of them waits for.
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_SIMULATOR_DEVICE_DEADLOCK_H
#define YARROW_SIMULATOR_DEVICE_DEADLOCK_H

#include "isa/Descriptors.h"
#include <cstdint>
#include <string>
#include <vector>

namespace yarrow::sim {

struct BlockedTec {
  uint32_t tec = 0;
  uint32_t step = 0; ///< Which it is in, as TecEvent counts.
  uint32_t pc = 0;   ///< Of its npu.wait.
  unsigned counter = 0;
  uint32_t value = 0, wanted = 0;
};

/// The first command of a queue that has any.
struct BlockedCommand {
  isa::Unit queue = isa::Unit::TensorEngine;
  uint32_t ordinal = 0; ///< n-th of its queue in this group, from 0.
  uint32_t descriptorAddress = 0, descriptorOffset = 0;
  isa::Waits wanted = {};
};

struct Deadlock {
  std::vector<BlockedTec> tecs;
  std::vector<BlockedCommand> commands;
  isa::Waits values = {}; ///< Of the counters.

  bool empty() const { return tecs.empty() && commands.empty(); }
};

/// "waits for DMA load >= 7, which is 5"
std::string waitText(const BlockedTec &tec);
/// The same for the counters that hold the command up.
std::string waitText(const BlockedCommand &command, const isa::Waits &values);

} // namespace yarrow::sim

#endif // YARROW_SIMULATOR_DEVICE_DEADLOCK_H
