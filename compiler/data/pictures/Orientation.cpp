//===- Orientation.cpp - How a camera was held ----------------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "compiler/data/pictures/Orientation.h"

#include <algorithm>
#include <string_view>

using namespace yarrow;

namespace {

/// Numbers of a TIFF header in its own byte order; 0 beyond the end.
struct TiffReader {
  std::string_view bytes;
  bool isBigEndian;

  uint32_t number(std::size_t at, std::size_t size) const {
    if (at > bytes.size() || size > bytes.size() - at)
      return 0;
    uint32_t value = 0;
    for (std::size_t i = 0; i < size; ++i) {
      std::size_t from = isBigEndian ? i : size - 1 - i;
      value = value << 8 | static_cast<unsigned char>(bytes[at + from]);
    }
    return value;
  }
};

} // namespace

int yarrow::exifOrientation(std::span<const std::byte> marker) {
  constexpr std::string_view kBegin("Exif\0\0", 6);
  constexpr uint32_t kTag = 0x0112;
  constexpr std::size_t kEntryBytes = 12, kValueAt = 8;
  std::string_view text(reinterpret_cast<const char *>(marker.data()),
                        marker.size());
  if (!text.starts_with(kBegin))
    return 0;
  text.remove_prefix(kBegin.size());
  TiffReader tiff{text, text.starts_with("MM")};
  std::size_t folder = tiff.number(4, 4), count = tiff.number(folder, 2);
  for (std::size_t i = 0; i < count; ++i) {
    std::size_t entry = folder + 2 + i * kEntryBytes;
    if (tiff.number(entry, 2) != kTag)
      continue;
    uint32_t value = tiff.number(entry + kValueAt, 2);
    return value >= 1 && value <= 8 ? int(value) : 0;
  }
  return 0;
}

Picture yarrow::turned(Picture picture, int orientation) {
  if (orientation <= kUpright || orientation > 8)
    return picture;
  // From 5 on rows of the file are columns of the picture.
  bool isSideways = orientation >= 5;
  bool mirrorsRows = orientation == 2 || orientation == 3 || orientation == 7 ||
                     orientation == 8;
  bool mirrorsColumns = orientation == 3 || orientation == 4 ||
                        orientation == 6 || orientation == 7;
  Picture result;
  result.isGray = picture.isGray;
  result.width = isSideways ? picture.height : picture.width;
  result.height = isSideways ? picture.width : picture.height;
  result.pixels.resize(picture.pixels.size());
  uint8_t *to = result.pixels.data();
  for (int64_t y = 0; y < result.height; ++y)
    for (int64_t x = 0; x < result.width; ++x, to += Picture::kChannels) {
      int64_t fromX = isSideways ? y : x, fromY = isSideways ? x : y;
      if (mirrorsRows)
        fromX = picture.width - 1 - fromX;
      if (mirrorsColumns)
        fromY = picture.height - 1 - fromY;
      std::copy_n(picture.pixels.data() +
                      (fromY * picture.width + fromX) * Picture::kChannels,
                  Picture::kChannels, to);
    }
  return result;
}
