//===- CheckCost.cpp - The compiler's costs are the simulator's -----------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// Three figures of every engine command: what the cost model says of the op
// that the compiler scheduled, what it says of the descriptor that the device
// decoded, and the cycles that the device's clock took. And two of every
// convolution: what the tiling counted on when it chose the cut, and what the
// device needed for the layer.
//
//===----------------------------------------------------------------------===//
#include "compiler/pipeline/Compile.h"
#include "dialects/npu/Commands.h"
#include "dialects/npu/ControlFlow.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "runtime/SimulatedDevice.h"
#include "test/TemporaryFile.h"
#include "test/conformance/Stages.h"
#include <set>

using namespace yarrow;
using namespace yarrow::conformance;

namespace {
struct Planned {
  isa::CommandCost cost;
  int64_t layer;
};

class CostComparison final : public sim::ExecutionObserver {
public:
  CostComparison(mlir::ModuleOp scheduled, const isa::Machine &machine);

  void engineCommand(const sim::EngineEvent &event) override;
  /// The first difference, or "".
  std::string finish();
  size_t numCommands() const { return commands; }
  size_t numTilings() const { return tilings.size(); }

private:
  void differ(const sim::EngineEvent &event, const std::string &what);
  void compareTilings();

  std::array<std::vector<Planned>, isa::kNumQueues> planned;
  std::vector<mlir::DictionaryAttr> tilings;
  int64_t numLayers = 0;
  std::map<int64_t, isa::WorkCost> done; ///< By layer.
  size_t commands = 0;
  std::string difference;
};
} // namespace

CostComparison::CostComparison(mlir::ModuleOp scheduled,
                               const isa::Machine &machine) {
  auto main = scheduled.lookupSymbol<mlir::func::FuncOp>(npu::kMainFunction);
  npu::forEachCommand(main, [&](mlir::Operation *op) {
    if (auto descriptor = npu::descriptorOf(op))
      planned[unsigned(*npu::unitOf(op))].push_back(
          {isa::costOf(*descriptor, machine),
           op->getAttrOfType<mlir::IntegerAttr>(npu::kLayerAttr).getInt()});
  });
  if (auto table = scheduled->getAttrOfType<mlir::ArrayAttr>(npu::kLayersAttr))
    numLayers = int64_t(table.size());
  for (mlir::Attribute tiling :
       scheduled->getAttrOfType<mlir::ArrayAttr>(npu::kTilingsAttr))
    tilings.push_back(mlir::cast<mlir::DictionaryAttr>(tiling));
}

void CostComparison::differ(const sim::EngineEvent &event,
                            const std::string &what) {
  if (difference.empty())
    difference = std::string(isa::name(event.queue)) + " command " +
                 std::to_string(event.ordinal) + " (" +
                 std::string(isa::mnemonicOf(*event.descriptor)) + "): " + what;
}

void CostComparison::engineCommand(const sim::EngineEvent &event) {
  ++commands;
  const std::vector<Planned> &queue = planned[unsigned(event.queue)];
  if (event.ordinal >= queue.size())
    return differ(event, "the compiler did not plan it");
  const Planned &plan = queue[event.ordinal];
  if (plan.cost != event.cost)
    differ(event, std::to_string(event.cost.aloneCycles()) +
                      " cycles, planned were " +
                      std::to_string(plan.cost.aloneCycles()));
  // The bus may be busy with others; the engine's own work takes what it takes.
  uint64_t took = event.endCycle - event.startCycle;
  bool isAlone = event.cost.ddrCycles == 0;
  if (took < event.cost.aloneCycles() ||
      (isAlone && took > event.cost.aloneCycles()))
    differ(event, "took " + std::to_string(took) + " cycles, its cost is " +
                      std::to_string(event.cost.aloneCycles()));
  done[plan.layer].add(event.queue, event.cost);
}

