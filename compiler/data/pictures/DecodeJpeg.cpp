//===- DecodeJpeg.cpp - JPEG files by libjpeg-turbo -----------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// The library's slow integer transform and smooth upsampling, its defaults,
// which have the same bytes on every machine. A camera that was held sideways
// says so in the file (EXIF), and the picture is turned as it was seen.
//
//===----------------------------------------------------------------------===//
#include "compiler/data/pictures/Decoders.h"
#include "compiler/data/pictures/Orientation.h"
#include "support/diagnostics/Files.h"

#include <csetjmp>
#include <cstdio>

#include <jpeglib.h>

#include <jerror.h>

using namespace yarrow;

namespace {

/// A scan takes a pass over all pixels; files that are progressive have a
/// dozen.
constexpr int kMostScans = 200;
constexpr int kExifMarker = JPEG_APP0 + 1;

/// What libjpeg and our functions share. An error leaves by longjmp.
struct JpegJob {
  jpeg_decompress_struct info = {};
  jpeg_error_mgr errors = {};
  jpeg_progress_mgr progress = {};
  std::jmp_buf back = {};
  char message[JMSG_LENGTH_MAX] = "";

  // Also of one that was never made.
  ~JpegJob() { jpeg_destroy_decompress(&info); }
};

[[noreturn]] void leave(j_common_ptr info) {
  auto *job = static_cast<JpegJob *>(info->client_data);
  (*info->err->format_message)(info, job->message);
  std::longjmp(job->back, 1);
}

/// A warning is of pixels that are made up, and is an error here; but for those
/// of bytes between markers and of versions, which cost none.
void take(j_common_ptr info, int level) {
  int code = info->err->msg_code;
  bool isHarmless = code == JWRN_EXTRANEOUS_DATA || code == JWRN_JFIF_MAJOR ||
                    code == JWRN_ADOBE_XFORM;
  if (level < 0 && !isHarmless)
    leave(info);
}

void watch(j_common_ptr info) {
  auto *job = static_cast<JpegJob *>(info->client_data);
  if (reinterpret_cast<j_decompress_ptr>(info)->input_scan_number <= kMostScans)
    return;
  std::snprintf(job->message, sizeof job->message, "more than %d scans",
                kMostScans);
  std::longjmp(job->back, 1);
}

bool readHeader(JpegJob &job, const unsigned char *bytes, std::size_t size) {
  job.info.err = jpeg_std_error(&job.errors);
  job.errors.error_exit = leave;
  job.errors.emit_message = take;
  job.info.client_data = &job;
  if (setjmp(job.back))
    return false;
  jpeg_create_decompress(&job.info);
  job.progress.progress_monitor = watch;
  job.info.progress = &job.progress;
  jpeg_save_markers(&job.info, kExifMarker, 0xFFFF);
  jpeg_mem_src(&job.info, bytes, size);
  jpeg_read_header(&job.info, TRUE);
  return true;
}

bool readRows(JpegJob &job, uint8_t *pixels, std::size_t rowBytes) {
  if (setjmp(job.back))
    return false;
  job.info.out_color_space = JCS_RGB;
  jpeg_start_decompress(&job.info);
  while (job.info.output_scanline < job.info.output_height) {
    JSAMPROW row = pixels + job.info.output_scanline * rowBytes;
    jpeg_read_scanlines(&job.info, &row, 1);
  }
  jpeg_finish_decompress(&job.info);
  return true;
}

int orientationOf(const JpegJob &job) {
  for (jpeg_saved_marker_ptr m = job.info.marker_list; m; m = m->next)
    if (m->marker == kExifMarker)
      if (int found = exifOrientation(
              std::as_bytes(std::span(m->data, m->data_length))))
        return found;
  return kUpright;
}

bool hasKnownColours(J_COLOR_SPACE space) {
  return space == JCS_GRAYSCALE || space == JCS_RGB || space == JCS_YCbCr;
}

} // namespace

std::optional<Picture> yarrow::decodeJpeg(std::span<const std::byte> bytes,
                                          const std::string &name,
                                          DiagnosticEngine &diags) {
  JpegJob job;
  if (!readHeader(job, reinterpret_cast<const unsigned char *>(bytes.data()),
                  bytes.size())) {
    reportDamage(name, job.message, diags);
    return std::nullopt;
  }
  if (!hasKnownColours(job.info.jpeg_color_space)) {
    diags
        .report(diag::PictureForm, {name},
                "the picture's colours are for printing")
        .found(std::to_string(job.info.num_components) +
               " components, such as CMYK")
        .expected("gray, or red, green and blue")
        .hint("convert it to RGB, with its colour profile");
    return std::nullopt;
  }
  Picture picture;
  picture.width = job.info.image_width;
  picture.height = job.info.image_height;
  picture.isGray = job.info.jpeg_color_space == JCS_GRAYSCALE;
  if (!checkPictureSize(picture.width, picture.height, name, diags))
    return std::nullopt;
  int orientation = orientationOf(job);
  auto rowBytes = std::size_t(picture.width * Picture::kChannels);
  picture.pixels.resize(rowBytes * std::size_t(picture.height));
  if (!readRows(job, picture.pixels.data(), rowBytes)) {
    reportDamage(name, job.message, diags);
    return std::nullopt;
  }
  return turned(std::move(picture), orientation);
}
