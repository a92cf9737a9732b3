//===- Region.h - Kernels that read regions of feature maps -----*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// CropAndResize, RoiAlign and MaxRoiPool (docs/operators/image.md). Maps are
// [N, H, W, C]; results [regions, rows, columns, C]. Regions are data: whatever
// they hold, no kernel reads outside of the map. Work is split by rows of the
// results.
//
// Kernels: Region.def.
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_KERNELS_REGION_REGION_H
#define YARROW_KERNELS_REGION_REGION_H

#include "kernels/Params.h"
#include "kernels/Signature.h"

namespace yarrow::kernels {

/// A map, and what is made of each region.
struct MapShape {
  uint32_t batch = 1, height = 1, width = 1, channels = 1;
  uint32_t regions = 1, rows = 1, columns = 1;
};
static_assert(sizeof(MapShape) == 28);

/// Row i of a crop lies at y1 * (H - 1) + i * (y2 - y1) * (H - 1) / (rows - 1),
/// a single one in the middle of the box; columns likewise. What lies outside
/// of the image, or in an image that there is not, or nowhere (NaN), is
/// `extrapolation`. BILINEAR: 4 loads and 3 interpolations a channel; NEAREST:
/// a load of the pixel at floor(v + 0.5).
struct CropAndResizeFloatParams {
  MapShape shape;
  uint32_t nearest = 0;
  DType type = DType::F32, boxType = DType::F32, indexType = DType::I32,
        outType = DType::F32;
  float extrapolation = 0;
};
static_assert(sizeof(CropAndResizeFloatParams) == 52);

/// v = y1 * (H - 1) + i * step in units of the boxes, step = (y2 - y1) * (H -
/// 1)
/// * 256 / (rows - 1) >> 8, 0 for a single row, which so lies at the box's
/// start; the pixel is v * scale >> shift. Coordinates have 16 + 16 bits and
/// stay below 2^57 in 64 bits; boxes of more bits wrap.
struct CropAndResizeIntParams {
  MapShape shape;
  uint32_t nearest = 0;
  DType type = DType::I8, boxType = DType::I8, indexType = DType::I32;
  int32_t scale = 1, shift = 0; // 1 .. 65535; 0 .. 31
  int32_t extrapolation = 0;    // as stored
  int32_t lo = -128, hi = 127;
};
static_assert(sizeof(CropAndResizeIntParams) == 64);

enum class RoiMethod : uint32_t { Average, Max };

/// Bins of a region, of which each is sampled at so many places; 0: as many as
/// a bin has pixels, rounded up, but no more than the map has.
struct RoiAlignShape {
  MapShape region;
  uint32_t sampleRows = 0, sampleColumns = 0;
  RoiMethod method = RoiMethod::Average;
  uint32_t halfPixel = 0; // coordinates are moved by half a pixel
};
static_assert(sizeof(RoiAlignShape) == 44);

/// Regions are image, y1, x1, y2, x2. Those of no image, with corners in the
/// wrong order or that are no numbers give 0. A region has at least one pixel
/// without halfPixel. Samples outside of the map are moved to its border.
/// A sample costs 4 loads and as many products a channel.
struct RoiAlignFloatParams {
  RoiAlignShape shape;
  DType type = DType::F32, roiType = DType::F32, outType = DType::F32;
  float spatialScale[2] = {1, 1}; // y, x
};
static_assert(sizeof(RoiAlignFloatParams) == 64);

/// Corners are trunc((roi + roiZp) * roiScale / 2^roiShift) * spatialScale in
/// 2^-spatialShift pixels; a region that ends beyond the map, or begins more
/// than 2^30 of these before it, gives 0, too. A bin is trunc(float32(size *
/// binScale) / 2^binShift), or a share of the size if binScale is 0. AVERAGE:
/// the sum of q + zp times weights of spatialShift bits, requantized; of
/// adaptive samples first divided by their number. MAX: the greatest of all
/// those products, requantized. Sums have at most 17 + 16 bits and those of the
/// number of samples.
struct RoiAlignIntParams {
  RoiAlignShape shape;
  DType type = DType::I8, roiType = DType::U16;
  int32_t inZp = 0, roiZp = 0;
  int32_t roiScale = 1, roiShift = 0;               // shift 0 .. 31
  int32_t spatialScale[2] = {1, 1};                 // y, x; 0 .. 65535
  int32_t spatialShift = 10;                        // 1 .. 15
  int32_t binScale[2] = {}, binShift[2] = {};       // 1 / rows, 1 / columns
  int32_t gridScale[2] = {1, 1}, gridShift[2] = {}; // 1 / (2 * samples)
  int32_t scale = 1, shift = 0; // of the result; shift 0 .. 31
  int32_t outZp = 0, lo = -128, hi = 127;
};
static_assert(sizeof(RoiAlignIntParams) == 132);

/// Corners are floor(coordinate * spatialScale + 0.5); of the rows from the
/// first to the last corner, at least one, bin i has those from i * size / rows
/// rounded down to (i + 1) * size / rows rounded up. 0 where a bin lies outside
/// of the map, and for regions of no image or whose corners are no numbers.
/// A load and a comparison for each element of the bin.
struct RoiPoolFloatParams {
  MapShape shape;
  DType type = DType::F32, roiType = DType::F32, outType = DType::F32;
  float spatialScale[2] = {1, 1}; // y, x
};
static_assert(sizeof(RoiPoolFloatParams) == 48);

/// The same with (roi + roiZp) * spatialScale in 2^-16; stored integers are
/// compared, an empty bin is the integer 0.
struct RoiPoolIntParams {
  MapShape shape;
  DType type = DType::I8, roiType = DType::U16;
  int32_t roiZp = 0;
  int32_t spatialScale[2] = {1, 1}; // y, x
};
static_assert(sizeof(RoiPoolIntParams) == 48);

#define YARROW_KERNELS "kernels/region/Region.def"
#include "kernels/DeclareKernels.inc"

} // namespace yarrow::kernels

#endif // YARROW_KERNELS_REGION_REGION_H
