//===- AtomicFile.h - A file that appears whole or not at all -------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// Writes to a temporary beside the target and renames it on commit(), so that
// a failed or interrupted run never leaves a torn output or destroys the old
// one. Without a commit the temporary is removed. A target that is not a
// regular file (/dev/stdout) is written directly.
//
//   AtomicFile file("aipu.bin", diags);
//   file.append(header);
//   file.append(payload);
//   return file.commit();
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_SUPPORT_ATOMICFILE_H
#define YARROW_SUPPORT_ATOMICFILE_H

#include "support/Diagnostics.h"

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

namespace yarrow {

class AtomicFile {
public:
  AtomicFile(std::string path, DiagnosticEngine &diags);
  ~AtomicFile();
  AtomicFile(const AtomicFile &) = delete;
  AtomicFile &operator=(const AtomicFile &) = delete;

  /// False after the first failure, which alone is reported (FileUnwritable);
  /// callers may append everything and look only at commit().
  bool append(std::string_view text);
  bool append(std::span<const std::byte> bytes);
  /// Puts the file in its place. Nothing may be appended afterwards.
  bool commit();

private:
  bool openTemporary();
  bool flush();
  bool writeAll(const char *data, std::size_t sizeBytes);
  bool fail(const char *what);
  void discard();

  std::string path;          ///< As the user gave it, for diagnostics.
  std::string targetPath;    ///< With symbolic links followed.
  std::string temporaryPath; ///< Empty when the target is written directly.
  DiagnosticEngine &diags;
  std::string buffer;
  int fd = -1;
  bool hasFailed = false;
};

/// The whole of a small file at once.
bool writeFile(const std::string &path, std::string_view text,
               DiagnosticEngine &diags);

} // namespace yarrow

#endif // YARROW_SUPPORT_ATOMICFILE_H
