//===- DataMovement.cpp - Kernels that only move elements -----------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "kernels/movement/DataMovement.h"
#include "kernels/Broadcast.h"
#include "kernels/Strips.h"
#include "kernels/movement/MoveRun.h"

using namespace yarrow;
using namespace yarrow::kernels;

namespace {

/// What is padded in one go: `out` elements along the dimension `axis`, within
/// which all further ones lie.
struct PadRow {
  uint32_t axis = 0;
  uint32_t in = 1, out = 1;
  int32_t before = 0;
};

/// The innermost dimension or, if that has no border, the one around it, for
/// long rows, as long as there are rows for all tasks. Other modes than
/// Constant repeat whole elements of the dimension around.
PadRow rowOf(const PadParams &p, uint32_t taskCount) {
  if (p.rank == 0)
    return {};
  uint32_t d = p.rank - 1, rows = 1;
  PadRow row{d, p.inDims[d], p.outDims[d], p.padBefore[d]};
  for (uint32_t k = 0; k + 1 < d; ++k)
    rows *= p.outDims[k];
  if (d == 0 || p.mode != PadMode::Constant || rows < 4 * taskCount ||
      row.before != 0 || row.in != row.out)
    return row;
  return {d - 1, row.in * p.inDims[d - 1], row.in * p.outDims[d - 1],
          int32_t(row.in) * p.padBefore[d - 1]};
}

/// First input element of output row `index`, -1 if all of it is fill.
int64_t padRowSource(const PadParams &p, const PadRow &row, uint32_t index) {
  int64_t at = 0, stride = row.in;
  for (uint32_t d = row.axis; d-- > 0;) {
    int64_t i = int64_t(index % p.outDims[d]) - p.padBefore[d];
    index /= p.outDims[d];
    int64_t source = padSource(p.mode, i, p.inDims[d]);
    if (source < 0)
      return -1;
    at += source * stride;
    stride *= p.inDims[d];
  }
  return at;
}

void padRow(const PadParams &p, const PadRow &row, const void *src,
            int64_t from, void *dst, int64_t to) {
  int64_t size = from < 0 ? 0 : row.in;
  uint64_t fill; // aligned for elements of 64 bits
  __builtin_memcpy(&fill, p.fill, sizeof(fill));
  // Output columns [first, last) lie inside the input.
  uint32_t first = uint32_t(clamp<int64_t>(row.before, 0, row.out));
  uint32_t last = uint32_t(clamp<int64_t>(row.before + size, first, row.out));
  auto border = [&](uint32_t begin, uint32_t end) {
    if (p.mode == PadMode::Constant || size == 0)
      return moveRun(p.elemBytes, &fill, 0, 0, dst, to + begin, 1, end - begin);
    for (uint32_t column = begin; column < end; ++column)
      moveRun(p.elemBytes, src,
              from + padSource(p.mode, int64_t(column) - row.before, size), 1,
              dst, to + column, 1, 1);
  };
  border(0, first);
  moveRun(p.elemBytes, src, from + first - row.before, 1, dst, to + first, 1,
          last - first);
  border(last, row.out);
}

#ifdef __x86_64__
/// The host's caches take strides well, and short runs badly: the longest
/// dimension goes innermost where that one is short. TECs keep the order that
/// their cycles are known for.
void preferLongRuns(BroadcastShape &s) {
  constexpr uint32_t kShort = 16;
  uint32_t last = s.rank - 1, longest = last;
  for (uint32_t d = 0; d < last; ++d)
    if (s.dims[d] > s.dims[longest])
      longest = d;
  if (s.dims[last] >= kShort || longest == last)
    return;
  auto swap = [&](auto &list) {
    auto first = list[last];
    list[last] = list[longest];
    list[longest] = first;
  };
  swap(s.dims);
  swap(s.strideA);
  swap(s.strideB);
}
#endif

} // namespace

