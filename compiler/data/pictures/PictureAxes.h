//===- PictureAxes.h - Where an input has what of a picture -----*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//   auto axes = findPictureAxes({1, 3, 240, 320}, options, "net", diags);
//   // 320 wide, 240 high, channels first
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_COMPILER_DATA_PICTURES_PICTUREAXES_H
#define YARROW_COMPILER_DATA_PICTURES_PICTUREAXES_H

#include "compiler/data/pictures/PictureOptions.h"
#include "support/Diagnostics.h"

#include <string>

namespace yarrow {

struct PictureAxes {
  int64_t width = 0, height = 0;
  bool isFirst = false; ///< The channels, behind the batch.
};

/// Of an input of \p shape, batch first. nullopt after errors, which are of
/// \p name.
std::optional<PictureAxes> findPictureAxes(const std::vector<int64_t> &shape,
                                           const PictureOptions &options,
                                           const std::string &name,
                                           DiagnosticEngine &diags);

} // namespace yarrow

#endif // YARROW_COMPILER_DATA_PICTURES_PICTUREAXES_H