void CostComparison::compareTilings() {
  constexpr const char *kQueueKeys[] = {"tensor_cycles", "load_cycles",
                                        "store_cycles"};
  std::map<int64_t, isa::WorkCost> chosen;
  std::set<int64_t> hasOtherSteps; // with copies of their own
  for (mlir::DictionaryAttr tiling : tilings) {
    auto number = [&](llvm::StringRef key) {
      return uint64_t(tiling.getAs<mlir::IntegerAttr>(key).getInt());
    };
    isa::WorkCost &work = chosen[int64_t(number("layer"))];
    if (!tiling.getAs<mlir::BoolAttr>("is_whole_layer").getValue())
      hasOtherSteps.insert(int64_t(number("layer")));
    for (unsigned i = 0; i < isa::kNumQueues; ++i)
      work.queueCycles[i] += number(kQueueKeys[i]);
    work.ddrBytes += number("ddr_bytes");
  }
  for (const auto &[layer, work] : chosen) {
    auto same = [&, layer = layer](const char *key, uint64_t planned,
                                   uint64_t found) {
      if (planned != found && difference.empty())
        difference = "layer " + std::to_string(layer) + ": " + key + " are " +
                     std::to_string(found) + ", the tiling counted on " +
                     std::to_string(planned);
    };
    const isa::WorkCost &executed = done[layer];
    same(kQueueKeys[0], work.queueCycles[0], executed.queueCycles[0]);
    // Copies of the network's outputs belong to the last layer.
    if (layer + 1 == numLayers || hasOtherSteps.count(layer))
      continue;
    for (unsigned i = 1; i < isa::kNumQueues; ++i)
      same(kQueueKeys[i], work.queueCycles[i], executed.queueCycles[i]);
    same("ddr_bytes", work.ddrBytes, executed.ddrBytes);
  }
}

std::string CostComparison::finish() {
  size_t all = 0;
  for (const auto &queue : planned)
    all += queue.size();
  if (difference.empty() && commands != all)
    difference = std::to_string(commands) + " commands were executed, " +
                 std::to_string(all) + " were planned";
  if (difference.empty())
    compareTilings();
  return difference;
}

/// The first difference on a target, or "" and what was compared in \p counts.
static std::string compareOn(const std::string &target, mlir::ModuleOp network,
                             DiagnosticEngine &diags,
                             std::pair<size_t, size_t> &counts) {
  auto machine = isa::findTarget(target, diags);
  testing::TemporaryFile file;
  if (!machine || !compileNetwork(network, *machine, {}, file.path(), diags))
    return "";
  auto scheduled = compileUntil(network, *machine, {}, "schedule", diags);
  auto executable = runtime::Executable::open(file.path(), diags);
  if (!scheduled || !executable)
    return "";
  runtime::SimulationOptions options;
  options.timed = true;
  auto session = runtime::simulatedSession(executable, options, diags);
  if (!session)
    return "";
  for (size_t i = 0; i < executable->inputs().size(); ++i) {
    // The engines' cycles do not depend on values.
    std::vector<std::byte> zeros(executable->inputs()[i].sizeBytes);
    if (!session->setInput(i, zeros, diags))
      return "";
  }
  CostComparison comparison(*scheduled, *machine);
  session->device().observe(&comparison);
  if (!session->run(diags))
    return "";
  counts.first += comparison.numCommands();
  counts.second += comparison.numTilings();
  return comparison.finish();
}

Outcome conformance::checkCost(const Pack &pack, const Options &options) {
  mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
  Outcome outcome;
  auto module = readPack(context, pack, "int", outcome);
  if (!module)
    return outcome;
  std::pair<size_t, size_t> counts;
  for (const std::string &target : options.targets) {
    DiagnosticEngine diags;
    std::string difference = compareOn(target, *module, diags, counts);
    if (diags.numErrors()) {
      outcome = outcomeOf(diags);
      outcome.text = target + ": " + outcome.text;
      return outcome;
    }
    if (!difference.empty())
      return Outcome::fail(target + ": " + difference);
  }
  outcome.text = std::to_string(counts.first) + " commands and " +
                 std::to_string(counts.second) + " tilings agree";
  return outcome;
}
