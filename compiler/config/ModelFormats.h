//===- ModelFormats.h - Formats of models that are imported -----*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// The formats beside Compass IR, one record each: what [Parser] calls them, how
// their files end, and what their first bytes tell. A model has its weights
// within; that of QNN beside it, where the importer finds them.
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
    {"onnx", ".onnx", FileKind::Onnx},
    {"tflite", ".tflite", FileKind::Tflite},
    {"qnn", "_net.json", FileKind::QnnGraph},
    {"gguf", ".gguf", FileKind::Gguf}};

/// "onnx, tflite, qnn or gguf", for messages.
inline constexpr std::string_view kModelTypesText = "onnx, tflite, qnn or gguf";

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

/// By the first bytes of a file; null of others. The other forms of QNN's
/// models are its importer's to refuse, who knows what to export instead.
constexpr const ModelFormat *formatOfKind(FileKind kind) {
  if (kind == FileKind::QnnContainer || kind == FileKind::QnnContext ||
      kind == FileKind::QnnLibrary)
    kind = FileKind::QnnGraph;
  for (const ModelFormat &format : kModelFormats)
    if (format.kind == kind)
      return &format;
  return nullptr;
}

} // namespace yarrow::config

#endif // YARROW_COMPILER_CONFIG_MODELFORMATS_H
