//===- HugePages.cpp - Large buffers with few page faults -----------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "support/HugePages.h"

#include <cstdint>
#include <sys/mman.h>

/// Below that, a large page would mostly hold other things.
static constexpr std::size_t kLeast = 4 << 20;
/// What addresses of large pages are multiples of.
static constexpr std::uintptr_t kPage = 2 << 20;

std::vector<char> yarrow::zeroed(std::size_t count) {
  std::vector<char> bytes;
  bytes.reserve(count);
#ifdef MADV_HUGEPAGE
  if (count >= kLeast) {
    auto begin = reinterpret_cast<std::uintptr_t>(bytes.data());
    std::uintptr_t first = (begin + kPage - 1) / kPage * kPage,
                   last = (begin + count) / kPage * kPage;
    if (last > first)
      (void)madvise(reinterpret_cast<void *>(first), last - first,
                    MADV_HUGEPAGE);
  }
#endif
  bytes.resize(count);
  return bytes;
}
