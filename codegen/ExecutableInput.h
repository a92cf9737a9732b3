//===- ExecutableInput.h - The parts of an executable ---------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// What an executable is made of, before it is laid out as a file.
//
//   ExecutableInput input;
//   input.text = program.text; ...
//   input.weights = {bytesOf(conv1Weights), bytesOf(conv1Bias)};
//   input.inputs = {{"image", isa::DataS8, 224 * 224 * 3, 127.0f, 0}};
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_CODEGEN_EXECUTABLEINPUT_H
#define YARROW_CODEGEN_EXECUTABLEINPUT_H

#include "isa/ElfLayout.h"
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace yarrow {

/// An input or output of the network, as the driver describes it to an
/// application: real value = (stored + zeroPoint) / scale.
struct IoTensor {
  std::string name; ///< Of the IR; only for diagnostics, the driver has ids.
  isa::DataType dtype = isa::DataS8;
  uint64_t sizeBytes = 0;
  float scale = 1;
  int32_t zeroPoint = 0;
};

struct ExecutableInput {
  std::string targetName;  ///< "X2_1204"
  uint32_t deviceWord = 0; ///< isa::deviceWord(5, 1204)
  std::span<const char> text;
  std::span<const char> tecElf;
  std::span<const std::byte> descriptors; ///< Note "desc": the queues' lists.
  /// The constants region is these, one after the other without padding.
  std::vector<std::span<const std::byte>> weights;
  uint64_t workspaceBytes = 0; ///< Of DDR, for a sample.
  /// Executed one after the other, or side by side on several cores: each has
  /// its groups of tasks, its part of every input and output, and a workspace.
  uint32_t samples = 1;
  bool hasProfile = false; ///< A section for an isa::ProfileRecord.
  /// For each group of tasks, whether it begins when all before are complete
  /// (codegen/TecProgramInput.h); a program for one core is one group.
  std::vector<bool> barriers = {false};
  std::vector<IoTensor> inputs, outputs; ///< Of a sample.
  std::string provenanceJson;

  /// Of all samples.
  uint32_t numGroups() const { return samples * uint32_t(barriers.size()); }
  /// What TecProgramInput::regionCount must be.
  uint32_t regionCount() const {
    return uint32_t(isa::kFirstIoRegion + inputs.size() + outputs.size());
  }
};

} // namespace yarrow

#endif // YARROW_CODEGEN_EXECUTABLEINPUT_H
