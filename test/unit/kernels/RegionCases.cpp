//===- RegionCases.cpp - Calls that sample images and regions -------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// Places, boxes and numbers of images are random bytes, so that many of them
// are wrong; those between 1 and 2 are not.
//
//===----------------------------------------------------------------------===//
#include "test/unit/kernels/KernelCaseBuilder.h"
#include "test/unit/kernels/TypeLimits.h"

using namespace yarrow;
using namespace yarrow::kernels;
using yarrow::testing::KernelCaseBuilder;

void KernelCaseBuilder::addGrids() {
  GridSampleShape shape{.batch = between(1, 2),
                        .axes = between(2, 3),
                        .places = between(1, 40),
                        .channels = between(1, 10),
                        .method = SampleMethod(random.below(3)),
                        .padding = SamplePadding(random.below(3)),
                        .alignCorners = flip()};
  for (uint32_t k = 3 - shape.axes; k < 3; ++k)
    shape.sizes[k] = between(1, 5);
  add("yk_grid_sample_float", GridSampleFloatParams{.shape = shape,
                                                    .type = floating(),
                                                    .gridType = floating(),
                                                    .outType = floating()});
  GridSampleIntParams p{.shape = shape, .type = smallInt()};
  p.tables = shape.axes == 2 && flip();
  p.gridType = p.tables ? random.of({DType::I8, DType::U8}) : smallInt();
  p.gridZp = p.tables ? 0 : zeroPoint(p.gridType);
  for (uint32_t k = 0; k < 3; ++k) {
    p.scale[k] = int32_t(random.below(65536));
    p.shift[k] = int32_t(between(0, 20));
    p.fractionBits[k] = int32_t(between(1, 14));
  }
  p.zp = zeroPoint(p.type);
  p.lo = limitsOf(p.type).low, p.hi = limitsOf(p.type).high;
  add("yk_grid_sample_int", p);
  AffineGridShape grid{.batch = shape.batch, .axes = shape.axes};
  for (uint32_t k = 3 - grid.axes; k < 3; ++k)
    grid.sizes[k] = between(1, 8);
  grid.alignCorners = flip();
  add("yk_affine_grid_float", AffineGridFloatParams{.shape = grid,
                                                    .type = floating(),
                                                    .outType = floating()});
  add("yk_affine_grid_int",
      AffineGridIntParams{.shape = grid,
                          .type = smallInt(),
                          .tableTypes = {smallInt(), smallInt(), smallInt()},
                          .fractionBits = int32_t(between(0, 20)),
                          .requant = requant()});
}

void KernelCaseBuilder::addRegions() {
  MapShape shape{.batch = between(1, 8),
                 .height = between(1, 6),
                 .width = between(1, 6),
                 .channels = between(1, 9),
                 .regions = between(1, 6),
                 .rows = between(1, 4),
                 .columns = between(1, 4)};
  DType type = smallInt();
  int32_t low = limitsOf(type).low, high = limitsOf(type).high;
  add("yk_crop_and_resize_float",
      CropAndResizeFloatParams{.shape = shape,
                               .nearest = flip(),
                               .type = DType::F16,
                               .boxType = floating(),
                               .indexType = DType::I32,
                               .outType = floating(),
                               .extrapolation = real(-2, 2)},
      {{2, kBoundsSlot}});
  add("yk_crop_and_resize_int",
      CropAndResizeIntParams{.shape = shape,
                             .nearest = flip(),
                             .type = type,
                             .boxType = smallInt(),
                             .indexType = DType::I32,
                             .scale = int32_t(between(1, 65535)),
                             .shift = int32_t(between(0, 31)),
                             .extrapolation = 7,
                             .lo = low,
                             .hi = high},
      {{2, kBoundsSlot}});
  RoiAlignShape align{.region = shape,
                      .sampleRows = random.below(4),
                      .sampleColumns = random.below(4),
                      .method = RoiMethod(random.below(2)),
                      .halfPixel = flip()};
  add("yk_roi_align_float",
      RoiAlignFloatParams{.shape = align,
                          .type = DType::F16,
                          .roiType = floating(),
                          .outType = floating(),
                          .spatialScale = {real(0, 3), real(0, 3)}});
  RoiAlignIntParams p{.shape = align, .type = type, .roiType = DType::I32};
  p.inZp = zeroPoint(type), p.outZp = zeroPoint(type);
  p.lo = low, p.hi = high;
  p.scale = int32_t(between(1, 65535)), p.shift = int32_t(between(0, 24));
  for (int k : {0, 1}) {
    p.spatialScale[k] = int32_t(between(0, 2000));
    p.binScale[k] = int32_t(between(0, 65535));
    p.binShift[k] = int32_t(between(10, 17));
    p.gridScale[k] = int32_t(between(0, 65535));
    p.gridShift[k] = int32_t(between(10, 17));
  }
  add("yk_roi_align_int", p, {{1, kBoundsSlot}});
  add("yk_roi_pool_float",
      RoiPoolFloatParams{.shape = shape,
                         .type = DType::F16,
                         .roiType = floating(),
                         .outType = floating(),
                         .spatialScale = {real(0, 3), real(0, 3)}});
  add("yk_roi_pool_int",
      RoiPoolIntParams{
          .shape = shape,
          .type = type,
          .roiType = DType::I32,
          .spatialScale = {int32_t(between(0, 1 << 17)), int32_t(1 << 15)}},
      {{1, kBoundsSlot}});
}

