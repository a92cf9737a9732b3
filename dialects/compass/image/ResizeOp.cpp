//===- ResizeOp.cpp - Change of height and width --------------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "dialects/compass/LayerCheck.h"
#include "dialects/compass/Layers.h"
#include "dialects/compass/image/ImageOps.h"
#include "kernels/image/Resize.h"
#include "kernels/image/ResizePlaces.h"
#include "support/diagnostics/Operators.h"
#include "llvm/ADT/StringSwitch.h"

#include <cmath>
#include <set>

using namespace yarrow;
using namespace yarrow::compass;
using namespace mlir;
using kernels::CoordMode;
using kernels::NearestMode;
using kernels::ResizeMethod;

/// Ratio of axis \p axis, 1 or 2, by either key that may say it.
static std::optional<double> ratioOf(ResizeOp op, size_t axis) {
  if (auto list = op.getRatio())
    return list->size() == 4 ? std::optional((*list)[axis]) : std::nullopt;
  auto one = axis == 1 ? op.getRatioY() : op.getRatioX();
  return one ? std::optional(one->convertToDouble()) : std::nullopt;
}

std::optional<std::pair<double, double>> compass::resizeRatios(ResizeOp op) {
  auto y = ratioOf(op, 1), x = ratioOf(op, 2);
  if (op.getSize() || !y || !x)
    return std::nullopt;
  return std::pair(*y, *x);
}

/// The name of the key that says the ratio of an axis.
static KeyName ratioKey(ResizeOp op, size_t axis) {
  if (op.getRatio())
    return keys::ratio;
  return axis == 1 ? keys::ratio_y : keys::ratio_x;
}

/// "There will be an error if both are specified": which of them was meant
/// nobody can tell.
static LogicalResult checkOneSaysLengths(ResizeOp op, LayerCheck &check) {
  bool hasOne = op.getRatioY() || op.getRatioX();
  KeyName first = op.getSize() ? KeyName(keys::size) : KeyName(keys::ratio);
  if ((op.getSize() && (op.getRatio() || hasOne)) || (op.getRatio() && hasOne))
    return check
        .problem(diag::OpBadAttribute, first,
                 "several keys give the lengths of the result")
        .found(first + " and " +
               ratioKey(op, op.getRatio() || op.getRatioY() ? 1 : 2))
        .expected("size, or ratio, or ratio_x and ratio_y");
  auto list = op.getRatio();
  if (list &&
      (list->size() != 4 || list->front() != 1.0 || list->back() != 1.0))
    return check
        .problem(diag::OpBadAttribute, keys::ratio,
                 "the key ratio does not have the form for images")
        .found(std::to_string(list->size()) + " values")
        .expected("[1, height, width, 1]");
  return success();
}

/// Height and width of the result, by its size or its ratios.
static FailureOr<SmallVector<int64_t>> resizedShape(ResizeOp op) {
  LayerCheck check(op);
  SmallVector<int64_t> shape(check.in(0));
  if (failed(checkOneSaysLengths(op, check)))
    return failure();
  if (auto size = op.getSize()) {
    if (size->size() != 4 || (*size)[0] != shape[0] || (*size)[3] != shape[3])
      return check
          .problem(diag::OpBadAttribute, keys::size,
                   "the key size is not the whole shape of the result")
          .found(shapeText(*size))
          .expected("[" + Twine(shape[0]) + ", height, width, " +
                    Twine(shape[3]) + "]");
    return SmallVector<int64_t>(*size);
  }
  if (!op.getRatio()) {
    check.oneOf({keys::ratio_x}, "the width (size, ratio, or ratio_x)");
    check.oneOf({keys::ratio_y}, "the height (size, ratio, or ratio_y)");
  }
  if (!check.ok())
    return failure();
  // A ratio may have been rounded when it was written: of the two lengths that
  // it may mean the result's is taken.
  ArrayRef<int64_t> found = check.out(0);
  for (size_t axis : {1, 2}) {
    double ratio = *ratioOf(op, axis), exact = double(shape[axis]) * ratio;
    if (!(exact >= 1 && exact <= double(INT32_MAX)))
      return check
          .problem(diag::OpBadAttribute, ratioKey(op, axis),
                   "the ratio gives an impossible length")
          .found(std::to_string(ratio))
          .expected("a result of at least one pixel");
    bool near = std::abs(exact - double(found[axis])) < 1.0;
    shape[axis] = near ? found[axis] : int64_t(exact);
  }
  return shape;
}

