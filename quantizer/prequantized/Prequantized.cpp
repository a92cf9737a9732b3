//===- Prequantized.cpp - Integer IR from a model that is quantized
//--------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "quantizer/prequantized/Prequantized.h"
#include "dialects/compass/Compass.h"
#include "dialects/compass/Compat.h"
#include "dialects/compass/ConstantValues.h"
#include "dialects/compass/ExtraKeys.h"
#include "dialects/compass/LayerKeys.h"
#include "dialects/compass/Layers.h"
#include "dialects/compass/Locations.h"
#include "dialects/compass/MlirDiagnostics.h"
#include "dialects/compass/Records.h"
#include "dialects/compass/convert/ConvertOps.h"
#include "dialects/compass/graph/GraphOps.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Verifier.h"
#include "quantizer/prequantized/Chain.h"
#include "quantizer/prequantized/Forms.h"
#include "quantizer/rules/FloatReason.h"
#include "quantizer/rules/LayerContext.h"
#include "support/diagnostics/Operators.h"
#include "support/diagnostics/Quantizer.h"

#include <cmath>

using namespace yarrow;
using namespace yarrow::compass;

/// In a model's own layer, what it is to be (PrequantizedLayer::saidRounding).
static constexpr llvm::StringLiteral kRoundingKey = "requant_rounding";

namespace {

class GraphConverter {
public:
  GraphConverter(const PrequantizedOptions &options, DiagnosticEngine &diags,
                 PrequantizedResult &result)
      : options(options), diags(diags), result(result) {}

  void convert(mlir::func::FuncOp graph);

private:
  void convert(mlir::Operation *op);
  bool giveForm(Chain &chain);
  void reportFloats(mlir::Operation *op, const std::string &why);

  const PrequantizedOptions &options;
  DiagnosticEngine &diags;
  PrequantizedResult &result;
  /// Replaced by others, and clamps of earlier layers.
  llvm::DenseSet<mlir::Operation *> taken;
};

} // namespace

/// The bound as the formats quantize it: TFLite half away from zero.
static int64_t storedBound(const StoredTensor &t, double real,
                           PrequantizedRounding rounding) {
  if (rounding == PrequantizedRounding::Exact)
    return t.nearest(real);
  double q = std::round(real / t.step) + double(t.zero);
  return int64_t(std::clamp(q, double(t.lo), double(t.hi)));
}

/// Between clamps that leave one integer: it is the result, whatever the layer
/// computes.
static void giveConstant(const Chain &chain, const StoredTensor &stored,
                         int64_t value) {
  mlir::Operation *last = chain.last();
  mlir::Value given = last->getResult(0);
  auto shape = llvm::to_vector(shapeOf(given));
  mlir::OpBuilder builder(last);
  auto constant = ConstantOp::create(
      builder, last->getLoc(),
      mlir::TypeRange(storedTensorType(last->getContext(), shape, stored)),
      mlir::ValueRange());
  constant->setAttr(kTopNamesAttr, last->getAttr(kTopNamesAttr));
  std::vector<int64_t> values(size_t(product(shape)), value);
  constant->setAttr(keys::weights,
                    makeConstant(last->getContext(), tensorNameOf(given), shape,
                                 stored.type, packed(stored.type, values)));
  given.replaceAllUsesWith(constant->getResult(0));
}

/// What lies behind the layer, now that it stores its result in the form of \p
/// layer.output: moves have that form, too, and clamps are gone. What takes the
/// place of a clamp has its name.
static void storeAfter(const Chain &chain, const PrequantizedLayer &layer,
                       llvm::DenseSet<mlir::Operation *> &taken) {
  mlir::Operation *before = layer.op;
  mlir::Builder b(before->getContext());
  for (mlir::Operation *op : chain.after) {
    mlir::Value result = op->getResult(0);
    if (!isActivation(op)) {
      result.setType(storedTensorType(b.getContext(), describe(result).shape,
                                      layer.output));
      before = op;
      continue;
    }
    before->setAttr(kTopNamesAttr, b.getStrArrayAttr({tensorNameOf(result)}));
    before->setLoc(op->getLoc());
    result.replaceAllUsesWith(before->getResult(0));
    taken.insert(op);
  }
}

/// Layers that compute something: not what holds, moves or converts values.
static bool isCounted(mlir::Operation *op) {
  if (op->hasTrait<trait::Source>() || op->hasTrait<trait::MovesOnly>())
    return false;
  switch (recordOf(op)->rule) {
  case RuleClass::ConversionRule:
  case RuleClass::ControlRule:
  case RuleClass::PassRule:
    return false;
  default:
    return true;
  }
}

void GraphConverter::reportFloats(mlir::Operation *op, const std::string &why) {
  diags.report(diag::PrequantizedInFloats, placeOf(op->getLoc()),
               "the layer is computed in floats: " + why);
  setFloatReason(op, why);
}

