//===- Planner.cpp - Addresses for all buffers ----------------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "passes/plan/Planner.h"
#include "dialects/npu/Commands.h"
#include "isa/ElfLayout.h"
#include "llvm/Support/MathExtras.h"

using namespace yarrow;
using namespace yarrow::npu;
using namespace mlir;

/// Slots, the lives of all buffers, and what bounds a load's start.
void Planner::collect() {
  for (const TableBuffer &buffer : table.buffers()) {
    Life life;
    life.region = buffer.region;
    life.sizeBytes = buffer.sizeBytes;
    life.number = unsigned(lives.size());
    lives.push_back(life);
  }
  findSlots();
  findCores();
  findLoadSlots();
  findLives();
  keepThroughLoops();
  keepBesideCores();
}

/// A block of commands ends in front of a control op, or with what holds it.
void Planner::endBlock(unsigned entry) {
  blocks.back().end = slots.size();
  slots.push_back(entry);
}

void Planner::findSlots() {
  ArrayRef<TableEntry> entries = table.entries();
  slotOf.resize(entries.size());
  blockOf.resize(entries.size());
  blocks.push_back({});
  SmallVector<unsigned> holders;
  for (unsigned i = 0; i < entries.size(); ++i) {
    const TableEntry &entry = entries[i];
    if (!entry.isEnd)
      commands.push_back(i);
    blockOf[i] = blocks.size() - 1;
    if (entry.unit) {
      blocks.back().hasCommands = true;
      blocks.back().holder = holders.empty() ? UINT_MAX : holders.back();
    }
    if (entry.isLoad())
      continue;
    slotOf[i] = slots.size();
    if (entry.unit) {
      slots.push_back(i);
      continue;
    }
    endBlock(i);
    blocks.push_back({unsigned(slots.size())});
    if (!entry.isEnd && entry.lastEnd > i)
      holders.push_back(i);
    if (!entry.isEnd || entries[holders.back()].lastEnd != i)
      continue;
    const TableEntry &holder = entries[holders.back()];
    Held held{slotOf[holders.pop_back_val()], slotOf[i]};
    if (holder.repeats)
      loops.push_back(held);
    if (holder.isDivided)
      divisions.push_back(held);
  }
  blocks.back().end = slots.empty() ? 0 : slots.size() - 1;
}

/// Blocks are groups for the cores in turn, as drivers dispatch them.
void Planner::findCores() {
  if (!table.usesCores())
    return;
  unsigned number = 0, epoch = 0;
  const Range *before = nullptr;
  for (Range &block : blocks) {
    if (!block.hasCommands)
      continue;
    bool isBeside =
        before && block.holder != UINT_MAX && block.holder == before->holder;
    epoch += before && !isBeside;
    block.core = number++ % machine.cores;
    block.epoch = epoch;
    before = &block;
  }
}

/// Backwards, so that a load sees the first later use of what it writes.
void Planner::findLoadSlots() {
  constexpr unsigned kNone = UINT_MAX;
  std::vector<unsigned> nextUse(lives.size(), kNone);
  for (unsigned entry : llvm::reverse(commands)) {
    if (isLoad(entry)) {
      unsigned end = blocks[blockOf[entry]].end, slot = end;
      for (const TableAccess &a : touched(entry))
        if (a.isWrite && nextUse[a.buffer] != kNone)
          slot = std::min(nextUse[a.buffer], end);
      slotOf[entry] = slot;
    }
    for (const TableAccess &a : touched(entry))
      nextUse[a.buffer] = slotOf[entry];
  }
}

/// Forwards: lives, and the last write to what a load reads.
void Planner::findLives() {
  // The slot behind it; 0 before any.
  std::vector<unsigned> afterWrite(lives.size(), 0);
  for (unsigned number : commands) {
    const TableEntry &entry = table.entries()[number];
    bool isLoad = entry.isLoad();
    unsigned slot = slotOf[number];
    unsigned earliest = isLoad ? blocks[blockOf[number]].first : 0;
    ArrayRef<TableAccess> ofEntry = table.touched(entry);
    for (const TableAccess &a : ofEntry)
      if (!a.isWrite)
        earliest = std::max(earliest, afterWrite[a.buffer]);
    for (const TableAccess &a : ofEntry) {
      Life &life = lives[a.buffer];
      bool fresh = life.first == UINT_MAX;
      life.core = entry.unit ? blocks[blockOf[number]].core : 0;
      life.first = std::min(life.first, slot);
      life.last = std::max(life.last, lastSlotOf(entry, a, slot));
      if (!a.isWrite)
        continue;
      life.isLoaded = isLoad && (fresh || life.isLoaded);
      if (isLoad)
        life.earliest = std::max(life.earliest, std::min(earliest, slot));
      else
        afterWrite[a.buffer] = slot + 1;
    }
  }
}

