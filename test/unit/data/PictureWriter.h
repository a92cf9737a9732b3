//===- PictureWriter.h - Pictures for tests ---------------------*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//   std::string png = pngOf(2, 1, PNG_FORMAT_RGB, {255, 0, 0, 0, 0, 255});
//   std::string jpeg = jpegOf(8, 8, 3, pixels);
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_TEST_UNIT_DATA_PICTUREWRITER_H
#define YARROW_TEST_UNIT_DATA_PICTUREWRITER_H

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include <jpeglib.h>
#include <png.h>

namespace yarrow {

/// \p format is one of libpng's, such as PNG_FORMAT_GA.
inline std::string pngOf(unsigned width, unsigned height, unsigned format,
                         const std::vector<uint8_t> &pixels) {
  png_image image = {};
  image.version = PNG_IMAGE_VERSION;
  image.width = width;
  image.height = height;
  image.format = format;
  png_alloc_size_t size = PNG_IMAGE_PNG_SIZE_MAX(image);
  std::string bytes(size, '\0');
  png_image_write_to_memory(&image, bytes.data(), &size, 0, pixels.data(), 0,
                            nullptr);
  bytes.resize(size);
  return bytes;
}

/// With the best quality. \p exif, if not empty, is the marker APP1.
inline std::string jpegOf(unsigned width, unsigned height, int channels,
                          std::vector<uint8_t> pixels,
                          const std::string &exif = "") {
  jpeg_compress_struct info = {};
  jpeg_error_mgr errors = {};
  info.err = jpeg_std_error(&errors);
  jpeg_create_compress(&info);
  unsigned char *memory = nullptr;
  unsigned long size = 0;
  jpeg_mem_dest(&info, &memory, &size);
  info.image_width = width;
  info.image_height = height;
  info.input_components = channels;
  info.in_color_space = channels == 1   ? JCS_GRAYSCALE
                        : channels == 3 ? JCS_RGB
                                        : JCS_CMYK;
  jpeg_set_defaults(&info);
  jpeg_set_quality(&info, 100, TRUE);
  jpeg_start_compress(&info, TRUE);
  if (!exif.empty())
    jpeg_write_marker(&info, JPEG_APP0 + 1,
                      reinterpret_cast<const JOCTET *>(exif.data()),
                      unsigned(exif.size()));
  while (info.next_scanline < height) {
    JSAMPROW row = pixels.data() +
                   std::size_t(info.next_scanline) * width * unsigned(channels);
    jpeg_write_scanlines(&info, &row, 1);
  }
  jpeg_finish_compress(&info);
  std::string bytes(reinterpret_cast<char *>(memory), size);
  jpeg_destroy_compress(&info);
  std::free(memory);
  return bytes;
}

} // namespace yarrow

#endif // YARROW_TEST_UNIT_DATA_PICTUREWRITER_H
