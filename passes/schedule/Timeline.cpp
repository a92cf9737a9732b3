//===- Timeline.cpp - When each command of a schedule runs ----------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "passes/schedule/Timeline.h"
#include "dialects/npu/Commands.h"
#include "dialects/npu/ControlFlow.h"
#include "isa/BusCalendar.h"
#include "isa/Cost.h"
#include "isa/ElfLayout.h"

#include <algorithm>
#include <array>
#include <vector>

using namespace yarrow;
using namespace yarrow::npu;
using namespace mlir;

/// Bytes that a TEC computes with in a cycle, roughly: kernels of elements take
/// a few instructions for each vector (docs/tec.md).
static constexpr uint64_t kKernelBytesPerCycle = 8;
/// To call a kernel and to wait for all TECs.
static constexpr uint64_t kKernelStartCycles = 200;

namespace {

/// One core with its queues, which executes a block of commands.
class CoreTimeline {
public:
  /// All units are at rest when a block begins, and counters count from there.
  CoreTimeline(const CommandBlock &block, const isa::Machine &machine,
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
  uint64_t readyCycle(Operation *op) const;

  const CommandBlock &block;
  const isa::Machine &machine;
  std::array<Queue, isa::kNumCounters> queues;
  size_t next = 0;
};

} // namespace

isa::CommandCost npu::commandCost(Operation *op, const isa::Machine &machine) {
  if (auto descriptor = descriptorOf(op))
    return isa::costOf(*descriptor, machine);
  isa::CommandCost cost;
  uint64_t bytes = 0, ddrBytes = 0;
  for (const Access &a : accessesOf(op)) {
    bytes += a.sizeBytes;
    if (a.buffer.getDefiningOp<BufferOp>().getRegion() != isa::kSramRegion)
      ddrBytes += a.sizeBytes;
  }
  cost.startCycles = kKernelStartCycles;
  cost.computeCycles =
      bytes / (kKernelBytesPerCycle * std::max(1u, machine.tecs));
  cost.ddrCycles = isa::ddrCyclesOf(ddrBytes, machine);
  return cost;
}

/// When what \p op waits for is done.
uint64_t CoreTimeline::readyCycle(Operation *op) const {
  uint64_t ready = 0;
  auto waits = op->getAttrOfType<DenseI64ArrayAttr>("waits");
  if (!waits)
    return ready;
  for (auto [unit, count] : llvm::enumerate(waits.asArrayRef())) {
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

CoreTimeline::CoreTimeline(const CommandBlock &block,
                           const isa::Machine &machine, uint64_t begin)
    : block(block), machine(machine) {
  for (unsigned unit = 0; unit < queues.size(); ++unit) {
    unsigned channels =
        unit < isa::kNumQueues ? machine.channelsOf(isa::Unit(unit)) : 1;
    queues[unit] = {
        std::vector<uint64_t>(std::max(1u, channels), begin), begin, {}};
  }
}

uint64_t CoreTimeline::startCycle() const {
  Operation *op = block[next];
  const Queue &queue = queues[unsigned(*unitOf(op))];
  uint64_t channel =
      *std::min_element(queue.channelFree.begin(), queue.channelFree.end());
  return std::max({readyCycle(op), channel, queue.lastStart});
}

/// Returns when it ends.
uint64_t CoreTimeline::execute(isa::BusCalendar &bus) {
  uint64_t start = startCycle();
  Operation *op = block[next++];
  Queue &queue = queues[unsigned(*unitOf(op))];
  isa::CommandCost cost = commandCost(op, machine);
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
static uint64_t runBeside(ArrayRef<CommandBlock> blocks,
                          const isa::Machine &machine, uint64_t begin,
                          isa::BusCalendar &bus) {
  std::vector<CoreTimeline> cores;
  for (const CommandBlock &block : blocks)
    cores.emplace_back(block, machine, begin);
  uint64_t last = begin;
  for (;;) {
    CoreTimeline *first = nullptr;
    for (CoreTimeline &core : cores)
      if (!core.isDone() && (!first || core.startCycle() < first->startCycle()))
        first = &core;
    if (!first)
      return last;
    last = std::max(last, first->execute(bus));
  }
}

uint64_t npu::estimateCycles(ModuleOp module, const isa::Machine &machine) {
  auto func = module.lookupSymbol<func::FuncOp>(kMainFunction);
  std::vector<CommandBlock> blocks = commandBlocks(func);
  isa::BusCalendar bus;
  uint64_t last = 0;
  for (size_t i = 0, end; i < blocks.size(); i = end) {
    Operation *parent = blocks[i].front()->getParentOp();
    end = i + 1;
    while (isDivided(parent) && end < blocks.size() &&
           blocks[end].front()->getParentOp() == parent)
      ++end;
    last = runBeside(ArrayRef(blocks).slice(i, end - i), machine, last, bus);
    if (end < blocks.size())
      bus.forgetBefore(last);
  }
  return last;
}
