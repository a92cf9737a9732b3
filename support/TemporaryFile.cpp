//===- TemporaryFile.cpp - A file beside the one it will become -----------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// The list of files is one that a handler of signals may walk at any moment:
// entries are only ever added, and used again once their file is gone.
//
//===----------------------------------------------------------------------===//
#include "support/TemporaryFile.h"
#include "support/FolderLock.h"

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <string>
#include <string_view>

#include <dirent.h>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

namespace yarrow {

struct TemporaryFile::Listed {
  enum State : int { Free, Claimed, Live };

  std::atomic<int> state{Claimed};
  std::string path; ///< Changes only while the state is Claimed.
  Listed *next = nullptr;
};

namespace {
std::atomic<void *> firstListed{nullptr};
std::atomic<int> numPublishing{0};
std::atomic<int> heldSignal{0};

/// Names end here, so that a suffix always fits behind them.
constexpr std::size_t longestStem = 200;
constexpr std::string_view marker = ".tmp";

/// "out/aipu.bin" -> {"out", "aipu.bin.tmp"}
struct Stem {
  std::string folder, prefix;

  explicit Stem(const std::string &target) : folder(folderOf(target)) {
    prefix = target.substr(target.rfind('/') + 1); // npos + 1 is 0
    prefix.resize(std::min(prefix.size(), longestStem));
    prefix += marker;
  }
  std::string path(std::string_view name) const {
    return folder + "/" + std::string(name);
  }
};

/// "4711-0"
bool isSuffix(std::string_view text) {
  std::size_t dash = text.find('-');
  auto isNumber = [](std::string_view digits) {
    return !digits.empty() &&
           digits.find_first_not_of("0123456789") == std::string_view::npos;
  };
  return dash != std::string_view::npos && isNumber(text.substr(0, dash)) &&
         isNumber(text.substr(dash + 1));
}

bool isSameFile(int fd, const std::string &path) {
  struct stat open, named;
  return fstat(fd, &open) == 0 && lstat(path.c_str(), &named) == 0 &&
         open.st_dev == named.st_dev && open.st_ino == named.st_ino;
}

/// Removes the file unless its owner lives.
void removeIfStale(const std::string &path) {
  int fd = open(path.c_str(), O_RDWR | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
  if (fd < 0)
    return; // gone, or somebody else's
  if (flock(fd, LOCK_EX | LOCK_NB) == 0 && isSameFile(fd, path))
    unlink(path.c_str());
  close(fd);
}

void removeStale(const Stem &stem) {
  DIR *folder = opendir(stem.folder.c_str());
  if (!folder)
    return;
  while (const dirent *entry = readdir(folder)) {
    std::string_view name = entry->d_name;
    if (name.starts_with(stem.prefix) &&
        isSuffix(name.substr(stem.prefix.size())))
      removeIfStale(stem.path(name));
  }
  closedir(folder);
}
} // namespace

TemporaryFile::Listed *TemporaryFile::enlist(const std::string &path) {
  auto first = static_cast<Listed *>(firstListed.load());
  for (Listed *entry = first; entry; entry = entry->next) {
    int expected = Listed::Free;
    if (entry->state.compare_exchange_strong(expected, Listed::Claimed)) {
      entry->path = path;
      return entry;
    }
  }
  auto *entry = new Listed; // stays for as long as the process
  entry->path = path;
  void *head = firstListed.load();
  do
    entry->next = static_cast<Listed *>(head);
  while (!firstListed.compare_exchange_weak(head, entry));
  return entry;
}

void removeTemporaryFiles() noexcept {
  auto *entry = static_cast<TemporaryFile::Listed *>(firstListed.load());
  for (; entry; entry = entry->next)
    if (entry->state == TemporaryFile::Listed::Live)
      unlink(entry->path.c_str());
}

bool TemporaryFile::open() {
  // A signal between the two would leave a file that is on no list.
  PublishScope held;
  fd =
      ::open(listed->path.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
  listed->state = fd < 0 ? Listed::Free : Listed::Live;
  return fd >= 0;
}

bool TemporaryFile::create(const std::string &target) {
  Stem stem(target);
  removeStale(stem);
  // Process number and counter, rather than mkstemp, whose files are private
  // to their owner whatever the umask says.
  static std::atomic<unsigned> counter{0};
  for (int attempt = 0; attempt < 100; ++attempt) {
    std::string path = stem.path(stem.prefix + std::to_string(getpid()) + "-" +
                                 std::to_string(counter++));
    listed = enlist(path);
    if (!open()) {
      if (errno == EEXIST)
        continue;
      return false;
    }
    // Where there are no locks (some network file systems), nobody can take
    // this file for a stale one either.
    bool isLocked = flock(fd, LOCK_EX | LOCK_NB) == 0;
    if ((isLocked || errno != EWOULDBLOCK) && isSameFile(fd, path))
      return true;
    remove(); // a writer that cleans up was between the two calls
  }
  errno = EEXIST;
  return false;
}

bool TemporaryFile::renameTo(const std::string &target) {
  if (rename(listed->path.c_str(), target.c_str()) != 0)
    return false;
  listed->state = Listed::Free;
  close(fd); // with the lock
  fd = -1;
  return true;
}

void TemporaryFile::remove() {
  if (fd < 0)
    return;
  if (isSameFile(fd, listed->path))
    unlink(listed->path.c_str());
  listed->state = Listed::Free;
  close(fd);
  fd = -1;
}

PublishScope::PublishScope() { ++numPublishing; }

PublishScope::~PublishScope() {
  if (--numPublishing == 0)
    if (int signal = heldSignal.exchange(0))
      (void)raise(signal);
}

bool PublishScope::holdBack(int signal) noexcept {
  if (numPublishing == 0)
    return false;
  heldSignal = signal;
  // The scope may have ended between the two lines.
  return numPublishing != 0 || heldSignal.exchange(0) == 0;
}

} // namespace yarrow
