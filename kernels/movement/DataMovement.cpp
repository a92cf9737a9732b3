//===- DataMovement.cpp - Kernels that only move elements -----------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "kernels/movement/DataMovement.h"
#include "kernels/Broadcast.h"
#include "kernels/movement/MoveRun.h"
#include "support/Numeric.h"

using namespace yarrow;
using namespace yarrow::kernels;

namespace {

/// Input position of padded position i in a dimension of `size`, -1 for the
/// fill.
int64_t padSource(PadMode mode, int64_t i, int64_t size) {
  if (i >= 0 && i < size)
    return i;
  switch (mode) {
  case PadMode::Constant:
    return -1;
  case PadMode::Edge:
    return clamp<int64_t>(i, 0, size - 1);
  case PadMode::Reflect:
    i = i < 0 ? -i : 2 * (size - 1) - i;
    return clamp<int64_t>(i, 0, size - 1);
  case PadMode::Symmetric:
    i = i < 0 ? -1 - i : 2 * size - 1 - i;
    return clamp<int64_t>(i, 0, size - 1);
  case PadMode::Wrap:
    i = i < 0 ? i + size : i - size;
    return clamp<int64_t>(i, 0, size - 1);
  }
  return -1;
}

/// First input element of output row `row` (all dimensions but the innermost),
/// -1 if all of it is fill.
int64_t padRowSource(const PadParams &p, uint32_t row) {
  int64_t at = 0, stride = p.inDims[p.rank - 1];
  for (uint32_t d = p.rank - 1; d-- > 0;) {
    int64_t i = int64_t(row % p.outDims[d]) - p.padBefore[d];
    row /= p.outDims[d];
    int64_t source = padSource(p.mode, i, p.inDims[d]);
    if (source < 0)
      return -1;
    at += source * stride;
    stride *= p.inDims[d];
  }
  return at;
}

void padRow(const PadParams &p, const void *src, int64_t from, void *dst,
            int64_t to) {
  uint32_t width = p.outDims[p.rank - 1];
  int64_t size = from < 0 ? 0 : p.inDims[p.rank - 1];
  int64_t before = p.padBefore[p.rank - 1];
  // Output columns [first, last) lie inside the input.
  uint32_t first = uint32_t(clamp<int64_t>(before, 0, width));
  uint32_t last = uint32_t(clamp<int64_t>(before + size, first, width));
  auto border = [&](uint32_t column) {
    int64_t source =
        size ? padSource(p.mode, int64_t(column) - before, size) : -1;
    if (source < 0)
      moveRun(p.elemBytes, p.fill, 0, 1, dst, to + column, 1, 1);
    else
      moveRun(p.elemBytes, src, from + source, 1, dst, to + column, 1, 1);
  };
  for (uint32_t column = 0; column < first; ++column)
    border(column);
  moveRun(p.elemBytes, src, from + first - before, 1, dst, to + first, 1,
          last - first);
  for (uint32_t column = last; column < width; ++column)
    border(column);
}

} // namespace

YARROW_KERNEL(yk_copy, Copy) {
  BroadcastShape shape;
  shape.rank = p.rank;
  for (uint32_t d = 0; d < p.rank; ++d) {
    shape.dims[d] = p.dims[d];
    shape.strideA[d] = p.srcStride[d];
    shape.strideB[d] = p.dstStride[d];
  }
  Share share = shareOf(elementCount(shape), task, taskCount);
  forEachRun<UINT32_MAX>(shape, share.begin, share.end, [&](const Run &r) {
    moveRun(p.elemBytes, buffers.input(), p.srcOffset + r.a, r.strideA,
            buffers.output(), p.dstOffset + r.b, r.strideB, r.n);
  });
}

YARROW_KERNEL(yk_pad, Pad) {
  PadParams q = p;
  if (q.rank == 0) {
    q.rank = 1;
    q.inDims[0] = q.outDims[0] = 1;
    q.padBefore[0] = 0;
  }
  uint32_t rows = 1, width = q.outDims[q.rank - 1];
  for (uint32_t d = 0; d + 1 < q.rank; ++d)
    rows *= q.outDims[d];
  Share share = shareOf(rows, task, taskCount);
  for (uint32_t row = share.begin; row < share.end; ++row)
    padRow(q, buffers.input(), padRowSource(q, row), buffers.output(),
           int64_t(row) * width);
}

YARROW_KERNEL(yk_gather, Gather) {
  Share share = shareOf(p.batch * p.outer * p.indexCount, task, taskCount);
  for (uint32_t i = share.begin; i < share.end; ++i) {
    uint32_t j = i % p.indexCount, row = i / p.indexCount;
    uint32_t at = row / p.outer * p.indexCount + j;
    int64_t index = loadOneI32(p.indexType, buffers.indices(), at);
    index = index < 0 ? index + p.axisSize : index;
    int64_t to = int64_t(i) * p.inner;
    if (index >= 0 && index < p.axisSize) {
      int64_t from = (int64_t(row) * p.axisSize + index) * p.inner;
      moveRun(p.elemBytes, buffers.input(), from, 1, buffers.output(), to, 1,
              p.inner);
    } else {
      __builtin_memset(static_cast<uint8_t *>(buffers.output()) +
                           to * p.elemBytes,
                       0, p.inner * p.elemBytes);
    }
  }
}
