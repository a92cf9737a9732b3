//===- Orientation.h - How a camera was held --------------------*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// The tag Orientation of EXIF 2.3: 1 is upright, 2 to 8 are what must be turned
// and mirrored to be seen as it was.
//
//   return turned(std::move(picture), exifOrientation(marker));
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_COMPILER_DATA_PICTURES_ORIENTATION_H
#define YARROW_COMPILER_DATA_PICTURES_ORIENTATION_H

#include "compiler/data/pictures/Picture.h"

#include <cstddef>
#include <span>

namespace yarrow {

inline constexpr int kUpright = 1;

/// Of a JPEG's marker APP1; 0 if it does not say, or is not whole.
int exifOrientation(std::span<const std::byte> marker);

Picture turned(Picture picture, int orientation);

} // namespace yarrow

#endif // YARROW_COMPILER_DATA_PICTURES_ORIENTATION_H
