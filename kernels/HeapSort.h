//===- HeapSort.h - Sorting in place, without a stack -----------*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// Heaps of entries that only the caller knows: before(a, b) says whether the
// entry of slot a comes before that of slot b, swap(a, b) exchanges them. The
// entry on top comes last. n entries take 2 n log2(n) comparisons.
//
//   makeHeap(n, before, swap);
//   sortHeap(n, before, swap); // slot 0 comes first now
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_KERNELS_HEAPSORT_H
#define YARROW_KERNELS_HEAPSORT_H

#include <stdint.h>

namespace yarrow::kernels {

/// Moves the entry of \p slot down to its place among the first \p size.
template <typename Before, typename Swap>
inline void sinkInHeap(uint32_t slot, uint32_t size, Before before, Swap swap) {
  for (uint32_t child; (child = 2 * slot + 1) < size; slot = child) {
    if (child + 1 < size && before(child, child + 1))
      ++child;
    if (!before(slot, child))
      return;
    swap(slot, child);
  }
}

template <typename Before, typename Swap>
inline void makeHeap(uint32_t size, Before before, Swap swap) {
  for (uint32_t slot = size / 2; slot-- > 0;)
    sinkInHeap(slot, size, before, swap);
}

/// From a heap to the order of its entries.
template <typename Before, typename Swap>
inline void sortHeap(uint32_t size, Before before, Swap swap) {
  for (uint32_t rest = size; rest-- > 1;) {
    swap(0, rest);
    sinkInHeap(0, rest, before, swap);
  }
}

} // namespace yarrow::kernels

#endif // YARROW_KERNELS_HEAPSORT_H
