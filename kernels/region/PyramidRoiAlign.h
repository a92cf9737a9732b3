//===- PyramidRoiAlign.h - Regions of feature pyramids ----------*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// PyramidROIAlign (docs/operators/image.md): each region is read from the level
// of a pyramid of maps [1, h, w, C] that fits its size. Two forms: bins of
// samples as in RoiAlign, of regions in pixels; and crops as in CropAndResize,
// of regions in 0..1 (`normalized`). Whatever regions hold, no kernel reads
// outside of a map. Work is split by rows of the results.
//
// Kernels: PyramidRoiAlign.def.
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_KERNELS_REGION_PYRAMIDROIALIGN_H
#define YARROW_KERNELS_REGION_PYRAMIDROIALIGN_H

#include "kernels/Params.h"
#include "kernels/Signature.h"

namespace yarrow::kernels {

constexpr uint32_t kPyramidLevels = 4;

struct PyramidShape {
  uint32_t regions = 1, rows = 1, columns = 1, channels = 1;
  uint32_t heights[kPyramidLevels] = {1, 1, 1, 1};
  uint32_t widths[kPyramidLevels] = {1, 1, 1, 1};
  uint32_t sampleRows = 0, sampleColumns = 0; // 0: as many as a bin has pixels
  uint32_t halfPixel = 0;
  uint32_t normalized = 0;
};
static_assert(sizeof(PyramidShape) == 64);

/// The level is the number of `areas` that height * width of a region is not
/// below. Samples more than a pixel outside of the map count as 0, others are
/// moved to its border; a region has at least one pixel without halfPixel.
/// Corners in the wrong order or that are no numbers give 0. A sample, or a
/// pixel of a crop, costs 4 loads and as many products a channel.
struct PyramidRoiAlignFloatParams {
  PyramidShape shape;
  DType type = DType::F32, roiType = DType::F32, outType = DType::F32;
  float areas[kPyramidLevels - 1] = {};
  float spatialScale[kPyramidLevels] = {1, 1, 1, 1};
};
static_assert(sizeof(PyramidRoiAlignFloatParams) == 104);

/// Areas are those of stored regions. In pixels: corners are
/// clip(RNE((q + roiZp) * inputScale / 2^inputShift), 0, 65535) in
/// 2^-spatialShift pixels of the level, bins and steps are shares cut towards
/// zero, the sum of (q + zp) times weights of spatialShift bits is requantized
/// by the level's scale; of adaptive samples it is divided by their number
/// first, rounded down. A region without height or width gives the integer 0.
/// Normalized: regions have spatialShift fractional bits; row i lies at
/// y1 * (h - 1) + i * ((y2 - y1) * (h - 1) * 256 / (rows - 1) >> 8), limited to
/// the map, fractions have 15 bits. Sums stay below 2^50.
struct PyramidRoiAlignIntParams {
  PyramidShape shape;
  DType type = DType::I8, roiType = DType::I16, outType = DType::I8;
  int32_t roiZp = 0;
  int32_t zps[kPyramidLevels] = {};
  int32_t areas[kPyramidLevels - 1] = {};
  int32_t inputScale[kPyramidLevels] = {1, 1, 1, 1},
          inputShift[kPyramidLevels] = {}; // shifts 0 .. 31
  int32_t scale[kPyramidLevels] = {1, 1, 1, 1},
          shift[kPyramidLevels] = {}; // shifts 0 .. 31
  int32_t spatialShift = 10;          // 1 .. 15
  int32_t outZp = 0, lo = -128, hi = 127;
};
static_assert(sizeof(PyramidRoiAlignIntParams) == 188);

#define YARROW_KERNELS "kernels/region/PyramidRoiAlign.def"
#include "kernels/DeclareKernels.inc"

} // namespace yarrow::kernels

#endif // YARROW_KERNELS_REGION_PYRAMIDROIALIGN_H
