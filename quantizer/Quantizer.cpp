//===- Quantizer.cpp - From a float network to an integer one -------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#include "quantizer/Quantizer.h"

#include "dialects/compass/Compass.h"
#include "dialects/compass/Compat.h"
#include "dialects/compass/MlirDiagnostics.h"
#include "dialects/compass/Records.h"
#include "dialects/compass/control/GraphCalls.h"
#include "dialects/compass/custom/KernelTrial.h"
#include "dialects/compass/graph/Graphs.h"
#include "dialects/compass/graph/ModelNames.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Verifier.h"
#include "quantizer/masks/MaskConstants.h"
#include "quantizer/rules/FloatLayers.h"
#include "quantizer/rules/IntegerForms.h"
#include "quantizer/rules/Rules.h"
#include "quantizer/rules/States.h"
#include "quantizer/rules/UnifyScales.h"
#include "quantizer/rules/UnknownRanges.h"
#include "support/diagnostics/Operators.h"
#include "support/diagnostics/Quantizer.h"
#include "support/diagnostics/Settings.h"
#include "llvm/Support/Regex.h"

#include <set>

using namespace yarrow::compass;

namespace yarrow {

/// Reports each problem once, however many layers have it.
static bool checkOptions(mlir::ModuleOp module, const QuantizerOptions &options,
                         DiagnosticEngine &diags) {
  bool ok = true;
  for (const LayerOverride &o : options.overrides) {
    std::string error;
    if (o.nameRegex.empty() || llvm::Regex(o.nameRegex).isValid(error))
      continue;
    diags
        .report(diag::ConfigBadValue, {},
                "the layer name pattern <{" + o.nameRegex + "}> is not valid")
        .found(error);
    ok = false;
  }
  std::set<std::pair<std::string, std::string>> reported;
  auto check = [&](const LayerOptions &layerOptions) {
    for (OptionProblem &problem : problemsOf(layerOptions))
      if (reported.insert({problem.key, problem.found}).second)
        diags
            .report(diag::QuantUnsupported, {},
                    problem.key + " has a value that is not supported")
            .found(std::move(problem.found))
            .expected(std::move(problem.expected));
  };
  check(options.global);
  if (!options.overrides.empty())
    module.walk([&](mlir::Operation *op) {
      if (recordOf(op))
        check(optionsOf(op, options));
    });
  return ok && reported.empty();
}

namespace {

/// Quantizes the main graph, and each sub-graph where a layer first calls it.
class GraphQuantizer {
public:
  GraphQuantizer(QuantizerState &state, const QuantizerOptions &options)
      : state(state), options(options) {}

  /// False after diagnostics, which tell of all layers.
  bool quantize(mlir::func::FuncOp graph);

private:
  bool quantize(mlir::Operation *op, FloatLayers &floats);
  bool quantizeCallees(const LayerContext &layer);

