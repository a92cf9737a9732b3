//===- Planner.h - How a plan is made ---------------------------*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// Implements planMemory() (Plan.h). Planner.cpp has slots, lives and
// places, PlanLoads.cpp decides when loads start.
//
// Time is counted in slots: every command that is not a load has one; a load
// belongs to the slot of the first command that uses what it brings. A load
// that starts d slots early occupies its memory from then on.
//
// Control ops and the ends of what they hold have slots, too. A load stays in
// its block of commands. Values that a loop passes on, or gets from outside,
// are alive as long as the loop.
//
// Of several cores, each has an SRAM of its own, which keeps what it holds from
// one block of the core to the next. So constants may be loaded in an earlier
// one.
//
//   std::optional<MemoryPlan> plan = Planner(table, machine, options).run();
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_PASSES_PLAN_PLANNER_H
#define YARROW_PASSES_PLAN_PLANNER_H

#include "passes/plan/Plan.h"
#include "passes/plan/Prefetch.h"
#include "passes/schedule/CommandTable.h"

namespace yarrow::npu {

class Planner {
public:
  Planner(const CommandTable &table, const isa::Machine &machine,
          const PlanOptions &options)
      : table(table), machine(machine), options(options) {}
  std::optional<MemoryPlan> run();

private:
  void collect();
  void findSlots();
  void endBlock(unsigned entry);
  void findLoadSlots();
  void findLives();
  /// How long what \p entry touches in \p slot is kept for it.
  unsigned lastSlotOf(const TableEntry &entry, const TableAccess &access,
                      unsigned slot) const;
  void keepThroughLoops();
  void keepBesideCores();
  void findCores();
  bool placeSram();
  void prefetch(std::vector<Arena> &arenas);
  void prefetchBeforeBarriers(std::vector<Arena> &arenas);
  std::vector<CoreBlock> coreBlocks();
  void findTimes(std::vector<uint64_t> &slotCycle,
                 std::vector<uint64_t> &loadCycles);
  void placeDdr();
  std::vector<unsigned> newOrder() const;

  /// The slots between which the loads of a block of commands may move.
  struct Range {
    unsigned first = 0, end = 0;
    bool hasCommands = false;
    unsigned holder = UINT_MAX; ///< The entry that holds it, if any.
    unsigned core = 0, epoch = 0;
  };
  struct Held {
    unsigned begin, end; ///< slots of the control op and of the end
  };
  llvm::ArrayRef<TableAccess> touched(unsigned entry) const {
    return table.touched(table.entries()[entry]);
  }
  bool isLoad(unsigned entry) const { return table.entries()[entry].isLoad(); }

  const CommandTable &table;
  const isa::Machine &machine;
  const PlanOptions &options;
  /// A point in time: of a command that is not a load, of a control op, or of
  /// the end of the block that one holds.
  std::vector<unsigned> slots;
  /// By entry: its slot, or the one in which a load starts.
  std::vector<unsigned> slotOf;
  std::vector<unsigned> commands; ///< and control ops
  std::vector<Range> blocks;      ///< In the order of their slots.
  std::vector<unsigned> blockOf;  ///< By entry, of commands.
  std::vector<Held> loops;
  std::vector<Held> divisions; ///< Among cores.
  std::vector<Life> lives;     ///< by buffer
  std::vector<bool> isEarly;   ///< By buffer: loaded before a barrier.
};

} // namespace yarrow::npu

#endif // YARROW_PASSES_PLAN_PLANNER_H
