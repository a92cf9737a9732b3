//===- CommandTable.h - The commands that planning works on -----*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// The commands of a lowered function in the order of the text, with the memory
// they use and their costs, computed once for any number of plans. Plans,
// schedules and timelines work on tables; the final plan is written to the
// function.
//
//   CommandTable table(func, &machine);
//   std::optional<MemoryPlan> plan = planMemory(table, machine, options);
//   CommandWaits waits = scheduleWaits(table, *plan, machine);
//   estimateCycles(table, *plan, waits, machine);
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_PASSES_SCHEDULE_COMMANDTABLE_H
#define YARROW_PASSES_SCHEDULE_COMMANDTABLE_H

#include "dialects/npu/Npu.h"
#include "isa/Cost.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/ArrayRef.h"

#include <array>
#include <optional>
#include <vector>

namespace yarrow::npu {

/// A command, a control op, or the end of a block that one holds.
struct TableEntry {
  std::optional<Unit> unit = {};           ///< Of a command.
  bool isEnd = false;                      ///< Of a block.
  bool repeats = false, isDivided = false; ///< Of a control op.
  unsigned lastEnd = 0; ///< Of a control op: the end of what it holds, if any.
  unsigned firstAccess = 0, endAccess = 0;
  /// In a function; null in a trial.
  mlir::Operation *op = nullptr;
  mlir::Block *end = nullptr; ///< What ends.

  bool isLoad() const { return unit == Unit::DmaLoad; }
};

struct TableAccess {
  unsigned buffer; ///< Of the table's.
  bool isWrite;
  uint64_t offsetBytes, sizeBytes;
};

struct TableBuffer {
  unsigned region;
  uint64_t sizeBytes;
  BufferOp op = {}; ///< Null in a trial.
};

/// Addresses of the buffers, and the entries in their new order.
struct MemoryPlan {
  std::vector<uint64_t> addresses;
  std::vector<unsigned> order;
};

/// By entry, as the commands' `waits`.
using CommandWaits = std::vector<std::array<int64_t, isa::kNumCounters>>;

class TrialCommands;

class CommandTable {
public:
  /// With costs on \p machine, unless it is null.
  CommandTable(mlir::func::FuncOp func, const isa::Machine *machine);
  /// The same of commands that are no ops. \p func has their buffers.
  CommandTable(mlir::func::FuncOp func, const TrialCommands &trial,
               const isa::Machine &machine);

  llvm::ArrayRef<TableEntry> entries() const { return all; }
  llvm::ArrayRef<TableBuffer> buffers() const { return allBuffers; }
  llvm::ArrayRef<TableAccess> touched(const TableEntry &entry) const {
    return llvm::ArrayRef(accesses).slice(entry.firstAccess,
                                          entry.endAccess - entry.firstAccess);
  }
  const isa::CommandCost &cost(unsigned entry) const { return costs[entry]; }
  /// As they are in the function.
  MemoryPlan currentPlan() const;
  std::size_t numCommands() const { return commands; }
  std::size_t numKernels() const;
  bool usesCores() const;

private:
  void addBuffer(BufferOp buffer);
  void collect(mlir::Block &block, bool isMain);
  void add(TableEntry entry, llvm::ArrayRef<Access> touched);
  isa::CommandCost costOf(const std::optional<isa::AnyDescriptor> &descriptor,
                          llvm::ArrayRef<Access> touched) const;

  std::vector<TableEntry> all;
  std::vector<TableAccess> accesses;
  std::vector<TableBuffer> allBuffers;
  std::vector<isa::CommandCost> costs;
  llvm::DenseMap<mlir::Operation *, unsigned> bufferNumbers;
  std::size_t commands = 0; ///< and control ops
  const isa::Machine *machine;
};

/// Commands of an order between which nothing is decided.
struct TableBlock {
  std::vector<unsigned> commands; ///< Not empty.
  /// What holds it: an entry, or nothing.
  std::optional<unsigned> parent;
};
std::vector<TableBlock> blocksOf(const CommandTable &table,
                                 llvm::ArrayRef<unsigned> order);

} // namespace yarrow::npu

#endif // YARROW_PASSES_SCHEDULE_COMMANDTABLE_H
