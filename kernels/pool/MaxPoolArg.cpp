//===- MaxPoolArg.cpp - Greatest values and their places ------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "kernels/pool/PoolCells.h"
#include "kernels/pool/PoolMore.h"

using namespace yarrow;
using namespace yarrow::kernels;

namespace {

void loadValues(DType type, const void *src, int64_t index, uint32_t n,
                int32_t *dst) {
  loadI32(type, src, index, n, dst);
}
void loadValues(DType type, const void *src, int64_t index, uint32_t n,
                float *dst) {
  loadF32(type, src, index, n, dst);
}
void storeValues(DType type, void *dst, int64_t index, uint32_t n,
                 const int32_t *src) {
  storeI32(type, dst, index, n, src);
}
void storeValues(DType type, void *dst, int64_t index, uint32_t n,
                 const float *src) {
  storeF32(type, dst, index, n, src);
}

/// place[i], within a map, becomes the index of channel c + i of image `batch`.
/// Tensors have less than 2^31 elements.
void flatten(const MaxPoolArgParams &p, uint32_t batch, uint32_t c, uint32_t n,
             int32_t *place) {
  const PoolShape &s = p.shape;
  int32_t map = int32_t(s.inH * s.inW), channels = int32_t(s.channels);
  int32_t image = int32_t(batch) * map * channels;
  switch (p.index) {
  case FlatIndex::HW:
    break;
  case FlatIndex::HWC:
  case FlatIndex::NHWC:
    for (uint32_t i = 0; i < n; ++i)
      place[i] = place[i] * channels + int32_t(c + i) +
                 (p.index == FlatIndex::NHWC ? image : 0);
    break;
  case FlatIndex::NCHW:
    for (uint32_t i = 0; i < n; ++i)
      place[i] += image + int32_t(c + i) * map;
    break;
  }
}

/// About four vector operations for each cell.
template <typename Value, typename Buffers>
void maximaWithPlaces(const MaxPoolArgParams &p, const Buffers &buffers,
                      uint32_t task, uint32_t taskCount) {
  const PoolShape &s = p.shape;
  auto chunk = [&](uint32_t out, uint32_t c, uint32_t n) {
    Value best[kChunk] = {}, x[kChunk];
    int32_t place[kChunk] = {};
    bool isFirst = true;
    uint32_t cells = forEachPlacedCell(
        s, out, [&](int64_t cell, uint32_t row, uint32_t column) {
          int32_t here = int32_t(p.isColumnMajor ? column * s.inH + row
                                                 : row * s.inW + column);
          loadValues(p.inType, buffers.input(), cell + c, n, x);
          for (uint32_t i = 0; i < n; ++i) {
            // The first NaN wins, as it is greater than nothing else.
            bool isGreater = isFirst || x[i] > best[i] ||
                             (x[i] != x[i] && best[i] == best[i]);
            best[i] = isGreater ? x[i] : best[i];
            place[i] = isGreater ? here : place[i];
          }
          isFirst = false;
        });
    if (cells > 0)
      flatten(p, out / s.outW / s.outH, c, n, place);
    int64_t element = int64_t(out) * s.channels + c;
    storeValues(p.outType, buffers.output(), element, n, best);
    storeI32(p.indexType, buffers.indices(), element, n, place);
  };
  forEachChannelChunk(s, task, taskCount, chunk);
}

} // namespace

YARROW_KERNEL(yk_max_pool_arg_int, MaxPoolArgInt) {
  maximaWithPlaces<int32_t>(p, buffers, task, taskCount);
}

YARROW_KERNEL(yk_max_pool_arg_float, MaxPoolArgFloat) {
  maximaWithPlaces<float>(p, buffers, task, taskCount);
}
