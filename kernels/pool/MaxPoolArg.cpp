//===- MaxPoolArg.cpp - Greatest values and their places ------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "kernels/FloatStrips.h"
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

/// The index of a place within a map of a channel, T being an integer or a
/// strip of them. Tensors have less than 2^31 elements.
template <typename T>
T flatIndex(const MaxPoolArgParams &p, uint32_t batch, T channel, T place) {
  const PoolShape &s = p.shape;
  int32_t map = int32_t(s.inH * s.inW), channels = int32_t(s.channels);
  int32_t image = int32_t(batch) * map * channels;
  switch (p.index) {
  case FlatIndex::HW:
    return place;
  case FlatIndex::HWC:
    return place * channels + channel;
  case FlatIndex::NHWC:
    return place * channels + channel + image;
  case FlatIndex::NCHW:
    return place + channel * map + image;
  }
  return place;
}

int32_t placeOf(const MaxPoolArgParams &p, uint32_t row, uint32_t column) {
  return int32_t(p.isColumnMajor ? column * p.shape.inH + row
                                 : row * p.shape.inW + column);
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
          int32_t here = placeOf(p, row, column);
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
      for (uint32_t i = 0; i < n; ++i)
        place[i] =
            flatIndex(p, out / s.outW / s.outH, int32_t(c + i), place[i]);
    int64_t element = int64_t(out) * s.channels + c;
    storeValues(p.outType, buffers.output(), element, n, best);
    storeI32(p.indexType, buffers.indices(), element, n, place);
  };
  forEachChannelChunk(s, task, taskCount, chunk);
}

/// Whether strips have the types: values that are stored as they are compared.
bool areStrips(const MaxPoolArgParams &p) {
  uint32_t indexBytes = dtypeBytes(p.indexType);
  return dtypeBytes(p.inType) == dtypeBytes(p.outType) &&
         (indexBytes == 2 || indexBytes == 4);
}

/// The same of values T, of which none is below `lowest`.
template <typename T, typename Buffers>
void maximaOfStrips(const MaxPoolArgParams &p, T lowest, const Buffers &buffers,
                    uint32_t task, uint32_t taskCount) {
  const PoolShape &s = p.shape;
  forEachWindow(s, task, taskCount, [&](const auto &w, Share channels) {
    forEachStrip(channels.begin, channels.end, [&](uint32_t c, auto size) {
      Strip<T> x, best{};
      Strip<int32_t> place{};
      if (cellCount(s, w) > 0) {
        best += lowest;
        place += placeOf(p, uint32_t(w.rows.first), uint32_t(w.columns.first));
        forEachPlacedCellOf(
            s, w, [&](int64_t cell, uint32_t row, uint32_t column) {
              loadStrip<T>(buffers.input(), cell + c, size, x);
              // The first NaN wins, as it is greater than nothing else.
              auto isGreater = (x > best) | ((x != x) & (best == best));
              best = isGreater ? x : best;
              place = __builtin_convertvector(isGreater, Strip<int32_t>)
                          ? Strip<int32_t>{} + placeOf(p, row, column)
                          : place;
            });
        Strip<int32_t> channel;
        channel = kLanes + int32_t(c);
        place = flatIndex(p, w.image, channel, place);
      }
      int64_t element = int64_t(w.out) * s.channels + c;
      if constexpr (__is_same(T, float))
        storeFloats(DType::F32, best, size, buffers.output(), element);
      else
        storeStrip<T>(best, size, buffers.output(), element);
      if (dtypeBytes(p.indexType) == 4)
        storeStrip<int32_t>(place, size, buffers.indices(), element);
      else
        storeStrip<int16_t>(place, size, buffers.indices(), element);
    });
  });
}

} // namespace

YARROW_KERNEL(yk_max_pool_arg_int, MaxPoolArgInt) {
  if (areStrips(p) && isSmallInt(p.inType))
    return withSmallInt(p.inType, [&](auto zero) {
      using T = decltype(zero);
      T lowest = T(-1) < 0 ? T(1 << (8 * sizeof(T) - 1)) : T(0);
      maximaOfStrips<T>(p, lowest, buffers, task, taskCount);
    });
  maximaWithPlaces<int32_t>(p, buffers, task, taskCount);
}

YARROW_KERNEL(yk_max_pool_arg_float, MaxPoolArgFloat) {
  if (areStrips(p) && p.inType == DType::F32 && p.outType == DType::F32)
    return maximaOfStrips<float>(p, -__builtin_huge_valf(), buffers, task,
                                 taskCount);
  maximaWithPlaces<float>(p, buffers, task, taskCount);
}
