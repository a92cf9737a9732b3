//===- RegionCalls.cpp - Calls that sample images and convert colours -----===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "benchmark/kernels/KernelCall.h"

using namespace yarrow::benchmark;
using namespace yarrow::kernels;

namespace {

constexpr uint32_t kSize = 32, kChannels = 64, kRegions = 8;
constexpr uint32_t kMap = kSize * kSize * kChannels;

void addColours(KernelCalls &calls) {
  constexpr uint32_t side = 128, pixels = side * side, frame = pixels * 3 / 2;
  // BT.601 with 10 bits; what the offset of 128 makes is part of the bias.
  ColourParams toYuv{.height = side,
                     .width = side,
                     .firstU = pixels,
                     .firstV = pixels + pixels / 4,
                     .matrix = {306, 601, 117, -173, -339, 512, 512, -429, -83},
                     .bias = {0, 128 << 10, 128 << 10},
                     .shift = 10};
  calls.add<RgbToYuv>(Use::Other, "[128, 128, 3] uint8 to I420", toYuv,
                      {in(DType::U8, 3 * pixels), out(DType::U8, frame)},
                      pixels);
  ColourParams toRgb{.height = side,
                     .width = side,
                     .firstU = pixels,
                     .firstV = pixels + pixels / 4,
                     .matrix = {1024, 0, 1436, 1024, -352, -731, 1024, 1815, 0},
                     .bias = {-1436 * 128, 1083 * 128, -1815 * 128},
                     .shift = 10};
  calls.add<YuvToRgb>(Use::Other, "I420 to [128, 128, 3] uint8", toRgb,
                      {in(DType::U8, frame), out(DType::U8, 3 * pixels)},
                      pixels);
}

void addGrids(KernelCalls &calls) {
  constexpr uint32_t places = 1024, side = 128, numbers = 2 * side * side;
  GridSampleShape shape{
      .sizes = {1, kSize, kSize}, .places = places, .channels = kChannels};
  calls.add<GridSampleFloat>(
      Use::Common, "1024 of [32, 32, 64] float32", {.shape = shape},
      {in(DType::F32, kMap), in(DType::F32, 2 * places), out(DType::F32, kMap)},
      places * kChannels);
  // -1 to 1 as int16, to 15.5 pixels on either side in 2^-10 pixels.
  calls.add<GridSampleInt>(Use::Common, "1024 of [32, 32, 64] int8",
                           {.shape = shape,
                            .gridType = DType::I16,
                            .scale = {1, 15872, 15872},
                            .shift = {0, 15, 15}},
                           {in(DType::I8, kMap), in(DType::I16, 2 * places),
                            none(), none(), none(), none(),
                            out(DType::I8, kMap)},
                           places * kChannels);
  // Pictures, of which each pixel is gathered: the bound has no places.
  GridSampleShape few{.sizes = {1, 64, 64}, .places = 64 * 64, .channels = 3};
  constexpr uint32_t picture = 64 * 64 * 3;
  calls.add<GridSampleInt>(Use::Other, "64 x 64 of [64, 64, 3] int8",
                           {.shape = few,
                            .gridType = DType::I16,
                            .scale = {1, 31744, 31744},
                            .shift = {0, 16, 16},
                            .fractionBits = {10, 9, 9}},
                           {in(DType::I8, picture),
                            in(DType::I16, 2 * few.places), none(), none(),
                            none(), none(), out(DType::I8, picture)},
                           picture);
  few.padding = SamplePadding::Border;
  calls.add<GridSampleInt>(Use::Other, "64 x 64 of [64, 64, 3] int16, border",
                           {.shape = few,
                            .type = DType::I16,
                            .gridType = DType::I16,
                            .scale = {1, 31744, 31744},
                            .shift = {0, 16, 16},
                            .fractionBits = {10, 9, 9},
                            .lo = -32768,
                            .hi = 32767},
                           {in(DType::I16, picture),
                            in(DType::I16, 2 * few.places), none(), none(),
                            none(), none(), out(DType::I16, picture)},
                           picture);
  calls.add<GridSampleFloat>(Use::Other, "64 x 64 of [64, 64, 3] float16",
                             {.shape = few,
                              .type = DType::F16,
                              .gridType = DType::F16,
                              .outType = DType::F16},
                             {in(DType::F16, picture),
                              in(DType::F16, 2 * few.places),
                              out(DType::F16, picture)},
                             picture);
  AffineGridShape grid{.sizes = {1, side, side}};
  calls.add<AffineGridFloat>(
      Use::Other, "[128, 128, 2] float32", {.shape = grid},
      {in(DType::F32, 6), out(DType::F32, numbers)}, numbers);
  calls.add<AffineGridInt>(Use::Other, "[128, 128, 2] int8",
                           {.shape = grid, .requant = sumRequant(23)},
                           {in(DType::I8, 6), in(DType::I16, side),
                            in(DType::I16, side), none(),
                            out(DType::I8, numbers)},
                           numbers);
}

/// Of each region the image, where \p hasImage, and y1, x1, y2, x2: sides of
/// \p side, somewhere in a square of \p size.
std::vector<double> regions(bool hasImage, uint32_t side, uint32_t size) {
  std::vector<double> values;
  for (uint32_t i = 0; i < kRegions; ++i) {
    if (hasImage)
      values.push_back(0);
    uint32_t y = i * 37 % (size - side), x = i * 53 % (size - side);
    for (uint32_t corner : {y, x, y + side, x + side})
      values.push_back(corner);
  }
  return values;
}

void addMaps(KernelCalls &calls) {
  MapShape crop{.height = kSize,
                .width = kSize,
                .channels = kChannels,
                .regions = kRegions,
                .rows = 8,
                .columns = 8};
  constexpr uint32_t cropped = kRegions * 8 * 8 * kChannels;
  std::vector<double> boxes = regions(false, 128, 255), shares;
  for (double corner : boxes)
    shares.push_back(corner / 255);
  CallBuffer images = valuesIn(DType::I32, std::vector<double>(kRegions, 0.0));
  calls.add<CropAndResizeFloat>(
      Use::Other, "8 x [8, 8, 64] of [32, 32, 64] float32", {.shape = crop},
      {in(DType::F32, kMap), valuesIn(DType::F32, shares), images,
       out(DType::F32, cropped)},
      cropped);
  calls.add<CropAndResizeInt>(
      Use::Other, "8 x [8, 8, 64] of [32, 32, 64] int8",
      {.shape = crop, .boxType = DType::U8, .scale = 257, .shift = 16},
      {in(DType::I8, kMap), valuesIn(DType::U8, boxes), images,
       out(DType::I8, cropped)},
      cropped);

  // 7 x 7 bins of 2 x 2 pixels, or samples.
  MapShape map = crop;
  map.rows = map.columns = 7;
  constexpr uint32_t results = kRegions * 7 * 7 * kChannels;
  RoiAlignShape align{.region = map, .sampleRows = 2, .sampleColumns = 2};
  calls.add<RoiAlignFloat>(
      Use::Other, "8 x [7, 7, 64], 2 x 2 samples, float32", {.shape = align},
      {in(DType::F32, kMap), valuesIn(DType::F32, regions(true, 14, kSize)),
       out(DType::F32, results)},
      4 * results);
  calls.add<RoiAlignInt>(Use::Other, "8 x [7, 7, 64], 2 x 2 samples, int8",
                         {.shape = align,
                          .spatialScale = {1024, 1024},
                          .gridScale = {16384, 16384},
                          .gridShift = {16, 16},
                          .scale = 16384,
                          .shift = 26},
                         {in(DType::I8, kMap),
                          valuesIn(DType::U16, regions(true, 14, kSize)),
                          out(DType::I8, results)},
                         4 * results);
  // The last corner's pixel is part of a region.
  calls.add<RoiPoolFloat>(
      Use::Other, "8 x [7, 7, 64], 2 x 2 pixels, float32", {.shape = map},
      {in(DType::F32, kMap), valuesIn(DType::F32, regions(true, 13, kSize)),
       out(DType::F32, results)},
      4 * results);
  calls.add<RoiPoolInt>(Use::Other, "8 x [7, 7, 64], 2 x 2 pixels, int8",
                        {.shape = map, .spatialScale = {1 << 16, 1 << 16}},
                        {in(DType::I8, kMap),
                         valuesIn(DType::U16, regions(true, 13, kSize)),
                         out(DType::I8, results)},
                        4 * results);
}

void addPyramids(KernelCalls &calls) {
  PyramidShape shape{.regions = kRegions,
                     .rows = 7,
                     .columns = 7,
                     .channels = kChannels,
                     .heights = {32, 16, 8, 4},
                     .widths = {32, 16, 8, 4},
                     .sampleRows = 2,
                     .sampleColumns = 2};
  constexpr uint32_t results = kRegions * 7 * 7 * kChannels;
  // In an image of 128 x 128, of which the largest map has a quarter a side.
  std::vector<double> rois;
  for (uint32_t i = 0; i < kRegions; ++i)
    for (double corner : {4.0, 6.0, 20.0 + 14 * i, 22.0 + 14 * i})
      rois.push_back(corner);
  auto buffers = [&](DType type, DType roiType) {
    return std::vector<CallBuffer>{valuesIn(roiType, rois), in(type, kMap),
                                   in(type, kMap / 4),      in(type, kMap / 16),
                                   in(type, kMap / 64),     out(type, results)};
  };
  calls.add<PyramidRoiAlignFloat>(
      Use::Other, "8 x [7, 7, 64], 2 x 2 samples, float32",
      {.shape = shape,
       .areas = {32 * 32, 64 * 64, 96 * 96},
       .spatialScale = {0.25f, 0.125f, 0.0625f, 0.03125f}},
      buffers(DType::F32, DType::F32), 4 * results);
  calls.add<PyramidRoiAlignInt>(Use::Other,
                                "8 x [7, 7, 64], 2 x 2 samples, int8",
                                {.shape = shape,
                                 .areas = {32 * 32, 64 * 64, 96 * 96},
                                 .inputScale = {256, 128, 64, 32},
                                 .scale = {16384, 16384, 16384, 16384},
                                 .shift = {26, 26, 26, 26}},
                                buffers(DType::I8, DType::I16), 4 * results);
}

} // namespace

void KernelCalls::addRegions() {
  addColours(*this);
  addGrids(*this);
  addMaps(*this);
  addPyramids(*this);
}
