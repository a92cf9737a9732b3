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

class Timeline {
public:
  explicit Timeline(const isa::Machine &machine) : machine(machine) {}

  void run(const CommandBlock &block);
  uint64_t cycles() const { return last; }

private:
  struct Queue {
    std::vector<uint64_t> channelFree;
    uint64_t lastStart = 0;
    /// By the command's number: when it and all before it are done.
    std::vector<uint64_t> completion;
  };
  uint64_t readyCycle(Operation *op) const;

  const isa::Machine &machine;
  std::array<Queue, isa::kNumCounters> queues;
  isa::BusCalendar bus;
  uint64_t last = 0;
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
uint64_t Timeline::readyCycle(Operation *op) const {
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

void Timeline::run(const CommandBlock &block) {
  // All units are at rest when a block begins, and counters count from there.
  for (unsigned unit = 0; unit < queues.size(); ++unit) {
    unsigned channels =
        unit < isa::kNumQueues ? machine.channelsOf(isa::Unit(unit)) : 1;
    queues[unit] = {
        std::vector<uint64_t>(std::max(1u, channels), last), last, {}};
  }
  for (Operation *op : block) {
    Queue &queue = queues[unsigned(*unitOf(op))];
    auto channel =
        std::min_element(queue.channelFree.begin(), queue.channelFree.end());
    uint64_t start = std::max({readyCycle(op), *channel, queue.lastStart});
    isa::CommandCost cost = commandCost(op, machine);
    uint64_t first = start + cost.startCycles;
    uint64_t end =
        std::max(first + cost.busyCycles(), bus.reserve(first, cost.ddrCycles));
    *channel = end;
    queue.lastStart = start;
    uint64_t before = queue.completion.empty() ? 0 : queue.completion.back();
    queue.completion.push_back(std::max(before, end));
    last = std::max(last, end);
  }
}

uint64_t npu::estimateCycles(ModuleOp module, const isa::Machine &machine) {
  Timeline timeline(machine);
  auto func = module.lookupSymbol<func::FuncOp>(kMainFunction);
  for (const CommandBlock &block : commandBlocks(func))
    timeline.run(block);
  return timeline.cycles();
}
