//===- Picture.h - Rows of pixels -------------------------------*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// Three bytes a pixel: red, green and blue, the first row on top.
//
//   Picture red{1, 1, {255, 0, 0}};
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_COMPILER_DATA_PICTURES_PICTURE_H
#define YARROW_COMPILER_DATA_PICTURES_PICTURE_H

#include "support/Diagnostics.h"

#include <cstdint>
#include <string>
#include <vector>

namespace yarrow {

struct Picture {
  static constexpr int64_t kChannels = 3;
  /// More than any camera makes; a few bytes of a file can ask for as many.
  static constexpr int64_t kMostPixels = int64_t(1) << 26;

  int64_t width = 0, height = 0;
  std::vector<uint8_t> pixels;
  bool isGray = false; ///< The file has one value for each pixel.
};

/// PictureDamaged, with what a library says.
void reportDamage(const std::string &name, const std::string &reason,
                  DiagnosticEngine &diags);
/// PictureForm, if there are too many pixels.
bool checkPictureSize(int64_t width, int64_t height, const std::string &name,
                      DiagnosticEngine &diags);

} // namespace yarrow

#endif // YARROW_COMPILER_DATA_PICTURES_PICTURE_H
