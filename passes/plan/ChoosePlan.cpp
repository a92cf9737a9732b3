//===- ChoosePlan.cpp - The plan that is ready first ----------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "passes/plan/ChoosePlan.h"
#include "dialects/npu/Commands.h"
#include "dialects/npu/ControlFlow.h"
#include "dialects/npu/Target.h"
#include "passes/lower/Lower.h"
#include "passes/plan/Plan.h"
#include "passes/schedule/Schedule.h"
#include "passes/schedule/Timeline.h"

#include "mlir/IR/OperationSupport.h"

#include <algorithm>
#include <optional>
#include <tuple>

using namespace yarrow;
using namespace yarrow::npu;
using namespace mlir;

/// Commands of all trials together, as a bound of the time that they take: some
/// 10 us each. A first plan that fits is always looked for.
static constexpr uint64_t kMostTriedCommands = 60000;

/// An attempt that takes so much more of the best plan's time ends the search.
static constexpr uint64_t kWorseShare = 4;

/// A machine has no less: stacks of the TECs, and what a kernel needs.
static constexpr uint32_t kLeastSramBytes = 64 << 10;

namespace {

class PlanSearch {
public:
  PlanSearch(ModuleOp module, const isa::Machine &machine,
             yarrow::DiagnosticEngine &diags)
      : module(module), machine(machine), diags(diags) {}

  bool run() {
    if (!(isFootprintWanted(module) ? searchSmallest() : searchFastest()))
      return false;
    if (!best)
      return false;
    main().erase();
    // The schedule is another phase's.
    forEachCommand(*best->main, [](Operation *op) { op->removeAttr("waits"); });
    module.push_back(best->main.release());
    module->setAttrs(best->attributes);
    return true;
  }

private:
  /// False after errors.
  bool searchFastest() {
    ArrayRef<LowerOptions> attempts = lowerAttempts(isOptimized(module));
    for (const LowerOptions &attempt : attempts) {
      if (isDone())
        break;
      if (&attempt != attempts.begin() &&
          !lowerToNpu(module, machine, attempt, diags))
        return false;
      if (isAsBefore())
        continue;
      uint64_t cycles = tryPlans();
      // Less resident memory only costs more from here on.
      if (best && cycles > best->cycles + best->cycles / kWorseShare)
        break;
    }
    return true;
  }

  /// For less and less memory, until nothing fits or layers leave the engines
  /// for want of it; without loads ahead of their use, which take memory for
  /// time. False after errors.
  bool searchSmallest() {
    const isa::Machine whole = machine;
    unsigned kernels = countCommands(module).kernels;
    bool fits = true;
    for (; fits && machine.sramBytes >= kLeastSramBytes;
         machine.sramBytes /= 2) {
      fits = false;
      for (const LowerOptions &attempt : lowerAttempts(isOptimized(module))) {
        if (!lowerToNpu(module, machine, attempt, diags))
          return false;
        if (countCommands(module).kernels > kernels)
          continue;
        lowered = main().clone();
        if ((fits = tryPlan({.prefetch = false}).has_value()))
          break;
      }
    }
    machine = whole;
    return true;
  }

  func::FuncOp main() {
    return module.lookupSymbol<func::FuncOp>(kMainFunction);
  }
  struct Planned {
    OwningOpRef<func::FuncOp> main; ///< Planned and scheduled.
    DictionaryAttr attributes;      ///< What lowering told of it.
    uint64_t cycles = 0, sramBytes = 0;
  };
  bool isBetter(const Planned &a, const Planned &b) const {
    if (!isFootprintWanted(module))
      return a.cycles < b.cycles;
    return std::tie(a.sramBytes, a.cycles) < std::tie(b.sramBytes, b.cycles);
  }
  /// Whether there is a plan, and no more is to be tried.
  bool isDone() const {
    return best && (!isSearch || triedCommands > kMostTriedCommands);
  }

  /// Whether the network was lowered as the time before.
  bool isAsBefore() {
    bool isSame =
        lowered && OperationEquivalence::isEquivalentTo(
                       *lowered, main(), OperationEquivalence::IgnoreLocations);
    lowered = main().clone();
    return isSame;
  }

  /// The cycles of the best plan of what was lowered; all ones if none fits.
  uint64_t tryPlans() {
    uint64_t least = UINT64_MAX;
    bool isAlternating = isEnabled(module, Optimization::AlternateStores);
    for (unsigned storeSlots = 0; storeSlots <= (isAlternating ? 2 : 0);
         ++storeSlots) {
      if (isDone())
        break;
      std::optional<uint64_t> cycles =
          tryPlan({isEnabled(module, Optimization::Prefetch), storeSlots});
      // What does not fit, or need not wait, does not with longer lives either.
      if (!cycles || *cycles == least)
        break;
      least = std::min(least, *cycles);
    }
    return least;
  }

  /// Plans what was lowered; its cycles, or nullopt if it does not fit.
  std::optional<uint64_t> tryPlan(const PlanOptions &options) {
    func::FuncOp func = main();
    std::optional<uint64_t> cycles;
    if (planMemory(module, machine, options)) {
      scheduleWaits(module, machine);
      forEachCommand(func, [&](Operation *) { ++triedCommands; });
      Planned planned;
      planned.attributes = module->getAttrDictionary();
      cycles = planned.cycles = estimateCycles(module, machine);
      planned.sramBytes = memoryUseOf(module).sramBytes;
      func->remove();
      planned.main = func;
      if (!best || isBetter(planned, *best))
        best = std::move(planned);
    } else {
      func.erase();
    }
    module.push_back(lowered->clone());
    return cycles;
  }

  ModuleOp module;
  isa::Machine machine;
  yarrow::DiagnosticEngine &diags;
  OwningOpRef<func::FuncOp> lowered; ///< By the last attempt.
  std::optional<Planned> best;
  uint64_t triedCommands = 0;
  const bool isSearch = isEnabled(module, Optimization::SearchPlans);
};

} // namespace

bool npu::choosePlan(ModuleOp module, const isa::Machine &machine,
                     yarrow::DiagnosticEngine &diags) {
  return PlanSearch(module, machine, diags).run();
}
