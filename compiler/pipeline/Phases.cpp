//===- Phases.cpp - The phases of a build as data -------------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "compiler/pipeline/Phases.h"
#include "compiler/pipeline/Passes.h"
#include "passes/Passes.h"
#include "passes/cleanup/Cleanup.h"
#include "support/Cancellation.h"

using namespace yarrow;
using namespace mlir;

namespace {

/// Replaces a network by what another stage makes from it. The old one keeps
/// its operations: what is known of its values stays true of them.
class ReplaceNetwork
    : public PassWrapper<ReplaceNetwork, OperationPass<ModuleOp>> {
public:
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(ReplaceNetwork)
  using Replace = std::function<bool(OwningOpRef<ModuleOp> &)>;
  ReplaceNetwork(StringRef name, Replace replace)
      : name(name), replace(std::move(replace)) {}
  StringRef getName() const override { return name; }

  void runOnOperation() override {
    ModuleOp module = getOperation();
    OwningOpRef<ModuleOp> network =
        ModuleOp::create(module.getLoc(), module.getName());
    takeAll(*network, module);
    bool isDone = false;
    bool isRun = runWithinPause([&] { isDone = replace(network); });
    if (network)
      takeAll(module, *network);
    if (!isRun || !isDone)
      signalPassFailure();
  }

private:
  static void takeAll(ModuleOp to, ModuleOp from) {
    to.getBodyRegion().takeBody(from.getBodyRegion());
    to->setAttrs(from->getAttrDictionary());
  }

  StringRef name;
  Replace replace;
};

/// Records facts about a network in it.
class AnnotateNetwork
    : public PassWrapper<AnnotateNetwork, OperationPass<ModuleOp>> {
public:
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(AnnotateNetwork)
  using Annotate = std::function<bool(ModuleOp)>;
  AnnotateNetwork(StringRef name, Annotate annotate)
      : name(name), annotate(std::move(annotate)) {}
  StringRef getName() const override { return name; }

  void runOnOperation() override {
    bool isDone = false;
    if (!runWithinPause([&] { isDone = annotate(getOperation()); }) || !isDone)
      signalPassFailure();
  }

private:
  StringRef name;
  Annotate annotate;
};

void buildRead(OpPassManager &pm, const PhaseOptions &) {
  pm.addPass(createVerifyNetwork());
}

void buildCleanup(OpPassManager &pm, const PhaseOptions &options) {
  if (options.optimize)
    buildCleanupPipeline(pm, options.disabled);
}

void buildCalibrate(OpPassManager &pm, const PhaseOptions &options) {
  if (!options.calibrate)
    return;
  pm.addPass(std::make_unique<AnnotateNetwork>("Calibrate", options.calibrate));
  pm.addPass(createVerifyRanges());
}

void buildQuantize(OpPassManager &pm, const PhaseOptions &options) {
  if (!options.quantize)
    return;
  pm.addPass(std::make_unique<ReplaceNetwork>("Quantize", options.quantize));
  pm.addPass(createVerifyNetwork());
}

void buildForms(OpPassManager &pm, const PhaseOptions &options) {
  if (options.chooseForms)
    pm.addPass(
        std::make_unique<ReplaceNetwork>("ChooseForms", options.chooseForms));
}

void buildLower(OpPassManager &pm, const PhaseOptions &options) {
  pm.addPass(createLowerToNpu({.target = "", .optimize = options.optimize}));
}

void buildPlan(OpPassManager &pm, const PhaseOptions &options) {
  pm.addPass(createPlanToFit({.cache = options.cache}));
  pm.addPass(createVerifyPlan());
}

void buildSchedule(OpPassManager &pm, const PhaseOptions &) {
  pm.addPass(createScheduleWaits());
  pm.addPass(createVerifySchedule());
}

void buildEmit(OpPassManager &pm, const PhaseOptions &options) {
  pm.addPass(createEmitExecutable({.output = options.output,
                                   .cache = options.cache,
                                   .samples = options.samples,
                                   .profile = options.hasProfile,
                                   .weightFile = options.weightFile}));
}

constexpr Phase kPhases[] = {
#define PHASE(NAME, STOP, BUILD, DESCRIPTION, POST)                            \
  {NAME, STOP, BUILD, DESCRIPTION, POST},
#include "compiler/pipeline/Phases.def"
};

} // namespace

std::span<const Phase> yarrow::phases() { return kPhases; }

std::vector<std::string> yarrow::phasesToStopAfter(Stop command) {
  std::vector<std::string> names;
  for (const Phase &phase : kPhases)
    if (phase.stop == command || phase.stop == Stop::Both)
      names.push_back(phase.name);
  return names;
}

void yarrow::buildPhases(OpPassManager &pm, const PhaseOptions &options) {
  bool isWithin = false;
  for (const Phase &phase : kPhases) {
    isWithin |= phase.name == options.first;
    if (isWithin)
      phase.build(pm, options);
    if (phase.name == options.last)
      return;
  }
}
