//===- ChoosePlan.cpp - The plan that is ready first ----------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "passes/plan/ChoosePlan.h"
#include "dialects/compass/graph/Graphs.h"
#include "dialects/npu/Commands.h"
#include "dialects/npu/ControlFlow.h"
#include "dialects/npu/Target.h"
#include "isa/ElfLayout.h"
#include "passes/lower/Lower.h"
#include "passes/lower/commands/TrialMemo.h"
#include "passes/plan/Plan.h"
#include "passes/plan/PlanKey.h"
#include "passes/schedule/CommandTable.h"
#include "passes/schedule/Schedule.h"
#include "passes/schedule/Timeline.h"
#include "passes/schedule/TrialCommands.h"

#include "support/BuildCache.h"
#include "support/Cancellation.h"

#include <algorithm>
#include <cstring>
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

/// The same of smaller parts of weights.
static constexpr uint64_t kWorsePartShare = 128;

/// Where runs of layers on several cores take so much less of the time, layers
/// that are divided one by one are compared with them only if all are.
static constexpr uint64_t kClearShare = 4;

/// Weights are encoded if half their bytes would spare so much of the time.
static constexpr uint64_t kLeastStreamShare = 256;

/// The network's input is loaded in so many bands, at least, where several
/// cores do it.
static constexpr uint32_t kLeastInputBands = 4;

/// A machine has no less: stacks of the TECs, and what a kernel needs.
static constexpr uint32_t kLeastSramBytes = 64 << 10;

static unsigned kernelsOf(func::FuncOp func) {
  unsigned kernels = 0;
  forEachCommand(func,
                 [&](Operation *op) { kernels += unitOf(op) == Unit::Tec; });
  return kernels;
}

namespace {

/// A way to lower a network and to plan it.
struct Choice {
  LowerOptions lower;
  PlanOptions plan;
};

/// What a search has found, as it lies in a file.
struct KeptPlan {
  Choice choice;
  uint32_t machineSramBytes;
  uint64_t cycles, sramBytes;
};
struct KeptSearch {
  /// Of the best plan without streams, and of that with the streams of the
  /// constants of this digest.
  KeptPlan plain, best;
  uint64_t constantsDigest;
};
static_assert(std::is_trivially_copyable_v<KeptSearch>);

class PlanSearch {
public:
  PlanSearch(ModuleOp module, const isa::Machine &machine,
             const std::string &cacheFolder, yarrow::DiagnosticEngine &diags)
      : module(module), machine(machine), diags(diags), streams(machine),
        cache(cacheFolder, "plan") {}

  bool run() {
    func::FuncOp func = main();
    func->remove();
    given = func;
    numLayers = uint32_t(
        llvm::range_size(compass::mainGraph(module).getBody().front()));
    hasDecisions =
        !func.getOps<IfOp>().empty() || !func.getOps<WhileOp>().empty();
    givenAttributes = module->getAttrDictionary();
    std::string key;
    if (cache.isOn())
      key = planKeyOf(module, *given, machine);
    if (recall(key)) {
      OwningOpRef<func::FuncOp> spare = given->clone();
      if (keepBest())
        return true;
      // What does not hold is no result.
      if (func::FuncOp left = main())
        left.erase();
      given = std::move(spare);
      best.reset();
    }
    if (diags.hasErrors() ||
        !(isFootprintWanted(module) ? searchSmallest() : searchFastest()))
      return false;
    keep(key);
    return best && keepBest();
  }

private:
  /// What the cache has of an earlier search; false if nothing.
  bool recall(const std::string &key);
  void keep(const std::string &key);
  /// False after errors.
  bool searchFastest();
  bool searchWeightParts();
  bool searchInputBands();
  bool searchCores();
  bool searchRuns(LowerOptions options);
  bool searchStreams();
  /// For less and less memory, until nothing fits or layers leave the engines
  /// for want of it; without loads ahead of their use, which take memory for
  /// time. False after errors.
  bool searchSmallest();

