//===- PageAllocator.h - Addresses as the driver assigns them ---*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// Buffers one after another, each at the start of a page, below the driver's 3
// GiB. Addresses are never freed.
//
//   PageAllocator pages;
//   std::optional<uint32_t> address = pages.allocate(100); // 0
//   pages.topBytes();                                      // 4096
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_RUNTIME_PAGEALLOCATOR_H
#define YARROW_RUNTIME_PAGEALLOCATOR_H

#include "isa/DriverInterface.h"

#include <algorithm>
#include <optional>

namespace yarrow::runtime {

class PageAllocator {
public:
  /// A place for so many bytes, at least a page, so that no two have one
  /// address; nullopt, and nothing changes, if that much is not left.
  std::optional<uint32_t> allocate(uint64_t sizeBytes) {
    uint64_t bytes = std::max<uint64_t>(1, sizeBytes);
    // What is left is whole pages: what fits, fits rounded up.
    if (bytes > isa::kDriverDdrBytes - top)
      return std::nullopt;
    auto address = uint32_t(top);
    top += (bytes + isa::kPageBytes - 1) / isa::kPageBytes * isa::kPageBytes;
    return address;
  }
  /// Where the next one begins.
  uint64_t topBytes() const { return top; }

private:
  uint64_t top = 0;
};
static_assert(isa::kDriverDdrBytes % isa::kPageBytes == 0);

} // namespace yarrow::runtime

#endif // YARROW_RUNTIME_PAGEALLOCATOR_H
