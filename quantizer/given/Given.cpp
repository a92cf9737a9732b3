//===- Given.cpp - Integer IR from a model that is quantized --------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "quantizer/given/Given.h"
#include "dialects/compass/Compass.h"
#include "dialects/compass/Compat.h"
#include "dialects/compass/Layers.h"
#include "dialects/compass/Locations.h"
#include "dialects/compass/MlirDiagnostics.h"
#include "dialects/compass/Records.h"
#include "dialects/compass/convert/ConvertOps.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Verifier.h"
#include "quantizer/given/Forms.h"
#include "quantizer/rules/LayerContext.h"

#include <cmath>
#include <limits>

using namespace yarrow;
using namespace yarrow::compass;

/// In a model's own layer, what it is to be (GivenLayer::saidRounding).
static constexpr llvm::StringLiteral kRoundingKey = "requant_rounding";

namespace {

/// What clamps leave of the real numbers.
struct RealBounds {
  double lo = -std::numeric_limits<double>::infinity(),
         hi = std::numeric_limits<double>::infinity();

  void clamp(double least, double most) {
    lo = std::clamp(lo, least, most);
    hi = std::clamp(hi, least, most);
  }
};

/// A layer and the clamps behind it whose results nobody else reads: the last
/// one's result is stored, those before are not.
struct Chain {
  mlir::Operation *layer;
  llvm::SmallVector<mlir::Operation *, 2> clamps;
  RealBounds bounds;

  mlir::Operation *last() const {
    return clamps.empty() ? layer : clamps.back();
  }
};

class GraphConverter {
public:
  GraphConverter(const GivenOptions &options, DiagnosticEngine &diags,
                 GivenResult &result)
      : options(options), diags(diags), result(result) {}

  void convert(mlir::func::FuncOp graph);

private:
  void convert(mlir::Operation *op);
  bool giveForm(Chain &chain);
  void tellFloats(mlir::Operation *op, const std::string &why);

  const GivenOptions &options;
  DiagnosticEngine &diags;
  GivenResult &result;
  llvm::DenseSet<mlir::Operation *> taken; ///< Clamps of earlier layers.
};

} // namespace

/// Adds what the word \p key of \p op clamps to; false if it is no clamp.
static bool addClamp(mlir::Operation *op, llvm::StringRef key,
                     RealBounds &bounds) {
  constexpr double kNone = std::numeric_limits<double>::infinity();
  std::string word = wordKey(op, key, "NONE");
  if (word == "RELU")
    bounds.clamp(0, kNone);
  else if (word == "RELU6")
    bounds.clamp(0, 6);
  else if (word == "CLIP") {
    auto lo = numberOf(op->getAttr("clip_min")),
         hi = numberOf(op->getAttr("clip_max"));
    if (!lo || !hi || !(*lo <= *hi))
      return false;
    bounds.clamp(*lo, *hi);
  } else if (word != "NONE")
    return false;
  return true;
}

static bool isActivation(mlir::Operation *op) {
  return recordOf(op)->rule == RuleClass::ActivationRule;
}

static bool isUnstoredReal(mlir::Value value) {
  return describe(value).isFloat();
}

/// nullopt if the layer's result is real and never stored, or something but a
/// clamp is done to it before.
static std::optional<Chain> chainOf(mlir::Operation *op) {
  Chain chain{op, {}, {}};
  if (op->hasTrait<trait::FusesActivation>() &&
      !addClamp(op, "with_activation", chain.bounds))
    return std::nullopt;
  if (isActivation(op))
    addClamp(op, "method", chain.bounds);
  while (isUnstoredReal(chain.last()->getResult(0))) {
    mlir::Value value = chain.last()->getResult(0);
    mlir::Operation *next =
        value.hasOneUse() ? *value.getUsers().begin() : nullptr;
    if (!next || !recordOf(next) || !isActivation(next) ||
        next->getNumOperands() != 1 || wordKey(next, "method") == "NONE" ||
        !addClamp(next, "method", chain.bounds))
      return std::nullopt;
    chain.clamps.push_back(next);
  }
  return chain;
}

/// The bound as the formats quantize it: half away from zero.
static int64_t storedBound(const StoredTensor &t, double real, int64_t open) {
  if (std::isinf(real))
    return open;
  double q = std::round(real / t.step) + double(t.zero);
  return int64_t(std::clamp(q, double(t.lo), double(t.hi)));
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

void GraphConverter::tellFloats(mlir::Operation *op, const std::string &why) {
  if (isCounted(op))
    diags.report(DiagId::GivenInFloats, placeOf(op->getLoc()),
                 "the layer is computed in floats: " + why);
}

bool GraphConverter::giveForm(Chain &chain) {
  mlir::Operation *op = chain.layer;
  mlir::Value given = chain.last()->getResult(0);
  GivenLayer layer{op, options, diags};
  // Results of plain integers are places and counts in the operand.
  auto stored = storedTensorOf(given);
  for (mlir::Value operand : op->getOperands())
    if (!stored)
      stored = storedTensorOf(operand);
  layer.output = *stored;
  int64_t lo = storedBound(layer.output, chain.bounds.lo, layer.output.lo),
          hi = storedBound(layer.output, chain.bounds.hi, layer.output.hi);
  layer.isClamped = lo > layer.output.lo || hi < layer.output.hi;
  layer.output.lo = lo, layer.output.hi = std::max(hi, lo + 1);
  layer.saidRounding = wordKey(op, kRoundingKey, "");
  op->removeAttr(kRoundingKey);
  std::string name = tensorNameOf(given); // the layer may be replaced
  if (!giveIntegers(layer)) {
    diags.report(DiagId::GivenInFloats, placeOf(op->getLoc()),
                 "the layer is computed in floats: " + layer.why);
    return false;
  }
  op = layer.op;
  mlir::Value result = op->getResult(0);
  mlir::Builder b(op->getContext());
  if (op->hasAttr("with_activation"))
    op->setAttr("with_activation", b.getStringAttr("NONE"));
  if (isStored(result) || !chain.clamps.empty())
    result.setType(storedTensorType(op->getContext(), describe(result).shape,
                                    layer.output));
  if (chain.clamps.empty())
    return true;
  // The layer is the one that the model stores.
  op->setAttr(kTopNamesAttr, b.getStrArrayAttr({name}));
  op->setLoc(chain.last()->getLoc());
  given.replaceAllUsesWith(result);
  for (mlir::Operation *clamp : llvm::reverse(chain.clamps))
    taken.insert(clamp);
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
    diags.report(DiagId::GivenInFloats, placeOf(op->getLoc()),
                 "the layer is computed in floats: its result is not stored");
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

bool yarrow::convertGiven(mlir::ModuleOp module, const GivenOptions &options,
                          DiagnosticEngine &diags, GivenResult *result) {
  GivenResult own;
  GivenResult &counted = result ? *result : own;
  yarrow::DiagnosticEngine found;
  DiagnosticForwarder forward(module.getContext(), found, DiagId::OpInvalid);
  // From here on layers of stored tensors are integer layers.
  dropFloatHeaders(module);
  GraphConverter converter(options, found, counted);
  for (auto graph : module.getOps<mlir::func::FuncOp>())
    converter.convert(graph);
  bool ok = !found.hasErrors() && mlir::succeeded(mlir::verify(module));
  if (ok && counted.layers != 0)
    found.report(DiagId::GivenSummary, {},
                 std::to_string(counted.inIntegers) + " of " +
                     std::to_string(counted.layers) + " operators in integers");
  for (const yarrow::Diagnostic &d : found.all())
    diags.add(d);
  return ok;
}
