//===- Picture.cpp - Rows of pixels ---------------------------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "compiler/data/pictures/Picture.h"
#include "support/Format.h"
#include "support/diagnostics/Files.h"

using namespace yarrow;

void yarrow::reportDamage(const std::string &name, const std::string &reason,
                          DiagnosticEngine &diags) {
  diags.report(diag::PictureDamaged, {name}, "the picture cannot be decoded")
      .found(reason)
      .hint("download or copy it again: an interrupted transfer leaves a "
            "damaged file");
}

bool yarrow::checkPictureSize(int64_t width, int64_t height,
                              const std::string &name,
                              DiagnosticEngine &diags) {
  // A side has 32 bits, so that the product of two fits.
  if (width >= 1 && height >= 1 && width * height <= Picture::kMostPixels)
    return true;
  diags
      .report(diag::PictureForm, {name},
              "the picture has no pixels, or too many")
      .found(std::to_string(width) + " x " + std::to_string(height))
      .expected("1 to " + formatCount(std::size_t(Picture::kMostPixels)) +
                " pixels")
      .hint("make it smaller first: a network reads a few thousand pixels");
  return false;
}
