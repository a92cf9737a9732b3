//===- Convert.cpp - Networks in integers without samples ---------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "compiler/session/Convert.h"
#include "dialects/compass/Execution.h"
#include "dialects/compass/MlirDiagnostics.h"
#include "passes/cleanup/Cleanup.h"
#include "quantizer/Quantizer.h"
#include "quantizer/prequantized/Prequantized.h"

#include "llvm/ADT/STLExtras.h"

using namespace yarrow;
using session::Call;
using session::Network;
using session::OwnNetwork;

/// What \p convert, which is false after errors, makes of each variant.
static std::shared_ptr<const Network>
converted(std::shared_ptr<const Network> network, const Call &call,
          llvm::function_ref<bool(mlir::ModuleOp)> convert) {
  std::shared_ptr<const Network> result;
  call.run([&] {
    OwnNetwork own(std::move(network));
    if (!llvm::all_of(own.modules(), convert))
      return;
    session::Variants variants = std::move(own.variants);
    result = std::move(own).become(std::move(variants));
  });
  return result;
}

std::shared_ptr<const Network>
session::withOwnIntegers(std::shared_ptr<const Network> network,
                         const PrequantizedOptions &given, const Call &call) {
  return converted(std::move(network), call, [&](mlir::ModuleOp module) {
    return convertPrequantized(module, given, call.diags);
  });
}

std::shared_ptr<const Network>
session::withMadeUpRanges(std::shared_ptr<const Network> network,
                          const Call &call) {
  return converted(std::move(network), call, [&](mlir::ModuleOp module) {
    recordLayerIds(module);
    return runCleanup(module, call.diags) &&
           quantizeModule(module, Calibration::madeUp(), QuantizerOptions(),
                          call.diags) &&
           compass::checkExecutable(module, call.diags) &&
           compass::checkKernels(module, /*mustRun=*/true, call.diags);
  });
}
