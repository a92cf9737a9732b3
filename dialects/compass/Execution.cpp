//===- Execution.cpp - Which layers can be computed -----------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "dialects/compass/Execution.h"
#include "dialects/compass/Compass.h"
#include "dialects/compass/Compat.h"
#include "dialects/compass/Layers.h"
#include "dialects/compass/MlirDiagnostics.h"
#include "dialects/compass/Records.h"
#include "dialects/compass/ZeroPoints.h"
#include "support/diagnostics/Operators.h"

using namespace yarrow;
using namespace yarrow::compass;
using namespace mlir;

bool compass::isExecutable(Operation *op) {
  auto hasNoKernels = [](Type type) {
    TensorInfo info = describe(type);
    return info.dtype == DType::F64 || info.dtype == DType::U64;
  };
  // Of stored real numbers, one or the other form is chosen for each layer.
  bool isChosen = computesStoredReals(op) && isComputed(op, /*integer=*/true);
  return (isChosen || isComputed(op, isIntegerLayer(op))) &&
         llvm::none_of(op->getOperandTypes(), hasNoKernels) &&
         llvm::none_of(op->getResultTypes(), hasNoKernels);
}

std::vector<Operation *> compass::notExecutable(ModuleOp module) {
  std::vector<Operation *> found;
  module.walk([&](CompassOp layer) {
    if (!isExecutable(layer))
      found.push_back(layer);
  });
  return found;
}

bool compass::checkExecutable(ModuleOp module,
                              yarrow::DiagnosticEngine &diags) {
  std::vector<Operation *> layers = notExecutable(module);
  for (Operation *op : layers) {
    const OperatorRecord *record = recordOf(op);
    const KeyRecord *key = record->methodKey();
    std::string what = record->layerType.str();
    if (key && !record->methods.empty())
      what += " " + wordKey(op, WordKey(*key), key->defaultText);
    diags
        .report(diag::OpNotExecutable,
                placeOf(op->getLoc(), key ? key->name : ""),
                what + (isIntegerLayer(op) ? " in integer IR" : "") +
                    " is known, but cannot be executed yet")
        .hint("`yarrow ops` lists the forms that can be executed");
  }
  return layers.empty();
}

/// Layers that multiply by weights add their zero point (weightConstants); no
/// other one does.
static LogicalResult checkWeightZeroPoint(Operation *op) {
  const OperatorRecord *record = recordOf(op);
  if (!isIntegerLayer(op) || !tensorKey(op, keys::weights) ||
      op->hasTrait<trait::Linear>())
    return success();
  if (!hasWeightZeroPoint(op))
    return success();
  return layerError(op, diag::OpUnsupported, "weights_zp",
                    "a zero point of the weights is not supported yet in " +
                        record->layerType)
      .expected("0");
}

bool compass::checkKernels(ModuleOp module, bool mustRun,
                           yarrow::DiagnosticEngine &diags) {
  // Which kernels compute it, quantizer/prequantized decides.
  if (isCompat(module))
    return true;
  yarrow::DiagnosticEngine found;
  {
    DiagnosticForwarder forward(module.getContext(), found,
                                diag::OpFormNotExecutable);
    module.walk([&](CompassOp layer) {
      if (!layer->hasTrait<trait::Source>() && isExecutable(layer) &&
          succeeded(programOf(layer)))
        (void)checkWeightZeroPoint(layer);
    });
  }
  bool ok = true;
  for (yarrow::Diagnostic d : found.all()) {
    // What no kernel does yet is no fault of the network.
    if (d.id == diag::OpUnsupported && !mustRun)
      d.id = diag::OpFormNotExecutable;
    ok &= !d.isError();
    diags.add(std::move(d));
  }
  return ok;
}
