//===- MappedFile.h - A file's bytes, read only ---------------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// A regular file mapped read-only, so that weights of any size are used where
// they lie and never copied. Views hold the shared pointer, and the mapping
// lives as long as the last of them. Another process that truncates the file
// meanwhile is not guarded against.
//
//   std::shared_ptr<const MappedFile> weights =
//       MappedFile::open("model.bin", diags);
//   if (weights)
//     use(weights->bytes().subspan(offset, sizeBytes));
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_SUPPORT_MAPPEDFILE_H
#define YARROW_SUPPORT_MAPPEDFILE_H

#include "support/Diagnostics.h"

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <string_view>

namespace yarrow {

class MappedFile {
public:
  /// Null, with FileUnreadable reported, if there is no such regular file.
  static std::shared_ptr<const MappedFile> open(const std::string &path,
                                                DiagnosticEngine &diags);
  ~MappedFile();
  MappedFile(const MappedFile &) = delete;
  MappedFile &operator=(const MappedFile &) = delete;

  std::span<const std::byte> bytes() const { return {data, sizeBytes}; }
  std::string_view text() const {
    return {reinterpret_cast<const char *>(data), sizeBytes};
  }
  const std::string &path() const { return filePath; }
  /// Takes whole pages of \p part, which lies in a mapped file, out of this
  /// process's memory. They are read again when they are used again.
  static void release(std::span<const std::byte> part);

private:
  MappedFile(std::string path, const std::byte *data, std::size_t sizeBytes);

  std::string filePath;
  const std::byte *data;
  std::size_t sizeBytes;
};

} // namespace yarrow

#endif // YARROW_SUPPORT_MAPPEDFILE_H
