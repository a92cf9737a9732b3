//===- Layers.cpp - What the families' C++ shares -------------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "dialects/compass/Layers.h"
#include "dialects/compass/Compat.h"
#include "dialects/compass/LayerError.h"
#include "dialects/compass/Records.h"
#include "dialects/compass/WideRequant.h"
#include "support/diagnostics/Ir.h"
#include "support/diagnostics/Operators.h"
#include "llvm/ADT/StringSwitch.h"

using namespace yarrow;
using namespace yarrow::compass;
using namespace mlir;
using kernels::Act;

bool compass::isIntegerLayer(Operation *op) {
  if (!describe(op->getResult(0)).isInteger())
    return false;
  if (op->getNumOperands() != 0 && !describe(op->getOperand(0)).isInteger())
    return false;
  return !computesStoredReals(op);
}

ElementsAttr compass::tensorKey(Operation *op, TensorKey name) {
  return op->getAttrOfType<ElementsAttr>(name);
}

SmallVector<int64_t> compass::intsKey(Operation *op, IntsKey name) {
  if (auto ints = op->getAttrOfType<DenseI64ArrayAttr>(name))
    return SmallVector<int64_t>(ints.asArrayRef());
  if (auto one = op->getAttrOfType<IntegerAttr>(name))
    return {one.getInt()};
  return {};
}

std::string compass::wordKey(Operation *op, WordKey name, StringRef fallback) {
  if (auto word = op->getAttrOfType<StringAttr>(name))
    return word.getValue().upper();
  // MLIR text leaves out a key that has its default.
  if (const OperatorRecord *record = recordOf(op))
    if (const KeyRecord *key = record->findKey(name);
        key && !key->defaultText.empty())
      return key->defaultText.upper();
  return fallback.str();
}

LayerError compass::missingKey(Operation *op, KeyName key) {
  return layerError(op, diag::IrMissingKey, "",
                    "the layer has no key " + key + ", which it needs");
}

static FailureOr<Act> activationKind(Operation *op, WordKey key) {
  std::string word = wordKey(op, key, "NONE");
  auto act = llvm::StringSwitch<std::optional<Act>>(word)
                 .Case("NONE", Act::None)
                 .Case("RELU", Act::Relu)
                 .Case("RELU6", Act::Relu6)
                 .Case("CLIP", Act::Clip)
                 .Case("LEAKYRELU", Act::LeakyRelu)
                 .Case("PRELU", Act::PRelu)
                 .Default(std::nullopt);
  if (!act)
    return layerError(op, diag::OpUnsupported, key,
                      "the activation " + word + " is not supported yet")
        .expected("NONE, RELU, RELU6, CLIP, LEAKYRELU or PRELU");
  return *act;
}

/// Fills slopeType and slopeCount from the PRELU slope, which must repeat along
/// the innermost axes of the result.
static LogicalResult slopeOf(Operation *op, DType &type, uint32_t &count) {
  auto slope = tensorKey(op, keys::negative_slope);
  auto view = slope ? viewConstant(slope) : std::nullopt;
  if (!view)
    return missingKey(op, keys::negative_slope);
  ArrayRef<int64_t> out =
      cast<RankedTensorType>(op->getResult(0).getType()).getShape();
  ArrayRef<int64_t> shape = view->shape;
  while (!shape.empty() && shape.front() == 1)
    shape = shape.drop_front();
  if (shape.size() > out.size() || out.take_back(shape.size()) != shape)
    return layerError(op, diag::OpInvalid, "negative_slope_shape",
                      "negative_slope does not repeat along the innermost "
                      "axes of the result")
        .found(shapeText(view->shape))
        .expected("the last lengths of " + shapeText(out));
  type = view->dtype;
  count = uint32_t(view->numElements());
  return success();
}

/// A key that must hold an integer of 32 bits in int IR. The reference writes
/// some bounds as decimals ("0.0"), so a whole decimal is accepted.
static LogicalResult int32Key(Operation *op, KeyName name, int32_t &value) {
  auto number = numberOf(op->getAttr(name));
  if (!number)
    return missingKey(op, name);
  value = int32_t(std::clamp(*number, -2147483648.0, 2147483647.0));
  return success();
}

