//===- yarrow-opt.cpp - Passes on textual IR ------------------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// mlir-opt with the dialects and passes of Yarrow, for tests and for looking
// at a phase on its own.
//
//   yarrow-opt --yarrow-lower=target=X2_1204 --yarrow-plan --yarrow-schedule
//
//===----------------------------------------------------------------------===//
#include "compiler/driver/Process.h"
#include "compiler/tools/OptPasses.h"
#include "dialects/compass/Compass.h"
#include "dialects/npu/Npu.h"
#include "mlir/Tools/mlir-opt/MlirOptMain.h"
#include "mlir/Transforms/Passes.h"
#include "llvm/Support/CommandLine.h"

/// LLVM's shared library registers some hundred options of its back ends and
/// passes when it is loaded, before main. They are not Yarrow's: --help-hidden
/// alone shows them.
static void hideOptionsOfLibraries() {
  for (auto &[name, option] : llvm::cl::getRegisteredOptions())
    if (!name.starts_with("help") && name != "version")
      option->setHiddenFlag(llvm::cl::Hidden);
}

static int runProgram(int argc, char **argv) {
  hideOptionsOfLibraries();
  mlir::DialectRegistry registry;
  yarrow::compass::registerDialects(registry);
  registry.insert<yarrow::npu::NpuDialect>();
  yarrow::registerOptPasses();
  mlir::registerCanonicalizerPass();
  mlir::registerCSEPass();
  return mlir::asMainReturnCode(mlir::MlirOptMain(
      argc, argv,
      "yarrow-opt runs the passes of Yarrow on MLIR text:\n"
      "  yarrow-opt net.mlir --yarrow-lower=target=X2_1204 --yarrow-plan "
      "--yarrow-schedule\n",
      registry));
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