/// A ratio that the kernel must know: 0 if it is that of the lengths, as far as
/// it was written. It is another one if it gave the result's length, rounded
/// down.
static float ratioBesides(double value, int64_t in, int64_t out) {
  constexpr double kRounding = 1e-5;
  double exact = value * double(in);
  bool isOfLengths = std::abs(exact - double(out)) <= kRounding * double(out);
  return isOfLengths || std::floor(exact) != double(out) ? 0 : float(value);
}

/// What the kernel must know of shapes and keys.
static kernels::ResizeShape resizeShapeOf(ResizeOp op) {
  TensorInfo in = describe(op.getOperand(0)), out = describe(op.getResult(0));
  kernels::ResizeShape s;
  s.batch = in.shape[0], s.inH = in.shape[1], s.inW = in.shape[2],
  s.channels = in.shape[3];
  s.outH = out.shape[1], s.outW = out.shape[2];
  s.method = wordKey(op, keys::method, "BILINEAR") == "NEAREST"
                 ? ResizeMethod::Nearest
                 : ResizeMethod::Bilinear;
  // The records have no other words.
  s.coordMode =
      llvm::StringSwitch<CoordMode>(wordKey(op, keys::mode, "HALF_PIXEL"))
          .Case("HALF_PIXEL_SYMMETRIC", CoordMode::HalfPixelSymmetric)
          .Case("PYTORCH_HALF_PIXEL", CoordMode::PytorchHalfPixel)
          .Case("ALIGN_CORNERS", CoordMode::AlignCorners)
          .Case("TF_HALF_PIXEL_FOR_NN", CoordMode::TfHalfPixelForNn)
          .Case("ASYMMETRIC", CoordMode::Asymmetric)
          .Default(CoordMode::HalfPixel);
  s.nearestMode = llvm::StringSwitch<NearestMode>(
                      wordKey(op, keys::nearest_mode, "ROUND_PREFER_FLOOR"))
                      .Case("ROUND_PREFER_CEIL", NearestMode::RoundPreferCeil)
                      .Case("FLOOR", NearestMode::Floor)
                      .Case("CEIL", NearestMode::Ceil)
                      .Case("SIMPLE", NearestMode::Simple)
                      .Default(NearestMode::RoundPreferFloor);
  s.antialias = op.getAntialias();
  s.excludeOutside = op.getExcludeOutside();
  if (auto ratios = resizeRatios(op); ratios && !isIntegerLayer(op)) {
    s.ratioH = ratioBesides(ratios->first, s.inH, s.outH);
    s.ratioW = ratioBesides(ratios->second, s.inW, s.outW);
  }
  return s;
}

LogicalResult
ResizeOp::inferShapes(SmallVectorImpl<SmallVector<int64_t>> &shapes) {
  auto shape = resizedShape(*this);
  if (failed(shape))
    return failure();
  shapes.push_back(*shape);
  return success();
}

bool compass::hasOwnRatio(ResizeOp op) {
  kernels::ResizeShape s = resizeShapeOf(op);
  return s.ratioH > 0 || s.ratioW > 0;
}

/// How many fractions of a pixel there are between the places of an axis.
static std::size_t kindsOf(const kernels::ResizeAxis &axis) {
  std::set<double> fractions;
  for (uint32_t i = 0; i < axis.out; ++i)
    fractions.insert(
        kernels::between(kernels::coordinate(axis, i), axis.in).fraction);
  return fractions.size();
}

ResizeKinds compass::resizeKinds(ResizeOp op) {
  kernels::ResizeShape s = resizeShapeOf(op);
  return {kindsOf(kernels::rowsOf(s)), kindsOf(kernels::columnsOf(s))};
}

LogicalResult ResizeOp::buildProgram(LayerProgram &program) {
  TensorInfo in = describe(getOperand(0)), out = describe(getResult(0));
  kernels::ResizeShape s = resizeShapeOf(*this);
  if (isIntegerLayer(*this)) {
    kernels::ResizeIntParams p;
    p.shape = s;
    p.inType = in.dtype, p.outType = out.dtype;
    // 0 to 16, as the record says.
    p.weightShift = int32_t(getInterpShiftValue().value_or(13));
    p.lo = int32_t(out.lo), p.hi = int32_t(out.hi);
    program.call<kernels::ResizeInt>(p);
  } else {
    kernels::ResizeFloatParams p;
    p.shape = s;
    p.inType = in.dtype, p.outType = out.dtype;
    program.call<kernels::ResizeFloat>(p);
  }
  program.last().bindInOut();
  return success();
}