YARROW_KERNEL(yk_copy, Copy) {
  BroadcastShape shape;
  shape.rank = p.rank;
  for (uint32_t d = 0; d < p.rank; ++d) {
    shape.dims[d] = p.dims[d];
    shape.strideA[d] = p.srcStride[d];
    shape.strideB[d] = p.dstStride[d];
  }
  BroadcastShape merged = mergedShape(shape);
#ifdef __x86_64__
  preferLongRuns(merged);
#endif
  Share share = shareOf(elementCount(shape), task, taskCount);
  forEachRun<UINT32_MAX>(merged, share.begin, share.end, [&](const Run &r) {
    moveRun(p.elemBytes, buffers.input(), p.srcOffset + r.a, r.strideA,
            buffers.output(), p.dstOffset + r.b, r.strideB, r.n);
  });
}

YARROW_KERNEL(yk_pad, Pad) {
  const PadRow row = rowOf(p, taskCount);
  uint32_t rows = 1;
  for (uint32_t d = 0; d < row.axis; ++d)
    rows *= p.outDims[d];
  Share share = shareOf(rows, task, taskCount);
  const void *input = buffers.input();
  void *output = buffers.output();
  for (uint32_t i = share.begin; i < share.end; ++i)
    padRow(p, row, input, padRowSource(p, row, i), output,
           int64_t(i) * row.out);
}

namespace {

/// Elements of T at n indices of a row, indices[at] ..., go to output[to] ...
template <typename T, typename Index>
void gatherElements(const T *row, uint32_t axisSize, const void *indices,
                    uint32_t at, uint32_t n, void *output, int64_t to) {
  forEachStrip(0, n, [&](uint32_t i, auto size) {
    Strip<int32_t> place;
    loadStrip<Index>(indices, at + i, size, place);
    place +=
        place < 0 ? Strip<int32_t>{} + int32_t(axisSize) : Strip<int32_t>{};
    // Below 0 or not below the size: as unsigned, not below it.
    auto isInside = __builtin_bit_cast(Strip<uint32_t>, place) < axisSize;
    place = isInside ? place : Strip<int32_t>{};
    Strip<T> values;
    gatherStrip(row, place, values);
    values = __builtin_convertvector(isInside, Strip<T>) & values;
    storeStrip<T>(values, size, output, to + i);
  });
}

/// The same for a type of indices.
template <typename T>
void gatherElements(const T *row, uint32_t axisSize, DType indexType,
                    const void *indices, uint32_t at, uint32_t n, void *output,
                    int64_t to) {
  auto by = [&](auto zero) {
    gatherElements<T, decltype(zero)>(row, axisSize, indices, at, n, output,
                                      to);
  };
  if (isSmallInt(indexType))
    withSmallInt(indexType, by);
  else
    by(int32_t());
}

} // namespace

YARROW_KERNEL(yk_gather, Gather) {
  Share share = shareOf(p.batch * p.outer * p.indexCount, task, taskCount);
  const void *input = buffers.input(), *indices = buffers.indices();
  auto *output = static_cast<uint8_t *>(buffers.output());
  uint32_t rowBytes = p.inner * p.elemBytes;
  auto gather = [&](uint32_t row, uint32_t at, uint32_t i) {
    int32_t index = loadOneI32(p.indexType, indices, at);
    // A size has less than 32 bits: what is out of range is no less than it.
    uint32_t place = uint32_t(index < 0 ? p.axisSize : 0) + uint32_t(index);
    uint8_t *to = output + int64_t(i) * rowBytes;
    if (place < p.axisSize)
      copyBytes(static_cast<const uint8_t *>(input) +
                    (int64_t(row) * p.axisSize + place) * rowBytes,
                to, rowBytes);
    else
      __builtin_memset(to, 0, rowBytes);
  };
  for (uint32_t i = share.begin; i < share.end;) {
    uint32_t row = i / p.indexCount, first = i % p.indexCount;
    uint32_t left = p.indexCount - first, n = share.end - i;
    n = n < left ? n : left;
    uint32_t at = row / p.outer * p.indexCount + first;
    auto byElements = [&](auto zero) {
      auto *values = static_cast<const decltype(zero) *>(input);
      gatherElements(values + int64_t(row) * p.axisSize, p.axisSize,
                     p.indexType, indices, at, n, output, i);
      i += n;
    };
    if (rowBytes == 1)
      byElements(uint8_t());
    else if (rowBytes == 2)
      byElements(uint16_t());
    else if (rowBytes == 4)
      byElements(uint32_t());
    else
      for (uint32_t end = at + n; at < end; ++at, ++i)
        gather(row, at, i);
  }
}
