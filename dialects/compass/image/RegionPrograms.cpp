//===- RegionPrograms.cpp - Layers that read regions, as kernels ----------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "dialects/compass/Keys.h"
#include "dialects/compass/image/ImageOps.h"
#include "dialects/compass/image/ImagePrograms.h"
#include "dialects/compass/movement/Moving.h"
#include "kernels/region/Region.h"
#include "support/diagnostics/Operators.h"

using namespace yarrow;
using namespace yarrow::compass;
using namespace mlir;

namespace {

/// Factors of coordinates: 2^30 is beyond any use, and products stay finite.
constexpr double kMostFactor = 1 << 30;
/// Those of integer IR, which the reference keeps in uint16.
constexpr double kMostFixedFactor = 65535;

kernels::MapShape regionShape(Operation *op) {
  ArrayRef<int64_t> x = inputShape(op, 0), y = declaredShape(op, 0);
  kernels::MapShape s;
  s.batch = uint32_t(x[0]), s.height = uint32_t(x[1]), s.width = uint32_t(x[2]);
  s.channels = uint32_t(x[3]);
  s.regions = uint32_t(y[0]), s.rows = uint32_t(y[1]),
  s.columns = uint32_t(y[2]);
  return s;
}

/// Every entry of a key of shifts is one to the right, by less than 32.
LogicalResult checkRightShifts(Operation *op, IntsKey key) {
  for (int64_t shift : intsKey(op, key))
    if (shift < 0 || shift > 31)
      return layerError(op, diag::OpBadAttribute, key,
                        "the key " + key + " has a shift that is out of range")
          .found(Twine(shift))
          .expected("0 to 31");
  return success();
}

} // namespace

LogicalResult CropAndResizeOp::buildProgram(LayerProgram &program) {
  TensorInfo x = describe(getOperand(0)), boxes = describe(getOperand(1)),
             out = describe(getResult(0));
  bool nearest = wordKey(*this, keys::method, "BILINEAR") == "NEAREST";
  DType indexType = describe(getOperand(2)).dtype;
  double extrapolation =
      numberOf(getOperation()->getAttr(keys::extrapolation_value)).value_or(0);
  auto bind = [](KernelCall &call) {
    call.bindInOut();
    call["boxes"] = operand(1), call["indices"] = operand(2);
    return success();
  };
  if (!isIntegerLayer(*this)) {
    kernels::CropAndResizeFloatParams p;
    p.shape = regionShape(*this);
    p.nearest = nearest;
    p.type = x.dtype, p.boxType = boxes.dtype, p.indexType = indexType;
    p.outType = out.dtype;
    p.extrapolation = float(extrapolation);
    return bind(program.call<kernels::CropAndResizeFloat>(p));
  }
  kernels::CropAndResizeIntParams p;
  p.shape = regionShape(*this);
  p.nearest = nearest;
  p.type = x.dtype, p.boxType = boxes.dtype, p.indexType = indexType;
  p.scale = int32_t(intsKey(*this, keys::scale_value)[0]);
  p.shift = int32_t(intsKey(*this, keys::shift_value)[0]);
  if (p.scale == 0)
    return layerError(*this, diag::OpBadAttribute, keys::scale_value,
                      "the multiplier 0 does not give places in an image")
        .found("0")
        .expected("1 to 65535");
  if (failed(checkSameElement(*this, x, out)) ||
      failed(checkRightShifts(*this, keys::shift_value)))
    return failure();
  p.lo = int32_t(out.lo), p.hi = int32_t(out.hi);
  if (!(extrapolation >= p.lo && extrapolation <= p.hi))
    return layerError(*this, diag::OpBadAttribute, keys::extrapolation_value,
                      "the value does not fit the result's type")
        .found(std::to_string(extrapolation))
        .expected(Twine(p.lo) + " to " + Twine(p.hi));
  p.extrapolation = int32_t(extrapolation);
  return bind(program.call<kernels::CropAndResizeInt>(p));
}

static kernels::RoiAlignShape alignShape(RoiAlignOp op) {
  SmallVector<int64_t> sample = intsKey(op, keys::sample);
  kernels::RoiAlignShape s;
  s.region = regionShape(op);
  s.sampleRows = uint32_t(sample[0]), s.sampleColumns = uint32_t(sample[1]);
  s.method = wordKey(op, keys::method, "AVG") == "MAX"
                 ? kernels::RoiMethod::Max
                 : kernels::RoiMethod::Average;
  s.halfPixel = wordKey(op, keys::coordinate_transformation_mode,
                        "HALF_PIXEL") == "HALF_PIXEL";
  return s;
}