  func::FuncOp main() {
    return module.lookupSymbol<func::FuncOp>(kMainFunction);
  }
  struct Planned {
    Choice choice;
    isa::Machine machine; ///< With the SRAM that was to be enough.
    uint64_t cycles = 0, sramBytes = 0;
  };
  bool isBetter(const Planned &a, const Planned &b) const {
    if (!isFootprintWanted(module))
      return a.cycles < b.cycles;
    return std::tie(a.sramBytes, a.cycles) < std::tie(b.sramBytes, b.cycles);
  }
  bool isMuchWorse(uint64_t cycles) const {
    return cycles > best->cycles + best->cycles / kWorseShare;
  }
  /// Whether there is a plan, and no more is to be tried.
  bool isDone() const {
    return best && (!isSearch || triedCommands > kMostTriedCommands);
  }

  bool lower(LowerOptions options);
  /// Whether the last two trials have the same commands.
  bool isAsBefore() const { return before && lowered == before; }
  std::optional<uint64_t> tryPlans(const LowerOptions &options,
                                   ArrayRef<Prefetch> prefetches);
  std::optional<uint64_t> tryPlan(const Choice &choice);
  bool keepBest();

  ModuleOp module;
  isa::Machine machine;
  yarrow::DiagnosticEngine &diags;
  WeightStreams streams;
  /// Lowered for the first of lowerAttempts, with bytes.
  OwningOpRef<func::FuncOp> given;
  DictionaryAttr givenAttributes;
  /// As the last trial lowered the network, and the one before did.
  std::optional<TrialCommands::Contents> lowered, before;
  std::optional<CommandTable> table; ///< Of the last one.
  TrialMemo memo;
  std::optional<Planned> best;
  std::optional<Planned> plain; ///< The best one without streams.
  BuildCache cache;
  uint64_t triedCommands = 0;
  bool hasDecisions = false; ///< Then one core executes the network.
  uint32_t numLayers = 0;
  const bool isSearch = isEnabled(module, Optimization::SearchPlans);
};

} // namespace

/// Leaves the commands in `table`.
bool PlanSearch::lower(LowerOptions options) {
  TrialCommands trial;
  if (!lowerForTrial(module, machine, options, streams, memo, trial, diags))
    return false;
  func::FuncOp buffers = main();
  before = std::move(lowered);
  lowered = trial.contents(buffers);
  table.emplace(buffers, trial, machine);
  buffers.erase();
  return true;
}

bool PlanSearch::recall(const std::string &key) {
  std::optional<std::vector<char>> bytes;
  if (cache.isOn())
    bytes = cache.find(key);
  KeptSearch kept;
  if (!bytes || bytes->size() != sizeof(kept))
    return false;
  std::memcpy(&kept, bytes->data(), sizeof(kept));
  auto planned = [&](const KeptPlan &plan) {
    Planned p{plan.choice, machine, plan.cycles, plan.sramBytes};
    p.machine.sramBytes = plan.machineSramBytes;
    return p;
  };
  if (kept.constantsDigest == constantsDigestOf(*given)) {
    best = planned(kept.best);
    return true;
  }
  best = planned(kept.plain);
  if (!isFootprintWanted(module) && isOptimized(module) && !searchStreams()) {
    best.reset();
    return false;
  }
  keep(key);
  return true;
}

void PlanSearch::keep(const std::string &key) {
  if (!cache.isOn() || !best)
    return;
  auto keptOf = [](const Planned &p) {
    return KeptPlan{p.choice, p.machine.sramBytes, p.cycles, p.sramBytes};
  };
  KeptSearch kept{keptOf(plain.value_or(*best)), keptOf(*best),
                  constantsDigestOf(*given)};
  cache.store(key, {reinterpret_cast<const char *>(&kept), sizeof(kept)});
}

bool PlanSearch::searchFastest() {
  // Less resident memory only costs more once it costs much.
  bool isHopeless[2] = {};
  for (LowerOptions attempt : lowerAttempts(isOptimized(module)))
    for (bool cascades : {false, true}) {
      if (isDone())
        break;
      if (isHopeless[cascades])
        continue;
      attempt.cascades = cascades;
      if (!lower(attempt))
        return false;
      if (isAsBefore())
        continue;
      std::optional<uint64_t> cycles = tryPlans(attempt, {Prefetch::WhereRoom});
      isHopeless[cascades] = best && (!cycles || isMuchWorse(*cycles));
    }
  if (!isOptimized(module))
    return true;
  return (isDone() || (searchWeightParts() && searchInputBands())) &&
         searchCores() && searchStreams();
}

