//===- Decoders.h - One function for each format of pictures ----*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// Of ReadPicture.cpp. The libraries for these formats leave by longjmp when the
// bytes are wrong. Each decoder keeps to two rules, so that nothing is lost on
// the way: what owns memory lives in the function that C++ knows of, and the
// functions that are jumped out of have no object with a destructor.
//
//   std::optional<Picture> picture = decodePng(bytes, name, diags);
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_COMPILER_DATA_PICTURES_DECODERS_H
#define YARROW_COMPILER_DATA_PICTURES_DECODERS_H

#include "compiler/data/pictures/Picture.h"

#include <cstddef>
#include <optional>
#include <span>

namespace yarrow {

std::optional<Picture> decodePng(std::span<const std::byte> bytes,
                                 const std::string &name,
                                 DiagnosticEngine &diags);
std::optional<Picture> decodeJpeg(std::span<const std::byte> bytes,
                                  const std::string &name,
                                  DiagnosticEngine &diags);

} // namespace yarrow

#endif // YARROW_COMPILER_DATA_PICTURES_DECODERS_H
