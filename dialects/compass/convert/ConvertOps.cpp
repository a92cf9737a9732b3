//===- ConvertOps.cpp - Shapes and kernels of conversions -----------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "dialects/compass/convert/ConvertOps.h"
#include "dialects/compass/Folding.h"
#include "dialects/compass/LayerCheck.h"
#include "dialects/compass/Layers.h"
#include "dialects/compass/WideRequant.h"
#include "kernels/convert/Convert.h"
#include "support/diagnostics/Operators.h"
#include "llvm/ADT/StringSwitch.h"

using namespace yarrow;
using namespace yarrow::compass;
using namespace mlir;

#define GET_OP_CLASSES
#include "dialects/compass/convert/ConvertOps.cpp.inc"

void compass::registerConvertOps(CompassDialect &dialect) {
  dialect.addFamily<
#define GET_OP_LIST
#include "dialects/compass/convert/ConvertOps.cpp.inc"
      >();
}

using Shapes = SmallVectorImpl<SmallVector<int64_t>>;

static LogicalResult inferSameShape(Operation *op, Shapes &shapes) {
  shapes.push_back(describe(op->getOperand(0)).shape);
  return success();
}

static std::pair<int32_t, int32_t> range32(const TensorInfo &info) {
  return {int32_t(std::max<int64_t>(info.lo, INT32_MIN)),
          int32_t(std::min<int64_t>(info.hi, INT32_MAX))};
}

//===----------------------------------------------------------------------===//
// Cast
//===----------------------------------------------------------------------===//

/// The result has the type that to_dtype says, unless that is a float and the
/// result was quantized later: the Optimizer leaves the key as it was.
static LogicalResult checkTarget(CastOp op) {
  TensorInfo out = describe(op.getResult(0));
  auto stated = op.getToDtype() ? parseType(*op.getToDtype()) : std::nullopt;
  if (!stated || *stated == out.storedType() ||
      (dtypeIsFloat(stated->dtype) && out.isQuantized()))
    return success();
  return layerError(op, diag::OpElementType, "layer_top_type",
                    "the type of the result is not to_dtype")
      .found(dtypeName(out.storedType()))
      .expected(dtypeName(*stated));
}

LogicalResult CastOp::inferShapes(Shapes &shapes) {
  LayerCheck check(*this);
  check.requant();
  if (failed(checkTarget(*this)) || !check.ok())
    return failure();
  return inferSameShape(*this, shapes);
}

/// Integers that 32 bits do not hold take multipliers of 16 bits and one
/// rounding; others times a wide one must fit 64 bits.
static LogicalResult checkScaledTypes(CastOp op, const TensorInfo &in,
                                      const TensorInfo &out) {
  kernels::Requant r;
  r.scale = int32_t(intsKey(op, keys::scale_value).front());
  if (in.bits() <= 32 && out.bits() <= 32 && in.dtype != DType::U32 &&
      out.dtype != DType::U32)
    return checkSums(op, r, mostMagnitude(in));
  if (!hasOwnRounding(op) && r.scale <= kernels::kMostNarrowScale)
    return success();
  return layerError(op, diag::OpUnsupported, "layer_top_type",
                    "multipliers of more than 16 bits and requant_rounding "
                    "cannot be executed with integers beyond int32")
      .found(dtypeName(in.storedType()) + " to " + dtypeName(out.storedType()));
}

LogicalResult CastOp::buildProgram(LayerProgram &program) {
  TensorInfo in = describe(getOperand(0)), out = describe(getResult(0));
  kernels::CastParams p;
  p.count = out.numElements();
  p.inType = in.dtype, p.outType = out.dtype;
  std::tie(p.lo, p.hi) = range32(out);
  std::string clip = getClipMode().upper();
  // The format's description has two misspellings of SATURATION.
  bool wraps = clip == "TRUNCATION";
  if (!wraps && clip != "SATURATION" && clip != "SATURETION" &&
      clip != "SATUETION")
    return layerError(*this, diag::OpBadAttribute, keys::clip_mode,
                      "the key clip_mode has a wrong value")
        .found(clip)
        .expected("SATURATION or TRUNCATION");
  if (in.isFloat() || out.isFloat()) {
    p.mode = kernels::CastMode::Float;
  } else {
    // Wrapping ignores zero points, as the reference does.
    if (!getIgnoreScaleZp())
      p.inZp = in.zp, p.zp = out.zp;
    SmallVector<int64_t> scales = intsKey(*this, keys::scale_value),
                         shifts = intsKey(*this, keys::shift_value);
    if (!scales.empty() && !getIgnoreScaleZp()) {
      assert(scales.size() == 1 && shifts.size() == 1 && "verified");
      auto rounding = roundingOf(*this, kernels::Act::None);
      if (failed(rounding) || failed(checkScaledTypes(*this, in, out)))
        return failure();
      p.rounding = *rounding;
      // The reference rounds results of up to 16 bits only.
      p.mode = out.bits() > 16 && !hasOwnRounding(*this)
                   ? kernels::CastMode::RequantizeTowardsZero
                   : kernels::CastMode::Requantize;
      p.scale = int32_t(scales[0]), p.shift = int32_t(shifts[0]);
    } else {
      p.mode = wraps ? kernels::CastMode::Wrap : kernels::CastMode::Saturate;
      if (wraps)
        p.inZp = p.zp = 0;
    }
  }
  program.call<kernels::Cast>(p);
  program.last().bindInOut();
  return success();
}

