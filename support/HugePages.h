//===- HugePages.h - Large buffers with few page faults ---------*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// A buffer of hundreds of megabytes costs a page fault every 4 KiB when it is
// first written. A new buffer can ask for larger pages; on a system without
// them, nothing changes.
//
//   std::vector<char> bytes = zeroed(100 << 20);
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_SUPPORT_HUGEPAGES_H
#define YARROW_SUPPORT_HUGEPAGES_H

#include <cstddef>
#include <vector>

namespace yarrow {

/// As many zeros, in large pages if they are many.
std::vector<char> zeroed(std::size_t count);

} // namespace yarrow

#endif // YARROW_SUPPORT_HUGEPAGES_H