  QuantizerState &state;
  const QuantizerOptions &options;
  llvm::DenseSet<mlir::Operation *> begun; ///< Graphs.
};

} // namespace

/// Whether one layer alone calls \p graph, and once.
static bool hasOneCaller(mlir::func::FuncOp graph) {
  auto uses = mlir::SymbolTable::getSymbolUses(graph, graph->getParentOp());
  return uses && llvm::hasSingleElement(*uses);
}

/// What calibration has noted at a float layer.
static void dropMarks(mlir::Operation *op) {
  for (llvm::StringRef mark :
       {llvm::StringRef(kLayerIdAttr), llvm::StringRef(kUnmaskedAttr),
        llvm::StringRef(kBoundedAttr)})
    op->removeAttr(mark);
}

bool GraphQuantizer::quantizeCallees(const LayerContext &layer) {
  bool ok = true;
  llvm::SmallVector<PassedValue> passed = passedValues(layer.op);
  for (mlir::func::FuncOp graph : calledGraphs(layer.op)) {
    if (begun.contains(graph))
      continue;
    if (hasOneCaller(graph))
      for (PassedValue value : passed)
        if (value.input.getParentBlock() == &graph.getBody().front())
          state.borders.set(value.input, {layer.input(value.operand),
                                          layer.isInvariant(value.operand)});
    ok &= quantize(graph);
  }
  return ok;
}

bool GraphQuantizer::quantize(mlir::Operation *op, FloatLayers &floats) {
  LayerContext layer(op, optionsOf(op, options), state);
  state.hasNoScale = false;
  std::optional<FloatForm> form = floats.formOf(layer);
  if (!form)
    if (std::string why = lacksIntegerForm(layer); !why.empty()) {
      state.diags
          .report(diag::OpFormNotExecutable, placeOf(op->getLoc()),
                  "in integers: " + why + "; the layer stays in float32")
          .hint("choose another float type with trigger_float_op");
      form = {DType::F32, why};
    }
  bool isDone = false, areCalleesDone = true;
  if (!form) {
    floats.quantizeOperands(layer);
    floats.narrowOperands(layer);
    areCalleesDone = quantizeCallees(layer);
    state.hasNoScale = false;
    state.staysInFloats.clear();
    isDone = quantizeByRule(layer) && !state.hasNoScale;
    if (!state.staysInFloats.empty())
      form = {DType::F16, state.staysInFloats};
  }
  if (form) {
    bool isKept = floats.keep(layer, *form);
    dropMarks(op);
    return isKept;
  }
  if (!isDone) {
    // Go on with a plausible type, to report all such layers together.
    for (mlir::Value v : op->getResults())
      if (!describe(v).isQuantized())
        layer.setOutput(
            unsigned(mlir::cast<mlir::OpResult>(v).getResultNumber()),
            linearParams(-1, 1, RangeMode::SymmetricFull, 8, true));
    return false;
  }
  layer.setCommonKeys();
  dropMarks(op);
  return areCalleesDone;
}

bool GraphQuantizer::quantize(mlir::func::FuncOp graph) {
  begun.insert(graph);
  mlir::Block &body = graph.getBody().front();
  bool ok = true;
  FloatLayers floats(body, state);
  for (mlir::Operation &op : body.without_terminator()) {
    if (!recordOf(&op)) {
      op.emitOpError("is not a Compass layer");
      return false;
    }
    ok &= quantize(&op, floats);
  }
  if (!isMainGraph(graph)) {
    LayerContext terminator(body.getTerminator(),
                            optionsOf(body.getTerminator(), options), state);
    floats.quantizeOperands(terminator);
    quantizeGraphOutputs(terminator);
  } else {
    LayerContext terminator(body.getTerminator(),
                            optionsOf(body.getTerminator(), options), state);
    quantizeStates(terminator, floats);
  }
  graph.setType(mlir::FunctionType::get(
      graph.getContext(), {},
      llvm::to_vector(body.getTerminator()->getOperandTypes())));
  return ok;
}

bool quantizeModule(mlir::ModuleOp module, const Calibration &measured,
                    const QuantizerOptions &options, DiagnosticEngine &diags) {
  DiagnosticForwarder forward(module.getContext(), diags, diag::OpInvalid);
  auto func = mainGraph(module);
  if (!func || !llvm::hasSingleElement(func.getBody())) {
    diags.report(diag::OpInvalid, {},
                 "the module has no function @main with one block");
    return false;
  }
  UnifiedScales unified;
  if (options.unifiesScales && needsOneScale(module, options))
    unified = unifyScales(
        module, measured, options,
        [](mlir::ModuleOp copy, const Calibration &of,
           const QuantizerOptions &trial) {
          DiagnosticEngine unheard; // told when the network itself is quantized
          return quantizeModule(copy, of, trial, unheard);
        });
  std::optional<Calibration> changed;
  if (!unified.ranges.empty() || hasStates(module))
    changed = measured;
  for (const auto &[value, range] : unified.ranges)
    changed->decideRange(value, range);
  if (changed)
    joinStateRanges(module, *changed, options);
  const Calibration &calibration = changed ? *changed : measured;
  GraphBorders borders(module, calibration, options, diags);
  for (const auto &[value, params] : unified.caches)
    borders.set(value, {params});
  if (!borders.isComplete() || !checkOptions(module, options, diags))
    return false;
  QuantizerState state{calibration, borders, diags, {}};
  setStateBorders(module, options, state);
  bool isQuantized = GraphQuantizer(state, options).quantize(func);
  if (!reportUnknownRanges(state.unknown, diags) || !isQuantized)
    return false;
  dropFloatHeaders(module);
  setCameInFloats(module);
  return mlir::succeeded(mlir::verify(module)) &&
         tryCustomKernels(module, diags);
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
