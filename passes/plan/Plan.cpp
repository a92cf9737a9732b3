//===- Plan.cpp - Addresses for all buffers -------------------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// Time is counted in slots: every command that is not a load has one; a load
// belongs to the slot of the first command that uses what it brings. A load
// that starts d slots early occupies its memory from then on.
//
// Control ops and the ends of what they hold have slots, too. A load stays in
// its block of commands. What a loop passes on, or gets from outside, is alive
// as long as the loop.
//
//===----------------------------------------------------------------------===//
#include "passes/plan/Plan.h"
#include "dialects/npu/Commands.h"
#include "dialects/npu/ControlFlow.h"
#include "isa/ElfLayout.h"
#include "passes/plan/Prefetch.h"
#include "passes/schedule/Timeline.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/Support/MathExtras.h"
#include <memory>

using namespace yarrow;
using namespace yarrow::npu;
using namespace mlir;

namespace {

class Planner {
public:
  Planner(ModuleOp module, const isa::Machine &machine,
          const PlanOptions &options)
      : machine(machine), options(options),
        func(module.lookupSymbol<func::FuncOp>(kMainFunction)) {}
  bool run();

private:
  void collect();
  void collect(Block &block, bool isMain);
  void endBlock(Operation *next, Block *block);
  void findLoadSlots();
  void findLives();
  /// How long what \p op touches in \p slot is kept for it.
  unsigned lastSlotOf(Operation *op, const Access &access, unsigned slot) const;
  void keepThroughLoops();
  void keepBesideCores();
  bool placeSram();
  void prefetch(Arena &arena);
  void findTimes(std::vector<uint64_t> &slotCycle,
                 llvm::DenseMap<Operation *, uint64_t> &loadCycles);
  void placeDdr();
  void reorder();

  /// A point in time: of a command that is not a load, of a control op, or of
  /// the end of the block that one holds.
  struct Slot {
    Operation *op;        ///< Null at an end.
    Block *end = nullptr; ///< What ends.
  };
  /// The slots between which the loads of a block of commands may move.
  struct Range {
    unsigned first = 0, end = 0;
  };
  struct Held {
    unsigned begin, end; ///< slots of the control op and of the end
  };
  /// The slot of a command or control op, or in which a load starts.
  unsigned timeOf(Operation *op) const {
    auto it = loadSlot.find(op);
    return it != loadSlot.end() ? it->second : slotOf.lookup(op);
  }

  /// What \p op touches, which takes long to find and is asked for often.
  ArrayRef<Access> touched(Operation *op) {
    auto [it, isNew] = accesses.try_emplace(op);
    if (isNew)
      it->second = std::make_unique<SmallVector<Access>>(touchedBy(op));
    return *it->second;
  }