unsigned Planner::lastSlotOf(const TableEntry &entry, const TableAccess &access,
                             unsigned slot) const {
  if (access.isWrite || entry.unit != Unit::DmaStore)
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
    llvm::DenseMap<unsigned, bool> isKept; // of buffers used in the loop
    for (unsigned entry : commands) {
      unsigned slot = slotOf[entry];
      if (slot <= loop.begin || slot > loop.end)
        continue;
      for (const TableAccess &a : touched(entry))
        isKept.try_emplace(a.buffer, !a.isWrite);
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
    for (unsigned entry : commands) {
      unsigned slot = slotOf[entry];
      if (slot <= division.begin || slot > division.end)
        continue;
      for (const TableAccess &a : touched(entry)) {
        Life &life = lives[a.buffer];
        if (life.region == isa::kSramRegion)
          continue;
        life.first = std::min(life.first, division.begin);
        life.last = std::max(life.last, division.end);
      }
    }
}

bool Planner::placeSram() {
  std::vector<Arena> arenas(table.usesCores() ? machine.cores : 1,
                            Arena(machine.dataSramBytes()));
  std::vector<Life *> order;
  for (Life &life : lives)
    if (life.region == isa::kSramRegion && life.first != UINT_MAX)
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
    auto address = arenas[life->core].find(*life, life->first);
    if (!address)
      return false;
    arenas[life->core].place(*life, *address);
  }
  if (options.prefetch != Prefetch::None)
    prefetch(arenas);
  return true;
}

void Planner::placeDdr() {
  uint64_t weights = 0;
  Arena workspace(UINT64_MAX);
  for (Life &life : lives) {
    if (life.region == isa::kWeightRegion) {
      life.address = weights;
      weights = llvm::alignTo(weights + life.sizeBytes, isa::kBufferAlignBytes);
    } else if (life.region == isa::kWorkspaceRegion && life.first != UINT_MAX) {
      workspace.place(life, *workspace.find(life, life.first));
    }
  }
}

/// Each load in front of what belongs to the slot in which it starts.
std::vector<unsigned> Planner::newOrder() const {
  if (slots.empty())
    return commands; // loads alone
  std::vector<std::vector<unsigned>> bySlot(slots.size());
  for (unsigned entry : commands)
    if (isLoad(entry))
      bySlot[slotOf[entry]].push_back(entry);
  std::vector<unsigned> order;
  order.reserve(table.entries().size());
  for (auto [slot, loads] : llvm::zip_equal(slots, bySlot)) {
    llvm::append_range(order, loads);
    order.push_back(slot);
  }
  return order;
}

std::optional<MemoryPlan> Planner::run() {
  collect();
  if (!placeSram())
    return std::nullopt;
  placeDdr();
  MemoryPlan plan;
  for (const Life &life : lives)
    plan.addresses.push_back(life.address);
  plan.order = newOrder();
  return plan;
}

std::optional<MemoryPlan> npu::planMemory(const CommandTable &table,
                                          const isa::Machine &machine,
                                          const PlanOptions &options) {
  return Planner(table, machine, options).run();
}

/// Moves the loads, and sets addresses.
static void apply(const CommandTable &table, const MemoryPlan &plan) {
  ArrayRef<TableEntry> entries = table.entries();
  // Behind the loads that come before it; loads alone keep their places.
  SmallVector<Operation *> loads;
  for (unsigned number : plan.order) {
    const TableEntry &entry = entries[number];
    if (entry.isLoad()) {
      loads.push_back(entry.op);
      continue;
    }
    for (Operation *load : loads)
      if (entry.op)
        load->moveBefore(entry.op);
      else
        load->moveBefore(entry.end, entry.end->end());
    loads.clear();
  }
  for (auto [buffer, address] :
       llvm::zip_equal(table.buffers(), plan.addresses)) {
    BufferOp op = buffer.op;
    op.setAddress(int64_t(address));
  }
}

bool npu::planMemory(ModuleOp module, const isa::Machine &machine,
                     const PlanOptions &options) {
  bool needsCosts = options.prefetch == Prefetch::WhenBusIsFree ||
                    options.prefetch == Prefetch::AcrossBarriers;
  CommandTable table(module.lookupSymbol<func::FuncOp>(kMainFunction),
                     needsCosts ? &machine : nullptr);
  std::optional<MemoryPlan> plan = planMemory(table, machine, options);
  if (plan)
    apply(table, *plan);
  return plan.has_value();
}