//===----------------------------------------------------------------------===//
// Quantize and DeQuantize
//===----------------------------------------------------------------------===//

/// Scale and zero point of the quantized side. Float IR, whose integer tensors
/// have none, states them in the keys.
static FailureOr<std::pair<float, int32_t>> scaleAndZp(Operation *op,
                                                       const TensorInfo &side) {
  if (side.isQuantized())
    return std::pair(side.scale, side.zp);
  auto scale = op->getAttrOfType<FloatAttr>(keys::quantize_scale);
  auto zp = op->getAttrOfType<IntegerAttr>(keys::quantize_zp);
  float value = scale ? float(scale.getValueAsDouble()) : 1.0f;
  if (!(value > 0) || !std::isfinite(value))
    return layerError(op, diag::OpBadAttribute, keys::quantize_scale,
                      "the key quantize_scale has a wrong value")
        .found(std::to_string(value))
        .expected("a positive number");
  return std::pair(value, zp ? int32_t(zp.getInt()) : 0);
}

static LayerError wrongDirection(Operation *op, const Twine &expected) {
  LayerError error =
      layerError(op, diag::OpElementType, "layer_bottom_type",
                 "the layer converts only in the other direction");
  error
      .found(dtypeName(describe(op->getOperand(0)).storedType()) + " to " +
             dtypeName(describe(op->getResult(0)).storedType()))
      .expected(expected);
  return error;
}

LogicalResult QuantizeOp::inferShapes(Shapes &shapes) {
  return inferSameShape(*this, shapes);
}

LogicalResult QuantizeOp::buildProgram(LayerProgram &program) {
  TensorInfo in = describe(getOperand(0)), out = describe(getResult(0));
  if (!in.isFloat() || !out.isInteger())
    return wrongDirection(*this, "a float to an integer type");
  std::string round = getRoundMode().value_or("ROUND_TO_EVEN").upper();
  auto rounding =
      llvm::StringSwitch<std::optional<kernels::QuantizeRounding>>(round)
          .Case("ROUND_TO_EVEN", kernels::QuantizeRounding::Sum)
          .Case("EVEN_FIRST", kernels::QuantizeRounding::First)
          .Case("AWAY_FIRST", kernels::QuantizeRounding::FirstAway)
          .Default(std::nullopt);
  if (!rounding)
    return layerError(*this, diag::OpUnsupported, keys::round_mode,
                      "round_mode " + round +
                          " is not supported yet, only ROUND_TO_EVEN");
  auto scale = scaleAndZp(*this, out);
  if (failed(scale))
    return failure();
  kernels::QuantizeParams p;
  p.count = out.numElements();
  p.inType = in.dtype, p.outType = out.dtype;
  std::tie(p.scale, p.zp) = *scale;
  std::tie(p.lo, p.hi) = range32(out);
  p.rounding = *rounding;
  program.call<kernels::Quantize>(p);
  program.last().bindInOut();
  return success();
}

LogicalResult DeQuantizeOp::inferShapes(Shapes &shapes) {
  return inferSameShape(*this, shapes);
}

LogicalResult DeQuantizeOp::buildProgram(LayerProgram &program) {
  TensorInfo in = describe(getOperand(0)), out = describe(getResult(0));
  if (!in.isInteger() || !out.isFloat())
    return wrongDirection(*this, "an integer to a float type");
  auto scale = scaleAndZp(*this, in);
  if (failed(scale))
    return failure();
  kernels::DequantizeParams p;
  p.count = out.numElements();
  p.inType = in.dtype, p.outType = out.dtype;
  std::tie(p.scale, p.zp) = *scale;
  program.call<kernels::Dequantize>(p);
  program.last().bindInOut();
  return success();
}

//===----------------------------------------------------------------------===//
// FakeQuantWithMinMaxVars
//===----------------------------------------------------------------------===//

LogicalResult FakeQuantWithMinMaxVarsOp::inferShapes(ResultShapes &shapes) {
  Operation *op = getOperation();
  auto min = numberOf(op->getAttr(keys::min)),
       max = numberOf(op->getAttr(keys::max));
  if (min && max && !(*min < *max))
    return layerError(op, diag::OpBadAttribute, keys::max,
                      "the grid from min to max is empty")
        .found("min " + Twine(std::to_string(*min)) + ", max " +
               std::to_string(*max))
        .expected("min < max");
  return inferSameShape(op, shapes);
}