  const isa::Machine &machine;
  const PlanOptions &options;
  func::FuncOp func;
  std::vector<Slot> slots;
  llvm::DenseMap<Operation *, unsigned> slotOf;
  std::vector<Operation *> commands; ///< and control ops
  std::vector<Range> blocks;         ///< In the order of their slots.
  llvm::DenseMap<Operation *, unsigned> blockOf; ///< of loads
  std::vector<Held> loops;
  std::vector<Held> divisions; ///< Among cores.
  llvm::MapVector<Operation *, unsigned>
      loadSlot;                             ///< loads and when they start
  llvm::MapVector<Operation *, Life> lives; ///< by buffer op
  llvm::DenseMap<Operation *, std::unique_ptr<SmallVector<Access>>> accesses;
};

/// Slots, the lives of all buffers, and what bounds a load's start.
void Planner::collect() {
  for (auto buffer : func.getOps<BufferOp>()) {
    Life life;
    life.buffer = buffer;
    life.sizeBytes = buffer.getSizeBytes();
    lives[buffer] = life;
  }
  collect(func.getBody().front(), /*isMain=*/true);
  findLoadSlots();
  findLives();
  keepThroughLoops();
  keepBesideCores();
}

/// A block of commands ends in front of a control op, or with what holds it.
void Planner::endBlock(Operation *next, Block *block) {
  blocks.back().end = slots.size();
  slots.push_back({next, block});
}

void Planner::collect(Block &block, bool isMain) {
  blocks.push_back({unsigned(slots.size())});
  for (Operation &op : block) {
    if (isControl(&op)) {
      commands.push_back(&op);
      unsigned begin = slotOf[&op] = slots.size();
      endBlock(&op, nullptr);
      for (Region &region : op.getRegions())
        collect(region.front(), /*isMain=*/false);
      Held held{begin, unsigned(slots.size()) - 1};
      if (repeats(&op))
        loops.push_back(held);
      if (isDivided(&op))
        divisions.push_back(held);
      blocks.push_back({unsigned(slots.size())});
    } else if (unitOf(&op) == Unit::DmaLoad) {
      commands.push_back(&op);
      blockOf[&op] = blocks.size() - 1;
    } else if (unitOf(&op)) {
      commands.push_back(&op);
      slotOf[&op] = slots.size();
      slots.push_back({&op});
    }
  }
  if (isMain)
    blocks.back().end = slots.empty() ? 0 : slots.size() - 1;
  else
    endBlock(nullptr, &block);
}

/// Backwards, so that a load sees the first later use of what it writes.
void Planner::findLoadSlots() {
  llvm::DenseMap<Operation *, unsigned> nextUse;
  for (Operation *op : llvm::reverse(commands)) {
    unsigned slot;
    if (auto it = slotOf.find(op); it != slotOf.end()) {
      slot = it->second;
    } else {
      unsigned end = blocks[blockOf[op]].end;
      slot = end;
      for (const Access &a : touched(op))
        if (a.isWrite)
          if (auto use = nextUse.find(a.buffer.getDefiningOp());
              use != nextUse.end())
            slot = std::min(use->second, end);
      loadSlot[op] = slot;
    }
    for (const Access &a : touched(op))
      nextUse[a.buffer.getDefiningOp()] = slot;
  }
}

/// Forwards: lives, and the last write to what a load reads.
void Planner::findLives() {
  llvm::DenseMap<Operation *, unsigned> lastWrite;
  for (Operation *op : commands) {
    bool isLoad = unitOf(op) == Unit::DmaLoad;
    unsigned slot = timeOf(op);
    unsigned earliest = isLoad ? blocks[blockOf[op]].first : 0;
    ArrayRef<Access> ofOp = touched(op);
    for (const Access &a : ofOp)
      if (!a.isWrite)
        if (auto it = lastWrite.find(a.buffer.getDefiningOp());
            it != lastWrite.end())
          earliest = std::max(earliest, it->second + 1);
    for (const Access &a : ofOp) {
      Life &life = lives[a.buffer.getDefiningOp()];
      bool fresh = life.first == UINT_MAX;
      life.first = std::min(life.first, slot);
      life.last = std::max(life.last, lastSlotOf(op, a, slot));
      if (!a.isWrite)
        continue;
      life.isLoaded = isLoad && (fresh || life.isLoaded);
      if (isLoad)
        life.earliest = std::max(life.earliest, std::min(earliest, slot));
      else
        lastWrite[a.buffer.getDefiningOp()] = slot;
    }
  }
}

unsigned Planner::lastSlotOf(Operation *op, const Access &access,
                             unsigned slot) const {
  if (access.isWrite || unitOf(op) != Unit::DmaStore)
    return slot;
  auto block = llvm::partition_point(
      blocks, [&](const Range &range) { return range.end <= slot; });
  return block == blocks.end()
             ? slot
             : std::min(slot + options.storeSlots, block->end - 1);
}

/// What is used in a loop and outside of it, or read in it before it is
/// written, must not share its memory with anything in the loop.
void Planner::keepThroughLoops() {
  for (Held loop : loops) {
    llvm::DenseMap<Operation *, bool> isKept; // of buffers used in the loop
    for (Operation *op : commands) {
      unsigned slot = timeOf(op);
      if (slot <= loop.begin || slot > loop.end)
        continue;
      for (const Access &a : touched(op))
        isKept.try_emplace(a.buffer.getDefiningOp(), !a.isWrite);
    }
    for (auto [buffer, keep] : isKept) {
      Life &life = lives[buffer];
      if (!keep && life.first > loop.begin && life.last <= loop.end)
        continue;
      life.first = std::min(life.first, loop.begin);
      life.last = std::max(life.last, loop.end);
      life.staysInPlace = true;
    }
  }
}

/// What one core uses in DDR must not share its memory with what others use at
/// the same time. Each has an SRAM of its own, for which the slots of their
/// parts may follow one another.
void Planner::keepBesideCores() {
  for (Held division : divisions)
    for (Operation *op : commands) {
      unsigned slot = timeOf(op);
      if (slot <= division.begin || slot > division.end)
        continue;
      for (const Access &a : touched(op)) {
        Life &life = lives[a.buffer.getDefiningOp()];
        if (life.buffer.getRegion() == isa::kSramRegion)
          continue;
        life.first = std::min(life.first, division.begin);
        life.last = std::max(life.last, division.end);
      }
    }
}

bool Planner::placeSram() {
  Arena arena(machine.dataSramBytes());
  std::vector<Life *> order;
  for (auto &[op, life] : lives)
    if (life.buffer.getRegion() == isa::kSramRegion && life.first != UINT_MAX)
      order.push_back(&life);
  // Long lives first: they have the fewest places to go. Size decides among
  // equals, file order last, so that the result is the same every time.
  std::stable_sort(order.begin(), order.end(),
                   [](const Life *a, const Life *b) {
                     if (a->isLoaded != b->isLoaded)
                       return !a->isLoaded;
                     return std::make_pair(a->last - a->first, a->sizeBytes) >
                            std::make_pair(b->last - b->first, b->sizeBytes);
                   });
  for (Life *life : order) {
    auto address = arena.find(*life, life->first);
    if (!address)
      return false;
    arena.place(*life, *address);
  }
  if (options.prefetch != Prefetch::None)
    prefetch(arena);
  return true;
}

/// Starts loads ahead of their use, in order of use: an engine that waits for
/// data is worse than memory that waits for its use.
void Planner::prefetch(Arena &arena) {
  if (slots.empty()) // Nothing uses what is loaded.
    return;
  std::vector<Life *> loads;
  for (auto &[op, life] : lives)
    if (life.isLoaded && life.placed && !life.staysInPlace)
      loads.push_back(&life);
  std::stable_sort(
      loads.begin(), loads.end(),
      [](const Life *a, const Life *b) { return a->first < b->first; });
  if (options.prefetch == Prefetch::WhenBusIsFree) {
    std::vector<uint64_t> slotCycle;
    llvm::DenseMap<Operation *, uint64_t> loadCycles;
    findTimes(slotCycle, loadCycles);
    prefetchByTime(arena, loads, slotCycle, [&](const Life &life) {
      return loadCycles.lookup(life.buffer);
    });
  } else {
    prefetchByRoom(arena, loads);
  }
  // A load follows its buffer.
  for (auto &[op, slot] : loadSlot)
    for (const Access &a : touched(op))
      if (a.isWrite) {
        Life &life = lives[a.buffer.getDefiningOp()];
        if (life.isLoaded && !life.staysInPlace &&
            life.buffer.getRegion() == isa::kSramRegion)
          slot =
              std::max(std::min(slot, life.first), blocks[blockOf[op]].first);
      }
}

/// When slots begin if nothing waits for a load, and what each load takes.
void Planner::findTimes(std::vector<uint64_t> &slotCycle,
                        llvm::DenseMap<Operation *, uint64_t> &loadCycles) {
  uint64_t now = 0;
  for (const Slot &slot : slots) {
    slotCycle.push_back(now);
    if (slot.op && unitOf(slot.op)) {
      isa::CommandCost cost = commandCost(slot.op, machine);
      // Copies and stores run beside the engine.
      if (*unitOf(slot.op) != Unit::DmaStore)
        now += cost.startCycles + std::max(cost.busyCycles(), cost.ddrCycles);
    }
  }
  for (auto &[op, slot] : loadSlot)
    for (const Access &a : touched(op))
      if (a.isWrite)
        loadCycles[a.buffer.getDefiningOp()] +=
            commandCost(op, machine).ddrCycles;
}

void Planner::placeDdr() {
  uint64_t weights = 0;
  Arena workspace(UINT64_MAX);
  for (auto &[op, life] : lives) {
    unsigned region = life.buffer.getRegion();
    if (region == isa::kWeightRegion) {
      life.address = weights;
      weights = llvm::alignTo(weights + life.sizeBytes, isa::kBufferAlignBytes);
    } else if (region == isa::kWorkspaceRegion && life.first != UINT_MAX) {
      workspace.place(life, *workspace.find(life, life.first));
    }
  }
}

/// Puts each load in front of what belongs to the slot in which it starts.
void Planner::reorder() {
  std::vector<std::vector<Operation *>> bySlot(slots.size());
  // loadSlot was filled backwards.
  for (auto [op, slot] : llvm::reverse(loadSlot))
    if (slot < slots.size())
      bySlot[slot].push_back(op);
  for (auto [i, slot] : llvm::enumerate(slots))
    for (Operation *load : bySlot[i])
      if (slot.op)
        load->moveBefore(slot.op);
      else
        load->moveBefore(slot.end, slot.end->end());
}

bool Planner::run() {
  collect();
  if (!placeSram())
    return false;
  placeDdr();
  reorder();
  for (auto &[op, life] : lives)
    life.buffer.setAddress(int64_t(life.address));
  return true;
}

} // namespace

bool npu::planMemory(ModuleOp module, const isa::Machine &machine,
                     const PlanOptions &options) {
  return Planner(module, machine, options).run();
}
