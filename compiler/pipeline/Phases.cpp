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

/// Another stage's function as a pass.
class ChooseForms : public PassWrapper<ChooseForms, OperationPass<ModuleOp>> {
public:
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(ChooseForms)
  using Decide = decltype(PhaseOptions::chooseForms);
  explicit ChooseForms(Decide decide) : decide(std::move(decide)) {}
  StringRef getName() const override { return "ChooseForms"; }

  void runOnOperation() override {
    ModuleOp module = getOperation();
    OwningOpRef<ModuleOp> network = cast<ModuleOp>(module->clone());
    bool isDecided = false;
    if (!runWithinPause([&] { isDecided = decide(network); }) || !isDecided)
      return signalPassFailure();
    module.getBodyRegion().takeBody(network->getBodyRegion());
    module->setAttrs((*network)->getAttrDictionary());
  }

private:
  Decide decide;
};

void buildCleanup(OpPassManager &pm, const PhaseOptions &options) {
  if (options.optimize)
    buildCleanupPipeline(pm, options.disabled);
}

void buildForms(OpPassManager &pm, const PhaseOptions &options) {
  if (options.chooseForms)
    pm.addPass(std::make_unique<ChooseForms>(options.chooseForms));
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

void yarrow::buildPhases(OpPassManager &pm, const PhaseOptions &options) {
  bool isWithin = false;
  for (const Phase &phase : kPhases) {
    isWithin |= phase.name == options.first;
    if (isWithin && phase.build)
      phase.build(pm, options);
    if (phase.name == options.last)
      return;
  }
}
