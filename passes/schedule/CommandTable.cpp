//===- CommandTable.cpp - What planning asks of commands ------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "passes/schedule/CommandTable.h"
#include "dialects/npu/Commands.h"
#include "dialects/npu/ControlFlow.h"
#include "isa/ElfLayout.h"

#include <numeric>

using namespace yarrow;
using namespace yarrow::npu;
using namespace mlir;

/// Bytes that a TEC computes with in a cycle, roughly: kernels of elements take
/// a few instructions for each vector (docs/tec.md).
static constexpr uint64_t kKernelBytesPerCycle = 8;
/// To call a kernel and to wait for all TECs.
static constexpr uint64_t kKernelStartCycles = 200;

/// Of a kernel by the bytes that it touches.
static isa::CommandCost commandCost(Operation *op,
                                    const isa::Machine &machine) {
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

CommandTable::CommandTable(func::FuncOp func, const isa::Machine *machine)
    : machine(machine) {
  for (auto buffer : func.getOps<BufferOp>()) {
    bufferNumbers[buffer] = unsigned(allBuffers.size());
    allBuffers.push_back({buffer, unsigned(buffer.getRegion()),
                          uint64_t(buffer.getSizeBytes())});
  }
  collect(func.getBody().front(), /*isMain=*/true);
}

void CommandTable::add(Operation *op) {
  TableEntry entry{op};
  entry.unit = unitOf(op);
  entry.repeats = repeats(op);
  entry.isDivided = isDivided(op);
  entry.firstAccess = unsigned(accesses.size());
  for (const Access &a : touchedBy(op))
    accesses.push_back({bufferNumbers.find(a.buffer.getDefiningOp())->second,
                        a.isWrite, a.offsetBytes, a.sizeBytes});
  entry.endAccess = unsigned(accesses.size());
  all.push_back(entry);
  ++commands;
  if (machine)
    costs.push_back(entry.unit ? commandCost(op, *machine)
                               : isa::CommandCost());
}

void CommandTable::collect(Block &block, bool isMain) {
  for (Operation &op : block) {
    bool holds = isControl(&op);
    if (!holds && !unitOf(&op))
      continue;
    unsigned number = unsigned(all.size());
    add(&op);
    if (!holds)
      continue;
    for (Region &region : op.getRegions())
      collect(region.front(), /*isMain=*/false);
    all[number].lastEnd = unsigned(all.size()) - 1;
  }
  if (isMain)
    return;
  all.push_back({nullptr, &block});
  if (machine)
    costs.emplace_back();
}

MemoryPlan CommandTable::currentPlan() const {
  MemoryPlan plan;
  for (TableBuffer buffer : allBuffers)
    plan.addresses.push_back(uint64_t(buffer.op.getAddress().value_or(0)));
  plan.order.resize(all.size());
  std::iota(plan.order.begin(), plan.order.end(), 0u);
  return plan;
}

std::vector<TableBlock> npu::blocksOf(const CommandTable &table,
                                      ArrayRef<unsigned> order) {
  std::vector<TableBlock> blocks;
  SmallVector<unsigned> parents;
  bool isOpen = false;
  for (unsigned number : order) {
    const TableEntry &entry = table.entries()[number];
    if (entry.unit) {
      if (!isOpen)
        blocks.push_back(
            {{},
             parents.empty() ? std::nullopt : std::optional(parents.back())});
      isOpen = true;
      blocks.back().commands.push_back(number);
      continue;
    }
    isOpen = false;
    if (entry.op && entry.lastEnd != number)
      parents.push_back(number);
    if (entry.op)
      continue;
    // Of several blocks that one op holds, the last one.
    if (table.entries()[parents.back()].lastEnd == number)
      parents.pop_back();
  }
  return blocks;
}