void KernelCaseBuilder::addPyramids() {
  PyramidShape shape{.regions = between(1, 6),
                     .rows = between(1, 4),
                     .columns = between(1, 4),
                     .channels = between(1, 9),
                     .sampleRows = random.below(3),
                     .sampleColumns = random.below(3),
                     .halfPixel = flip(),
                     .normalized = flip()};
  for (uint32_t k = 0; k < kPyramidLevels; ++k)
    shape.heights[k] = between(1, 7), shape.widths[k] = between(1, 7);
  add("yk_pyramid_roi_align_float",
      PyramidRoiAlignFloatParams{.shape = shape,
                                 .type = floating(),
                                 .roiType = floating(),
                                 .outType = floating(),
                                 .areas = {0.1f, 0.3f, 0.5f},
                                 .spatialScale = {2, 1, 0.5f, 3}});
  PyramidRoiAlignIntParams p{.shape = shape,
                             .type = smallInt(),
                             .roiType = smallInt(),
                             .areas = {10, 1000, 100000}};
  p.outType = p.type;
  p.roiZp = shape.normalized ? 0 : zeroPoint(p.roiType);
  for (uint32_t k = 0; k < kPyramidLevels; ++k) {
    p.zps[k] = zeroPoint(p.type);
    p.inputScale[k] = int32_t(random.below(65536));
    p.inputShift[k] = int32_t(between(8, 24));
    p.scale[k] = int32_t(random.below(65536));
    p.shift[k] = int32_t(between(0, 24));
  }
  p.spatialShift = int32_t(between(8, 15));
  p.outZp = zeroPoint(p.outType);
  p.lo = limitsOf(p.outType).low, p.hi = limitsOf(p.outType).high;
  add("yk_pyramid_roi_align_int", p);
}

void KernelCaseBuilder::addColours() {
  for (const char *symbol : {"yk_rgb_to_yuv", "yk_yuv_to_rgb"}) {
    ColourParams p{.batch = between(1, 2),
                   .height = 2 * between(1, 5),
                   .width = 2 * between(1, 80)};
    p.inType = smallInt();
    p.inZp = around(128);
    p.most = flip() ? 255 : 127;
    p.outType = p.most == 255 ? random.of({DType::U8, DType::I16}) : DType::I8;
    p.chromaStep = between(1, 2);
    uint32_t pixels = p.height * p.width;
    p.firstU = pixels;
    p.firstV = pixels + (p.chromaStep == 2 ? 1 : pixels / 4);
    for (int32_t &m : p.matrix)
      m = around(1 << 20);
    for (int32_t &b : p.bias)
      b = around(1 << 27);
    p.shift = int32_t(between(0, 31));
    add(symbol, p);
  }
}

void KernelCaseBuilder::addLists() {
  CtcMergeParams merge{.rows = between(1, 6),
                       .steps = between(1, 300),
                       .capacity = between(1, 300),
                       .merges = flip(),
                       .blank = int32_t(between(0, 8)),
                       .lengthType = wholeNumber(),
                       .outType = DType::U16,
                       .fill = 65535};
  add("yk_ctc_merge", merge, {{0, kBoundsSlot}});
  add("yk_accidental_hits",
      AccidentalHitsParams{.rows = between(1, 9),
                           .trues = between(1, 9),
                           .candidates = between(1, 300),
                           .capacity = between(1, 900),
                           .classType = DType::I32,
                           .candidateType = DType::I32,
                           .rowType = DType::U16,
                           .idType = DType::I32,
                           .countType = DType::U16,
                           .mostRow = 65535,
                           .mostCount = 65535},
      {{0, kBoundsSlot}, {1, kBoundsSlot}}, 2, 3);
}
