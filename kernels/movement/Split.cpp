//===- Split.cpp - Cutting a tensor along an axis -------------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "kernels/Elements.h"
#include "kernels/movement/DataMovement.h"

namespace yarrow::kernels {

/// The parts of row `row` that lie in elements [begin, end) of it. Element
/// types do not matter: bytes are copied.
static inline void splitRow(const SplitParams &p, const SplitBuffers &buffers,
                            uint32_t row, uint32_t begin, uint32_t end) {
  const uint8_t *in = static_cast<const uint8_t *>(buffers.input()) +
                      int64_t(row) * p.inInner * p.elemBytes;
  uint32_t start = 0; // of the current part in the row
  for (uint32_t k = 0; k < p.outputCount; ++k) {
    uint32_t inner = p.inner[k];
    uint32_t from = begin > start ? begin : start;
    uint32_t to = end < start + inner ? end : start + inner;
    if (from < to) {
      uint8_t *out = static_cast<uint8_t *>(buffers.outputs(k)) +
                     (int64_t(row) * inner + (from - start)) * p.elemBytes;
      const uint8_t *src = in + int64_t(from) * p.elemBytes;
      int64_t count = int64_t(to - from) * p.elemBytes;
      for (int64_t i = 0; i < count; ++i)
        out[i] = src[i];
    }
    start += inner;
  }
}

YARROW_KERNEL(yk_split, Split) {
  if (p.outer == 1) {
    Share part = shareOf(p.inInner, task, taskCount);
    splitRow(p, buffers, 0, part.begin, part.end);
    return;
  }
  Share rows = shareOf(p.outer, task, taskCount);
  for (uint32_t row = rows.begin; row < rows.end; ++row)
    splitRow(p, buffers, row, 0, p.inInner);
}

} // namespace yarrow::kernels
