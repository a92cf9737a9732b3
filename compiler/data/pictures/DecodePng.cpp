//===- DecodePng.cpp - PNG files by libpng --------------------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// Samples of 16 bits keep their upper ones, palettes and few bits are spread to
// bytes, and what a file says of gamma is left alone: networks are trained with
// the values that files have.
//
//===----------------------------------------------------------------------===//
#include "compiler/data/pictures/Decoders.h"
#include "support/diagnostics/Files.h"

#include <algorithm>
#include <csetjmp>
#include <cstdio>
#include <cstring>

#include <png.h>

using namespace yarrow;

namespace {

constexpr int64_t kOpaque = 255;

/// What libpng and our functions share. An error leaves by longjmp.
struct PngJob {
  std::span<const std::byte> bytes;
  std::size_t at = 0;
  png_structp png = nullptr;
  png_infop info = nullptr;
  char message[256] = "";

  ~PngJob() { png_destroy_read_struct(&png, &info, nullptr); }
};

[[noreturn]] void leave(png_structp png, png_const_charp message) {
  auto *job = static_cast<PngJob *>(png_get_error_ptr(png));
  std::snprintf(job->message, sizeof job->message, "%s", message);
  png_longjmp(png, 1);
}

/// Of chunks that have no part in the pixels.
void ignore(png_structp, png_const_charp) {}

void readBytes(png_structp png, png_bytep to, png_size_t size) {
  auto *job = static_cast<PngJob *>(png_get_io_ptr(png));
  if (size > job->bytes.size() - job->at)
    png_error(png, "the file ends too early");
  std::memcpy(to, job->bytes.data() + job->at, size);
  job->at += size;
}

struct PngSize {
  int64_t width, height, rowBytes, packedRowBits;
  bool isGray, hasAlpha;
};

/// Everything up to the pixels. False after an error of libpng's.
bool readHeader(PngJob &job, PngSize &size) {
  if (setjmp(png_jmpbuf(job.png)))
    return false;
  png_set_read_fn(job.png, &job, readBytes);
  png_read_info(job.png, job.info);
  size.width = png_get_image_width(job.png, job.info);
  size.height = png_get_image_height(job.png, job.info);
  size.packedRowBits = size.width * png_get_bit_depth(job.png, job.info) *
                       png_get_channels(job.png, job.info);
  int colours = png_get_color_type(job.png, job.info);
  size.isGray = !(colours & PNG_COLOR_MASK_COLOR);
  size.hasAlpha = (colours & PNG_COLOR_MASK_ALPHA) ||
                  png_get_valid(job.png, job.info, PNG_INFO_tRNS);
  png_set_expand(job.png);
  png_set_strip_16(job.png);
  png_set_gray_to_rgb(job.png);
  png_set_interlace_handling(job.png);
  png_read_update_info(job.png, job.info);
  size.rowBytes = int64_t(png_get_rowbytes(job.png, job.info));
  return true;
}

bool readRows(PngJob &job, png_bytep *rows) {
  if (setjmp(png_jmpbuf(job.png)))
    return false;
  png_read_image(job.png, rows);
  png_read_end(job.png, nullptr);
  return true;
}

/// A byte of a deflated stream stands for at most 1,032: what declares more
/// ends before its pixels do, and no memory is taken for it.
bool canHold(std::size_t fileBytes, const PngSize &size) {
  constexpr int64_t kMostOfAByte = 1032;
  int64_t packed = size.height * (size.packedRowBits / 8);
  return packed / kMostOfAByte <= int64_t(fileBytes);
}

/// Takes the fourth byte of each pixel away; false if one is not opaque.
bool dropAlpha(std::vector<uint8_t> &pixels) {
  std::size_t count = pixels.size() / 4;
  for (std::size_t i = 0; i < count; ++i) {
    if (pixels[4 * i + 3] != kOpaque)
      return false;
    std::copy_n(pixels.begin() + std::ptrdiff_t(4 * i), 3,
                pixels.begin() + std::ptrdiff_t(3 * i));
  }
  pixels.resize(3 * count);
  return true;
}

} // namespace

std::optional<Picture> yarrow::decodePng(std::span<const std::byte> bytes,
                                         const std::string &name,
                                         DiagnosticEngine &diags) {
  PngJob job{bytes};
  job.png = png_create_read_struct(PNG_LIBPNG_VER_STRING, &job, leave, ignore);
  job.info = job.png ? png_create_info_struct(job.png) : nullptr;
  PngSize size = {};
  if (!job.info || !readHeader(job, size)) {
    reportDamage(name, job.info ? job.message : "libpng has no memory left",
                 diags);
    return std::nullopt;
  }
  if (!checkPictureSize(size.width, size.height, name, diags))
    return std::nullopt;
  int64_t channels = Picture::kChannels + (size.hasAlpha ? 1 : 0);
  if (!canHold(bytes.size(), size) || size.rowBytes != channels * size.width) {
    reportDamage(name, "the file ends too early", diags);
    return std::nullopt;
  }
  Picture picture;
  picture.width = size.width;
  picture.height = size.height;
  picture.isGray = size.isGray;
  picture.pixels.resize(std::size_t(size.rowBytes * size.height));
  std::vector<png_bytep> rows;
  for (int64_t y = 0; y < size.height; ++y)
    rows.push_back(picture.pixels.data() + y * size.rowBytes);
  if (!readRows(job, rows.data())) {
    reportDamage(name, job.message, diags);
    return std::nullopt;
  }
  if (!size.hasAlpha || dropAlpha(picture.pixels))
    return picture;
  diags.report(diag::PictureForm, {name}, "the picture has transparent pixels")
      .found("an alpha channel with values below 255")
      .expected("no alpha channel, or 255 everywhere")
      .hint("put the picture on the background that the network was trained "
            "with");
  return std::nullopt;
}
