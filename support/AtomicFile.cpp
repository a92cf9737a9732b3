//===- AtomicFile.cpp - A file that appears whole or not at all -----------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// Temporary file, buffered writing, rename.
//
//===----------------------------------------------------------------------===//
#include "support/AtomicFile.h"

#include <atomic>
#include <cassert>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <system_error>
#include <utility>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace yarrow {

namespace {
constexpr std::size_t bufferBytes = 1 << 16;

/// The file a chain of symbolic links leads to: a rename would otherwise
/// replace the link itself.
std::string followLinks(const std::string &path) {
  std::unique_ptr<char, decltype(&std::free)> real(
      realpath(path.c_str(), nullptr), &std::free);
  return real ? std::string(real.get()) : path;
}
} // namespace

AtomicFile::AtomicFile(std::string path, DiagnosticEngine &diags)
    : path(std::move(path)), targetPath(followLinks(this->path)), diags(diags) {
  struct stat info;
  bool exists = stat(targetPath.c_str(), &info) == 0;
  if (exists && S_ISDIR(info.st_mode)) {
    errno = EISDIR;
    fail("cannot write the file");
    return;
  }
  if (exists && !S_ISREG(info.st_mode)) {
    // Through the path as given: /dev/stdout leads to "/proc/.../pipe:[1]",
    // which has no name of its own.
    fd = open(this->path.c_str(), O_WRONLY | O_CLOEXEC);
    if (fd < 0)
      fail("cannot write the file");
    return;
  }
  if (!openTemporary())
    return;
  if (exists) // keep the old file's permissions; failing that, the umask's
    (void)fchmod(fd, info.st_mode & 07777);
}

AtomicFile::~AtomicFile() { discard(); }

bool AtomicFile::openTemporary() {
  // Process number and counter, rather than mkstemp, whose files are private
  // to their owner whatever the umask says.
  static std::atomic<unsigned> counter{0};
  for (int attempt = 0; attempt < 100; ++attempt) {
    std::string name = targetPath + ".tmp" + std::to_string(getpid()) + "-" +
                       std::to_string(counter++);
    fd = open(name.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (fd >= 0) {
      temporaryPath = std::move(name);
      return true;
    }
    if (errno != EEXIST)
      break;
  }
  return fail("cannot create the file");
}

bool AtomicFile::fail(const char *what) {
  int error = errno;
  if (!hasFailed) {
    Diagnostic &problem = diags.report(DiagId::FileUnwritable, {path}, what)
                              .found(std::generic_category().message(error));
    if (error == ENOENT)
      problem.hint("create the folder first");
  }
  hasFailed = true;
  discard();
  return false;
}

void AtomicFile::discard() {
  if (fd >= 0)
    close(fd);
  fd = -1;
  if (!temporaryPath.empty())
    unlink(temporaryPath.c_str());
  temporaryPath.clear();
}

bool AtomicFile::writeAll(const char *data, std::size_t sizeBytes) {
  while (sizeBytes) {
    ssize_t count = ::write(fd, data, sizeBytes);
    if (count < 0 && errno == EINTR)
      continue;
    if (count < 0)
      return fail("cannot write the file");
    data += count;
    sizeBytes -= std::size_t(count);
  }
  return true;
}

bool AtomicFile::flush() {
  bool isWritten = writeAll(buffer.data(), buffer.size());
  buffer.clear();
  return isWritten;
}

bool AtomicFile::append(std::string_view text) {
  if (hasFailed)
    return false;
  assert(fd >= 0 && "append after commit");
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

bool AtomicFile::commit() {
  if (hasFailed || !flush())
    return false;
  // Some file systems report a full disk only here.
  int closed = close(std::exchange(fd, -1));
  if (closed != 0)
    return fail("cannot write the file");
  if (!temporaryPath.empty() &&
      rename(temporaryPath.c_str(), targetPath.c_str()) != 0)
    return fail("cannot put the file in its place");
  temporaryPath.clear();
  return true;
}

bool writeFile(const std::string &path, std::string_view text,
               DiagnosticEngine &diags) {
  AtomicFile file(path, diags);
  file.append(text);
  return file.commit();
}

} // namespace yarrow
