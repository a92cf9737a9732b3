//===- AtomicFile.h - A file that appears whole or not at all -------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// Writes to a temporary beside the target and renames it on commit(), so that
// a failed or interrupted run never leaves a torn output or destroys the old
// one. The contents are on the disk before the rename is. Without a commit the
// temporary is removed. Nothing is put in its place if a file that was read
// has changed meanwhile (support/MappedFile.h). A target that is not a regular
// file (/dev/stdout, a pipe) is written directly.
//
//   AtomicFile file("aipu.bin", diags);
//   file.append(header);
//   file.append(payload);
//   return file.commit();
//
// Files that are of use only together appear together:
//
//   AtomicFile bin("net.bin", diags), txt("net.txt", diags);
//   ...
//   return commitTogether({&bin, &txt});
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_SUPPORT_ATOMICFILE_H
#define YARROW_SUPPORT_ATOMICFILE_H

#include "support/Diagnostics.h"
#include "support/TemporaryFile.h"

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

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
  friend bool commitTogether(const std::vector<AtomicFile *> &files);

  void openDirectly(bool isPipe);
  int descriptor() const {
    return temporary.exists() ? temporary.descriptor() : directFd;
  }
  bool flush();
  bool writeAll(const char *data, std::size_t sizeBytes);
  bool prepare();
  bool publish();
  bool fail(const char *what, std::string hint = "");
  void discard();

  std::string path;       ///< As the user gave it, for diagnostics.
  std::string targetPath; ///< With symbolic links followed.
  DiagnosticEngine &diags;
  std::string buffer;
  TemporaryFile temporary;
  int directFd = -1; ///< Of a target that is written directly.
  bool hasFailed = false;
};

/// All of them or, after a failure of one, none. Writers and readers of the
/// same folder (support/FolderLock.h) never see a part of them; only a process
/// that is killed between two renames leaves one.
bool commitTogether(const std::vector<AtomicFile *> &files);

/// The whole of a small file at once.
bool writeFile(const std::string &path, std::string_view text,
               DiagnosticEngine &diags);

/// The file that \p path leads to, with symbolic links followed, also where
/// there is none yet. Relative parts remain if a folder is missing.
std::string followLinks(const std::string &path);

/// 1 for "/dev/stdout", "/dev/fd/1" and "/proc/self/fd/1"; so for others.
std::optional<int> descriptorNamed(const std::string &path);

/// All of \p data to an open file. False with the reason in errno.
bool writeDescriptor(int fd, std::string_view data);

} // namespace yarrow

#endif // YARROW_SUPPORT_ATOMICFILE_H
