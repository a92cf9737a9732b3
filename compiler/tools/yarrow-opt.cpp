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
#include "compiler/tools/OptPasses.h"
#include "dialects/compass/Compass.h"
#include "dialects/npu/Npu.h"
#include "mlir/Tools/mlir-opt/MlirOptMain.h"
#include "mlir/Transforms/Passes.h"

int main(int argc, char **argv) {
  mlir::DialectRegistry registry;
  yarrow::compass::registerDialects(registry);
  registry.insert<yarrow::npu::NpuDialect>();
  yarrow::registerOptPasses();
  mlir::registerCanonicalizerPass();
  mlir::registerCSEPass();
  return mlir::asMainReturnCode(
      mlir::MlirOptMain(argc, argv, "Yarrow's dialects and passes", registry));
}
