//===- Schedule.cpp - Waits between the engines ---------------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "passes/schedule/Schedule.h"
#include "dialects/npu/Commands.h"
#include "dialects/npu/ControlFlow.h"
#include "isa/ElfLayout.h"
#include "passes/schedule/LastAccesses.h"
#include "llvm/ADT/SmallVector.h"

#include <map>

using namespace yarrow;
using namespace yarrow::npu;
using namespace mlir;

namespace {

/// An access in absolute addresses of a region.
struct PlacedAccess {
  unsigned region;
  ByteRange range;
  bool isWrite;
};

SmallVector<PlacedAccess> placedAccessesOf(Operation *op) {
  SmallVector<PlacedAccess> accesses;
  for (const Access &a : accessesOf(op)) {
    auto buffer = a.buffer.getDefiningOp<BufferOp>();
    if (buffer.getRegion() == isa::kWeightRegion || a.sizeBytes == 0)
      continue;
    uint64_t begin = buffer.getAddress().value_or(0) + a.offsetBytes;
    accesses.push_back({unsigned(buffer.getRegion()),
                        {begin, begin + a.sizeBytes},
                        a.isWrite});
  }
  return accesses;
}

/// The counter value that says that command `ordinal` of a unit is complete.
/// All TECs signal each kernel once.
uint64_t completed(unsigned unit, uint64_t ordinal,
                   const isa::Machine &machine) {
  return (ordinal + 1) * (unit == unsigned(Unit::Tec) ? machine.tecs : 1);
}

void setWaits(Operation *op, ArrayRef<int64_t> waits) {
  if (llvm::any_of(waits, [](int64_t w) { return w != 0; }))
    op->setAttr("waits", DenseI64ArrayAttr::get(op->getContext(), waits));
  else
    op->removeAttr("waits");
}

} // namespace

/// All units are at rest when a block begins, and counters count from there.
static void scheduleBlock(const CommandBlock &block,
                          const isa::Machine &machine) {
  std::map<unsigned, LastAccesses> regions;
  uint64_t count[isa::kNumCounters] = {};
  // Units begin their commands in order: a wait that an earlier command of the
  // unit made already holds. Several tensor engines have one queue, but do not
  // end in order: there a command waits for others of its own unit, too.
  auto endsInOrder = [&](unsigned unit) {
    return unit != unsigned(Unit::TensorEngine) || machine.tensorEngines == 1;
  };
  int64_t waited[isa::kNumCounters][isa::kNumCounters] = {};
  for (Operation *op : block) {
    unsigned unit = unsigned(*unitOf(op));
    bool isTec = unit == unsigned(Unit::Tec);
    uint64_t ordinal = count[unit]++;
    int64_t waits[isa::kNumCounters] = {};
    SmallVector<PlacedAccess> accesses = placedAccessesOf(op);
    for (const PlacedAccess &a : accesses)
      regions[a.region].forEachBefore(
          a.range, a.isWrite, [&](unsigned other, uint64_t before) {
            if (other != unit || !endsInOrder(unit))
              waits[other] = std::max<int64_t>(
                  waits[other], completed(other, before, machine));
          });
    // Writes hide what was there before them: a command's own reads, too, which
    // it makes before.
    for (bool isWrite : {false, true})
      for (const PlacedAccess &a : accesses)
        if (a.isWrite == isWrite)
          regions[a.region].add(a.range, isWrite, unit, ordinal);
    // Kernel k starts when all TECs have finished kernel k - 1. Without this a
    // fast TEC could signal twice and stand in for a slow one in the counter.
    if (isTec && ordinal > 0)
      waits[unit] = completed(unit, ordinal - 1, machine);
    for (unsigned c = 0; c < isa::kNumCounters; ++c) {
      if (waits[c] <= waited[unit][c])
        waits[c] = 0;
      else
        waited[unit][c] = waits[c];
    }
    setWaits(op, waits);
  }
}

void npu::scheduleWaits(ModuleOp module, const isa::Machine &machine) {
  auto func = module.lookupSymbol<func::FuncOp>(kMainFunction);
  for (const CommandBlock &block : commandBlocks(func))
    scheduleBlock(block, machine);
}
