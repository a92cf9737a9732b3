//===- MemoryFile.cpp - A file without a place ----------------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "support/MemoryFile.h"
#include "support/AtomicFile.h"

#include <utility>

#include <sys/mman.h>
#include <unistd.h>

namespace yarrow {

MemoryFile::MemoryFile(const char *name)
    : fd(memfd_create(name, MFD_CLOEXEC)) {}

MemoryFile::MemoryFile(MemoryFile &&other) noexcept
    : fd(std::exchange(other.fd, -1)) {}

MemoryFile::~MemoryFile() {
  if (fd >= 0)
    close(fd);
}

bool MemoryFile::write(std::string_view data) {
  return fd >= 0 && writeDescriptor(fd, data);
}

} // namespace yarrow
