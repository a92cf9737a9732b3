//===- Log.cpp - Reasons, for who asks ------------------------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "api/nnapi/Log.h"
#include <cstdio>
#include <cstdlib>
#include <mutex>

using namespace yarrow;
using namespace yarrow::nnapi;

/// Null: nobody asked. Opened once.
static std::FILE *logStream() {
  static std::FILE *stream = []() -> std::FILE * {
    const char *path = std::getenv("YARROW_NNAPI_LOG");
    if (!path || !*path)
      return nullptr;
    if (std::string_view(path) == "stderr")
      return stderr;
    return std::fopen(path, "ae");
  }();
  return stream;
}

void nnapi::notify(std::string_view where, std::string_view what) {
  std::FILE *stream = logStream();
  if (!stream)
    return;
  std::string line = "nnapi: ";
  line.append(where).append(": ").append(what).append("\n");
  static std::mutex mutex;
  std::lock_guard lock(mutex);
  std::fwrite(line.data(), 1, line.size(), stream);
  std::fflush(stream);
}

void nnapi::notify(std::string_view where, const DiagnosticEngine &diags) {
  if (!logStream())
    return;
  for (const Diagnostic &diag : diags.all())
    notify(where, diag.str());
}

ResultCode nnapi::refuse(ResultCode result, std::string_view where,
                         std::string_view what) {
  notify(where, what);
  return result;
}
