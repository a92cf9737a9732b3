//===- FloatLayers.cpp - Layers that stay in floats -----------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#include "quantizer/rules/FloatLayers.h"

#include "dialects/compass/Compass.h"
#include "dialects/compass/LayerKeys.h"
#include "dialects/compass/Layers.h"
#include "dialects/compass/Records.h"
#include "dialects/compass/control/GraphCalls.h"
#include "dialects/compass/convert/ConvertOps.h"
#include "quantizer/calibrate/TensorValues.h"
#include "quantizer/rules/FloatReason.h"
#include "quantizer/rules/WeightsOnly.h"
#include "llvm/ADT/StringExtras.h"

using namespace yarrow::compass;

namespace yarrow {

/// Whether integers of 32 bits that floats were made of, such as a Cast gives,
/// may stay: there is an arithmetic of them.
static bool takesWideIntegers(mlir::Operation *op) {
  switch (recordOf(op)->rule) {
  case RuleClass::ArgMinMaxRule:
  case RuleClass::CastRule:
  case RuleClass::ControlRule:
  case RuleClass::EltwiseRule:
  case RuleClass::LogicalRule:
  case RuleClass::PassRule:
  case RuleClass::WhereRule:
    return true;
  default:
    return op->hasTrait<trait::MovesOnly>();
  }
}

FloatLayers::FloatLayers(mlir::Block &layers, QuantizerState &state)
    : state(state) {
  for (mlir::Operation &op : layers)
    for (mlir::Value result : op.getResults())
      if (describe(result).isFloat())
        real.insert(result);
}

std::optional<FloatForm> FloatLayers::formOf(const LayerContext &layer) const {
  mlir::Operation *op = layer.op;
  if (op->hasTrait<trait::Source>() || op->getNumOperands() == 0 ||
      !calledGraphs(op).empty())
    return std::nullopt;
  // Plain integers gain nothing in floats.
  auto isReal = [&](mlir::Value value) { return real.contains(value); };
  if (llvm::none_of(op->getOperands(), isReal) &&
      llvm::none_of(op->getResults(), isReal))
    return std::nullopt;
  // An integer layer before and behind it would convert to no end.
  if (op->hasTrait<trait::MovesOnly>() && isKept(op->getOperand(0)))
    return FloatForm{describe(op->getOperand(0)).dtype, "moves floats"};
  if (!layer.options.floatType)
    return std::nullopt;
  return FloatForm{*layer.options.floatType, layer.options.floatReason};
}

/// A layer between \p from and those who read it, right behind what makes it.
template <typename Op>
static Op insertAfter(mlir::Value from, mlir::RankedTensorType type,
                      const std::string &name) {
  mlir::OpBuilder builder(from.getContext());
  builder.setInsertionPointAfterValue(from);
  auto place = mlir::NameLoc::get(builder.getStringAttr(name),
                                  from.getDefiningOp()->getLoc());
  Op op = Op::create(builder, place, mlir::TypeRange(type), from);
  op->setAttr(kTopNamesAttr, builder.getStrArrayAttr({name + "_0"}));
  return op;
}

static void setFloatKeys(LayerContext &layer) {
  layer.setExtra("unquantifiable", "true");
  unsigned results = layer.op->getNumResults();
  // Of floats they say nothing; the reference writes them.
  if (describe(layer.op->getResult(0)).isFloat()) {
    std::vector<std::string> ones(results, "1.0"), zeros(results, "0");
    layer.setExtra("layer_top_scale", "[" + llvm::join(ones, ",") + "]");
    layer.setExtra("layer_top_zp", "[" + llvm::join(zeros, ",") + "]");
  }
  std::vector<std::string> axes(results, "None");
  layer.setExtra("activation_quantization_axis",
                 "[" + llvm::join(axes, ",") + "]");
}

/// Of the conversions at the borders.
static void setBorderKeys(LayerContext &layer, const TensorInfo &side) {
  setConversionKeys(layer.op, side);
  setFloatKeys(layer);
}

void FloatLayers::dropQuantize(mlir::Operation *op, unsigned index) {
  auto quantize = op->getOperand(index).getDefiningOp<QuantizeOp>();
  if (!quantize || !isKept(quantize.getOperand(0)))
    return;
  op->setOperand(index, quantize.getOperand(0));
  if (!quantize->use_empty())
    return;
  for (auto &[key, to] : conversions)
    if (to == quantize->getResult(0))
      to = nullptr;
  quantize->erase();
}

mlir::Value FloatLayers::inFloats(LayerContext &layer, mlir::Value from,
                                  DType type) {
  TensorInfo info = describe(from);
  if (info.dtype == type || !real.contains(from))
    return from; // as it is wanted, or plain integers
  mlir::Value &to = conversions[{from, unsigned(type)}];
  if (to)
    return to;
  auto result = plainType(from.getContext(), info.shape, type);
  std::string name = tensorNameOf(from) + "_" + dtypeName(type).str();
  if (info.isFloat()) {
    auto cast = insertAfter<CastOp>(from, result, name);
    LayerContext context(cast, layer.options, state);
    context.setWord(keys::to_dtype, dtypeName(type));
    setFloatKeys(context);
    setFloatReason(cast, "between two types of floats");
    to = cast->getResult(0);
  } else {
    auto dequantize = insertAfter<DeQuantizeOp>(from, result, name);
    LayerContext context(dequantize, layer.options, state);
    setBorderKeys(context, info);
    to = dequantize->getResult(0);
  }
  return to;
}

/// Biases and slopes keep float32, as in the reference's IR: sums are made of
/// them.
static bool keepsFloat32(llvm::StringRef key) {
  return key == "biases" || key == "negative_slope";
}

static bool convertConstants(LayerContext &layer, DType type) {
  bool hasIntegers = isWeightsOnly(layer);
  for (const KeyRecord &key : recordOf(layer.op)->keys) {
    if (key.kind != KeyKind::Tensor || !layer.op->hasAttr(key.name) ||
        (hasIntegers && key.name == "weights"))
      continue;
    auto constant = layer.floats(TensorKey(key));
    if (!constant)
      continue;
    TensorInfo stored;
    stored.dtype = type;
    if (type != DType::F32 && !keepsFloat32(key.name))
      layer.op->setAttr(
          key.name, makeConstant(layer.op->getContext(),
                                 (layerNameOf(layer.op) + "." + key.name).str(),
                                 constant->shape, type,
                                 storedValues(stored, constant->values)));
    // Of other constants no reader knows such keys.
    if (key.name != "weights" && key.name != "biases")
      continue;
    layer.setExtra((key.name + "_scale").str(), "1.0");
    layer.setExtra((key.name + "_zp").str(), "0");
  }
  return !hasIntegers || quantizeWeightsOnly(layer);
}

bool FloatLayers::keep(LayerContext &layer, const FloatForm &form) {
  mlir::Operation *op = layer.op;
  DType type = form.type;
  setFloatReason(op, form.reason);
  for (unsigned i = 0; i < op->getNumOperands(); ++i) {
    dropQuantize(op, i);
    op->setOperand(i, inFloats(layer, op->getOperand(i), type));
  }
  bool ok = convertConstants(layer, type);
  for (mlir::Value result : op->getResults()) {
    if (!describe(result).isFloat()) {
      state.invariant.insert(result); // indices, truth values
      continue;
    }
    if (llvm::isa<CastOp>(op))
      layer.setWord(keys::to_dtype, dtypeName(type));
    result.setType(plainType(op->getContext(), describe(result).shape, type));
    kept.insert(result);
  }
  layer.setExtra("is_perf_mode", layer.options.perfMode ? "true" : "false");
  setFloatKeys(layer);
  return ok;
}

LinearParams FloatLayers::paramsOfKept(const LayerContext &layer,
                                       mlir::Value value) const {
  const LayerOptions &options = layer.options;
  layer.askFor(value);
  if (auto given = givenParams(state.calibration, value, options,
                               /*prefersSigned=*/false))
    return *given;
  bool isSymmetric = options.activationMethod.mode != RangeMode::Asymmetric;
  return activationParams(
      state.calibration.range(value, options.activationBits, isSymmetric),
      options);
}

void FloatLayers::narrowOperands(LayerContext &layer) {
  if (takesWideIntegers(layer.op))
    return;
  for (unsigned i = 0; i < layer.numInputs(); ++i) {
    mlir::Value from = layer.op->getOperand(i);
    if (!real.contains(from) || layer.input(i).bits <= 16)
      continue;
    LinearParams params = paramsOfKept(layer, from);
    if (params.bits < layer.input(i).bits)
      layer.castInput(i, params, /*multiplierBits=*/16);
  }
}

void FloatLayers::quantizeOperand(LayerContext &layer, unsigned index) {
  mlir::Value from = layer.op->getOperand(index);
  if (!isKept(from))
    return;
  const LayerOptions &options = layer.options;
  // What goes into or out of a sub-graph has one scale on both sides.
  const GraphBorder *border = layer.border(from);
  LinearParams params = border ? border->params : paramsOfKept(layer, from);
  // Layers with other options read other integers.
  unsigned kind = 256 + (params.bits << 1) + params.isSigned;
  mlir::Value &to = conversions[{from, kind}];
  if (!to) {
    StoredType type = integerType(params.bits, params.isSigned);
    auto result = quantizedType(from.getContext(), describe(from).shape, type,
                                params.scale, params.zp,
                                std::make_pair(params.qmin, params.qmax));
    if (!result) {
      if (Diagnostic *d = layer.failWithoutScale("no scale exists for " +
                                                 tensorNameOf(from)))
        d->found("scale " + floatText(params.scale))
            .expected("a positive finite number")
            .hint("its values have an extreme range");
      return;
    }
    auto quantize = insertAfter<QuantizeOp>(
        from, result, tensorNameOf(from) + "_" + dtypeName(type).str());
    LayerContext context(quantize, options, state);
    setBorderKeys(context, describe(result));
    context.setWord(keys::round_mode, "ROUND_TO_EVEN");
    to = quantize->getResult(0);
  }
  layer.op->setOperand(index, to);
}

} // namespace yarrow