/// The tensor scale has a type of multipliers. Those of 31 bits are positive,
/// as MLIR's verifier cannot know.
static LogicalResult checkScaleTensor(Operation *op,
                                      const ConstantView &scales) {
  bool takesWide = mostMultiplier(op) > kernels::kMostNarrowScale;
  if (scales.dtype != DType::U16 && scales.dtype != DType::U8 &&
      !(takesWide && scales.dtype == DType::I32))
    return layerError(op, diag::OpIntegerParameters, "scale_type",
                      "the tensor scale has a wrong type")
        .found(dtypeName(scales.storedType()))
        .expected(takesWide ? "uint8, uint16 or int32" : "uint8 or uint16");
  if (scales.dtype != DType::I32)
    return success();
  for (int64_t i = 0, e = scales.numElements(); i < e; ++i)
    if (int64_t scale = scales.intAt(i); scale < 1)
      return layerError(op, diag::OpIntegerParameters, "scale_offset",
                        "a value of the tensor scale is not a valid multiplier")
          .found(Twine(scale) + " of channel " + Twine(i))
          .expected("1 to 2147483647");
  return success();
}

LogicalResult compass::buildRequant(Operation *op, const TensorInfo &out,
                                    kernels::Requant &r,
                                    WordKey activationKey) {
  r.outType = out.dtype;
  r.zp = out.zp;
  r.lo = int32_t(std::max<int64_t>(out.lo, INT32_MIN));
  r.hi = int32_t(std::min<int64_t>(out.hi, INT32_MAX));
  auto act = activationKind(op, activationKey);
  if (failed(act))
    return failure();
  r.act = *act;
  if (ElementsAttr scale = tensorKey(op, keys::scale)) {
    auto scales = viewConstant(scale);
    ElementsAttr shift = tensorKey(op, keys::shift);
    auto shifts = shift ? viewConstant(shift) : std::nullopt;
    if (!scales || !shifts || scales->numElements() != shifts->numElements())
      return layerError(op, diag::OpIntegerParameters, "scale_shape",
                        "the constants scale and shift differ in length")
          .expected("one value of each per output channel");
    if (failed(checkScaleTensor(op, *scales)))
      return failure();
    if (shifts->dtype != DType::I8)
      return layerError(op, diag::OpIntegerParameters, "shift_type",
                        "the tensor shift has a wrong type")
          .found(dtypeName(shifts->storedType()))
          .expected("int8");
    if (scales->numElements() != out.shape.back())
      return layerError(op, diag::OpIntegerParameters, "scale_shape",
                        "the tensor scale does not fit the layer")
          .found(Twine(scales->numElements()) + " values")
          .expected(Twine(out.shape.back()) + ", one per output channel");
    r.perChannel = 1;
    r.scaleType = scales->dtype;
  } else {
    // Absent keys mean scale 1 and shift 0 (scales are already aligned).
    auto scales = intsKey(op, keys::scale_value),
         shifts = intsKey(op, keys::shift_value);
    int64_t first = scales.empty() ? 1 : scales[0];
    r.scale = int32_t(first);
    r.shift = shifts.empty() ? 0 : int32_t(shifts[0]);
    if (first < 0 || first > mostMultiplier(op) || r.shift < -32 ||
        r.shift > 62)
      return layerError(op, diag::OpIntegerParameters, keys::scale_value,
                        "scale_value or shift_value is out of range")
          .found(Twine(first) + " and " + Twine(r.shift))
          .expected("0 to " + Twine(mostMultiplier(op)) + " and -32 to 62");
  }
  auto rounding = roundingOf(op, r.act);
  if (failed(rounding))
    return failure();
  r.rounding = *rounding;
  if (auto scale = op->getAttrOfType<IntegerAttr>(keys::negative_slope_scale);
      scale && scale.getInt() != 1)
    return layerError(op, diag::OpUnsupported, keys::negative_slope_scale,
                      "negative_slope_scale other than 1 is not supported yet");
  switch (r.act) {
  case Act::Clip:
    return success(succeeded(int32Key(op, keys::clip_min, r.clipMin)) &&
                   succeeded(int32Key(op, keys::clip_max, r.clipMax)));
  case Act::LeakyRelu:
    if (failed(int32Key(op, keys::negative_slope_value, r.slope)))
      return failure();
    [[fallthrough]];
  case Act::PRelu: {
    auto shift = op->getAttrOfType<IntegerAttr>(keys::negative_slope_shift);
    // The reference tools write none for LEAKYRELU, and 12 for PRELU.
    if (!shift && r.act == Act::PRelu)
      return missingKey(op, keys::negative_slope_shift);
    r.slopeShift = shift ? int32_t(shift.getInt()) : int32_t(out.bits());
    // Beyond 31 it is that of a multiplier of its own.
    if (r.slopeShift > 31 && r.rounding == kernels::Rounding::HalfEven)
      return layerError(op, diag::OpBadAttribute, keys::negative_slope_shift,
                        "the key negative_slope_shift is out of range")
          .found(Twine(r.slopeShift))
          .expected("0 to 31, or requant_rounding");
    return r.act == Act::PRelu ? slopeOf(op, r.slopeType, r.slopeCount)
                               : success();
  }
  default:
    return success();
  }
}

