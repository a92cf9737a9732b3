//===- Gather.h - Numbers of boxes that are not neighbours ------*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// Chunks of kBoxChunk boxes: of each the number of its place, and its numbers
// read from rows of `width` elements.
//
//   gatherI32(DType::I8, deltas, index, n, /*width=*/4, /*column=*/2, height);
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_KERNELS_DETECTION_GATHER_H
#define YARROW_KERNELS_DETECTION_GATHER_H

#include "kernels/Elements.h"

namespace yarrow::kernels {

/// Two vectors of 32 lanes; a dozen arrays of them are 3 KB of stack.
constexpr uint32_t kBoxChunk = 64;

template <typename T, typename R, typename Convert>
inline void gatherLoop(const void *src, const int32_t *index, uint32_t n,
                       uint32_t width, uint32_t column, R *dst,
                       Convert convert) {
  const T *from = static_cast<const T *>(src) + column;
  for (uint32_t i = 0; i < n; ++i)
    dst[i] = convert(from[int64_t(index[i]) * width]);
}

/// dst[i] = src[index[i] * width + column] of integers of at most 32 bits.
inline void gatherI32(DType type, const void *src, const int32_t *index,
                      uint32_t n, uint32_t width, uint32_t column,
                      int32_t *dst) {
  auto convert = [](auto x) { return int32_t(x); };
  switch (type) {
  case DType::I8:
    return gatherLoop<int8_t>(src, index, n, width, column, dst, convert);
  case DType::U8:
    return gatherLoop<uint8_t>(src, index, n, width, column, dst, convert);
  case DType::I16:
    return gatherLoop<int16_t>(src, index, n, width, column, dst, convert);
  case DType::U16:
    return gatherLoop<uint16_t>(src, index, n, width, column, dst, convert);
  default:
    return gatherLoop<int32_t>(src, index, n, width, column, dst, convert);
  }
}

/// The same of floats.
inline void gatherF32(DType type, const void *src, const int32_t *index,
                      uint32_t n, uint32_t width, uint32_t column, float *dst) {
  if (type == DType::F16)
    return gatherLoop<uint16_t>(src, index, n, width, column, dst, halfToFloat);
  if (type == DType::BF16)
    return gatherLoop<uint16_t>(src, index, n, width, column, dst,
                                bfloatToFloat);
  return gatherLoop<float>(src, index, n, width, column, dst,
                           [](float x) { return x; });
}

/// Rows of a result and what each is about: `capacity` rows an image, row i of
/// box places[i] / classes and class places[i] % classes, or of box i and class
/// 0 where there are no places. A place that is none gives a row of zeros.
struct BoxRows {
  uint32_t batch = 1, capacity = 1; // rows
  uint32_t boxes = 1, classes = 1;  // of an image
};
static_assert(sizeof(BoxRows) == 16);

/// The rows [first, first + n) of all, in one image.
struct BoxChunk {
  uint32_t image, first, n;
  int32_t box[kBoxChunk]; // of all images
  int32_t classOf[kBoxChunk];
  int32_t isUsed[kBoxChunk];
};

/// Calls fn(chunk) for the rows of a task.
template <typename Fn>
inline void forEachBoxChunk(const BoxRows &rows, const void *places,
                            uint32_t task, uint32_t taskCount, Fn fn) {
  auto *list = static_cast<const int32_t *>(places);
  Share share = shareOf(rows.batch * rows.capacity, task, taskCount);
  for (uint32_t at = share.begin; at < share.end;) {
    BoxChunk chunk;
    chunk.image = at / rows.capacity;
    chunk.first = at;
    uint32_t end = (chunk.image + 1) * rows.capacity;
    end = end < share.end ? end : share.end;
    chunk.n = end - at < kBoxChunk ? end - at : kBoxChunk;
    int32_t firstBox = int32_t(chunk.image * rows.boxes);
    for (uint32_t i = 0; i < chunk.n; ++i) {
      uint32_t place = list ? uint32_t(list[at + i])
                            : (at + i) % rows.capacity * rows.classes;
      bool isUsed = place < rows.boxes * rows.classes;
      uint32_t known = isUsed ? place : 0;
      chunk.isUsed[i] = isUsed;
      chunk.box[i] = firstBox + int32_t(known / rows.classes);
      chunk.classOf[i] = int32_t(known % rows.classes);
    }
    fn(chunk);
    at += chunk.n;
  }
}

} // namespace yarrow::kernels

#endif // YARROW_KERNELS_DETECTION_GATHER_H
