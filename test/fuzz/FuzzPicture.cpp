//===- FuzzPicture.cpp - Broken PNG and JPEG files ------------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// Whatever the bytes: no crash, no end of the program by a library, a picture
// exactly if there is no error, all of its pixels there, and resized in every
// way. Checksums of PNG are made right, or nearly no mutation would come
// further than the first.
//
//===----------------------------------------------------------------------===//
#include "compiler/data/pictures/ReadPicture.h"
#include "compiler/data/pictures/Resize.h"
#include "test/fuzz/Fuzz.h"

#include <cstring>
#include <memory>

#include <zlib.h>

using namespace yarrow;
using fuzz::require;

static std::size_t numberAt(const uint8_t *bytes) {
  return std::size_t(bytes[0]) << 24 | std::size_t(bytes[1]) << 16 |
         std::size_t(bytes[2]) << 8 | bytes[3];
}

static void correctChecksums(uint8_t *bytes, std::size_t size) {
  constexpr std::size_t signature = 8, frame = 12;
  for (std::size_t at = signature; at + frame <= size;) {
    std::size_t length = numberAt(bytes + at);
    if (length > size - at - frame)
      return;
    uint8_t *sum = bytes + at + 8 + length;
    auto crc = uint32_t(crc32(0, bytes + at + 4, unsigned(length + 4)));
    for (int i = 0; i < 4; ++i)
      sum[i] = uint8_t(crc >> (24 - 8 * i));
    at += frame + length;
  }
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *data,
                                      std::size_t size) {
  // A block of its own size, so that a read beyond it is seen.
  std::unique_ptr<uint8_t[]> block(new uint8_t[size]);
  if (size)
    std::memcpy(block.get(), data, size);
  // Every other input stays as it is.
  if (size % 2 == 0 && size > 1 && block[1] == 'P')
    correctChecksums(block.get(), size);
  DiagnosticEngine diags;
  auto picture = decodePicture(std::as_bytes(std::span(block.get(), size)),
                               "fuzz.png", diags);
  require(picture.has_value() == !diags.hasErrors(),
          "a picture exactly if there is no error", &diags);
  if (!picture)
    return 0;
  ++fuzz::numAccepted;
  require(picture->pixels.size() ==
              std::size_t(picture->width * picture->height * 3),
          "three bytes for each pixel");
  for (PictureFit fit :
       {PictureFit::Stretch, PictureFit::Crop, PictureFit::Letterbox})
    require(resized(*picture, 5, 3, fit).size() == 5 * 3 * 3,
            "the size that was asked for");
  return 0;
}
