//===- Quantizer.cpp - From a float network to an integer one -------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#include "quantizer/Quantizer.h"

#include "dialects/compass/Compass.h"
#include "dialects/compass/MlirDiagnostics.h"
#include "dialects/compass/Records.h"
#include "dialects/compass/graph/Graphs.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Verifier.h"
#include "quantizer/rules/FloatLayers.h"
#include "quantizer/rules/Rules.h"
#include "llvm/Support/Regex.h"

#include <set>

using namespace yarrow::compass;

namespace yarrow {

/// Reports each problem once, however many layers have it.
static bool checkOptions(mlir::Block &layers, const QuantizerOptions &options,
                         DiagnosticEngine &diags) {
  bool ok = true;
  for (const LayerOverride &o : options.overrides) {
    std::string error;
    if (o.nameRegex.empty() || llvm::Regex(o.nameRegex).isValid(error))
      continue;
    diags
        .report(DiagId::ConfigBadValue, {},
                "the layer name pattern <{" + o.nameRegex + "}> is not valid")
        .found(error);
    ok = false;
  }
  std::set<std::pair<std::string, std::string>> reported;
  auto check = [&](const LayerOptions &layerOptions) {
    for (OptionProblem &problem : problemsOf(layerOptions))
      if (reported.insert({problem.key, problem.found}).second)
        diags
            .report(DiagId::QuantUnsupported, {},
                    problem.key + " has a value that is not supported")
            .found(std::move(problem.found))
            .expected(std::move(problem.expected));
  };
  check(options.global);
  if (!options.overrides.empty())
    for (mlir::Operation &op : layers.without_terminator())
      if (recordOf(&op))
        check(optionsOf(&op, options));
  return ok && reported.empty();
}

/// Header keys that only float IR has: in integer IR the types say it.
static void dropFloatHeader(mlir::ModuleOp module) {
  auto header = module->getAttrOfType<mlir::ArrayAttr>(kHeaderAttr);
  if (!header)
    return;
  llvm::SmallVector<mlir::Attribute> kept;
  for (mlir::Attribute pair : header) {
    auto key =
        mlir::cast<mlir::StringAttr>(mlir::cast<mlir::ArrayAttr>(pair)[0]);
    if (key.getValue() != "precision" &&
        key.getValue() != "compat_quantized_model")
      kept.push_back(pair);
  }
  module->setAttr(kHeaderAttr, mlir::ArrayAttr::get(module.getContext(), kept));
}

bool quantizeModule(mlir::ModuleOp module, const Calibration &calibration,
                    const QuantizerOptions &options, DiagnosticEngine &diags) {
  DiagnosticForwarder forward(module.getContext(), diags, DiagId::OpInvalid);
  auto func = mainGraph(module);
  if (!func || !llvm::hasSingleElement(func.getBody())) {
    diags.report(DiagId::OpInvalid, {},
                 "the module has no function @main with one block");
    return false;
  }
  QuantizerState state{calibration, diags, {}};
  mlir::Block &body = func.getBody().front();
  if (!checkOptions(body, options, diags))
    return false;
  bool ok = true;
  FloatLayers floats(body, state);
  for (mlir::Operation &op : body.without_terminator()) {
    if (!recordOf(&op)) {
      op.emitOpError("is not a Compass layer");
      return false;
    }
    LayerContext layer(&op, optionsOf(&op, options), state);
    state.hasNoScale = state.staysInFloats = false;
    std::optional<DType> type = floats.typeFor(layer);
    bool isDone = false;
    if (!type) {
      floats.quantizeOperands(layer);
      isDone = quantizeByRule(layer) && !state.hasNoScale;
      if (state.staysInFloats)
        type = DType::F16;
    }
    if (type) {
      floats.keep(layer, *type);
      op.removeAttr(kLayerIdAttr);
      continue;
    }
    if (!isDone) {
      // Go on with a plausible type, to report all such layers together.
      ok = false;
      for (mlir::Value v : op.getResults())
        if (!describe(v).isQuantized())
          layer.setOutput(
              unsigned(mlir::cast<mlir::OpResult>(v).getResultNumber()),
              linearParams(-1, 1, RangeMode::SymmetricFull, 8, true));
      continue;
    }
    layer.setCommonKeys();
    op.removeAttr(kLayerIdAttr);
  }
  if (!ok)
    return false;
  func.setType(mlir::FunctionType::get(
      module.getContext(), {},
      llvm::to_vector(body.getTerminator()->getOperandTypes())));
  dropFloatHeader(module);
  return mlir::succeeded(mlir::verify(module));
}

mlir::OwningOpRef<mlir::ModuleOp> quantizedCopy(mlir::ModuleOp module,
                                                const Calibration &calibration,
                                                const QuantizerOptions &options,
                                                DiagnosticEngine &diags) {
  mlir::IRMapping map;
  mlir::OwningOpRef<mlir::ModuleOp> copy =
      mlir::cast<mlir::ModuleOp>(module->clone(map));
  if (!quantizeModule(*copy, calibration.forCopy(map), options, diags))
    return nullptr;
  return copy;
}

} // namespace yarrow
