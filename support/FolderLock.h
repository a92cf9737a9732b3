//===- FolderLock.h - One at a time in a folder ---------------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// Files that belong together, such as the text and the weights of an IR, are
// renamed into their places by a writer that holds the lock of their folder,
// and opened by readers that share it. So a reader sees both of one writer. The
// lock (flock on the folder itself) leaves no files, whatever ends the
// process. Waiting for it has a limit: a file system without locks, or a
// process that keeps one for ever, must not block others, and the digest in the
// text still detects a pair that does not match.
//
//   FolderLock lock({"out/net.txt", "out/net.bin"}, FolderLock::Exclusive);
//   ... rename both ...
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_SUPPORT_FOLDERLOCK_H
#define YARROW_SUPPORT_FOLDERLOCK_H

#include <chrono>
#include <string>
#include <vector>

namespace yarrow {

class FolderLock {
public:
  enum Kind { Shared, Exclusive };

  /// Locks the folders that the files \p paths are in, until it goes.
  FolderLock(const std::vector<std::string> &paths, Kind kind,
             std::chrono::milliseconds patience = std::chrono::seconds(10));
  ~FolderLock();
  FolderLock(const FolderLock &) = delete;
  FolderLock &operator=(const FolderLock &) = delete;

  /// Whether all of them are locked.
  bool isComplete() const { return complete; }

private:
  std::vector<int> fds;
  bool complete = true;
};

/// The folder that a file is in: "." for a bare name.
std::string folderOf(const std::string &path);

} // namespace yarrow

#endif // YARROW_SUPPORT_FOLDERLOCK_H
