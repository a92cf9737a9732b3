//===- TecProgramInput.h - What a TEC program does ------------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// The steps of a program of the vector cores, before it is compiled, and the
// blocks of commands between which it decides.
//
//   TecProgramInput input;
//   input.steps.push_back({.symbol = "yk_lut", .params = bytesOf(lutParams),
//                          .buffers = {{3, 0}, {1, tableOffset}, {4, 0}}});
//   input.groups = {{.programs = {{{.numSteps = 1}}}}}; // one block
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

/// One call of a kernel by every TEC, or a decision, which all make alike.
struct TecStep {
  std::string symbol; ///< As in kernels/registry/Kernels.def; "if" or "while".
  std::vector<char> params; ///< The bytes of the kernel's parameter struct.
  std::vector<TecBuffer> buffers;
  isa::Waits waits = {}; ///< Counters to await before the call; 0: none.
  /// A decision: whether the integer of so many bytes in the only buffer is not
  /// 0. 0: a kernel.
  uint32_t flagBytes = 0;
};

/// A descriptor list in note "desc".
struct QueueList {
  uint32_t offsetBytes = 0, sizeBytes = 0;
};

/// What a program does: a block of commands, or, as a decision tells, other
/// items: once, or as long as it says so.
struct TecItem {
  enum class Kind { Block, If, While };
  Kind kind = Kind::Block;
  /// Of TecProgramInput::steps: a block's kernels, or the decision alone.
  size_t firstStep = 0, numSteps = 0;
  /// Block: the lists that begin with it, by isa::Unit, and what every TEC
  /// awaits at its end. Waits count from its beginning.
  std::array<QueueList, isa::kNumQueues> queues = {};
  isa::Waits finalWaits = {};
  std::vector<TecItem> body = {}, otherwise = {};
};

/// What a core executes by itself; others may execute other groups beside it.
struct TecGroup {
  /// What is done in it, by variant; of one there may be nothing to do.
  std::vector<std::vector<TecItem>> programs;
  /// It begins when all groups before it are complete, and so do those behind
  /// it, up to the next one of which that is said.
  bool isBarrier = false;
};

/// One of several programs: it is chosen if the global parameters have these
/// lengths of inputs. Its first group tells those of the outputs.
struct TecVariant {
  std::vector<uint32_t> inputLengths, outputLengths;
};

struct TecProgramInput {
  std::vector<TecStep> steps; ///< In the order of the groups.
  /// One for each sub-graph of a sample; together they use all steps. Each has
  /// a program for every variant, or one if there are no variants.
  std::vector<TecGroup> groups = {};
  /// If there are several programs: lengths of 0 choose the last.
  std::vector<TecVariant> variants = {};
  uint32_t regionCount = 0;     ///< Of the parameter block, SRAM included.
  uint32_t descriptorBytes = 0; ///< All lists.
  /// How many TECs share each step; each signals once per step, decisions
  /// included. Tasks above end
  /// at once, and fewer than these are a fault.
  uint32_t tecs = 1;
  bool optimize = true;
  std::string cache = {}; ///< A folder (support/BuildCache.h), or none.
  /// To be run and forgotten: where nothing of the operator library is used, it
  /// is not linked.
  bool isTrial = false;
  /// Where the stacks end: task i gets the isa::kSramStackBytes below
  /// stackTopAddress - i * isa::kSramStackBytes. A multiple of 4 KiB; 0 leaves
  /// them in DDR, where the driver puts them.
  uint32_t stackTopAddress = 0;
  uint32_t constantBytes = 0; ///< Of region 1, which TECs must not write.
};

} // namespace yarrow

#endif // YARROW_CODEGEN_TECPROGRAMINPUT_H