bool GraphConverter::giveForm(Chain &chain) {
  mlir::Operation *op = chain.layer;
  mlir::Value given = chain.last()->getResult(0);
  PrequantizedLayer layer{op, options, diags};
  // Results of plain integers are places and counts in the operand.
  auto stored = storedTensorOf(given);
  for (mlir::Value operand : op->getOperands())
    if (!stored)
      stored = storedTensorOf(operand);
  layer.output = *stored;
  int64_t lo = storedBound(layer.output, chain.bounds.lo, options.rounding),
          hi = storedBound(layer.output, chain.bounds.hi, options.rounding);
  if (lo == hi && op->getNumResults() == 1) {
    giveConstant(chain, *stored, lo);
    taken.insert(op);
    taken.insert(chain.after.begin(), chain.after.end());
    return true;
  }
  layer.isClamped = lo > layer.output.lo || hi < layer.output.hi;
  layer.output.lo = lo, layer.output.hi = hi;
  layer.saidRounding = wordKey(op, keys::requant_rounding);
  op->removeAttr(kRoundingKey);
  if (!giveIntegers(layer)) {
    reportFloats(op, layer.why);
    return false;
  }
  op = layer.op; // which may be another one now
  mlir::Value result = op->getResult(0);
  if (op->hasAttr(keys::with_activation))
    op->setAttr(keys::with_activation,
                mlir::Builder(op->getContext()).getStringAttr("NONE"));
  if (isStored(result) || !chain.after.empty())
    result.setType(storedTensorType(op->getContext(), describe(result).shape,
                                    layer.output));
  storeAfter(chain, layer, taken);
  return true;
}

static bool touchesStored(mlir::Operation *op) {
  return llvm::any_of(op->getOperands(), isStored) ||
         llvm::any_of(op->getResults(), isStored);
}

/// quantize_scale and quantize_zp in integer IR's convention. Where the tensor
/// has no scale they are all that gives its integers a meaning.
static void convertKeys(mlir::Operation *conversion) {
  mlir::Value integers = mlir::isa<QuantizeOp>(conversion)
                             ? conversion->getResult(0)
                             : conversion->getOperand(0);
  TensorInfo info = describe(integers);
  if (auto meaning = meaningOf(conversion, "quantize");
      meaning && !info.isQuantized()) {
    info.scale = float(1 / meaning->stepAt(0));
    info.zp = int32_t(-meaning->zeroPointAt(0));
  }
  setConversionKeys(conversion, info);
}

/// A conversion of the stored integers, whatever they mean.
static bool convertsIntegers(mlir::Operation *op) {
  auto cast = mlir::dyn_cast<CastOp>(op);
  return cast && cast.getIgnoreScaleZp();
}

void GraphConverter::convert(mlir::Operation *op) {
  if (mlir::isa<QuantizeOp, DeQuantizeOp>(op))
    convertKeys(op);
  bool counts = isCounted(op);
  result.layers += counts;
  RuleClass rule = recordOf(op)->rule;
  if (!touchesStored(op) || op->hasTrait<trait::Source>() ||
      rule == RuleClass::ConversionRule || rule == RuleClass::ControlRule ||
      convertsIntegers(op))
    return;
  auto chain = chainOf(op);
  if (chain && giveForm(*chain)) {
    result.inIntegers += counts;
    return;
  }
  if (!chain && counts)
    reportFloats(op, "its result is not stored");
  op->removeAttr(kRoundingKey);
  computeInFloats(op);
}

void GraphConverter::convert(mlir::func::FuncOp graph) {
  mlir::Block &body = graph.getBody().front();
  llvm::SmallVector<mlir::Operation *> layers;
  for (mlir::Operation &op : body.without_terminator())
    layers.push_back(&op);
  for (mlir::Operation *op : layers) {
    dropExtraKeys(op, {"layer_top_range"}); // of real numbers
    if (!taken.contains(op))
      convert(op);
  }
  for (mlir::Operation *op : llvm::reverse(layers))
    if (taken.contains(op))
      op->erase();
  graph.setType(mlir::FunctionType::get(
      graph.getContext(), {},
      llvm::to_vector(body.getTerminator()->getOperandTypes())));
}

bool yarrow::convertPrequantized(mlir::ModuleOp module,
                                 const PrequantizedOptions &options,
                                 DiagnosticEngine &diags,
                                 PrequantizedResult *result) {
  PrequantizedResult own;
  PrequantizedResult &counted = result ? *result : own;
  yarrow::DiagnosticEngine found;
  DiagnosticForwarder forward(module.getContext(), found, diag::OpInvalid);
  PrequantizedOptions asked = options;
  if (asked.rounding == PrequantizedRounding::Once && roundsExactly(module))
    asked.rounding = PrequantizedRounding::Exact;
  // From here on layers of stored tensors are integer layers.
  dropFloatHeaders(module);
  GraphConverter converter(asked, found, counted);
  for (auto graph : module.getOps<mlir::func::FuncOp>())
    converter.convert(graph);
  bool ok = !found.hasErrors() && mlir::succeeded(mlir::verify(module));
  if (ok && counted.layers != 0)
    found.report(diag::PrequantizedSummary, {},
                 std::to_string(counted.inIntegers) + " of " +
                     std::to_string(counted.layers) + " operators in integers");
  for (const yarrow::Diagnostic &d : found.all())
    diags.add(d);
  return ok;
}