/// The best plan with weights that the DMA engine decodes, unless the bus is
/// not what it waits for.
bool PlanSearch::searchStreams() {
  if (!best || !isSearch || !machine.hasWeightDecoder() ||
      !isEnabled(module, Optimization::CompressWeights))
    return true;
  Choice choice = best->choice;
  plain = best;
  choice.lower.weightLoads = WeightLoads::HalfStreams;
  if (!lower(choice.lower))
    return false;
  std::optional<uint64_t> cycles = tryPlan(choice);
  best = plain;
  if (!cycles || *cycles + *cycles / kLeastStreamShare >= plain->cycles)
    return true;
  choice.lower.weightLoads = WeightLoads::Streams;
  if (!lower(choice.lower))
    return false;
  tryPlan(choice);
  if (choice.plan.prefetch == Prefetch::WhereRoom) {
    choice.plan.prefetch = Prefetch::WhenBusIsFree;
    tryPlan(choice);
  }
  return true;
}

/// More and more bands, as long as they are better.
bool PlanSearch::searchInputBands() {
  if (!best || isDone())
    return true;
  LowerOptions options = best->choice.lower;
  for (uint32_t bands : {4, 8, 16}) {
    options.inputBands = bands;
    if (!lower(options))
      return false;
    if (isAsBefore())
      break;
    uint64_t before = best->cycles;
    tryPlans(options, best->choice.plan.prefetch);
    if (isDone() || best->cycles == before)
      break;
  }
  return true;
}

/// Runs of layers that all cores compute row by row, between as few barriers as
/// pay; weights may be loaded before them.
bool PlanSearch::searchRuns(LowerOptions options) {
  options.cores = machine.cores;
  options.rowRuns = true;
  options.cascades = false;
  options.inputBands = std::max(options.inputBands, kLeastInputBands);
  // Smaller loads find room before a barrier more often.
  options.weightPartBytes =
      std::min<uint64_t>(options.weightPartBytes, machine.sramBytes / 16);
  for (uint32_t busPercent : {100, 130, 75, 0}) {
    if (isDone())
      return true;
    options.busPercent = busPercent;
    if (!lower(options))
      return false;
    if (table->usesCores() && !isAsBefore())
      tryPlans(options, {Prefetch::AcrossBarriers});
  }
  return true;
}

/// All cores together, for all layers, or for the first ones alone: there
/// tensors are large and weights are small, which every core has to load. What
/// is divided goes through DDR, and begins when all before is complete.
bool PlanSearch::searchCores() {
  if (machine.cores == 1 || !best || !isSearch || hasDecisions)
    return true;
  triedCommands = 0; // as many again
  const LowerOptions alone = best->choice.lower;
  uint64_t aloneCycles = best->cycles;
  if (!searchRuns(alone))
    return false;
  bool isClear = best->cycles + best->cycles / kClearShare < aloneCycles;
  triedCommands = 0;
  for (bool cascades : {true, false})
    for (uint32_t share : {16, 8, 4, 2, 6, 3, 1}) {
      LowerOptions options = alone;
      options.cores = machine.cores;
      options.dividedLayers = numLayers * share / 16;
      options.cascades = cascades;
      if (isClear && best->choice.lower.rowRuns && share < 16)
        continue;
      if (isDone())
        return true;
      if (!lower(options))
        return false;
      if (!table->usesCores() || isAsBefore())
        continue;
      tryPlans(options, best->choice.plan.prefetch);
    }
  return true;
}

