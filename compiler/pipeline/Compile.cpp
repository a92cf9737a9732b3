//===- Compile.cpp - From integer IR to an executable ---------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "compiler/pipeline/Compile.h"
#include "codegen/ElfWriter.h"
#include "codegen/Emit.h"
#include "compiler/pipeline/ModuleFile.h"
#include "compiler/pipeline/Passes.h"
#include "dialects/compass/Compass.h"
#include "dialects/compass/Execution.h"
#include "dialects/compass/ExtraKeys.h"
#include "dialects/compass/MlirDiagnostics.h"
#include "dialects/compass/Records.h"
#include "dialects/compass/Tensors.h"
#include "dialects/compass/graph/Graphs.h"
#include "dialects/compass/graph/ModelNames.h"
#include "dialects/npu/ControlFlow.h"
#include "mlir/Pass/PassManager.h"
#include "passes/lower/describe/LayerTable.h"
#include "quantizer/rules/FloatReason.h"
#include "support/Cancellation.h"
#include "support/Format.h"
#include "support/diagnostics/Compiler.h"
#include "support/diagnostics/Settings.h"

#include "llvm/ADT/STLExtras.h"

using namespace yarrow;
using namespace mlir;

/// What multiplications take if nothing else keeps the machine waiting.
static std::string bestCase(int64_t macs, int64_t perCycle, const char *of) {
  return formatCount(llvm::divideCeil(macs, perCycle)) + " cycles for " +
         formatCount(macs) + " " + of + " multiplications at best, " +
         std::to_string(perCycle) + " a cycle";
}

/// Whether the network was quantized, if not all of it.
static bool isMixed(ModuleOp network) {
  return network
      .walk([](compass::CompassOp layer) {
        for (Value result : layer->getResults())
          if (compass::describe(result).isQuantized())
            return WalkResult::interrupt();
        return WalkResult::advance();
      })
      .wasInterrupted();
}

/// Of a layer of a network that was quantized.
static std::string whyInFloats(Operation *op, bool cameInFloats) {
  if (std::string reason = floatReasonOf(op); !reason.empty())
    return reason;
  // No setting gives it one.
  if (compass::recordOf(op)->intKernels.empty())
    return "the operator has no integer form";
  if (op->hasTrait<compass::trait::MovesOnly>())
    return "moves floats";
  // Of files from before they said it, and of other tools.
  if (cameInFloats)
    return "kept in floats for accuracy by adapt_to_functions or "
           "trigger_float_op";
  if (compass::extraText(op, "unquantifiable").equals_insensitive("true"))
    return "marked unquantifiable in the IR, without a reason";
  // Of models with integers of their own.
  return "in floats in the model, which has no scales for it; `yarrow build -c "
         "samples.npy` finds scales";
}

/// Of a network that was quantized: which layers stay in floats, and why.
static std::string whyInFloats(ModuleOp network,
                               const std::vector<Operation *> &floats) {
  constexpr std::size_t kNamed = 4, kReasons = 4;
  bool cameInFloats = compass::cameInFloats(network);
  // In the order of the network.
  std::vector<std::pair<std::string, std::vector<Operation *>>> byReason;
  for (Operation *op : floats) {
    std::string reason = whyInFloats(op, cameInFloats);
    auto known = llvm::find_if(
        byReason, [&](const auto &entry) { return entry.first == reason; });
    if (known == byReason.end())
      known = byReason.insert(known, {std::move(reason), {}});
    known->second.push_back(op);
  }
  std::string text = "these layers stay in floats: ";
  std::size_t reported = 0;
  for (const auto &[reason, layers] : ArrayRef(byReason).take_front(kReasons)) {
    text += reported ? "; " : "";
    for (auto [i, op] : llvm::enumerate(ArrayRef(layers).take_front(kNamed)))
      text += (i ? ", " : "") + compass::layerNameOf(op).str() + " (" +
              compass::recordOf(op)->layerType.str() + ")";
    if (layers.size() > kNamed)
      text += " and " + std::to_string(layers.size() - kNamed) + " more";
    text += ": " + reason;
    reported += layers.size();
  }
  if (reported < floats.size())
    text += "; and " + std::to_string(floats.size() - reported) +
            " for other reasons";
  return text;
}

