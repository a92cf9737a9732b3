//===- TrialCommands.h - Commands that are only planned ---------*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// A search for a plan lowers a network many times, and keeps only one result.
// Its trial commands are records, because creating an op with an attribute for
// each field takes longer than computing the fields.
//
//   TrialCommands trial;
//   trial.add(layer, unit, descriptor, {{"input", x}, {"output", y}});
//   CommandTable table(func, trial, machine);
//   if (trial.contents() == before.contents()) ... // nothing new
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_PASSES_SCHEDULE_TRIALCOMMANDS_H
#define YARROW_PASSES_SCHEDULE_TRIALCOMMANDS_H

#include "dialects/npu/Commands.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/DenseMap.h"

#include <optional>
#include <vector>

namespace yarrow::npu {

struct TrialCommand {
  enum class Kind { Command, If, While, Cores, End };
  Kind kind = Kind::Command;
  std::optional<Unit> unit = {}; ///< Of a command.
  /// Of an engine's; kernels have none.
  std::optional<isa::AnyDescriptor> descriptor = {};
  llvm::SmallVector<Access, 4> touched = {};
  bool isLast = false; ///< Of the ends of a control op.
};

/// What a kernel's op has.
struct TrialKernel {
  llvm::StringRef symbol;
  llvm::ArrayRef<char> params;
  llvm::ArrayRef<int64_t> roles;
  /// Of the roles that are not null, in order.
  llvm::ArrayRef<Access> buffers;
};

class TrialCommands {
public:
  /// As createCommand.
  void add(int64_t layer, Unit unit, const isa::AnyDescriptor &descriptor,
           llvm::ArrayRef<FieldBuffer> buffers);
  void addKernel(int64_t layer, const TrialKernel &kernel);
  /// What follows belongs to it, up to the last end. \p flag is none of Cores.
  void beginControl(int64_t layer, TrialCommand::Kind kind, const Access &flag);
  void endBlock(bool isLast);

  llvm::ArrayRef<TrialCommand> commands() const { return all; }
  bool isUsed(BufferOp buffer) const { return numbers.contains(buffer); }

  /// All that tells these commands from others, but for the bytes of constants,
  /// once the buffers of \p func are all that there are. The second is the
  /// identities of these.
  struct Contents {
    std::vector<uint64_t> words, constants;
    bool operator==(const Contents &) const = default;
  };
  Contents contents(mlir::func::FuncOp func) const;

private:
  unsigned numberOf(mlir::Value buffer);
  void addWord(uint64_t word) { words.push_back(word); }
  void addText(llvm::StringRef text);

  std::vector<TrialCommand> all;
  llvm::DenseMap<mlir::Operation *, unsigned> numbers; ///< By first use.
  std::vector<uint64_t> words;
};

} // namespace yarrow::npu

#endif // YARROW_PASSES_SCHEDULE_TRIALCOMMANDS_H
