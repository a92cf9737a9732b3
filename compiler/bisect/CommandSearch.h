//===- CommandSearch.h - Which command of a layer went wrong ----*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// A layer's result in memory is not what it should be. Which command was the
// first to leave something else than it should have?
//
// Where a program is at hand that computes the right bytes with the same
// commands, every command is compared with its twin: what is in memory, after
// it, where the twin writes. Where there is none, only the result is known:
// then it is the first command that puts bytes into the result's place which do
// not belong there.
//
//   CommandSearch search(run, inputs, resultIndex);
//   auto found = search.against(twin, *twin.run(inputs, {}, diags), diags);
//   os << found->name << " wrote " << found->foundByte;
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_COMPILER_BISECT_COMMANDSEARCH_H
#define YARROW_COMPILER_BISECT_COMMANDSEARCH_H

#include "compiler/bisect/MachineRun.h"

#include <nlohmann/json_fwd.hpp>

namespace yarrow {

/// A command, and how what it left differs.
struct DifferingCommand {
  ExecutedCommand command;
  std::string layer;
  /// "conv 2 of the tensor engine", "step 4 (yk_softmax) of the TECs".
  std::string name;
  std::string kind; ///< "tensor engine", "DMA load", "DMA store", "TEC".
  /// What was written and read, in the words of the memory map:
  /// "/res1/Conv_0, SRAM 1024 to 2047".
  std::vector<std::string> writes, reads;
  /// Why no bytes were compared: "it did not run", "it writes elsewhere".
  std::string remark;
  /// The first byte that differs: of which of `writes`, and where in it.
  std::size_t range = 0;
  uint64_t byteOffset = 0;
  std::optional<uint8_t> expectedByte, foundByte;
  bool isAgainstTwin = false; ///< Or else against the result alone.
  /// It belongs to the result's layer, or to one before without a result.
  bool isOfSuspect = false;

  std::string text() const;
  nlohmann::ordered_json json() const;
};

class CommandSearch {
public:
  /// What \p run computes from \p inputs is wrong in its result of that number.
  CommandSearch(MachineRun &run, const std::vector<std::vector<char>> &inputs,
                std::size_t result);

  /// With a program that computes the right bytes by the same commands, and its
  /// run of the same inputs.
  std::optional<DifferingCommand>
  against(MachineRun &twin, const MachineLog &right, DiagnosticEngine &diags);
  /// With what the result should be.
  std::optional<DifferingCommand> against(std::span<const char> expected,
                                          DiagnosticEngine &diags);

private:
  bool isSuspect(int64_t layer) const {
    return layer >= 0 && suspects[std::size_t(layer)];
  }
  DifferingCommand describe(const ExecutedCommand &command) const;
  std::string placeText(CommandId id, int64_t layer,
                        const runtime::ProvenanceRange &range) const;

  MachineRun &run;
  const std::vector<std::vector<char>> &inputs;
  const runtime::ProvenanceResult &result;
  /// By layer: it made the result, or lies between it and the results before
  /// and has none of its own.
  std::vector<bool> suspects;
};

} // namespace yarrow

#endif // YARROW_COMPILER_BISECT_COMMANDSEARCH_H