/// Float layers run, but not as fast as somebody may expect who forgot to
/// quantize. Borders of a mixed network (Quantize, DeQuantize) do not count.
static void warnOfFloat(ModuleOp network, const isa::Machine &machine,
                        yarrow::DiagnosticEngine &diags) {
  unsigned numLayers = 0;
  int64_t macs = 0;
  std::vector<Operation *> floats;
  network.walk([&](compass::CompassOp layer) {
    Operation *op = layer;
    if (op->getNumOperands() == 0 || op->getNumResults() == 0)
      return;
    ++numLayers;
    if (!compass::describe(op->getOperand(0)).isFloat() ||
        !compass::describe(op->getResult(0)).isFloat())
      return;
    macs += npu::describeLayer(op, nullptr).macs;
    floats.push_back(op);
  });
  if (floats.empty())
    return;
  Operation *first = floats.front();
  yarrow::Diagnostic &d =
      diags
          .report(diag::CompileFloat, compass::placeOf(first->getLoc()),
                  std::to_string(floats.size()) + " of " +
                      std::to_string(numLayers) +
                      " layers are float and run only on the TECs; this is the "
                      "first")
          .hint(isMixed(network) ? whyInFloats(network, floats)
                                 : "`yarrow quantize` writes integer IR, which "
                                   "the tensor engine computes");
  constexpr uint32_t kFloatBits = 32; // halves are widened
  if (macs > 0)
    d.found(bestCase(macs,
                     machine.tecs * machine.tec.vectorDatapathBits / kFloatBits,
                     "float"))
        .expected(bestCase(macs, machine.macsPerCycle(), "integer"));
}

void yarrow::warnOfIdleCores(const isa::Machine &machine, bool usesSeveral,
                             yarrow::DiagnosticEngine &diags) {
  if (machine.cores > 1 && !usesSeveral)
    diags
        .report(diag::TargetPartlyUsed, {},
                "the executable uses one of the " +
                    std::to_string(machine.cores) + " cores of target " +
                    machine.name)
        .hint("cycles and the use of the MAC array are those of one core");
}

static void attach(const PassInstruments &instruments, PassManager &pm) {
  if (instruments.timing)
    pm.enableTiming();
  if (instruments.irFolder.empty())
    return;
  pm.enableIRPrintingToFileTree(
      /*shouldPrintBeforePass=*/nullptr,
      /*shouldPrintAfterPass=*/[](Pass *, Operation *) { return true; },
      /*printModuleScope=*/true, /*printAfterOnlyOnChange=*/true,
      /*printAfterOnlyOnFailure=*/false, instruments.irFolder,
      printingFlags(ModuleForm::Brief));
}

/// Runs \p phases on a copy of the network; null after errors.
static OwningOpRef<ModuleOp> runPhases(ModuleOp network,
                                       const isa::Machine &machine,
                                       const CompileOptions &options,
                                       PhaseOptions phases,
                                       yarrow::DiagnosticEngine &diags) {
  OwningOpRef<ModuleOp> module = cast<ModuleOp>(network->clone());
  npu::setMachine(*module, machine);
  npu::setOptimized(*module, options.optimize);
  npu::setDisabled(*module, options.disabled);
  npu::setFootprint(*module, options.isFootprintWanted);
  phases.optimize = options.optimize;
  phases.disabled = options.disabled;
  phases.chooseForms = options.chooseForms;
  phases.cache = options.cache;
  phases.samples = options.samples;
  phases.hasProfile = options.hasProfile;
  phases.weightFile = options.weightFile;
  compass::DiagnosticForwarder forward(module->getContext(), diags,
                                       diag::CompileFailed);
  PassManager pm(module->getContext());
  attach(options.instruments, pm);
  if (!options.dumpNpuPath.empty() && phases.last == "emit") {
    phases.last = "schedule";
    buildPhases(pm, phases);
    pm.addPass(createWriteModule(
        {.output = options.dumpNpuPath, .withoutWeights = true}));
    phases.first = phases.last = "emit";
  }
  buildPhases(pm, phases);
  bool isDone = false;
  {
    // MLIR has no exceptions, which would have to pass its frames.
    CancellationPause library;
    isDone = succeeded(pm.run(*module));
  }
  leaveIfCancelled();
  return isDone ? std::move(module) : nullptr;
}

/// Inputs and outputs alone may be too much: that is known before any plan is
/// searched.
static bool hasRoomForEnds(ModuleOp network, yarrow::DiagnosticEngine &diags) {
  func::FuncOp graph = compass::mainGraph(network);
  SmallVector<Value> ends = compass::graphInputs(graph);
  llvm::append_range(ends, compass::graphOutputs(graph));
  uint64_t sizeBytes = 0;
  for (Value end : ends)
    sizeBytes += compass::describe(end).sizeBytes();
  return fitsDeviceMemory(
      sizeBytes, "inputs and outputs are " + formatBytes(sizeBytes), diags);
}

/// Whether there is any use in compiling \p network.
static bool canCompile(ModuleOp network, yarrow::DiagnosticEngine &diags) {
  return compass::checkExecutable(network, diags) &&
         hasRoomForEnds(network, diags);
}