LogicalResult compass::buildFloatAct(Operation *op, kernels::FloatAct &f,
                                     WordKey activationKey) {
  auto act = activationKind(op, activationKey);
  if (failed(act))
    return failure();
  f.act = *act;
  if (f.act == Act::Clip) {
    auto lo = numberOf(op->getAttr(keys::clip_min)),
         hi = numberOf(op->getAttr(keys::clip_max));
    if (!lo || !hi)
      return missingKey(op, lo ? keys::clip_max : keys::clip_min);
    f.clipMin = float(*lo);
    f.clipMax = float(*hi);
  }
  if (f.act == Act::LeakyRelu) {
    auto slope = numberOf(op->getAttr(keys::negative_slope_value));
    if (!slope)
      return missingKey(op, keys::negative_slope_value);
    f.slope = float(*slope);
  }
  return f.act == Act::PRelu ? slopeOf(op, f.slopeType, f.slopeCount)
                             : success();
}

void compass::bindWeighted(Operation *op, KernelCall &call) {
  struct Named {
    StringRef buffer;
    TensorKey key;
  };
  call.bindInOut();
  for (auto [buffer, key] : {Named{"weights", keys::weights},
                             {"bias", keys::biases},
                             {"scale", keys::scale},
                             {"shift", keys::shift},
                             {"slope", keys::negative_slope}})
    if (call.has(buffer))
      call[buffer] = constant(tensorKey(op, key));
}

FailureOr<int64_t> compass::normalizeAxis(Operation *op, int64_t axis,
                                          int64_t rank) {
  if (axis < -rank || axis >= rank)
    return layerError(op, diag::OpBadAttribute, keys::axis,
                      "axis " + Twine(axis) + " is outside a tensor of rank " +
                          Twine(rank))
        .found(Twine(axis))
        .expected(Twine(-rank) + " to " + Twine(rank - 1))
        .token(Twine(axis));
  return axis < 0 ? axis + rank : axis;
}

std::optional<SmallVector<int64_t>>
compass::broadcastShapes(ArrayRef<int64_t> a, ArrayRef<int64_t> b) {
  SmallVector<int64_t> result(std::max(a.size(), b.size()));
  for (size_t i = 0; i < result.size(); ++i) {
    int64_t x = i < a.size() ? a[a.size() - 1 - i] : 1;
    int64_t y = i < b.size() ? b[b.size() - 1 - i] : 1;
    int64_t big = std::max(x, y), small = std::min(x, y);
    if (small < 1 || big % small)
      return std::nullopt;
    result[result.size() - 1 - i] = big;
  }
  return result;
}

WindowKeys compass::windowKeys(Operation *op) {
  auto get = [&](StringRef name, int64_t fallback) {
    auto attr = op->getAttrOfType<IntegerAttr>(name);
    return attr ? attr.getInt() : fallback;
  };
  return {get("kernel_y", 1), get("kernel_x", 1),   get("stride_y", 1),
          get("stride_x", 1), get("dilation_y", 1), get("dilation_x", 1),
          get("pad_top", 0),  get("pad_bottom", 0), get("pad_left", 0),
          get("pad_right", 0)};
}

LogicalResult compass::checkWindow(Operation *op, const WindowKeys &w) {
  struct Bound {
    StringRef key;
    int64_t value, least, most;
  };
  const Bound bounds[] = {{"kernel_y", w.kernelY, 1, 65535},
                          {"kernel_x", w.kernelX, 1, 65535},
                          {"stride_y", w.strideY, 1, 65535},
                          {"stride_x", w.strideX, 1, 65535},
                          {"dilation_y", w.dilationY, 1, 65535},
                          {"dilation_x", w.dilationX, 1, 65535},
                          {"pad_top", w.padTop, 0, 32767},
                          {"pad_bottom", w.padBottom, 0, 32767},
                          {"pad_left", w.padLeft, 0, 32767},
                          {"pad_right", w.padRight, 0, 32767}};
  for (const Bound &b : bounds)
    if (b.value < b.least || b.value > b.most)
      return layerError(op, diag::OpUnsupported, b.key,
                        "windows with this " + b.key + " are not supported yet")
          .found(Twine(b.value))
          .expected(Twine(b.least) + " to " + Twine(b.most));
  return success();
}
