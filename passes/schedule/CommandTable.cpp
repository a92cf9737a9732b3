//===- CommandTable.cpp - What planning asks of commands ------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "passes/schedule/CommandTable.h"
#include "dialects/npu/Commands.h"
#include "dialects/npu/ControlFlow.h"
#include "isa/ElfLayout.h"
#include "passes/schedule/TrialCommands.h"

#include <numeric>

using namespace yarrow;
using namespace yarrow::npu;
using namespace mlir;

/// Bytes that a TEC computes with in a cycle, roughly: kernels of elements take
/// a few instructions for each vector (docs/tec.md).
static constexpr uint64_t kKernelBytesPerCycle = 8;
/// To call a kernel and to wait for all TECs.
static constexpr uint64_t kKernelStartCycles = 200;

/// Of a kernel, which has no descriptor, by the bytes that it touches.
isa::CommandCost
CommandTable::costOf(const std::optional<isa::AnyDescriptor> &descriptor,
                     ArrayRef<Access> touched) const {
  if (descriptor)
    return isa::costOf(*descriptor, *machine);
  isa::CommandCost cost;
  uint64_t bytes = 0, ddrBytes = 0;
  for (const Access &a : touched) {
    bytes += a.sizeBytes;
    if (a.buffer.getDefiningOp<BufferOp>().getRegion() != isa::kSramRegion)
      ddrBytes += a.sizeBytes;
  }
  cost.startCycles = kKernelStartCycles;
  cost.computeCycles =
      bytes / (kKernelBytesPerCycle * std::max(1u, machine->tecs));
  cost.ddrCycles = isa::ddrCyclesOf(ddrBytes, *machine);
  return cost;
}

void CommandTable::addBuffer(BufferOp buffer) {
  bufferNumbers[buffer] = unsigned(allBuffers.size());
  allBuffers.push_back(
      {unsigned(buffer.getRegion()), uint64_t(buffer.getSizeBytes()), buffer});
}

CommandTable::CommandTable(func::FuncOp func, const isa::Machine *machine)
    : machine(machine) {
  for (auto buffer : func.getOps<BufferOp>())
    addBuffer(buffer);
  collect(func.getBody().front(), /*isMain=*/true);
}

CommandTable::CommandTable(func::FuncOp func, const TrialCommands &trial,
                           const isa::Machine &machine)
    : machine(&machine) {
  for (auto buffer : func.getOps<BufferOp>())
    if (trial.isUsed(buffer))
      addBuffer(buffer);
  SmallVector<unsigned> holders;
  for (const TrialCommand &command : trial.commands()) {
    unsigned number = unsigned(all.size());
    TableEntry entry{command.unit};
    entry.isEnd = command.kind == TrialCommand::Kind::End;
    entry.repeats = command.kind == TrialCommand::Kind::While;
    entry.isDivided = command.kind == TrialCommand::Kind::Cores;
    if (entry.isEnd) {
      all.push_back(entry);
      costs.emplace_back();
      all[holders.back()].lastEnd = number;
      if (command.isLast)
        holders.pop_back();
      continue;
    }
    add(entry, command.touched);
    costs.push_back(command.unit ? costOf(command.descriptor, command.touched)
                                 : isa::CommandCost());
    if (!command.unit)
      holders.push_back(number);
  }
  // They do not live as long as the table.
  for (TableBuffer &buffer : allBuffers)
    buffer.op = {};
  bufferNumbers.clear();
}

void CommandTable::add(TableEntry entry, ArrayRef<Access> touched) {
  entry.firstAccess = unsigned(accesses.size());
  for (const Access &a : touched)
    accesses.push_back({bufferNumbers.find(a.buffer.getDefiningOp())->second,
                        a.isWrite, a.offsetBytes, a.sizeBytes});
  entry.endAccess = unsigned(accesses.size());
  all.push_back(entry);
  ++commands;
}

void CommandTable::collect(Block &block, bool isMain) {
  for (Operation &op : block) {
    bool holds = isControl(&op);
    std::optional<Unit> unit = unitOf(&op);
    if (!holds && !unit)
      continue;
    unsigned number = unsigned(all.size());
    TableEntry entry{unit};
    entry.repeats = repeats(&op);
    entry.isDivided = isDivided(&op);
    entry.op = &op;
    SmallVector<Access> touched = touchedBy(&op);
    add(entry, touched);
    if (machine)
      costs.push_back(unit ? costOf(descriptorOf(&op), touched)
                           : isa::CommandCost());
    if (!holds)
      continue;
    for (Region &region : op.getRegions())
      collect(region.front(), /*isMain=*/false);
    all[number].lastEnd = unsigned(all.size()) - 1;
  }
  if (isMain)
    return;
  TableEntry entry;
  entry.isEnd = true;
  entry.end = &block;
  all.push_back(entry);
  if (machine)
    costs.emplace_back();
}

std::size_t CommandTable::numKernels() const {
  return llvm::count_if(
      all, [](const TableEntry &entry) { return entry.unit == Unit::Tec; });
}

bool CommandTable::usesCores() const {
  return llvm::any_of(all,
                      [](const TableEntry &entry) { return entry.isDivided; });
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
    if (!entry.isEnd && entry.lastEnd > number)
      parents.push_back(number);
    if (!entry.isEnd)
      continue;
    // Of several blocks that one op holds, the last one.
    if (table.entries()[parents.back()].lastEnd == number)
      parents.pop_back();
  }
  return blocks;
}
