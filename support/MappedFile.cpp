//===- MappedFile.cpp - A file's bytes, read only -------------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// mmap of a regular file, with the system's reason when it fails.
//
//===----------------------------------------------------------------------===//
#include "support/MappedFile.h"

#include <cerrno>
#include <cstdint>
#include <system_error>
#include <utility>

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

namespace yarrow {

namespace {
std::shared_ptr<const MappedFile> fail(const std::string &path,
                                       const std::string &reason,
                                       DiagnosticEngine &diags) {
  diags.report(DiagId::FileUnreadable, {path}, "cannot read the file")
      .found(reason);
  return nullptr;
}

std::string systemReason() { return std::generic_category().message(errno); }
} // namespace

MappedFile::MappedFile(std::string path, const std::byte *data,
                       std::size_t sizeBytes)
    : filePath(std::move(path)), data(data), sizeBytes(sizeBytes) {}

MappedFile::~MappedFile() {
  if (sizeBytes)
    munmap(const_cast<std::byte *>(data), sizeBytes);
}

void MappedFile::release(std::span<const std::byte> part) {
  // Only pages that lie in the part altogether: others may be in use.
  static const auto pageBytes = std::uintptr_t(sysconf(_SC_PAGESIZE));
  auto begin = reinterpret_cast<std::uintptr_t>(part.data());
  std::uintptr_t end = (begin + part.size()) / pageBytes * pageBytes;
  begin = (begin + pageBytes - 1) / pageBytes * pageBytes;
  if (begin < end) // a hint: that it fails does no harm
    (void)madvise(reinterpret_cast<void *>(begin), end - begin, MADV_DONTNEED);
}

std::shared_ptr<const MappedFile> MappedFile::open(const std::string &path,
                                                   DiagnosticEngine &diags) {
  // O_NONBLOCK: opening a pipe that nobody writes must not hang.
  int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (fd < 0)
    return fail(path, systemReason(), diags);
  struct stat info = {};
  if (fstat(fd, &info) != 0 || !S_ISREG(info.st_mode)) {
    std::string reason = S_ISDIR(info.st_mode) ? "it is a directory"
                                               : "it is not a regular file";
    close(fd);
    return fail(path, reason, diags);
  }
  auto sizeBytes = std::size_t(info.st_size);
  void *data = nullptr;
  if (sizeBytes) // an empty mapping is an error to mmap, but not to us
    data = mmap(nullptr, sizeBytes, PROT_READ, MAP_PRIVATE, fd, 0);
  std::string reason = data == MAP_FAILED ? systemReason() : "";
  close(fd); // the mapping keeps the file alive
  if (data == MAP_FAILED)
    return fail(path, reason, diags);
  return std::shared_ptr<const MappedFile>(
      new MappedFile(path, static_cast<const std::byte *>(data), sizeBytes));
}

} // namespace yarrow
