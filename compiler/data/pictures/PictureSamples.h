//===- PictureSamples.h - Pictures as samples of an input -------*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// One picture, or all of a folder in the order of their names, as the array
// that a data set of NumPy would hold: float32, a sample for each picture.
//
//   if (isPictureSource("photos/"))
//     array = readPictureSamples("photos/", {1, 3, 320, 320}, options, diags);
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_COMPILER_DATA_PICTURES_PICTURESAMPLES_H
#define YARROW_COMPILER_DATA_PICTURES_PICTURESAMPLES_H

#include "compiler/data/pictures/PictureOptions.h"
#include "support/Npy.h"

namespace yarrow {

/// A folder, or a file whose name ends in .png, .jpg or .jpeg.
bool isPictureSource(const std::string &path);

/// The picture, or those of a folder by name; files of other names are left
/// out. Empty after errors.
std::vector<std::string> pictureFiles(const std::string &path,
                                      DiagnosticEngine &diags);

/// For an input of \p shape, which has the batch first. nullopt after errors.
std::optional<NpyView> readPictureSamples(const std::string &path,
                                          const std::vector<int64_t> &shape,
                                          const PictureOptions &options,
                                          DiagnosticEngine &diags);

} // namespace yarrow

#endif // YARROW_COMPILER_DATA_PICTURES_PICTURESAMPLES_H
