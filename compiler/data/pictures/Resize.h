//===- Resize.h - Pictures of the size of a network's input -----*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// Bilinear, between centres of pixels: pixel i of `to` pixels is read at
// (i + 1/2) * from / to - 1/2 of `from` pixels, and no further out than the
// outermost centres. Where the picture gets smaller, nothing is averaged
// beside that. All of it in whole numbers, each result rounded once, halves up:
// the same bytes everywhere.
//
//   stretch    the whole picture on all of the input
//   crop       the largest part from its middle with the input's proportions
//   letterbox  the whole picture with its own proportions in the middle of the
//              input, and black (0) beside it
//
//   std::vector<uint8_t> pixels = resized(photo, 320, 240, PictureFit::Crop);
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_COMPILER_DATA_PICTURES_RESIZE_H
#define YARROW_COMPILER_DATA_PICTURES_RESIZE_H

#include "compiler/data/pictures/Picture.h"

namespace yarrow {

enum class PictureFit { Stretch, Crop, Letterbox };

struct PixelRegion {
  int64_t x = 0, y = 0, width = 0, height = 0;
  bool operator==(const PixelRegion &) const = default;
};

/// Which part of a picture becomes which part of the input.
struct PicturePlacement {
  PixelRegion from, to;
};
PicturePlacement placementOf(int64_t pictureWidth, int64_t pictureHeight,
                             int64_t width, int64_t height, PictureFit fit);

/// \p width x \p height pixels of three bytes.
std::vector<uint8_t> resized(const Picture &picture, int64_t width,
                             int64_t height, PictureFit fit);

} // namespace yarrow

#endif // YARROW_COMPILER_DATA_PICTURES_RESIZE_H
