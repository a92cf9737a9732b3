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

/// What one of several programs takes and makes, tensor by tensor.
struct IoShapes {
  std::vector<std::vector<int64_t>> inputs, outputs;
};

struct ExecutableInput {
  std::string targetName;  ///< "X2_1204"
  uint32_t deviceWord = 0; ///< isa::deviceWord(5, 1204)
  std::span<const char> text;
  std::span<const char> tecElf;
  std::span<const std::byte> descriptors; ///< Note "desc": the queues' lists.
  /// The constants region is these, one after the other without padding.
  std::vector<std::span<const std::byte>> weights;
  /// The constants are in a file of this name beside the executable. Empty: in
  /// the executable.
  std::string weightFile;
  /// What a network keeps from run to run, before the first one. Each has a
  /// section of its own, of at least the size that sections have.
  std::vector<std::vector<char>> states;
  uint64_t workspaceBytes = 0; ///< Of DDR, for a sample.
  /// Executed one after the other, or side by side on several cores: each has
  /// its groups of tasks, its part of every input and output, and a workspace.
  uint32_t samples = 1;
  bool hasProfile = false; ///< A section for an isa::ProfileRecord.
  /// For each group of tasks, whether it begins when all before are complete
  /// (codegen/TecProgramInput.h); a program for one core is one group.
  std::vector<bool> barriers = {false};
  /// Of a sample; of several programs the largest.
  std::vector<IoTensor> inputs, outputs;
  /// By program, ascending; the inputs of a run tell which one is executed.
  /// Empty: there is one program, and no other shapes.
  std::vector<IoShapes> shapes;
  std::string provenanceJson;

  /// Of all samples.
  uint32_t numGroups() const { return samples * uint32_t(barriers.size()); }
  /// What TecProgramInput::regionCount must be.
  uint32_t regionCount() const {
    return uint32_t(isa::kFirstIoRegion + inputs.size() + outputs.size() +
                    states.size() + (shapes.empty() ? 0 : 1));
  }
};

} // namespace yarrow

#endif // YARROW_CODEGEN_EXECUTABLEINPUT_H
