//===- VerifyPlan.cpp - Whether buffers overlap ---------------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// Goes through the commands in order with the buffers that are alive, sorted by
// address. It knows nothing of how the planner placed them.
//
//===----------------------------------------------------------------------===//
#include "dialects/npu/Commands.h"
#include "dialects/npu/ControlFlow.h"
#include "isa/ElfLayout.h"
#include "passes/plan/Plan.h"
#include "llvm/ADT/MapVector.h"
#include <map>

using namespace yarrow;
using namespace yarrow::npu;
using namespace mlir;

namespace {

/// The first and the last command that use a buffer.
struct Use {
  uint64_t first, last;
};
using Uses = llvm::MapVector<Operation *, Use>;

/// The commands that a control op holds are [first, end).
void keepThroughLoop(Uses &uses, ArrayRef<Operation *> commands, uint64_t first,
                     uint64_t end) {
  llvm::SmallDenseSet<Operation *> seen;
  for (Operation *op : commands.slice(first, end - first))
    for (const Access &a : touchedBy(op)) {
      Operation *buffer = a.buffer.getDefiningOp();
      Use &use = uses[buffer];
      // Its bytes come from outside or from the time before, or go outside.
      bool isFirst = seen.insert(buffer).second;
      if ((isFirst && !a.isWrite) || use.first < first || use.last >= end)
        use = {std::min(use.first, first), std::max(use.last, end - 1)};
    }
}

/// DDR that one of the cores uses is in use as long as any of them runs.
void keepBesideCores(Uses &uses, ArrayRef<Operation *> commands, uint64_t first,
                     uint64_t end) {
  for (Operation *op : commands.slice(first, end - first))
    for (const Access &a : touchedBy(op)) {
      auto buffer = a.buffer.getDefiningOp<BufferOp>();
      if (buffer.getRegion() == isa::kSramRegion)
        continue;
      Use &use = uses[buffer];
      use = {std::min(use.first, first), std::max(use.last, end - 1)};
    }
}

Uses collectUses(func::FuncOp func, uint64_t &numCommands) {
  Uses uses;
  std::vector<Operation *> commands;
  forEachCommand(func, [&](Operation *op) {
    for (Value operand : op->getOperands()) {
      auto [it, isNew] = uses.insert(
          {operand.getDefiningOp(), {commands.size(), commands.size()}});
      it->second.last = commands.size();
    }
    commands.push_back(op);
  });
  numCommands = commands.size();
  for (uint64_t i = 0; i < numCommands; ++i) {
    if (!isControl(commands[i]))
      continue;
    uint64_t end = i + 1;
    while (end < numCommands && commands[i]->isProperAncestor(commands[end]))
      ++end;
    if (repeats(commands[i]))
      keepThroughLoop(uses, commands, i + 1, end);
    else if (isDivided(commands[i]))
      keepBesideCores(uses, commands, i + 1, end);
  }
  return uses;
}

std::string nameOf(BufferOp buffer) {
  return "'" + buffer.getBufferName().value_or("").str() + "' at " +
         std::to_string(buffer.getAddress().value_or(0)) + ", " +
         std::to_string(buffer.getSizeBytes()) + " bytes";
}

/// The buffers of one region that are alive.
class Alive {
public:
  /// "" or the buffer that \p buffer overlaps.
  std::string add(BufferOp buffer) {
    uint64_t begin = *buffer.getAddress();
    uint64_t end = begin + buffer.getSizeBytes();
    auto next = byAddress.lower_bound(begin);
    if (next != byAddress.end() && next->first < end)
      return nameOf(next->second);
    if (next != byAddress.begin())
      if (BufferOp before = std::prev(next)->second;
          *before.getAddress() + uint64_t(before.getSizeBytes()) > begin)
        return nameOf(before);
    byAddress.emplace(begin, buffer);
    return "";
  }
  void remove(BufferOp buffer) { byAddress.erase(*buffer.getAddress()); }

private:
  std::map<uint64_t, BufferOp> byAddress;
};

/// "" or what is wrong with the buffer alone.
std::string checkPlace(BufferOp buffer, const isa::Machine &machine) {
  if (!buffer.getAddress())
    return "buffer " + nameOf(buffer) + " has no address";
  uint64_t end = uint64_t(*buffer.getAddress()) + buffer.getSizeBytes();
  if (buffer.getRegion() == isa::kSramRegion && end > machine.dataSramBytes())
    return "buffer " + nameOf(buffer) + " exceeds the SRAM of " +
           std::to_string(machine.dataSramBytes()) + " bytes";
  return "";
}

} // namespace

/// By buffer in SRAM, the core that uses it; of one core, all are 0. Blocks are
/// groups for the cores in turn.
using CoreOfBuffer = llvm::DenseMap<Operation *, size_t>;

/// "" or the buffer in SRAM that is used in blocks of different cores.
static std::string findCores(func::FuncOp func, size_t numCores,
                             CoreOfBuffer &coreOf) {
  if (!usesCores(func))
    return "";
  for (auto [i, block] : llvm::enumerate(commandBlocks(func)))
    for (Operation *op : block)
      for (const Access &a : accessesOf(op)) {
        auto buffer = a.buffer.getDefiningOp<BufferOp>();
        size_t core = i % numCores;
        if (buffer.getRegion() == isa::kSramRegion &&
            coreOf.try_emplace(buffer, core).first->second != core)
          return "buffer " + nameOf(buffer) +
                 " is in SRAM, and more than one core uses it";
      }
  return "";
}

std::string npu::verifyPlan(ModuleOp module, const isa::Machine &machine) {
  auto func = module.lookupSymbol<func::FuncOp>(kMainFunction);
  CoreOfBuffer coreOf;
  if (std::string problem = findCores(func, machine.cores, coreOf);
      !problem.empty())
    return problem;
  uint64_t numCommands = 0;
  Uses uses = collectUses(func, numCommands);
  std::vector<SmallVector<BufferOp, 2>> begins(numCommands), ends(numCommands);
  for (auto &[op, use] : uses) {
    auto buffer = cast<BufferOp>(op);
    if (std::string problem = checkPlace(buffer, machine); !problem.empty())
      return problem;
    // Constants are there all the time.
    bool isConstant = buffer.getRegion() == isa::kWeightRegion;
    begins[isConstant ? 0 : use.first].push_back(buffer);
    if (!isConstant)
      ends[use.last].push_back(buffer);
  }
  // Each core has an SRAM of its own.
  std::map<std::pair<unsigned, size_t>, Alive> memories;
  auto memoryOf = [&](BufferOp buffer) -> Alive & {
    return memories[{unsigned(buffer.getRegion()), coreOf.lookup(buffer)}];
  };
  for (uint64_t i = 0; i < numCommands; ++i) {
    for (BufferOp buffer : begins[i])
      if (std::string other = memoryOf(buffer).add(buffer); !other.empty())
        return "at command " + std::to_string(i) + " buffer " + nameOf(buffer) +
               " overlaps " + other;
    for (BufferOp buffer : ends[i])
      memoryOf(buffer).remove(buffer);
  }
  return "";
}
