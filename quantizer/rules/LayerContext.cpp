//===- LayerContext.cpp - What a rule sees of a layer and does to it ------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#include "quantizer/rules/LayerContext.h"

#include "dialects/compass/ConstantValues.h"
#include "dialects/compass/ExtraKeys.h"
#include "dialects/compass/Layers.h"
#include "dialects/compass/MlirDiagnostics.h"
#include "dialects/compass/activation/Sigmoid.h"
#include "dialects/compass/convert/ConvertOps.h"
#include "quantizer/calibrate/NetworkOutputs.h"
#include "quantizer/math/Lut.h"
#include "support/diagnostics/Quantizer.h"
#include "support/diagnostics/Settings.h"
#include "llvm/ADT/StringExtras.h"

#include <charconv>
#include <cmath>

using namespace yarrow::compass;

namespace yarrow {

std::string floatText(float value) {
  char digits[64];
  auto [end, error] =
      std::to_chars(digits, digits + sizeof(digits), double(value));
  std::string text(digits, end);
  if (text.find_first_of(".en") == std::string::npos)
    text += ".0";
  return text;
}

LinearParams LayerContext::input(unsigned index) const {
  return paramsOf(op->getOperand(index));
}

bool LayerContext::isScaled(mlir::Value value) const {
  return describe(value).isQuantized() && !state.invariant.contains(value);
}

bool LayerContext::isInvariant(unsigned input) const {
  return state.invariant.contains(op->getOperand(input));
}

Diagnostic *LayerContext::failWithoutScale(const std::string &message) const {
  if (state.hasNoScale)
    return nullptr;
  state.hasNoScale = true;
  return &state.diags.report(diag::QuantRange, placeOf(op->getLoc()), message);
}

void LayerContext::askFor(mlir::Value value) const {
  if (state.calibration.sampleCount() == 0 &&
      !state.calibration.hasRange(value))
    state.unknown.push_back(tensorNameOf(value));
}

/// 16 bits have steps to spare, and other samples reach further than those of
/// the calibration: logits of a detector from -350 to 3 in 24 photographs, from
/// -500 in eight others.
static bool hasHeadroom(const LayerOptions &options) {
  return options.wideRangeHeadroom > 1 &&
         !hasZeroPoints(options.activationBits);
}

/// What a sigmoid gives the user is a share of 1, however little of it the
/// samples show: the score of a face that none of them has.
static bool isShare(const LayerContext &layer, mlir::Value result) {
  return layer.options.keepsDigits && isSigmoid(layer.op) &&
         isNetworkOutput(result);
}

/// Whether all samples leave \p value at 0, as a branch behind a RELU that no
/// picture wakes. In the steps of 1 that such a range would get, biases of what
/// reads it have no digits, and a sum has none for its other operand.
static bool isAsleep(const LayerOptions &options,
                     const Calibration &calibration, mlir::Value value) {
  if (!options.keepsDigits || !calibration.hasSeen(value))
    return false;
  FloatRange seen = calibration.extrema(value);
  return seen.min == 0 && seen.max == 0;
}

FloatRange LayerContext::range(unsigned index) const {
  mlir::Value value = op->getResult(index);
  askFor(value);
  if (isShare(*this, value) || isAsleep(options, state.calibration, value))
    return {0, 1};
  if (hasHeadroom(options) && state.calibration.hasSeen(value)) {
    FloatRange seen = state.calibration.extrema(value);
    float high = seen.max * options.wideRangeHeadroom;
    // In integers RELU6 is where the range ends.
    if (word(keys::with_activation) == "RELU6" || word(keys::method) == "RELU6")
      high = std::min(high, 6.0f);
    return finite({seen.min * options.wideRangeHeadroom, high},
                  tensorNameOf(value));
  }
  return finite(state.calibration.range(value, options.activationBits,
                                        options.activationMethod.mode !=
                                            RangeMode::Asymmetric),
                tensorNameOf(value));
}

FloatRange LayerContext::inputRange(unsigned index) const {
  mlir::Value value = op->getOperand(index);
  askFor(value);
  return finite(state.calibration.range(value, options.activationBits,
                                        /*symmetric=*/true),
                tensorNameOf(value));
}

FloatRange LayerContext::intermediateRange(llvm::StringRef name) const {
  if (state.calibration.sampleCount() == 0 &&
      !state.calibration.hasRange(op, name))
    state.unknown.push_back((layerNameOf(op) + "." + name).str());
  return finite(state.calibration.range(op, name, options.activationBits,
                                        /*symmetric=*/true),
                (layerNameOf(op) + "." + name).str());
}

FloatRange LayerContext::finite(FloatRange r, const std::string &name) const {
  if (std::isfinite(r.min) && std::isfinite(r.max))
    return r;
  if (Diagnostic *d =
          failWithoutScale("the statistics of " + name + " overflow"))
    d->found("the range " + floatText(r.min) + " to " + floatText(r.max))
        .expected("a finite range")
        .hint("choose how ranges are found with "
              "calibration_strategy_for_activation");
  return {};
}

FloatRange LayerContext::extrema(unsigned index) const {
  mlir::Value value = op->getResult(index);
  if (const TensorEncoding *given = state.calibration.encodingOf(value))
    return rangeOf(*given);
  askFor(value);
  return state.calibration.extrema(value);
}

LinearParams LayerContext::outputParams(bool isSigned, unsigned index) const {
  if (auto given = givenParams(state.calibration, op->getResult(index), options,
                               isSigned))
    return *given;
  return rangeParams(range(index), options.activationBits,
                     isSigned || options.forceSigned);
}

/// What hangs a little below 0, as SiLU does: with a zero point of so little
/// no sum is longer than without.
static bool hangsBelow(const FloatRange &r) {
  constexpr float kMostBelow = 1.0f / 16;
  return r.min < 0 && -r.min <= kMostBelow * r.max;
}

LinearParams LayerContext::rangeParams(const FloatRange &r, unsigned bits,
                                       bool isSigned) const {
  if (!hasHeadroom(options) || hasZeroPoints(bits) || r.min >= 0)
    return linearParams(r.min, r.max, options.activationMethod.mode, bits,
                        isSigned);
  if (hangsBelow(r) && !options.forceSigned)
    return linearParams(r.min, r.max, RangeMode::Asymmetric, bits, false);
  // Unsigned operands may hang below 0 themselves.
  return linearParams(r.min, r.max, options.activationMethod.mode, bits, true);
}

std::vector<int64_t>
LayerContext::tableOf(const std::function<double(double)> &f,
                      const LinearParams &from, const LinearParams &to) const {
  if (!options.fitsTables)
    return buildLut(f, from, to, options.lutItemsInBits);
  return fittedLut(f, from, to, options.lutItemsInBits,
                   options.mostTableItemsInBits);
}

std::vector<int64_t> LayerContext::shapeOf(mlir::Value value) const {
  auto shape = mlir::cast<mlir::RankedTensorType>(value.getType()).getShape();
  return {shape.begin(), shape.end()};
}

std::string LayerContext::word(WordKey name, llvm::StringRef fallback) const {
  return wordKey(op, name, fallback);
}

std::optional<double> LayerContext::number(NumericKey name) const {
  return numberOf(op->getAttr(name));
}

std::vector<int64_t> LayerContext::ints(IntsKey name) const {
  auto values = intsKey(op, name);
  return {values.begin(), values.end()};
}

std::vector<std::string> LayerContext::words(WordsKey name) const {
  std::vector<std::string> words;
  if (auto list = op->getAttrOfType<mlir::ArrayAttr>(name))
    for (mlir::Attribute word : list)
      words.push_back(mlir::cast<mlir::StringAttr>(word).getValue().upper());
  return words;
}

std::optional<LayerContext::FloatConstant>
LayerContext::floats(TensorKey name) const {
  mlir::ElementsAttr attr = tensorKey(op, name);
  auto view = attr ? viewConstant(attr) : std::nullopt;
  if (!view)
    return std::nullopt;
  FloatConstant constant;
  constant.shape.assign(view->shape.begin(), view->shape.end());
  constant.values = floatsOf(*view);
  return constant;
}

ScaleApproximation LayerContext::approximate(float ratio,
                                             unsigned multiplierBits,
                                             int32_t maxShift) {
  ScaleApproximation r = approximateScale(ratio, multiplierBits, maxShift);
  // An operand that is nothing beside the result: what comes of 16 bits rounds
  // to 0.
  if (r.multiplier == 0 && ratio > 0)
    r = {1, maxShift};
  if (options.forceShiftPositive && r.shift < 0) {
    r = withPositiveShift(r, multiplierBits);
    warnOfForcedShift();
  }
  checkMultiplier(r);
  return r;
}

void LayerContext::checkMultiplier(const ScaleApproximation &r) {
  if (r.multiplier > 0)
    return;
  if (Diagnostic *d = failWithoutScale(
          "no multiplier can represent the ratio of this layer's scales"))
    d->hint("weights or activations have extreme ranges, far wider or narrower "
            "than their neighbours'");
}

void LayerContext::warnOfForcedShift() const {
  state.diags
      .report(diag::ConfigNotApplied, placeOf(op->getLoc()),
              "force_shift_positive excludes the multiplier that the layer's "
              "scales need")
      .hint("its result becomes too small: widen the result's range, or leave "
            "the layer out of force_shift_positive");
}

void LayerContext::setOutput(unsigned index, const LinearParams &params,
                             bool isInvariant) {
  mlir::Value value = op->getResult(index);
  StoredType type = integerType(params.bits, params.isSigned);
  // Fewer bits than the storage has, or a restricted range, narrow the range.
  auto result =
      quantizedType(op->getContext(), describe(value).shape, type, params.scale,
                    params.zp, std::make_pair(params.qmin, params.qmax));
  if (!result) {
    if (Diagnostic *d =
            failWithoutScale("no scale exists for " + tensorNameOf(value)))
      d->found("scale " + floatText(params.scale))
          .expected("a positive finite number")
          .hint("its values have an extreme range");
    return;
  }
  value.setType(result);
  if (isInvariant)
    state.invariant.insert(value);
}

void LayerContext::shareWithInput(unsigned index, unsigned from) {
  setOutput(index, input(from), isInvariant(from));
}

void LayerContext::setRequant(ScaleApproximation r, unsigned multiplierBits) {
  setInts(keys::scale_value, {r.multiplier});
  setInts(keys::shift_value, {r.shift});
  setExtra("scale_type", multiplierType(multiplierBits));
  setExtra("shift_type", "int8");
}

void LayerContext::setRequants(llvm::ArrayRef<ScaleApproximation> requants,
                               unsigned multiplierBits) {
  std::vector<int64_t> multipliers, shifts;
  std::vector<std::string_view> multiplierTypes(requants.size(),
                                                multiplierType(multiplierBits)),
      shiftTypes(requants.size(), "int8");
  for (const ScaleApproximation &r : requants) {
    multipliers.push_back(r.multiplier);
    shifts.push_back(r.shift);
  }
  setInts(keys::scale_value, multipliers);
  setInts(keys::shift_value, shifts);
  setExtra("scale_type", "[" + llvm::join(multiplierTypes, ",") + "]");
  setExtra("shift_type", "[" + llvm::join(shiftTypes, ",") + "]");
}

void LayerContext::setRequantTensors(
    const std::vector<ScaleApproximation> &requant, DType scaleType) {
  std::vector<int64_t> scales, shifts;
  for (const ScaleApproximation &r : requant) {
    scales.push_back(r.multiplier);
    shifts.push_back(r.shift);
  }
  auto count = int64_t(requant.size());
  setTensor(keys::scale, {count}, scaleType, scales);
  setTensor(keys::shift, {count}, DType::I8, shifts);
}

void LayerContext::setCommonKeys() {
  setExtra("is_perf_mode", options.perfMode ? "true" : "false");
  setExtra("unquantifiable", "false");
  std::vector<std::string> axes(op->getNumResults(), "None");
  setExtra("activation_quantization_axis", "[" + llvm::join(axes, ",") + "]");
}

void LayerContext::castInput(unsigned index, const LinearParams &params,
                             std::optional<unsigned> multiplierBits) {
  mlir::Value from = op->getOperand(index);
  LinearParams old = input(index);
  mlir::OpBuilder builder(op);
  llvm::StringRef reader = layerNameOf(op); // none: what a graph gives
  std::string name =
      tensorNameOf(from) + "_to_" + (reader.empty() ? "output" : reader).str();
  // One value may come in twice, with a scale for each.
  auto isCast = [&](mlir::Value v) {
    auto cast = v.getDefiningOp<CastOp>();
    return cast && cast->getOperand(0) == from;
  };
  if (llvm::any_of(op->getOperands(), isCast))
    name += "_" + std::to_string(index);
  StoredType type = integerType(params.bits, params.isSigned);
  auto place = mlir::NameLoc::get(builder.getStringAttr(name), op->getLoc());
  auto cast = CastOp::create(
      builder, place,
      mlir::TypeRange(quantizedType(op->getContext(), describe(from).shape,
                                    type, params.scale, params.zp,
                                    std::make_pair(params.qmin, params.qmax))),
      from);
  cast->setAttr(kTopNamesAttr, builder.getStrArrayAttr({name + "_0"}));
  cast->setAttr(keys::to_dtype, builder.getStringAttr(dtypeName(type)));
  op->setOperand(index, cast.getResult(0));
  unsigned bits = multiplierBits.value_or(options.multiplierWidth());
  LayerContext layer(cast, options, state);
  layer.setRequant(approximate(params.scale / old.scale, bits), bits);
  layer.setCommonKeys();
}

void LayerContext::setFlag(BoolKey name, bool value) {
  op->setAttr(name, mlir::BoolAttr::get(op->getContext(), value));
}

void LayerContext::setInt(NumericKey name, int64_t value) {
  op->setAttr(name, mlir::Builder(op->getContext()).getI64IntegerAttr(value));
}

void LayerContext::setInts(IntsKey name, llvm::ArrayRef<int64_t> values) {
  op->setAttr(name,
              mlir::Builder(op->getContext()).getDenseI64ArrayAttr(values));
}

void LayerContext::setTypedInts(IntsKey name, llvm::ArrayRef<int64_t> values,
                                llvm::StringRef types) {
  setInts(name, values);
  llvm::StringRef stem = name;
  stem.consume_back("_value");
  setExtra((stem + "_type").str(), types);
}

void LayerContext::setWord(WordKey name, llvm::StringRef value) {
  op->setAttr(name, mlir::Builder(op->getContext()).getStringAttr(value));
}

std::string LayerContext::constantName(llvm::StringRef name) const {
  return (layerNameOf(op) + "." + name).str();
}

void LayerContext::setTensor(TensorKey name, llvm::ArrayRef<int64_t> shape,
                             StoredType type, llvm::ArrayRef<int64_t> values) {
  op->setAttr(name, makeConstant(op->getContext(), constantName(name), shape,
                                 type, packed(type, values)));
}

void LayerContext::setExtraTensor(llvm::StringRef name,
                                  llvm::ArrayRef<int64_t> shape,
                                  StoredType type,
                                  llvm::ArrayRef<int64_t> values) {
  setExtraConstant(op, name,
                   makeConstant(op->getContext(), constantName(name), shape,
                                type, packed(type, values)));
}

void LayerContext::setExtraTensor(llvm::StringRef name,
                                  llvm::ArrayRef<float> values) {
  setExtraConstant(op, name,
                   makeConstantOf<float>(op->getContext(), constantName(name),
                                         {int64_t(values.size())}, DType::F32,
                                         values));
}

void setExtraKey(mlir::Operation *op, llvm::StringRef name,
                 llvm::StringRef text) {
  dropExtraKeys(op, {name});
  mlir::Builder b(op->getContext());
  llvm::SmallVector<mlir::Attribute> keys;
  if (auto others = op->getAttrOfType<mlir::ArrayAttr>(kExtraKeysAttr))
    keys.append(others.begin(), others.end());
  keys.push_back(b.getStrArrayAttr({name, text}));
  op->setAttr(kExtraKeysAttr, b.getArrayAttr(keys));
}

void setConversionKeys(mlir::Operation *conversion, const TensorInfo &stored) {
  mlir::Builder b(conversion->getContext());
  conversion->setAttr(keys::quantize_scale, b.getF64FloatAttr(stored.scale));
  conversion->setAttr(keys::quantize_zp, b.getI64IntegerAttr(stored.zp));
}

void LayerContext::setExtra(llvm::StringRef name, llvm::StringRef text) {
  setExtraKey(op, name, text);
}

void LayerContext::remove(KeyName name) { op->removeAttr(name); }

bool LayerContext::stayInFloats(const std::string &message,
                                const std::string &hint) {
  state.staysInFloats = message;
  state.diags
      .report(diag::ConfigNotApplied, placeOf(op->getLoc()),
              message + ": " + layerNameOf(op).str() +
                  " is computed in float16")
      .hint(hint);
  return false;
}

bool LayerContext::unsupported(const std::string &message,
                               const std::string &hint, llvm::StringRef key) {
  Diagnostic &d = state.diags.report(diag::QuantUnsupported,
                                     placeOf(op->getLoc(), key), message);
  if (!hint.empty())
    d.hint(hint);
  return false;
}

} // namespace yarrow
