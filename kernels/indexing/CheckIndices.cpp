//===- CheckIndices.cpp - Indices that are out of bounds ------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "kernels/indexing/Indexing.h"
#include "kernels/indexing/Indices.h"
#include "support/BreakCodes.h"

using namespace yarrow;
using namespace yarrow::kernels;

#if defined(__riscv)
/// Ends the program; the device's fault tells both (support/BreakCodes.h).
static __attribute__((noinline)) void stopAt(int32_t index, int32_t length) {
  register int32_t a0 asm("a0") = index;
  register int32_t a1 asm("a1") = length;
  register uint32_t a7 asm("a7") = kIndexOutOfBounds;
  asm volatile("" : : "r"(a0), "r"(a1), "r"(a7));
  __builtin_debugtrap();
}
#endif

static void report(int32_t *fault, int32_t index, int32_t length) {
#if defined(__riscv)
  (void)fault;
  stopAt(index, length);
#else
  if (fault[1] != 0)
    return; // the first one is told
  fault[0] = index;
  fault[1] = length;
#endif
}

YARROW_KERNEL(yk_check_indices, CheckIndices) {
  auto *fault = static_cast<int32_t *>(buffers.fault());
  if (task == 0)
    fault[0] = fault[1] = 0;
  Share share = shareOf(p.places, task, taskCount);
  for (uint32_t d = 0; d < p.rank; ++d) {
    int32_t length = p.lengths[d], least = p.fromEnd ? -length : 0;
    for (uint32_t place = share.begin, n; place < share.end; place += n) {
      n = share.end - place < kChunk ? share.end - place : kChunk;
      int32_t index[kChunk];
      loadIndices(p.indexType, buffers.indices(), int64_t(place) * p.rank + d,
                  n, index, p.rank);
      uint32_t wrong = 0;
      for (uint32_t i = 0; i < n; ++i)
        wrong += index[i] < least || index[i] >= length;
      for (uint32_t i = 0; wrong && i < n; ++i)
        if (index[i] < least || index[i] >= length)
          report(fault, index[i], length);
    }
  }
}
