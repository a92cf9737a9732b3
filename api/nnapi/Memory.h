//===- Memory.h - Values in memory objects ----------------------*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// There are two kinds. Mapped memory is a range of a file or of shared memory:
// bytes without a type, for arguments and constants. Device memory is made for
// roles, inputs and outputs of compilations; it has one value, with the lengths
// of the execution or copy that wrote it. The NPU is simulated, so this value
// is in the host's memory as well. Values are never changed, only replaced: a
// run that writes does not disturb a run that reads.
//
//   auto memory = Memory::map(4096, PROT_READ, fd, 0, result);
//   memory->mapped().subspan(offset, length);
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_API_NNAPI_MEMORY_H
#define YARROW_API_NNAPI_MEMORY_H

#include "api/nnapi/MemoryRoles.h"
#include "api/nnapi/include/yarrow/NeuralNetworksTypes.h"
#include "api/nnapi/run/Value.h"
#include <mutex>
#include <optional>

namespace yarrow::nnapi {

class Memory {
public:
  /// \p protection as of mmap(2). Null after errors.
  static std::shared_ptr<Memory> map(std::size_t sizeBytes, int protection,
                                     int fd, std::size_t offset,
                                     ResultCode &result);
  /// Device memory.
  explicit Memory(MemoryRoles roles);
  ~Memory();
  Memory(const Memory &) = delete;
  Memory &operator=(const Memory &) = delete;

  bool isDevice() const { return roles.has_value(); }
  bool isReadable() const;
  bool isWritable() const;
  std::span<std::byte> mapped() const { return bytes; }

  /// Of device memory: whether it may be this argument.
  bool hasRole(const Role &role) const;
  /// What is known of its lengths before it is written.
  const MemoryRoles &device() const { return *roles; }
  /// None before it was written.
  std::optional<Value> value() const;
  void replace(std::optional<Value> newValue);

private:
  Memory() = default;

  std::span<std::byte> bytes = {};
  void *base = nullptr; ///< Of the mapping, which begins at a page.
  std::size_t mappedBytes = 0;
  int protection = 0;

  std::optional<MemoryRoles> roles = {};
  mutable std::mutex mutex;
  std::optional<Value> current = {};
};

/// All of \p from. Not between mapped memories of different sizes, nor between
/// values of different types or lengths.
ResultCode copyMemory(const Memory &from, Memory &to);

} // namespace yarrow::nnapi

#endif // YARROW_API_NNAPI_MEMORY_H
