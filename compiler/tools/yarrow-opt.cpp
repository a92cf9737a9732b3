//===- yarrow-opt.cpp - Passes on textual IR ------------------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// mlir-opt with the dialects and passes of Yarrow: a phase on its own, or the
// way on from what `yarrow compile --stop-after` wrote.
//
//   yarrow-opt --yarrow-lower=target=X2_1204 --yarrow-plan --yarrow-schedule
//   yarrow-opt net.mlir --yarrow-quantize="samples=calibration.npy
//   set=weight_bits=4" yarrow-opt lowered.mlirbc --yarrow-compile="after=lower
//   output=aipu.bin"
//
//===----------------------------------------------------------------------===//
#include "compiler/driver/Process.h"
#include "compiler/pipeline/Passes.h"
#include "compiler/pipeline/Phases.h"
#include "compiler/plugin/Plugin.h"
#include "compiler/session/Passes.h"
#include "dialects/compass/Compass.h"
#include "dialects/npu/Npu.h"
#include "mlir/Pass/PassRegistry.h"
#include "mlir/Tools/mlir-opt/MlirOptMain.h"
#include "mlir/Transforms/Passes.h"
#include "passes/Passes.h"
#include "passes/cleanup/Cleanup.h"
#include "llvm/Support/CommandLine.h"

#include <iostream>

/// LLVM's shared library registers some hundred options of its back ends and
/// passes when it is loaded, before main. They are not Yarrow's: --help-hidden
/// alone shows them.
static void hideOptionsOfLibraries() {
  for (auto &[name, option] : llvm::cl::getRegisteredOptions())
    if (!name.starts_with("help") && name != "version")
      option->setHiddenFlag(llvm::cl::Hidden);
}

namespace {
struct RestOptions : mlir::PassPipelineOptions<RestOptions> {
  Option<std::string> after{
      *this, "after", llvm::cl::desc("The phase that the module comes from"),
      llvm::cl::init("read")};
  Option<std::string> output{*this, "output",
                             llvm::cl::desc("The executable to write"),
                             llvm::cl::init("")};
  Option<bool> optimize{
      *this, "optimize",
      llvm::cl::desc(
          "Clean up a module of the phase read; later modules record it"),
      llvm::cl::init(true)};
};

/// Pipelines are built without a way to fail: this one does when it runs.
class UnknownPhase
    : public mlir::PassWrapper<UnknownPhase,
                               mlir::OperationPass<mlir::ModuleOp>> {
public:
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(UnknownPhase)
  explicit UnknownPhase(std::string phase) : phase(std::move(phase)) {}

  void runOnOperation() override {
    std::string names;
    for (const yarrow::Phase &known : yarrow::phases())
      if (known.stop != yarrow::Stop::None)
        names += (names.empty() ? "" : ", ") + std::string(known.name);
    getOperation()->emitError("there is no phase '" + phase + "'; expected " +
                              names);
    signalPassFailure();
  }

private:
  std::string phase;
};
} // namespace

/// The phases that follow a phase.
static void buildRest(mlir::OpPassManager &pm, const RestOptions &options) {
  auto phases = yarrow::phases();
  auto after = llvm::find_if(phases, [&](const yarrow::Phase &phase) {
    return phase.stop != yarrow::Stop::None && options.after == phase.name;
  });
  if (after == phases.end())
    pm.addPass(std::make_unique<UnknownPhase>(options.after));
  else
    yarrow::buildPhases(pm, {.first = std::next(after)->name,
                             .optimize = options.optimize,
                             .output = options.output});
}

static void registerPasses() {
  yarrow::registerYarrowPasses();
  yarrow::registerYarrowPipelinePasses();
  yarrow::session::registerYarrowSessionPasses();
  mlir::PassPipelineRegistration<>(
      "yarrow-cleanup", "Simplify a network without changing what it computes",
      [](mlir::OpPassManager &pm) { yarrow::buildCleanupPipeline(pm); });
  mlir::PassPipelineRegistration<RestOptions>(
      "yarrow-compile",
      "Continue from a phase to the executable, as `yarrow compile` does",
      buildRest);
  mlir::registerCanonicalizerPass();
  mlir::registerCSEPass();
}

static int runProgram(int argc, char **argv) {
  hideOptionsOfLibraries();
  mlir::DialectRegistry registry;
  yarrow::compass::registerDialects(registry);
  registry.insert<yarrow::npu::NpuDialect>();
  registerPasses();
  llvm::cl::list<std::string> plugins(
      "plugin", llvm::cl::value_desc("FILE"),
      llvm::cl::desc("Add an operator of your own, as for `yarrow`"));
  auto [input, output] = mlir::registerAndParseCLIOptions(
      argc, argv,
      "yarrow-opt runs the passes of Yarrow on MLIR text:\n"
      "  yarrow-opt net.mlir --yarrow-lower=target=X2_1204 --yarrow-plan "
      "--yarrow-schedule\n",
      registry);
  yarrow::DiagnosticEngine diags;
  for (const std::string &file : plugins)
    yarrow::loadPlugin(file, diags);
  diags.print(std::cerr);
  if (diags.hasErrors())
    return 1;
  return mlir::asMainReturnCode(
      mlir::MlirOptMain(argc, argv, input, output, registry));
}

int main(int argc, char **argv) {
  yarrow::prepareProcess();
  try {
    return runProgram(argc, argv);
  } catch (const std::exception &exception) {
    yarrow::endAfter(exception);
    throw;
  }
}
