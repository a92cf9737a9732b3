//===- FolderLock.cpp - One at a time in a folder -------------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "support/FolderLock.h"

#include <cerrno>
#include <map>
#include <thread>
#include <utility>

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

namespace yarrow {

std::string folderOf(const std::string &path) {
  std::size_t slash = path.rfind('/');
  if (slash == std::string::npos)
    return ".";
  return slash ? path.substr(0, slash) : "/";
}

/// Waits for the lock until \p deadline.
static bool lockUntil(int fd, int operation,
                      std::chrono::steady_clock::time_point deadline) {
  while (flock(fd, operation | LOCK_NB) != 0) {
    bool canWait = errno == EWOULDBLOCK || errno == EINTR;
    if (!canWait || std::chrono::steady_clock::now() >= deadline)
      return false;
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  return true;
}

FolderLock::FolderLock(const std::vector<std::string> &paths, Kind kind,
                       std::chrono::milliseconds patience) {
  // In the order of their numbers, so that two writers never wait for each
  // other; each once, as a second lock would wait for the first.
  std::map<std::pair<dev_t, ino_t>, int> folders;
  for (const std::string &path : paths) {
    int fd = open(folderOf(path).c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    struct stat info;
    if (fd < 0 || fstat(fd, &info) != 0) {
      complete = false;
      if (fd >= 0)
        close(fd);
    } else if (!folders.try_emplace({info.st_dev, info.st_ino}, fd).second) {
      close(fd);
    }
  }
  auto deadline = std::chrono::steady_clock::now() + patience;
  for (auto [identity, fd] : folders) {
    fds.push_back(fd);
    complete &= lockUntil(fd, kind == Shared ? LOCK_SH : LOCK_EX, deadline);
  }
}

FolderLock::~FolderLock() {
  for (int fd : fds)
    close(fd);
}

} // namespace yarrow