LogicalResult RoiAlignOp::buildProgram(LayerProgram &program) {
  TensorInfo x = describe(getOperand(0)), rois = describe(getOperand(1)),
             out = describe(getResult(0));
  bool isInteger = isIntegerLayer(*this);
  auto spatial = numbersWithin(*this, "spatial_scale_value", 0,
                               isInteger ? kMostFixedFactor : kMostFactor,
                               /*isWhole=*/isInteger);
  if (failed(spatial))
    return failure();
  if (!isInteger) {
    kernels::RoiAlignFloatParams p;
    p.shape = alignShape(*this);
    p.type = x.dtype, p.roiType = rois.dtype, p.outType = out.dtype;
    for (int k : {0, 1})
      p.spatialScale[k] = float((*spatial)[k]);
    program.call<kernels::RoiAlignFloat>(p).bindInOut()["rois"] = operand(1);
    return success();
  }
  if (failed(checkSameElement(*this, x, out)))
    return failure();
  for (IntsKey key :
       {keys::shift_value, keys::bin_shift_value, keys::grid_shift_value})
    if (failed(checkRightShifts(*this, key)))
      return failure();
  kernels::RoiAlignIntParams p;
  p.shape = alignShape(*this);
  p.type = x.dtype, p.roiType = rois.dtype;
  p.inZp = x.zp, p.roiZp = rois.zp;
  p.spatialShift = int32_t(intKey(*this, keys::spatial_shift_value));
  if (p.spatialShift < 1 || p.spatialShift > 15)
    return layerError(
               *this, diag::OpBadAttribute, keys::spatial_shift_value,
               "the layer cannot be computed with this many bits per pixel")
        .found(Twine(p.spatialShift))
        .expected("1 to 15");
  auto set = [&](IntsKey key, int32_t (&to)[2]) {
    SmallVector<int64_t> values = intsKey(*this, key);
    for (size_t k = 0; k < values.size(); ++k)
      to[k] = int32_t(values[k]);
  };
  set(keys::bin_scale_value, p.binScale),
      set(keys::bin_shift_value, p.binShift);
  set(keys::grid_scale_value, p.gridScale),
      set(keys::grid_shift_value, p.gridShift);
  int32_t scales[2], shifts[2]; // of the result and of regions
  set(keys::scale_value, scales), set(keys::shift_value, shifts);
  p.scale = scales[0], p.shift = shifts[0];
  p.roiScale = scales[1], p.roiShift = shifts[1];
  for (int k : {0, 1})
    p.spatialScale[k] = int32_t((*spatial)[k]);
  p.outZp = out.zp, p.lo = int32_t(out.lo), p.hi = int32_t(out.hi);
  program.call<kernels::RoiAlignInt>(p).bindInOut()["rois"] = operand(1);
  return success();
}

LogicalResult MaxRoiPoolOp::buildProgram(LayerProgram &program) {
  TensorInfo x = describe(getOperand(0)), rois = describe(getOperand(1)),
             out = describe(getResult(0));
  bool isInteger = isIntegerLayer(*this);
  auto spatial = numbersWithin(*this, "spatial", 0, kMostFactor,
                               /*isWhole=*/isInteger);
  if (failed(spatial))
    return failure();
  if (!isInteger) {
    kernels::RoiPoolFloatParams p;
    p.shape = regionShape(*this);
    p.type = x.dtype, p.roiType = rois.dtype, p.outType = out.dtype;
    for (int k : {0, 1})
      p.spatialScale[k] = float((*spatial)[k]);
    program.call<kernels::RoiPoolFloat>(p).bindInOut()["rois"] = operand(1);
    return success();
  }
  if (failed(checkSameElement(*this, x, out)))
    return failure();
  kernels::RoiPoolIntParams p;
  p.shape = regionShape(*this);
  p.type = x.dtype, p.roiType = rois.dtype, p.roiZp = rois.zp;
  for (int k : {0, 1})
    p.spatialScale[k] = int32_t((*spatial)[k]);
  program.call<kernels::RoiPoolInt>(p).bindInOut()["rois"] = operand(1);
  return success();
}
