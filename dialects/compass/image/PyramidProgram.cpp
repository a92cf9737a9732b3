//===- PyramidProgram.cpp - PyramidROIAlign as a kernel -------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "dialects/compass/Keys.h"
#include "dialects/compass/image/ImageOps.h"
#include "dialects/compass/image/ImagePrograms.h"
#include "kernels/region/PyramidRoiAlign.h"
#include "support/diagnostics/Operators.h"
#include <algorithm>

using namespace yarrow;
using namespace yarrow::compass;
using namespace mlir;
using kernels::kPyramidLevels;

namespace {

/// Sizes of regions in pixels at which levels 1, 2 and 3 begin: 112, 224 and
/// 448 squared. Mask R-CNN's levels of regions in 0..1 begin at 4 + round(log2(
/// size / 224)): half a power of two lower.
constexpr double kAreas[] = {12544, 50176, 200704};
constexpr double kNormalizedAreas[] = {6272, 25088, 100352};
/// What the reference compares the areas of stored regions with, which is right
/// for 15 bits and images of 1024 x 1024.
constexpr int32_t kStoredAreas[] = {6418977, 25675908, 102703631};

FailureOr<kernels::PyramidShape> pyramidShape(PyramidROIAlignOp op) {
  if (inputShape(op, 0)[0] != 1)
    return layerError(op, diag::OpUnsupported, "layer_bottom_shape",
                      "regions of more than one image are not supported yet")
        .found(Twine(inputShape(op, 0)[0]))
        .expected("1");
  ArrayRef<int64_t> y = declaredShape(op, 0);
  SmallVector<int64_t> sample = intsKey(op, keys::sample);
  kernels::PyramidShape s;
  s.regions = uint32_t(y[0]), s.rows = uint32_t(y[1]);
  s.columns = uint32_t(y[2]), s.channels = uint32_t(y[3]);
  for (unsigned k = 0; k < kPyramidLevels; ++k) {
    s.heights[k] = uint32_t(inputShape(op, 1 + k)[1]);
    s.widths[k] = uint32_t(inputShape(op, 1 + k)[2]);
  }
  s.sampleRows = uint32_t(sample[0]), s.sampleColumns = uint32_t(sample[1]);
  s.halfPixel = wordKey(op, keys::coordinate_transformation_mode,
                        "OUTPUT_HALF_PIXEL") == "HALF_PIXEL";
  s.normalized = boolKey(op, keys::proposal_normalized);
  return s;
}

/// All levels have one element type.
LogicalResult checkLevels(Operation *op, DType type) {
  for (unsigned k = 1; k <= kPyramidLevels; ++k)
    if (DType found = describe(op->getOperand(k)).dtype; found != type)
      return layerError(op, diag::OpElementType, "layer_bottom_type",
                        "the levels of the pyramid have different types")
          .found(dtypeName(found))
          .expected(dtypeName(type));
  return success();
}

/// Four integers of a key, or an error if one is not within the bounds.
LogicalResult readLevels(Operation *op, IntsKey key, int64_t least,
                         int64_t most, int32_t (&to)[kPyramidLevels]) {
  SmallVector<int64_t> values = intsKey(op, key);
  if (values.empty())
    return missingKey(op, key);
  for (unsigned k = 0; k < kPyramidLevels; ++k) {
    if (values[k] < least || values[k] > most)
      return layerError(op, diag::OpBadAttribute, key,
                        "the key " + key + " has a value that is out of range")
          .found(Twine(values[k]))
          .expected(Twine(least) + " to " + Twine(most));
    to[k] = int32_t(values[k]);
  }
  return success();
}

void bindLevels(KernelCall &call) {
  call["rois"] = operand(0), call["output"] = result(0);
  const StringRef levels[] = {"level0", "level1", "level2", "level3"};
  for (unsigned k = 0; k < kPyramidLevels; ++k)
    call[levels[k]] = operand(1 + k);
}

LogicalResult buildFloat(PyramidROIAlignOp op, LayerProgram &program,
                         const kernels::PyramidShape &shape) {
  auto spatial = numbersWithin(op, "spatial_scale_value", 0, 1 << 30,
                               /*isWhole=*/false);
  if (failed(spatial))
    return failure();
  kernels::PyramidRoiAlignFloatParams p;
  p.shape = shape;
  p.type = describe(op->getOperand(1)).dtype;
  p.roiType = describe(op->getOperand(0)).dtype;
  p.outType = describe(op->getResult(0)).dtype;
  double pixels = double(intKey(op, keys::image_height)) *
                  double(intKey(op, keys::image_width));
  for (unsigned k = 0; k + 1 < kPyramidLevels; ++k)
    p.areas[k] =
        float(shape.normalized ? kNormalizedAreas[k] / pixels : kAreas[k]);
  for (unsigned k = 0; k < kPyramidLevels; ++k)
    p.spatialScale[k] = float((*spatial)[k]);
  bindLevels(program.call<kernels::PyramidRoiAlignFloat>(p));
  return success();
}

/// Areas of stored regions at which levels begin; false without the key.
bool setAreas(Operation *op, kernels::PyramidRoiAlignIntParams &p) {
  SmallVector<int64_t> levels = intsKey(op, keys::levels);
  for (size_t k = 0; k < levels.size(); ++k)
    p.areas[k] = int32_t(std::clamp<int64_t>(levels[k], 0, INT32_MAX));
  return !levels.empty();
}

/// Of regions in pixels: what brings them to each level, and results to their
/// scale.
LogicalResult setScales(Operation *op, kernels::PyramidRoiAlignIntParams &p) {
  if (!setAreas(op, p))
    return missingKey(op, keys::levels);
  if (!op->hasAttr(keys::spatial_shift))
    return missingKey(op, keys::spatial_shift);
  p.spatialShift = int32_t(intKey(op, keys::spatial_shift));
  return failure(
      failed(readLevels(op, keys::input_scale, 0, 65535, p.inputScale)) ||
      failed(readLevels(op, keys::input_shift, 0, 31, p.inputShift)) ||
      failed(readLevels(op, keys::scale_value, 0, 65535, p.scale)) ||
      failed(readLevels(op, keys::shift_value, 0, 31, p.shift)));
}

} // namespace

