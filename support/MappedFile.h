//===- MappedFile.h - A file's bytes, read only ---------------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// A regular file mapped read-only, so that weights of any size are used in
// place and never copied. Views hold the shared pointer, and the mapping lives
// as long as the last of them. Another process can truncate or overwrite the
// file meanwhile: checkReadFiles() finds that out, and code that writes results
// (support/AtomicFile.h) calls it first. Since reading a truncated mapping
// raises a signal, files are only mapped in programs that handle it
// (support/MappingGuard.h); in other cases, such as a library in another
// process, they are copied.
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
#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>

namespace yarrow {

class GuardedRange;

/// Which file it is, however its path is spelled.
struct FileIdentity {
  uint64_t device = 0, number = 0;

  auto operator<=>(const FileIdentity &) const = default;
};

class MappedFile {
public:
  /// Null, with FileUnreadable reported, if there is no such regular file.
  static std::shared_ptr<const MappedFile> open(const std::string &path,
                                                DiagnosticEngine &diags);
  /// What is no file but stands for one of the name \p path, which readers
  /// then tell of: \p content, copied.
  static std::shared_ptr<const MappedFile>
  ofMemory(std::string path, std::span<const std::byte> content);
  ~MappedFile();
  MappedFile(const MappedFile &) = delete;
  MappedFile &operator=(const MappedFile &) = delete;

  std::span<const std::byte> bytes() const { return {data, sizeBytes}; }
  std::string_view text() const {
    return {reinterpret_cast<const char *>(data), sizeBytes};
  }
  const std::string &path() const { return filePath; }
  /// Takes whole pages of \p part, which lies in a mapped file, out of this
  /// process's memory. They are read again when they are used again. Of what is
  /// no mapping nothing is taken.
  static void release(std::span<const std::byte> part);

  /// "" while the bytes are those of the file as it was opened, else what has
  /// happened to it.
  std::string damage() const;

private:
  struct State;

  MappedFile(std::string path, std::unique_ptr<State> state);
  bool map();
  bool copy();
  bool hasChanged() const;

  std::string filePath;
  std::unique_ptr<State> state;
  const std::byte *data = nullptr;
  std::size_t sizeBytes = 0;
};

/// False if a file that this process has read changed while it was in use: each
/// is reported once (FileUnreadable), and the answer remains false. Results of
/// such files must not be published.
bool checkReadFiles(DiagnosticEngine &diags);

/// For a program that goes on after it has reported the damage.
void forgetDamagedFiles();

/// The files that this process has read so far, and how they were called.
std::map<FileIdentity, std::string> readFiles();

} // namespace yarrow

#endif // YARROW_SUPPORT_MAPPEDFILE_H
