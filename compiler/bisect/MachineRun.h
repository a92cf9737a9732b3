//===- MachineRun.h - An executable's run, command by command ---*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// Runs an executable on the simulator and looks at the memory after every
// command: what it has written, and the results of layers that are whole then,
// as the provenance says where they are.
//
//   MachineRun run(executable, diags);
//   std::optional<MachineLog> log = run.run(inputs);
//   log->results.results[0].bytes;
//   log->commands[7].digest;
//
// To compare the runs of two executables with the same commands, the second one
// is asked for what the first one's commands write, wherever its own do.
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_COMPILER_BISECT_MACHINERUN_H
#define YARROW_COMPILER_BISECT_MACHINERUN_H

#include "compiler/bisect/Execution.h"
#include "runtime/SimulatedDevice.h"

#include <map>
#include <memory>

namespace yarrow {

using runtime::CommandId;
using ByteRanges = std::vector<runtime::ProvenanceRange>;

/// A command that was executed.
struct ExecutedCommand {
  CommandId id;
  uint32_t core = 0;
  std::size_t repetition = 0; ///< Of a loop: how often it was before.
  std::string mnemonic;       ///< "conv", "copy"; of a step its kernel.
  ByteRanges reads, writes;   ///< Bounds of what it touches.
  uint64_t digest = 0;        ///< Of the bytes there afterwards.
};

struct MachineLog {
  std::vector<ExecutedCommand> commands; ///< In the order of execution.
  Execution results;
  /// By result: which command of `commands` made it whole.
  std::vector<std::optional<std::size_t>> completedBy;
};

/// What a run is asked for beyond its log.
struct MachineQuestions {
  /// Places that are read after a command in place of those that it writes.
  const std::map<CommandId, ByteRanges> *places = nullptr;
  /// The bytes after this command's repetition go to `bytes`.
  std::optional<std::pair<CommandId, std::size_t>> wanted = {};
  std::vector<std::vector<char>> *bytes = nullptr;
  /// The command that first puts bytes into the place of a result that are not
  /// those of \ref expected, among those of layers that `isSuspect`.
  const runtime::ProvenanceResult *result = nullptr;
  std::span<const char> expected = {};
  const std::vector<bool> *isSuspect = nullptr;
};

class MachineRun {
public:
  MachineRun(std::shared_ptr<const runtime::Executable> executable,
             uint64_t budget)
      : model(std::move(executable)), budget(budget) {}

  const runtime::Executable &executable() const { return *model; }
  const runtime::Provenance &provenance() const { return model->provenance(); }

  /// \p inputs as the executable stores them. A program that the device stops
  /// has a log that ends there; nullopt if it cannot be loaded.
  std::optional<MachineLog> run(const std::vector<std::vector<char>> &inputs,
                                const MachineQuestions &questions,
                                DiagnosticEngine &diags);
  /// Of the last run with MachineQuestions::result: the command, and the offset
  /// of the first wrong byte that it has put there.
  std::optional<std::pair<std::size_t, uint64_t>> firstWrong;

  int64_t layerOf(CommandId id) const { return provenance().layerOf(id); }
  std::string layerName(int64_t layer) const;

private:
  std::shared_ptr<const runtime::Executable> model;
  uint64_t budget;
};

/// Whether both have the same commands for the same layers, nearly all of them
/// with the same descriptors: then they can be compared one by one.
bool haveSameCommands(const runtime::Executable &a,
                      const runtime::Executable &b);

} // namespace yarrow

#endif // YARROW_COMPILER_BISECT_MACHINERUN_H
