//===- Memory.cpp - Values that lie in memory objects ---------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "api/nnapi/Memory.h"
#include "api/nnapi/Log.h"
#include "api/nnapi/run/Lengths.h"
#include <cerrno>
#include <cstring>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

using namespace yarrow;
using namespace yarrow::nnapi;

/// Pages behind the end of a file cannot be touched.
static bool isInsideFile(int fd, std::size_t offset, std::size_t sizeBytes) {
  struct stat status = {};
  if (fstat(fd, &status) != 0)
    return false;
  if (!S_ISREG(status.st_mode))
    return true;
  auto fileBytes = std::uint64_t(status.st_size);
  return offset <= fileBytes && sizeBytes <= fileBytes - offset;
}

std::shared_ptr<Memory> Memory::map(std::size_t sizeBytes, int protection,
                                    int fd, std::size_t offset,
                                    ResultCode &result) {
  const char *where = "Memory_createFromFd";
  if (sizeBytes == 0 || fd < 0) {
    result = refuse(ANEURALNETWORKS_BAD_DATA, where, "no bytes or no file");
    return nullptr;
  }
  if (!isInsideFile(fd, offset, sizeBytes)) {
    result = refuse(ANEURALNETWORKS_UNMAPPABLE, where,
                    "the file is smaller than offset + size");
    return nullptr;
  }
  auto pageBytes = std::size_t(sysconf(_SC_PAGESIZE));
  std::size_t before = offset % pageBytes;
  if (sizeBytes > SIZE_MAX - before) {
    result = refuse(ANEURALNETWORKS_BAD_DATA, where, "too many bytes");
    return nullptr;
  }
  std::shared_ptr<Memory> memory(new Memory);
  void *base = mmap(nullptr, before + sizeBytes, protection, MAP_SHARED, fd,
                    off_t(offset - before));
  if (base == MAP_FAILED) {
    result = refuse(ANEURALNETWORKS_UNMAPPABLE, where, std::strerror(errno));
    return nullptr;
  }
  memory->base = base;
  memory->mappedBytes = before + sizeBytes;
  memory->bytes = {static_cast<std::byte *>(base) + before, sizeBytes};
  memory->protection = protection;
  result = ANEURALNETWORKS_NO_ERROR;
  return memory;
}

Memory::Memory(MemoryRoles roles) : roles(std::move(roles)) {}

Memory::~Memory() {
  if (base)
    munmap(base, mappedBytes);
}

bool Memory::isReadable() const {
  return isDevice() || (protection & PROT_READ) != 0;
}
bool Memory::isWritable() const {
  return isDevice() || (protection & PROT_WRITE) != 0;
}

bool Memory::hasRole(const Role &role) const {
  return roles && roles->has(role);
}

std::optional<Value> Memory::value() const {
  std::lock_guard lock(mutex);
  return current;
}

void Memory::replace(std::optional<Value> newValue) {
  std::lock_guard lock(mutex);
  current.swap(newValue); // the old one ends outside of the lock
}

static ResultCode copyBytes(std::span<const std::byte> from, Memory &to) {
  if (!to.isWritable() || from.size() != to.mapped().size())
    return refuse(ANEURALNETWORKS_BAD_DATA, "Memory_copy",
                  "the sizes differ, or the memory cannot be written");
  std::memmove(to.mapped().data(), from.data(), from.size());
  return ANEURALNETWORKS_NO_ERROR;
}

static ResultCode copyToDevice(std::span<const std::byte> from, Memory &to) {
  const Operand &operand = to.device().operand;
  if (!operand.isStatic() || operand.sizeBytes() != from.size())
    return refuse(ANEURALNETWORKS_BAD_DATA, "Memory_copy",
                  "the sizes differ, or lengths are not known");
  to.replace(Value::of(operand.dims, {from.begin(), from.end()}));
  return ANEURALNETWORKS_NO_ERROR;
}

ResultCode nnapi::copyMemory(const Memory &from, Memory &to) {
  const char *where = "Memory_copy";
  if (!from.isReadable())
    return refuse(ANEURALNETWORKS_BAD_DATA, where, "the memory cannot be read");
  if (!from.isDevice())
    return to.isDevice() ? copyToDevice(from.mapped(), to)
                         : copyBytes(from.mapped(), to);
  std::optional<Value> value = from.value();
  if (!value)
    return refuse(ANEURALNETWORKS_BAD_DATA, where,
                  "the memory was never written");
  if (!to.isDevice())
    return copyBytes(value->bytes, to);
  if (!haveSameType(from.device().operand, to.device().operand) ||
      !agree(to.device().operand.dims, value->dims))
    return refuse(ANEURALNETWORKS_BAD_DATA, where, "types or lengths differ");
  to.replace(std::move(value));
  return ANEURALNETWORKS_NO_ERROR;
}
