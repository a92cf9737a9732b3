//===- Schedule.cpp - Waits between the engines ---------------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "passes/schedule/Schedule.h"
#include "dialects/npu/Commands.h"
#include "isa/ElfLayout.h"
#include "passes/schedule/CommandTable.h"
#include "passes/schedule/LastAccesses.h"

#include <map>

using namespace yarrow;
using namespace yarrow::npu;
using namespace mlir;

namespace {

/// Finds the waits of the commands of one block after the other.
class Scheduler {
public:
  Scheduler(const CommandTable &table, const MemoryPlan &plan,
            const isa::Machine &machine)
      : table(table), plan(plan), machine(machine),
        waits(table.entries().size()) {}

  /// All units are at rest when a block begins, and counters count from there.
  void schedule(ArrayRef<unsigned> block);
  CommandWaits take() { return std::move(waits); }

private:
  /// Units begin their commands in order: a wait that an earlier command of the
  /// unit made already holds. Several tensor engines have one queue, but do not
  /// end in order: there a command waits for others of its own unit, too.
  bool endsInOrder(unsigned unit) const {
    return unit != unsigned(Unit::TensorEngine) || machine.tensorEngines == 1;
  }
  /// The counter value that says that command `ordinal` of a unit is complete.
  /// All TECs signal each kernel once.
  int64_t completed(unsigned unit, uint64_t ordinal) const {
    return int64_t((ordinal + 1) *
                   (unit == unsigned(Unit::Tec) ? machine.tecs : 1));
  }
  /// In absolute addresses of a region; nobody writes constants.
  std::optional<ByteRange> placeOf(const TableAccess &access) const {
    if (table.buffers()[access.buffer].region == isa::kWeightRegion ||
        access.sizeBytes == 0)
      return std::nullopt;
    uint64_t begin = plan.addresses[access.buffer] + access.offsetBytes;
    return ByteRange{begin, begin + access.sizeBytes};
  }
  LastAccesses &regionOf(const TableAccess &access) {
    return regions[table.buffers()[access.buffer].region];
  }

  const CommandTable &table;
  const MemoryPlan &plan;
  const isa::Machine &machine;
  std::map<unsigned, LastAccesses> regions;
  CommandWaits waits;
};

} // namespace

void Scheduler::schedule(ArrayRef<unsigned> block) {
  regions.clear();
  uint64_t count[isa::kNumCounters] = {};
  int64_t waited[isa::kNumCounters][isa::kNumCounters] = {};
  for (unsigned number : block) {
    const TableEntry &entry = table.entries()[number];
    unsigned unit = unsigned(*entry.unit);
    uint64_t ordinal = count[unit]++;
    std::array<int64_t, isa::kNumCounters> &ofCommand = waits[number];
    for (const TableAccess &a : table.touched(entry))
      if (std::optional<ByteRange> range = placeOf(a))
        regionOf(a).forEachBefore(
            *range, a.isWrite, [&](unsigned other, uint64_t before) {
              if (other != unit || !endsInOrder(unit))
                ofCommand[other] =
                    std::max(ofCommand[other], completed(other, before));
            });
    // Writes hide what was there before them: a command's own reads, too, which
    // it makes before.
    for (bool isWrite : {false, true})
      for (const TableAccess &a : table.touched(entry))
        if (std::optional<ByteRange> range;
            a.isWrite == isWrite && (range = placeOf(a)))
          regionOf(a).add(*range, isWrite, unit, ordinal);
    // Kernel k starts when all TECs have finished kernel k - 1. Without this a
    // fast TEC could signal twice and stand in for a slow one in the counter.
    if (unit == unsigned(Unit::Tec) && ordinal > 0)
      ofCommand[unit] = completed(unit, ordinal - 1);
    for (unsigned c = 0; c < isa::kNumCounters; ++c) {
      if (ofCommand[c] <= waited[unit][c])
        ofCommand[c] = 0;
      else
        waited[unit][c] = ofCommand[c];
    }
  }
}

CommandWaits npu::scheduleWaits(const CommandTable &table,
                                const MemoryPlan &plan,
                                const isa::Machine &machine) {
  Scheduler scheduler(table, plan, machine);
  for (const TableBlock &block : blocksOf(table, plan.order))
    scheduler.schedule(block.commands);
  return scheduler.take();
}

static void setWaits(Operation *op, ArrayRef<int64_t> waits) {
  if (llvm::any_of(waits, [](int64_t w) { return w != 0; }))
    op->setAttr("waits", DenseI64ArrayAttr::get(op->getContext(), waits));
  else
    op->removeAttr("waits");
}

void npu::scheduleWaits(ModuleOp module, const isa::Machine &machine) {
  CommandTable table(module.lookupSymbol<func::FuncOp>(kMainFunction),
                     /*machine=*/nullptr);
  CommandWaits waits = scheduleWaits(table, table.currentPlan(), machine);
  for (auto [entry, ofEntry] : llvm::zip_equal(table.entries(), waits))
    if (entry.unit)
      setWaits(entry.op, ofEntry);
}