bool yarrow::compileNetwork(ModuleOp network, const isa::Machine &machine,
                            const CompileOptions &options,
                            const std::string &path,
                            yarrow::DiagnosticEngine &diags,
                            CompileResult *result) {
  if (!canCompile(network, diags))
    return false;
  warnOfFloat(network, machine, diags);
  OwningOpRef<ModuleOp> module =
      runPhases(network, machine, options, {.output = path}, diags);
  if (!module)
    return false;
  warnOfIdleCores(machine,
                  options.samples > 1 ||
                      npu::usesCores(module->lookupSymbol<func::FuncOp>(
                          npu::kMainFunction)),
                  diags);
  if (result)
    *result = {npu::memoryUseOf(*module), npu::countCommands(*module)};
  return true;
}

namespace {
/// A network for each of several shapes, scheduled.
struct ScheduledNetworks {
  SmallVector<OwningOpRef<ModuleOp>> owners;
  SmallVector<ModuleOp> modules;
  bool usesSeveralCores = false;

  CompileResult result() const {
    return {npu::memoryUseOf(modules.back()),
            npu::countCommands(modules.back())};
  }
};
} // namespace

/// Nullopt after errors.
static std::optional<ScheduledNetworks>
scheduleAll(ArrayRef<ModuleOp> networks, const isa::Machine &machine,
            const CompileOptions &options, yarrow::DiagnosticEngine &diags) {
  assert(!networks.empty() && (networks.size() == 1 || options.samples == 1));
  for (ModuleOp network : networks)
    if (!canCompile(network, diags))
      return std::nullopt;
  warnOfFloat(networks.back(), machine, diags);
  ScheduledNetworks all;
  for (ModuleOp network : networks) {
    all.owners.push_back(
        runPhases(network, machine, options, {.last = "schedule"}, diags));
    if (!all.owners.back())
      return std::nullopt;
    all.modules.push_back(*all.owners.back());
    all.usesSeveralCores |= npu::usesCores(
        all.modules.back().lookupSymbol<func::FuncOp>(npu::kMainFunction));
  }
  return all;
}

static EmitOptions emitOptions(const CompileOptions &options) {
  return {options.cache, options.samples, options.hasProfile,
          options.weightFile};
}

bool yarrow::compileVariants(ArrayRef<ModuleOp> networks,
                             const isa::Machine &machine,
                             const CompileOptions &options,
                             const std::string &path,
                             yarrow::DiagnosticEngine &diags,
                             CompileResult *result) {
  auto all = scheduleAll(networks, machine, options, diags);
  if (!all)
    return false;
  if (!options.dumpNpuPath.empty() &&
      !writeModule(all->modules.back(), options.dumpNpuPath, ModuleForm::Brief,
                   diags))
    return false;
  if (!emitExecutable(all->modules, machine, path, emitOptions(options), diags))
    return false;
  warnOfIdleCores(machine, all->usesSeveralCores, diags);
  if (result)
    *result = all->result();
  return true;
}

std::optional<std::string> yarrow::compileInMemory(
    ArrayRef<ModuleOp> networks, const isa::Machine &machine,
    const CompileOptions &options, yarrow::DiagnosticEngine &diags,
    CompileResult *result) {
  assert(options.weightFile.empty() && options.dumpNpuPath.empty());
  auto all = scheduleAll(networks, machine, options, diags);
  if (!all)
    return std::nullopt;
  auto bytes =
      executableInMemory(all->modules, machine, emitOptions(options), diags);
  if (!bytes)
    return std::nullopt;
  warnOfIdleCores(machine, options.samples > 1 || all->usesSeveralCores, diags);
  if (result)
    *result = all->result();
  return bytes;
}

std::optional<std::string> yarrow::compileToRun(ModuleOp network,
                                                const isa::Machine &machine,
                                                const CompileOptions &options,
                                                yarrow::DiagnosticEngine &diags,
                                                bool isTrial) {
  OwningOpRef<ModuleOp> scheduled =
      compileUntil(network, machine, options, "schedule", diags);
  if (!scheduled)
    return std::nullopt;
  EmitOptions emit;
  emit.cache = options.cache;
  emit.isTrial = isTrial;
  return executableInMemory({*scheduled}, machine, emit, diags);
}

OwningOpRef<ModuleOp> yarrow::compileUntil(ModuleOp network,
                                           const isa::Machine &machine,
                                           const CompileOptions &options,
                                           const std::string &last,
                                           yarrow::DiagnosticEngine &diags) {
  // What was read can be looked at even if nothing computes it.
  if (last != "read" && !canCompile(network, diags))
    return nullptr;
  return runPhases(network, machine, options, {.last = last}, diags);
}
