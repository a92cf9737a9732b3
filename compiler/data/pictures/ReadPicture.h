//===- ReadPicture.h - Pixels of PNG and JPEG files -------------*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// A picture as in its file, decoded by libpng and libjpeg-turbo. Gray values
// become all three channels. Pixels that a network would not be trained with
// are rejected, not guessed: transparent ones, and colours for printing.
//
//   if (std::optional<Picture> photo = readPicture("photo.jpg", diags))
//     look(photo->width, photo->height, photo->pixels);
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_COMPILER_DATA_PICTURES_READPICTURE_H
#define YARROW_COMPILER_DATA_PICTURES_READPICTURE_H

#include "compiler/data/pictures/Picture.h"

#include <cstddef>
#include <optional>
#include <span>

namespace yarrow {

/// nullopt after errors. Never ends the program, whatever the bytes are.
std::optional<Picture> decodePicture(std::span<const std::byte> bytes,
                                     const std::string &name,
                                     DiagnosticEngine &diags);

std::optional<Picture> readPicture(const std::string &path,
                                   DiagnosticEngine &diags);

} // namespace yarrow

#endif // YARROW_COMPILER_DATA_PICTURES_READPICTURE_H
