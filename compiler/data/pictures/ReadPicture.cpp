//===- ReadPicture.cpp - Pixels of PNG and JPEG files ---------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "compiler/data/pictures/ReadPicture.h"
#include "compiler/data/pictures/Decoders.h"
#include "support/FileKind.h"
#include "support/MappedFile.h"
#include "support/diagnostics/Files.h"

#include <string_view>

using namespace yarrow;

std::optional<Picture> yarrow::decodePicture(std::span<const std::byte> bytes,
                                             const std::string &name,
                                             DiagnosticEngine &diags) {
  std::string_view text(reinterpret_cast<const char *>(bytes.data()),
                        bytes.size());
  if (text.starts_with("\x89PNG\r\n\x1a\n"))
    return decodePng(bytes, name, diags);
  if (text.starts_with("\xff\xd8\xff"))
    return decodeJpeg(bytes, name, diags);
  FileKind kind = fileKindOf(bytes);
  diags
      .report(diag::PictureUnknown, {name},
              "the file is not a picture that Yarrow reads")
      .found(kind == FileKind::Image ? "a picture of another format"
                                     : std::string(describe(kind)))
      .expected("PNG or JPEG")
      .hint(kind == FileKind::Npy || kind == FileKind::Npz
                ? "the names of arrays must end in .npy or .npz"
                : "save it as PNG, which keeps every pixel");
  return std::nullopt;
}

std::optional<Picture> yarrow::readPicture(const std::string &path,
                                           DiagnosticEngine &diags) {
  auto file = MappedFile::open(path, diags);
  return file ? decodePicture(file->bytes(), path, diags) : std::nullopt;
}
