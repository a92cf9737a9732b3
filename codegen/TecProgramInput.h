//===- TecProgramInput.h - What a TEC program does ------------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// The steps of a program of the vector cores, before it is compiled.
//
//   TecProgramInput input;
//   input.steps.push_back({.symbol = "yk_lut", .params = bytesOf(lutParams),
//                          .buffers = {{3, 0}, {1, tableOffset}, {4, 0}}});
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_CODEGEN_TECPROGRAMINPUT_H
#define YARROW_CODEGEN_TECPROGRAMINPUT_H

#include "isa/Descriptors.h"
#include "isa/Types.h"
#include <array>
#include <cstdint>
#include <string>
#include <vector>

namespace yarrow {

/// An argument of a kernel: a place in a region (isa/ElfLayout.h), or null.
struct TecBuffer {
  uint32_t region = 0;
  uint32_t offset = 0; ///< Bytes.
  bool isNull = false;
};

/// One call of a kernel by every TEC.
struct TecStep {
  std::string symbol;       ///< As in kernels/Kernels.def.
  std::vector<char> params; ///< The bytes of the kernel's parameter struct.
  std::vector<TecBuffer> buffers;
  isa::Waits waits = {}; ///< Counters to await before the call; 0: none.
};

/// A descriptor list in note "desc".
struct QueueList {
  uint32_t offsetBytes = 0, sizeBytes = 0;
};

struct TecProgramInput {
  std::vector<TecStep> steps;
  std::array<QueueList, isa::kNumQueues> queues; ///< By isa::Queue.
  uint32_t regionCount = 0;   ///< Of the parameter block, SRAM included.
  isa::Waits finalWaits = {}; ///< What every TEC awaits before it ends.
  /// How many TECs share each step; each signals once per step. Tasks above end
  /// at once, and fewer than these are a fault.
  uint32_t tecs = 1;
  bool optimize = true;
  /// Where the stacks end: task i gets the isa::kSramStackBytes below
  /// stackTopAddress - i * isa::kSramStackBytes. A multiple of 4 KiB; 0 leaves
  /// them in DDR, where the driver puts them.
  uint32_t stackTopAddress = 0;
  uint32_t constantBytes = 0; ///< Of region 1, which TECs must not write.
};

} // namespace yarrow

#endif // YARROW_CODEGEN_TECPROGRAMINPUT_H