LogicalResult PyramidROIAlignOp::buildProgram(LayerProgram &program) {
  TensorInfo rois = describe(getOperand(0)), x = describe(getOperand(1)),
             out = describe(getResult(0));
  auto shape = pyramidShape(*this);
  if (failed(shape) || failed(checkLevels(*this, x.dtype)))
    return failure();
  if (!isIntegerLayer(*this))
    return buildFloat(*this, program, *shape);
  kernels::PyramidRoiAlignIntParams p;
  p.shape = *shape;
  p.type = x.dtype, p.roiType = rois.dtype, p.outType = out.dtype;
  p.roiZp = rois.zp;
  for (unsigned k = 0; k < kPyramidLevels; ++k)
    p.zps[k] = describe(getOperand(1 + k)).zp;
  p.outZp = out.zp, p.lo = int32_t(out.lo), p.hi = int32_t(out.hi);
  if (p.shape.normalized) {
    if (!setAreas(*this, p))
      llvm::copy(kStoredAreas, p.areas);
    if (!getOperation()->hasAttr(keys::box_input_qvalue))
      return missingKey(*this, keys::box_input_qvalue);
    p.spatialShift = int32_t(intKey(*this, keys::box_input_qvalue));
  } else if (failed(setScales(*this, p))) {
    return failure();
  }
  if (p.spatialShift < 1 || p.spatialShift > 15)
    return layerError(*this, diag::OpBadAttribute,
                      p.shape.normalized ? keys::box_input_qvalue
                                         : keys::spatial_shift,
                      "the layer cannot be computed with this many bits per "
                      "coordinate")
        .found(Twine(p.spatialShift))
        .expected("1 to 15");
  bindLevels(program.call<kernels::PyramidRoiAlignInt>(p));
  return success();
}