/// Smaller parts of weights, for all layers alike.
bool PlanSearch::searchWeightParts() {
  if (!best)
    return true;
  LowerOptions options = best->choice.lower;
  for (uint64_t share : {1, 4, 8, 16, 32, 64}) {
    if (isDone())
      break;
    options.weightPartBytes = machine.sramBytes / share;
    if (!lower(options))
      return false;
    if (share > 1 && isAsBefore())
      continue;
    std::optional<uint64_t> cycles =
        tryPlans(options, {Prefetch::WhereRoom, Prefetch::WhenBusIsFree});
    // Parts cost commands; smaller ones cost more.
    if (cycles && *cycles > best->cycles + best->cycles / kWorsePartShare)
      break;
  }
  return true;
}

bool PlanSearch::searchSmallest() {
  const isa::Machine whole = machine;
  unsigned kernels = kernelsOf(*given);
  bool fits = true;
  for (; fits && machine.sramBytes >= kLeastSramBytes; machine.sramBytes /= 2) {
    fits = false;
    for (LowerOptions attempt : lowerAttempts(isOptimized(module))) {
      attempt.cascades = true;
      if (!lower(attempt))
        return false;
      if (table->numKernels() > kernels)
        continue;
      if ((fits = tryPlan({attempt, {.prefetch = Prefetch::None}}).has_value()))
        break;
    }
  }
  machine = whole;
  return true;
}

/// The cycles of the best plan of what was lowered, if any fits.
std::optional<uint64_t> PlanSearch::tryPlans(const LowerOptions &options,
                                             ArrayRef<Prefetch> prefetches) {
  static constexpr Prefetch none[] = {Prefetch::None};
  if (!isEnabled(module, Optimization::Prefetch))
    prefetches = none;
  bool isAlternating = isEnabled(module, Optimization::AlternateStores);
  std::optional<uint64_t> least;
  for (unsigned storeSlots = 0; storeSlots <= (isAlternating ? 2 : 0);
       ++storeSlots) {
    std::optional<uint64_t> before = least, cycles;
    for (Prefetch prefetch : prefetches) {
      if (isDone())
        return least;
      cycles = tryPlan({options, {prefetch, storeSlots}});
      if (cycles)
        least = std::min(least.value_or(*cycles), *cycles);
    }
    // What does not fit, or need not wait, does not with longer lives either.
    if (!cycles || (before && *least == *before))
      break;
  }
  return least;
}

/// The SRAM up to the last byte of a buffer.
static uint64_t sramBytesOf(const CommandTable &table, const MemoryPlan &plan) {
  uint64_t sizeBytes = 0;
  for (auto [buffer, address] :
       llvm::zip_equal(table.buffers(), plan.addresses))
    if (buffer.region == isa::kSramRegion)
      sizeBytes = std::max(sizeBytes, address + buffer.sizeBytes);
  return sizeBytes;
}

/// Plans what was lowered; its cycles, or nullopt if it does not fit.
std::optional<uint64_t> PlanSearch::tryPlan(const Choice &choice) {
  leaveIfCancelled();
  std::optional<MemoryPlan> plan = planMemory(*table, machine, choice.plan);
  if (!plan)
    return std::nullopt;
  leaveIfCancelled();
  triedCommands += table->numCommands();
  CommandWaits waits = scheduleWaits(*table, *plan, machine);
  leaveIfCancelled();
  uint64_t cycles = estimateCycles(*table, *plan, waits, machine);
  Planned planned{choice, machine, cycles, sramBytesOf(*table, *plan)};
  if (!best || isBetter(planned, *best))
    best = planned;
  return cycles;
}

/// Trials know the sizes of constants alone.
bool PlanSearch::keepBest() {
  if (best->choice.lower == lowerAttempts(isOptimized(module)).front() &&
      best->machine.sramBytes == machine.sramBytes) {
    module.push_back(given.release());
    module->setAttrs(givenAttributes);
  } else if (!lowerToNpu(module, best->machine, best->choice.lower, streams,
                         diags)) {
    return false;
  }
  return planMemory(module, best->machine, best->choice.plan);
}

bool npu::choosePlan(ModuleOp module, const isa::Machine &machine,
                     const std::string &cache,
                     yarrow::DiagnosticEngine &diags) {
  return PlanSearch(module, machine, cache, diags).run();
}
