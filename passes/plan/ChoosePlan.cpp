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

using namespace yarrow;
using namespace yarrow::npu;
using namespace mlir;

/// Commands of all trials together, as a bound of the time that they take: some
/// 10 us each. A first plan that fits is always looked for.
static constexpr uint64_t kMostTriedCommands = 60000;

/// An attempt that takes so much more of the best plan's time ends the search.
static constexpr uint64_t kWorseShare = 4;

namespace {

class PlanSearch {
public:
  PlanSearch(ModuleOp module, const isa::Machine &machine,
             yarrow::DiagnosticEngine &diags)
      : module(module), machine(machine), diags(diags) {}

  bool run() {
    bool isOptimized = npu::isOptimized(module);
    ArrayRef<LowerOptions> attempts = lowerAttempts(isOptimized);
    for (const LowerOptions &attempt : attempts) {
      if (best && (!isOptimized || isExhausted()))
        break;
      if (&attempt != attempts.begin() &&
          !lowerToNpu(module, machine, attempt, diags))
        return false;
      if (isAsBefore())
        continue;
      uint64_t cycles = tryPlans(isOptimized);
      // Less resident memory only costs more from here on.
      if (best && cycles > bestCycles + bestCycles / kWorseShare)
        break;
    }
    if (!best)
      return false;
    main().erase();
    // The schedule is another phase's.
    forEachCommand(*best, [](Operation *op) { op->removeAttr("waits"); });
    module.push_back(best.release());
    module->setAttrs(bestAttributes);
    return true;
  }

private:
  func::FuncOp main() {
    return module.lookupSymbol<func::FuncOp>(kMainFunction);
  }
  bool isExhausted() const { return triedCommands > kMostTriedCommands; }

  /// Whether the network was lowered as the time before.
  bool isAsBefore() {
    bool isSame =
        lowered && OperationEquivalence::isEquivalentTo(
                       *lowered, main(), OperationEquivalence::IgnoreLocations);
    lowered = main().clone();
    return isSame;
  }

  /// The cycles of the best plan of what was lowered; all ones if none fits.
  uint64_t tryPlans(bool isOptimized) {
    uint64_t least = UINT64_MAX;
    for (unsigned storeSlots = 0; storeSlots <= (isOptimized ? 2 : 0);
         ++storeSlots) {
      if (best && isExhausted())
        break;
      std::optional<uint64_t> cycles = tryPlan({isOptimized, storeSlots});
      // What does not fit, or need not wait, does not with longer lives either.
      if (!cycles || *cycles == least)
        break;
      least = std::min(least, *cycles);
    }
    return least;
  }

  /// Plans what was lowered. Nullopt if it does not fit.
  std::optional<uint64_t> tryPlan(const PlanOptions &options) {
    func::FuncOp func = main();
    std::optional<uint64_t> cycles;
    if (planMemory(module, machine, options)) {
      scheduleWaits(module, machine);
      cycles = estimateCycles(module, machine);
      forEachCommand(func, [&](Operation *) { ++triedCommands; });
    }
    func->remove();
    OwningOpRef<func::FuncOp> planned = func;
    if (cycles && (!best || *cycles < bestCycles)) {
      bestCycles = *cycles;
      best = std::move(planned);
      bestAttributes = module->getAttrDictionary();
    }
    module.push_back(lowered->clone());
    return cycles;
  }

  ModuleOp module;
  const isa::Machine &machine;
  yarrow::DiagnosticEngine &diags;
  OwningOpRef<func::FuncOp> lowered; ///< By the last attempt.
  OwningOpRef<func::FuncOp> best;    ///< Planned and scheduled.
  DictionaryAttr bestAttributes;     ///< What lowering told of it.
  uint64_t bestCycles = 0, triedCommands = 0;
};

} // namespace

bool npu::choosePlan(ModuleOp module, const isa::Machine &machine,
                     yarrow::DiagnosticEngine &diags) {
  return PlanSearch(module, machine, diags).run();
}
