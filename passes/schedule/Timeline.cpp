//===- Timeline.cpp - When each command of a schedule runs ----------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "passes/schedule/Timeline.h"
#include "dialects/npu/ControlFlow.h"
#include "isa/BusCalendar.h"
#include "isa/Cost.h"
#include "isa/ElfLayout.h"
#include "passes/schedule/CommandTable.h"

#include <algorithm>
#include <array>
#include <vector>

using namespace yarrow;
using namespace yarrow::npu;
using namespace mlir;

namespace {

/// A schedule and the machine that executes it.
struct Scheduled {
  const CommandTable &table;
  const CommandWaits &waits;
  const isa::Machine &machine;
};

/// One core with its queues, which executes a block of commands.
class CoreTimeline {
public:
  /// All units are at rest when a block begins, and counters count from there.
  CoreTimeline(ArrayRef<unsigned> block, const Scheduled &scheduled,
               uint64_t begin);

  bool isDone() const { return next == block.size(); }
  /// When the next command of the block starts, and its execution.
  uint64_t startCycle() const;
  uint64_t execute(isa::BusCalendar &bus);

private:
  struct Queue {
    std::vector<uint64_t> channelFree;
    uint64_t lastStart = 0;
    /// By the command's number: when it and all before it are done.
    std::vector<uint64_t> completion;
  };
  uint64_t readyCycle(unsigned command) const;
  unsigned unitOf(unsigned command) const {
    return unsigned(*table.entries()[command].unit);
  }

  ArrayRef<unsigned> block;
  const CommandTable &table;
  const CommandWaits &waits;
  const isa::Machine &machine;
  std::array<Queue, isa::kNumCounters> queues;
  size_t next = 0;
};

} // namespace

/// When what the command waits for is done.
uint64_t CoreTimeline::readyCycle(unsigned command) const {
  uint64_t ready = 0;
  for (auto [unit, count] : llvm::enumerate(waits[command])) {
    if (count == 0)
      continue;
    // All TECs signal each kernel once.
    uint64_t signals = unit == unsigned(Unit::Tec) ? machine.tecs : 1;
    uint64_t ordinal = uint64_t(count) / signals - 1;
    const std::vector<uint64_t> &done = queues[unit].completion;
    if (ordinal < done.size())
      ready = std::max(ready, done[ordinal] + machine.eventCycles);
  }
  return ready;
}

CoreTimeline::CoreTimeline(ArrayRef<unsigned> block, const Scheduled &scheduled,
                           uint64_t begin)
    : block(block), table(scheduled.table), waits(scheduled.waits),
      machine(scheduled.machine) {
  for (unsigned unit = 0; unit < queues.size(); ++unit) {
    unsigned channels =
        unit < isa::kNumQueues ? machine.channelsOf(isa::Unit(unit)) : 1;
    queues[unit] = {
        std::vector<uint64_t>(std::max(1u, channels), begin), begin, {}};
  }
}

uint64_t CoreTimeline::startCycle() const {
  unsigned command = block[next];
  const Queue &queue = queues[unitOf(command)];
  uint64_t channel =
      *std::min_element(queue.channelFree.begin(), queue.channelFree.end());
  return std::max({readyCycle(command), channel, queue.lastStart});
}

/// Returns when it ends.
uint64_t CoreTimeline::execute(isa::BusCalendar &bus) {
  uint64_t start = startCycle();
  unsigned command = block[next++];
  Queue &queue = queues[unitOf(command)];
  const isa::CommandCost &cost = table.cost(command);
  uint64_t first = start + cost.startCycles;
  uint64_t end =
      std::max(first + cost.busyCycles(), bus.reserve(first, cost.ddrCycles));
  *std::min_element(queue.channelFree.begin(), queue.channelFree.end()) = end;
  queue.lastStart = start;
  uint64_t before = queue.completion.empty() ? 0 : queue.completion.back();
  queue.completion.push_back(std::max(before, end));
  return end;
}

/// Cores side by side; of all commands that come next, the one that starts
/// first is next. Returns when all are done.
static uint64_t runBeside(ArrayRef<TableBlock> blocks,
                          const Scheduled &scheduled, uint64_t begin,
                          isa::BusCalendar &bus) {
  std::vector<CoreTimeline> cores;
  for (const TableBlock &block : blocks)
    cores.emplace_back(block.commands, scheduled, begin);
  uint64_t last = begin;
  for (;;) {
    CoreTimeline *first = nullptr;
    for (CoreTimeline &core : cores)
      if (!core.isDone() && (cores.size() == 1 || !first ||
                             core.startCycle() < first->startCycle()))
        first = &core;
    if (!first)
      return last;
    last = std::max(last, first->execute(bus));
  }
}

uint64_t npu::estimateCycles(const CommandTable &table, const MemoryPlan &plan,
                             const CommandWaits &waits,
                             const isa::Machine &machine) {
  std::vector<TableBlock> blocks = blocksOf(table, plan.order);
  Scheduled scheduled{table, waits, machine};
  auto isOfCores = [&](const TableBlock &block) {
    return block.parent && table.entries()[*block.parent].isDivided;
  };
  isa::BusCalendar bus;
  uint64_t last = 0;
  for (size_t i = 0, end; i < blocks.size(); i = end) {
    end = i + 1;
    while (isOfCores(blocks[i]) && end < blocks.size() &&
           blocks[end].parent == blocks[i].parent)
      ++end;
    last = runBeside(ArrayRef(blocks).slice(i, end - i), scheduled, last, bus);
    if (end < blocks.size())
      bus.forgetBefore(last);
  }
  return last;
}

static CommandWaits waitsIn(const CommandTable &table) {
  CommandWaits waits(table.entries().size());
  for (auto [entry, ofEntry] : llvm::zip_equal(table.entries(), waits))
    if (entry.unit)
      if (auto attr = entry.op->getAttrOfType<DenseI64ArrayAttr>("waits"))
        llvm::copy(attr.asArrayRef(), ofEntry.begin());
  return waits;
}

uint64_t npu::estimateCycles(ModuleOp module, const isa::Machine &machine) {
  CommandTable table(module.lookupSymbol<func::FuncOp>(kMainFunction),
                     &machine);
  return estimateCycles(table, table.currentPlan(), waitsIn(table), machine);
}
