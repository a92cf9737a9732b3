//===- AtomicFile.cpp - A file that appears whole or not at all -----------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// Temporary file, buffered writing, fsync, rename.
//
//===----------------------------------------------------------------------===//
#include "support/AtomicFile.h"
#include "support/FolderLock.h"
#include "support/MappedFile.h"
#include "support/diagnostics/Files.h"

#include <cassert>
#include <cerrno>
#include <charconv>
#include <chrono>
#include <cstdlib>
#include <memory>
#include <system_error>
#include <thread>
#include <utility>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace yarrow {

namespace {
constexpr std::size_t bufferBytes = 1 << 16;
/// How long a reader of a pipe may take to come.
constexpr std::chrono::seconds pipePatience{5};
constexpr int mostLinks = 40; // as the system's own limit

std::string realPath(const std::string &path) {
  std::unique_ptr<char, decltype(&std::free)> real(
      realpath(path.c_str(), nullptr), &std::free);
  return real ? std::string(real.get()) : "";
}

/// Opening a pipe for writing waits for a reader, which may never come.
int openPipe(const std::string &path) {
  auto deadline = std::chrono::steady_clock::now() + pipePatience;
  for (;;) {
    int fd = open(path.c_str(), O_WRONLY | O_CLOEXEC | O_NONBLOCK);
    if (fd >= 0)
      (void)fcntl(fd, F_SETFL, 0); // from here on, wait for the reader
    if (fd >= 0 || errno != ENXIO ||
        std::chrono::steady_clock::now() >= deadline)
      return fd;
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
}

/// Some file systems have no fsync; a disk that is full or broken is told.
bool isSynced(int fd) {
  return fsync(fd) == 0 || (errno != EIO && errno != ENOSPC && errno != EDQUOT);
}

/// Makes the names in a folder lasting.
void syncFolder(const std::string &folder) {
  int fd = open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (fd < 0)
    return;
  (void)fsync(fd); // not every file system knows it for folders
  close(fd);
}
} // namespace

std::string followLinks(const std::string &path) {
  // A rename would otherwise replace the link itself.
  if (std::string real = realPath(path); !real.empty())
    return real;
  std::string target = path;
  char link[4096];
  for (int i = 0; i < mostLinks; ++i) {
    ssize_t length = readlink(target.c_str(), link, sizeof(link));
    if (length <= 0 || std::size_t(length) == sizeof(link))
      break;
    std::string next(link, std::size_t(length));
    target = next.starts_with('/') ? next : folderOf(target) + "/" + next;
  }
  std::string folder = realPath(folderOf(target));
  if (folder.empty())
    return target;
  return (folder == "/" ? "" : folder) + "/" +
         target.substr(target.rfind('/') + 1);
}

std::optional<int> descriptorNamed(const std::string &path) {
  if (path == "/dev/stdout")
    return 1;
  if (path == "/dev/stderr")
    return 2;
  for (std::string_view folder : {"/dev/fd/", "/proc/self/fd/"}) {
    if (!path.starts_with(folder))
      continue;
    int number = -1;
    const char *begin = path.data() + folder.size(),
               *end = path.data() + path.size();
    auto [stop, error] = std::from_chars(begin, end, number);
    if (error == std::errc() && stop == end && number >= 0)
      return number;
  }
  return std::nullopt;
}

bool writeDescriptor(int fd, std::string_view data) {
  while (!data.empty()) {
    ssize_t count = ::write(fd, data.data(), data.size());
    if (count < 0 && errno == EINTR)
      continue;
    if (count < 0)
      return false;
    data.remove_prefix(std::size_t(count));
  }
  return true;
}

AtomicFile::AtomicFile(std::string path, DiagnosticEngine &diags)
    : path(std::move(path)), diags(diags) {
  if (std::optional<int> number = descriptorNamed(this->path)) {
    // Through the descriptor itself, whose place in the file counts.
    directFd = fcntl(*number, F_DUPFD_CLOEXEC, 3);
    if (directFd < 0)
      fail("cannot write the file");
    return;
  }
  struct stat info;
  bool exists = stat(this->path.c_str(), &info) == 0;
  if (exists && S_ISDIR(info.st_mode)) {
    errno = EISDIR;
    fail("cannot write the file");
    return;
  }
  if (exists && !S_ISREG(info.st_mode)) {
    openDirectly(S_ISFIFO(info.st_mode));
    return;
  }
  targetPath = followLinks(this->path);
  if (!temporary.create(targetPath)) {
    fail("cannot create the file",
         errno == ENOENT ? "create the folder first" : "");
    return;
  }
  if (exists) // keep the old file's permissions; failing that, the umask's
    (void)fchmod(temporary.descriptor(), info.st_mode & 07777);
}

AtomicFile::~AtomicFile() { discard(); }

void AtomicFile::openDirectly(bool isPipe) {
  directFd = isPipe ? openPipe(path) : open(path.c_str(), O_WRONLY | O_CLOEXEC);
  if (directFd >= 0)
    return;
  bool isUnread = isPipe && errno == ENXIO;
  if (isUnread)
    errno = EPIPE;
  fail("cannot write the file",
       isUnread ? "no program reads the pipe: start the reader first" : "");
}

bool AtomicFile::fail(const char *what, std::string hint) {
  int error = errno;
  // Bytes of a mapped file that is not there any more.
  if (error == EFAULT && !checkReadFiles(diags))
    hasFailed = true;
  if (!hasFailed)
    diags.report(diag::FileUnwritable, {path}, what)
        .found(std::generic_category().message(error))
        .hint(std::move(hint));
  hasFailed = true;
  discard();
  return false;
}

void AtomicFile::discard() {
  if (directFd >= 0)
    close(directFd);
  directFd = -1;
  temporary.remove();
}

bool AtomicFile::writeAll(const char *data, std::size_t sizeBytes) {
  return writeDescriptor(descriptor(), {data, sizeBytes}) ||
         fail("cannot write the file");
}

bool AtomicFile::flush() {
  bool isWritten = writeAll(buffer.data(), buffer.size());
  buffer.clear();
  return isWritten;
}

bool AtomicFile::append(std::string_view text) {
  if (hasFailed)
    return false;
  assert(descriptor() >= 0 && "append after commit");
  if (buffer.size() + text.size() > bufferBytes && !flush())
    return false;
  if (text.size() > bufferBytes)
    return writeAll(text.data(), text.size());
  buffer.append(text);
  return true;
}

bool AtomicFile::append(std::span<const std::byte> bytes) {
  return append(std::string_view(reinterpret_cast<const char *>(bytes.data()),
                                 bytes.size()));
}

/// Everything that can fail before anything is changed.
bool AtomicFile::prepare() {
  if (hasFailed || !flush())
    return false;
  if (!checkReadFiles(diags)) {
    hasFailed = true;
    return false;
  }
  if (!temporary.exists()) {
    // Some file systems report a full disk only here.
    int closed = close(std::exchange(directFd, -1));
    return closed == 0 || fail("cannot write the file");
  }
  return isSynced(temporary.descriptor()) || fail("cannot write the file");
}

bool AtomicFile::publish() {
  return !temporary.exists() || temporary.renameTo(targetPath) ||
         fail("cannot put the file in its place");
}

bool AtomicFile::commit() { return commitTogether({this}); }

bool commitTogether(const std::vector<AtomicFile *> &files) {
  bool ok = true;
  for (AtomicFile *file : files)
    ok &= file->prepare();
  std::vector<std::string> targets;
  for (AtomicFile *file : files) {
    if (!ok)
      file->discard();
    else if (file->temporary.exists())
      targets.push_back(file->targetPath);
  }
  if (targets.empty())
    return ok;
  {
    std::optional<FolderLock> lock;
    if (targets.size() > 1)
      lock.emplace(targets, FolderLock::Exclusive);
    PublishScope scope;
    for (AtomicFile *file : files)
      ok = ok && file->publish();
  }
  for (const std::string &target : targets)
    syncFolder(folderOf(target));
  return ok;
}

bool writeFile(const std::string &path, std::string_view text,
               DiagnosticEngine &diags) {
  AtomicFile file(path, diags);
  file.append(text);
  return file.commit();
}

} // namespace yarrow
