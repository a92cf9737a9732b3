//===- ModelFormats.h - Formats of models that are imported -----*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// The formats beside Compass IR, one record each: what [Parser] calls them, how
// their files end, and what their first bytes tell. A model has its weights
// within.
//
//   const ModelFormat *format = formatOfType("tflite");
//   if (formatOfPath("net.onnx")) ... // no .bin beside it
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_COMPILER_CONFIG_MODELFORMATS_H
#define YARROW_COMPILER_CONFIG_MODELFORMATS_H

#include "support/FileKind.h"
#include <string_view>

namespace yarrow::config {

struct ModelFormat {
  std::string_view type, extension;
  FileKind kind;
};

inline constexpr ModelFormat kModelFormats[] = {
    {"onnx", ".onnx", FileKind::Onnx}, {"tflite", ".tflite", FileKind::Tflite}};

/// By model_type, in lower case; null of others.
constexpr const ModelFormat *formatOfType(std::string_view type) {
  for (const ModelFormat &format : kModelFormats)
    if (format.type == type)
      return &format;
  return nullptr;
}

/// By the name of a file; null of others.
constexpr const ModelFormat *formatOfPath(std::string_view path) {
  for (const ModelFormat &format : kModelFormats)
    if (path.ends_with(format.extension))
      return &format;
  return nullptr;
}

/// By the first bytes of a file; null of others.
constexpr const ModelFormat *formatOfKind(FileKind kind) {
  for (const ModelFormat &format : kModelFormats)
    if (format.kind == kind)
      return &format;
  return nullptr;
}

} // namespace yarrow::config

#endif // YARROW_COMPILER_CONFIG_MODELFORMATS_H
