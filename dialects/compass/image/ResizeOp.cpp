//===- ResizeOp.cpp - Change of height and width --------------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "dialects/compass/LayerCheck.h"
#include "dialects/compass/Layers.h"
#include "dialects/compass/image/ImageOps.h"
#include "kernels/image/Resize.h"
#include "llvm/ADT/StringSwitch.h"

using namespace yarrow;
using namespace yarrow::compass;
using namespace mlir;
using kernels::CoordMode;
using kernels::NearestMode;
using kernels::ResizeMethod;

/// Height and width of the result: size decides, else the ratios.
static FailureOr<SmallVector<int64_t>> resizedShape(ResizeOp op) {
  LayerCheck check(op);
  SmallVector<int64_t> shape(check.in(0));
  if (auto size = op.getSize()) {
    if (size->size() != 4 || (*size)[0] != shape[0] || (*size)[3] != shape[3])
      return check
          .problem(DiagId::OpBadAttribute, "size",
                   "the key size is not the whole shape of the result")
          .found(shapeText(*size))
          .expected("[" + Twine(shape[0]) + ", height, width, " +
                    Twine(shape[3]) + "]");
    return SmallVector<int64_t>(*size);
  }
  check.oneOf({"ratio_x"}, "the width (size, or ratio_x)");
  check.oneOf({"ratio_y"}, "the height (size, or ratio_y)");
  if (!check.ok())
    return failure();
  // A ratio may have been rounded when it was written: of the two lengths that
  // it may mean the result's is taken.
  ArrayRef<int64_t> found = check.out(0);
  double ratios[2] = {op.getRatioY()->convertToDouble(),
                      op.getRatioX()->convertToDouble()};
  for (int i = 0; i < 2; ++i) {
    double exact = double(shape[1 + i]) * ratios[i];
    if (!(exact >= 1 && exact <= double(INT32_MAX)))
      return check
          .problem(DiagId::OpBadAttribute, i == 0 ? "ratio_y" : "ratio_x",
                   "the ratio gives an impossible length")
          .found(std::to_string(ratios[i]))
          .expected("a result of at least one pixel");
    bool near = std::abs(exact - double(found[1 + i])) < 1.0;
    shape[1 + i] = near ? found[1 + i] : int64_t(exact);
  }
  return shape;
}

/// What the kernel must know of the keys. Forms that are not supported yet are
/// refused here: they can be read and written.
static LogicalResult resizeKeys(ResizeOp op, kernels::ResizeShape &s) {
  std::string method = wordKey(op, "method", "BILINEAR"),
              mode = wordKey(op, "mode", "HALF_PIXEL"),
              nearest = wordKey(op, "nearest_mode", "ROUND_PREFER_FLOOR");
  if (op.getAntialias())
    return layerError(op, DiagId::OpUnsupported, "antialias",
                      "antialias=true is not supported yet");
  if (op.getExcludeOutside())
    return layerError(op, DiagId::OpUnsupported, "exclude_outside",
                      "exclude_outside=true is not supported yet");
  s.method =
      method == "NEAREST" ? ResizeMethod::Nearest : ResizeMethod::Bilinear;
  // The record has no other words.
  s.coordMode = llvm::StringSwitch<CoordMode>(mode)
                    .Case("PYTORCH_HALF_PIXEL", CoordMode::PytorchHalfPixel)
                    .Case("ALIGN_CORNERS", CoordMode::AlignCorners)
                    .Case("TF_HALF_PIXEL_FOR_NN", CoordMode::TfHalfPixelForNn)
                    .Case("ASYMMETRIC", CoordMode::Asymmetric)
                    .Default(CoordMode::HalfPixel);
  s.nearestMode = llvm::StringSwitch<NearestMode>(nearest)
                      .Case("ROUND_PREFER_CEIL", NearestMode::RoundPreferCeil)
                      .Case("FLOOR", NearestMode::Floor)
                      .Case("CEIL", NearestMode::Ceil)
                      .Case("SIMPLE", NearestMode::Simple)
                      .Default(NearestMode::RoundPreferFloor);
  return success();
}

LogicalResult
ResizeOp::inferShapes(SmallVectorImpl<SmallVector<int64_t>> &shapes) {
  auto shape = resizedShape(*this);
  if (failed(shape))
    return failure();
  shapes.push_back(*shape);
  return success();
}

LogicalResult ResizeOp::buildProgram(LayerProgram &program) {
  TensorInfo in = describe(getOperand(0)), out = describe(getResult(0));
  kernels::ResizeShape s;
  if (failed(resizeKeys(*this, s)))
    return failure();
  s.batch = in.shape[0], s.inH = in.shape[1], s.inW = in.shape[2],
  s.channels = in.shape[3];
  s.outH = out.shape[1], s.outW = out.shape[2];
  if (isIntegerLayer(*this)) {
    kernels::ResizeIntParams p;
    p.shape = s;
    p.inType = in.dtype, p.outType = out.dtype;
    if (in.bits() > 16 || out.bits() > 16)
      return layerError(*this, DiagId::OpUnsupported, "layer_bottom_type",
                        "integers of more than 16 bits are not supported yet")
          .found(dtypeName(in.dtype) + " to " + dtypeName(out.dtype));
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
