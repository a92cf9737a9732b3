//===- Plan.cpp - Addresses for all buffers -------------------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// Time is counted in slots: every command that is not a load has one; a load
// belongs to the slot of the first command that uses what it brings. A load
// that starts d slots early occupies its memory from then on.
//
//===----------------------------------------------------------------------===//
#include "passes/plan/Plan.h"
#include "dialects/npu/Commands.h"
#include "isa/ElfLayout.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/Support/MathExtras.h"

using namespace yarrow;
using namespace yarrow::npu;
using namespace mlir;

namespace {

struct Life {
  BufferOp buffer;
  unsigned first = UINT_MAX, last = 0; ///< slots, inclusive
  unsigned earliest = 0;               ///< a load may not start before
  bool isLoaded = false;               ///< written by loads only
  uint64_t sizeBytes = 0, address = 0;
  bool placed = false;
};

/// First-fit placement of intervals in one memory.
class Arena {
public:
  explicit Arena(uint64_t limitBytes) : limitBytes(limitBytes) {}

  /// The lowest free address for [first, last], or nullopt.
  std::optional<uint64_t> find(const Life &life, unsigned first) const {
    SmallVector<std::pair<uint64_t, uint64_t>> taken;
    for (const Life *other : placed)
      if (other->first <= life.last && first <= other->last)
        taken.push_back({other->address, other->address + other->sizeBytes});
    llvm::sort(taken);
    uint64_t at = 0;
    for (auto [begin, end] : taken) {
      if (at + life.sizeBytes <= begin)
        break;
      at = std::max(at, llvm::alignTo(end, isa::kBufferAlignBytes));
    }
    if (at + life.sizeBytes > limitBytes)
      return std::nullopt;
    return at;
  }
  void place(Life &life, uint64_t address) {
    life.address = address;
    life.placed = true;
    placed.push_back(&life);
  }
  void remove(Life &life) { llvm::erase(placed, &life); }

private:
  uint64_t limitBytes;
  std::vector<Life *> placed;
};

class Planner {
public:
  Planner(ModuleOp module, const isa::Machine &machine,
          const PlanOptions &options)
      : machine(machine), options(options),
        func(module.lookupSymbol<func::FuncOp>(kMainFunction)) {}
  bool run();

private:
  void collect();
  bool placeSram();
  void prefetch(Arena &arena);
  void placeDdr();
  void reorder();

  const isa::Machine &machine;
  const PlanOptions &options;
  func::FuncOp func;
  std::vector<Operation *> slots; ///< commands that are not loads
  llvm::MapVector<Operation *, unsigned>
      loadSlot;                             ///< loads and when they start
  llvm::MapVector<Operation *, Life> lives; ///< by buffer op
};

/// Slots, the lives of all buffers, and what bounds a load's start.
void Planner::collect() {
  std::vector<Operation *> commands;
  for (Operation &op : func.getBody().front()) {
    if (auto buffer = dyn_cast<BufferOp>(op)) {
      Life life;
      life.buffer = buffer;
      life.sizeBytes = buffer.getSizeBytes();
      lives[&op] = life;
    } else if (unitOf(&op) != Unit::None) {
      commands.push_back(&op);
      if (unitOf(&op) != Unit::DmaLoad)
        slots.push_back(&op);
    }
  }
  llvm::DenseMap<Operation *, unsigned> slotOf;
  for (auto [i, op] : llvm::enumerate(slots))
    slotOf[op] = i;
  // Backwards, so that a load sees the first later use of what it writes.
  llvm::DenseMap<Operation *, unsigned> nextUse;
  unsigned end = slots.empty() ? 0 : slots.size() - 1;
  for (Operation *op : llvm::reverse(commands)) {
    unsigned slot = end;
    if (auto it = slotOf.find(op); it != slotOf.end()) {
      slot = it->second;
    } else {
      for (const Access &a : accessesOf(op))
        if (a.isWrite)
          if (auto use = nextUse.find(a.buffer.getDefiningOp());
              use != nextUse.end())
            slot = use->second;
      loadSlot[op] = slot;
    }
    for (const Access &a : accessesOf(op))
      nextUse[a.buffer.getDefiningOp()] = slot;
  }
  // Forwards: lives, and the last write to what a load reads.
  llvm::DenseMap<Operation *, unsigned> lastWrite;
  for (Operation *op : commands) {
    bool isLoad = unitOf(op) == Unit::DmaLoad;
    unsigned slot = isLoad ? loadSlot[op] : slotOf[op];
    unsigned earliest = 0;
    for (const Access &a : accessesOf(op))
      if (!a.isWrite)
        if (auto it = lastWrite.find(a.buffer.getDefiningOp());
            it != lastWrite.end())
          earliest = std::max(earliest, it->second + 1);
    for (const Access &a : accessesOf(op)) {
      Life &life = lives[a.buffer.getDefiningOp()];
      bool fresh = life.first == UINT_MAX;
      life.first = std::min(life.first, slot);
      life.last = std::max(life.last, slot);
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
  if (options.prefetch)
    prefetch(arena);
  return true;
}

/// Starts each load as early as its memory can be had, in order of use: an
/// engine that waits for data is worse than memory that waits for its use.
void Planner::prefetch(Arena &arena) {
  std::vector<Life *> loads;
  for (auto &[op, life] : lives)
    if (life.isLoaded && life.placed)
      loads.push_back(&life);
  std::stable_sort(
      loads.begin(), loads.end(),
      [](const Life *a, const Life *b) { return a->first < b->first; });
  for (Life *life : loads) {
    unsigned use = life->first;
    uint64_t home = life->address;
    arena.remove(*life);
    std::optional<uint64_t> address;
    for (unsigned distance :
         {64u, 48u, 32u, 24u, 16u, 12u, 8u, 6u, 4u, 3u, 2u, 1u}) {
      unsigned start = use > distance ? use - distance : 0;
      start = std::max(start, life->earliest);
      if (start >= use)
        continue;
      address = arena.find(*life, start);
      if (address) {
        life->first = start;
        break;
      }
    }
    arena.place(*life, address.value_or(home));
  }
  // A load follows its buffer.
  for (auto &[op, slot] : loadSlot)
    for (const Access &a : accessesOf(op))
      if (a.isWrite) {
        Life &life = lives[a.buffer.getDefiningOp()];
        if (life.isLoaded && life.buffer.getRegion() == isa::kSramRegion)
          slot = std::min(slot, life.first);
      }
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

/// Puts each load in front of the command of the slot in which it starts.
void Planner::reorder() {
  std::vector<std::vector<Operation *>> bySlot(slots.size() + 1);
  // loadSlot was filled backwards.
  std::vector<std::pair<Operation *, unsigned>> loads(loadSlot.begin(),
                                                      loadSlot.end());
  std::reverse(loads.begin(), loads.end());
  for (auto [op, slot] : loads)
    bySlot[std::min<size_t>(slot, slots.size())].push_back(op);
  for (auto [i, slot] : llvm::enumerate(slots))
    for (Operation *load : bySlot[i])
      load->moveBefore(slot);
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
