//===- Unpool.cpp - Values put at given places ----------------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "kernels/Elements.h"
#include "kernels/pool/PoolMore.h"

using namespace yarrow;
using namespace yarrow::kernels;

namespace {

/// Where indices of a cell's channels lead.
class Places {
public:
  explicit Places(const UnpoolParams &p)
      : p(p), map(int64_t(p.outH) * p.outW), image(map * p.channels),
        total(image * p.batch),
        byMap(p.index == FlatIndex::HW || p.index == FlatIndex::NCHW) {}

  /// The element, channels last, that an index of channel c of image n means;
  /// -1 outside.
  int64_t elementOf(int64_t index, uint32_t n, uint32_t c) const {
    if (p.index == FlatIndex::HW || p.index == FlatIndex::HWC)
      index += n * image;
    if (p.index == FlatIndex::HW)
      index += c * map;
    if (index < 0 || index >= total)
      return -1;
    // Channels last already, unless places count column by column.
    if (!byMap && !p.isColumnMajor)
      return index;
    int64_t batch = index / image, rest = index % image;
    int64_t channel = byMap ? rest / map : rest % p.channels;
    int64_t place = byMap ? rest % map : rest / p.channels;
    if (p.isColumnMajor)
      place = place % p.outH * p.outW + place / p.outH;
    return (batch * map + place) * p.channels + channel;
  }

  int64_t elements() const { return total; }
  bool mapsFirst() const { return byMap; }

private:
  const UnpoolParams &p;
  int64_t map, image, total;
  bool byMap;
};

/// Fills the elements of the task and gives those their values that an index
/// leads to. An index costs about 10 scalar instructions.
template <typename T, typename Buffers>
void unpool(const UnpoolParams &p, const Buffers &buffers, uint32_t task,
            uint32_t taskCount) {
  const T *values = static_cast<const T *>(buffers.input());
  T *output = static_cast<T *>(buffers.output());
  Places places(p);
  Share share = shareOf(uint32_t(places.elements()), task, taskCount);
  for (uint32_t i = share.begin; i < share.end; ++i)
    output[i] = T(p.fill);
  int32_t index[kChunk];
  auto put = [&](uint32_t n, uint32_t pixel, uint32_t c, int32_t to) {
    int64_t element = places.elementOf(to, n, c);
    if (element < share.begin || element >= share.end)
      return;
    uint32_t cell = n * p.inH * p.inW + pixel;
    output[element] = values[int64_t(cell) * p.channels + c];
  };
  uint32_t pixels = p.inH * p.inW;
  for (uint32_t n = 0; n < p.batch; ++n) {
    int64_t first = int64_t(n) * pixels * p.channels;
    if (places.mapsFirst()) {
      // Of several values for one place the last one in the index's order
      // stays.
      for (uint32_t c = 0; c < p.channels; ++c)
        forEachChunk(0, pixels, [&](uint32_t at, uint32_t count) {
          loadI32(p.indexType, buffers.indices(),
                  first + int64_t(at) * p.channels + c, count, index,
                  p.channels);
          for (uint32_t i = 0; i < count; ++i)
            put(n, at + i, c, index[i]);
        });
      continue;
    }
    for (uint32_t pixel = 0; pixel < pixels; ++pixel)
      forEachChunk(0, p.channels, [&](uint32_t c, uint32_t count) {
        loadI32(p.indexType, buffers.indices(),
                first + int64_t(pixel) * p.channels + c, count, index);
        for (uint32_t i = 0; i < count; ++i)
          put(n, pixel, c + i, index[i]);
      });
  }
}

} // namespace

YARROW_KERNEL(yk_unpool, Unpool) {
  switch (p.elemBytes) {
  case 1:
    return unpool<uint8_t>(p, buffers, task, taskCount);
  case 2:
    return unpool<uint16_t>(p, buffers, task, taskCount);
  default:
    return unpool<uint32_t>(p, buffers, task, taskCount);
  }
}
