//===- OptPasses.cpp - The phases as passes of yarrow-opt -----------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "compiler/tools/OptPasses.h"
#include "dialects/compass/Compass.h"
#include "dialects/npu/Npu.h"
#include "isa/Machine.h"
#include "mlir/Pass/Pass.h"
#include "mlir/Pass/PassRegistry.h"
#include "passes/cleanup/Cleanup.h"
#include "passes/lower/Lower.h"
#include "passes/plan/Plan.h"
#include "passes/schedule/Schedule.h"
#include "passes/winograd/ExactForm.h"

using namespace mlir;
using namespace yarrow;

namespace {

/// A phase with the machine as its option. Coded diagnostics become MLIR's.
template <typename Derived>
struct PhasePass : PassWrapper<Derived, OperationPass<ModuleOp>> {
  PhasePass() = default;
  PhasePass(const PhasePass &other)
      : PassWrapper<Derived, OperationPass<ModuleOp>>(other) {}

  void getDependentDialects(DialectRegistry &registry) const override {
    yarrow::compass::registerDialects(registry);
    registry.insert<npu::NpuDialect>();
  }
  void runOnOperation() override {
    yarrow::DiagnosticEngine diags;
    auto machine = yarrow::isa::findTarget(target, diags);
    if (machine)
      static_cast<Derived *>(this)->runPhase(*machine, diags);
    for (const yarrow::Diagnostic &d : diags.all())
      this->getOperation()->emitError(d.str());
    if (diags.hasErrors())
      this->signalPassFailure();
  }

  Pass::Option<std::string> target{*this, "target",
                                   llvm::cl::desc("Machine to compile for"),
                                   llvm::cl::init("X2_1204")};
};

struct Lower : PhasePass<Lower> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(Lower)
  Lower() = default;
  Lower(const Lower &other) : PhasePass<Lower>(other) {}
  StringRef getArgument() const override { return "yarrow-lower"; }
  StringRef getDescription() const override {
    return "Turn integer Compass layers into npu commands";
  }
  void runPhase(const yarrow::isa::Machine &machine,
                yarrow::DiagnosticEngine &diags) {
    npu::LowerOptions options;
    options.fuseResidual = options.stageKernels = optimize;
    if (!optimize)
      options.residentFraction = 0;
    ModuleOp module = getOperation();
    OwningOpRef<ModuleOp> lowered =
        npu::lowerToNpu(module, machine, options, diags);
    if (!lowered)
      return;
    module.getBodyRegion().takeBody(lowered->getBodyRegion());
    module->setAttrs((*lowered)->getAttrDictionary());
  }
  Option<bool> optimize{*this, "optimize",
                        llvm::cl::desc("Fuse, keep tensors in SRAM"),
                        llvm::cl::init(true)};
};

struct Plan : PhasePass<Plan> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(Plan)
  Plan() = default;
  Plan(const Plan &other) : PhasePass<Plan>(other) {}
  StringRef getArgument() const override { return "yarrow-plan"; }
  StringRef getDescription() const override {
    return "Give npu buffers addresses and move loads ahead";
  }
  void runPhase(const yarrow::isa::Machine &machine,
                yarrow::DiagnosticEngine &diags) {
    if (!npu::planMemory(getOperation(), machine, {prefetch}).fits)
      diags.report(DiagId::CompileFailed, {},
                   "the buffers do not fit the SRAM of " + machine.name);
  }
  Option<bool> prefetch{*this, "prefetch", llvm::cl::desc("Move loads ahead"),
                        llvm::cl::init(true)};
};

struct Schedule : PhasePass<Schedule> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(Schedule)
  StringRef getArgument() const override { return "yarrow-schedule"; }
  StringRef getDescription() const override {
    return "Make commands wait for each other, and verify that";
  }
  void runPhase(const yarrow::isa::Machine &machine,
                yarrow::DiagnosticEngine &diags) {
    npu::scheduleWaits(getOperation(), machine);
    std::string violation = npu::verifySchedule(getOperation(), machine);
    if (!violation.empty())
      diags.report(DiagId::CompileFailed, {}, "the schedule has a hazard")
          .found(violation);
  }
};

} // namespace

void yarrow::registerOptPasses() {
  registerPass([] { return createFoldIntoWeightsPass(); });
  registerPass([] { return createFuseActivationsPass(); });
  registerPass([] { return createSinkTransposesPass(); });
  registerPass([] { return createDropIdentitiesPass(); });
  registerPass([] { return createFoldConstantsPass(); });
  registerPass([] { return createExactWinogradPass(); });
  PassPipelineRegistration<>("yarrow-cleanup",
                             "Make a network smaller that computes the same",
                             buildCleanupPipeline);
  PassRegistration<Lower>();
  PassRegistration<Plan>();
  PassRegistration<Schedule>();
}
