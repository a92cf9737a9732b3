//===- TemporaryFile.h - A file beside the one it will become -------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// The file that is written before it takes its target's name. Its owner holds a
// lock on it (flock), which the system releases when the owner dies, however it
// dies: the next writer of the same target removes those without an owner.
// Process numbers alone would not do, since containers share folders but count
// their processes from 1. A list of all that exist in this process lets a
// handler of signals remove them.
//
//   TemporaryFile file;
//   if (file.create("out/aipu.bin"))       // out/aipu.bin.tmp4711-0
//     ... write(file.descriptor(), ...) ...
//   file.renameTo("out/aipu.bin");         // without this, it is removed
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_SUPPORT_TEMPORARYFILE_H
#define YARROW_SUPPORT_TEMPORARYFILE_H

#include <string>

namespace yarrow {

class TemporaryFile {
public:
  TemporaryFile() = default;
  ~TemporaryFile() { remove(); }
  TemporaryFile(const TemporaryFile &) = delete;
  TemporaryFile &operator=(const TemporaryFile &) = delete;

  /// Removes what dead writers of \p target left, and opens a new file beside
  /// it. False with the reason in errno.
  bool create(const std::string &target);
  /// Gives it the name \p target, in place of a file of that name. False with
  /// the reason in errno; it can still be removed.
  bool renameTo(const std::string &target);
  void remove();

  bool exists() const { return fd >= 0; }
  int descriptor() const { return fd; }

private:
  struct Listed;
  friend void removeTemporaryFiles() noexcept;
  static Listed *enlist(const std::string &path);
  /// Creates the file of \p listed. False with the reason in errno.
  bool open();

  int fd = -1;
  Listed *listed = nullptr; ///< Also has the path.
};

/// Removes all temporary files of this process. May be called by a handler of
/// signals.
void removeTemporaryFiles() noexcept;

/// While one lives, this process is between two steps that belong together,
/// such as renames, or the birth of a file and its entry in the list of
/// temporaries. A handler of signals asks holdBack() first.
class PublishScope {
public:
  PublishScope();
  ~PublishScope();
  PublishScope(const PublishScope &) = delete;
  PublishScope &operator=(const PublishScope &) = delete;

  /// True if \p signal must wait; it is raised again when the last scope ends.
  static bool holdBack(int signal) noexcept;
};

} // namespace yarrow

#endif // YARROW_SUPPORT_TEMPORARYFILE_H
