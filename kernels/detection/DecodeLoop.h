//===- DecodeLoop.h - The rows that decoders work on ------------*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_KERNELS_DETECTION_DECODELOOP_H
#define YARROW_KERNELS_DETECTION_DECODELOOP_H

#include "kernels/detection/Decode.h"

namespace yarrow::kernels {

/// A chunk's four numbers: of deltas y, x, h, w, of corners y1, x1, y2, x2.
template <typename T> struct BoxNumbers {
  T at[4][kBoxChunk];
};

/// Where a chunk's deltas and anchors are: rows of four numbers.
struct DecodeIndices {
  int32_t deltas[kBoxChunk], anchors[kBoxChunk];

  DecodeIndices(const DecodeShape &shape, const BoxChunk &chunk) {
    int32_t firstBox = int32_t(chunk.image * shape.rows.boxes);
    int32_t skipped = shape.anchorsPerImage ? 0 : firstBox;
    for (uint32_t i = 0; i < chunk.n; ++i) {
      deltas[i] = chunk.box[i] * int32_t(shape.deltaClasses) +
                  (shape.deltaClasses > 1 ? chunk.classOf[i] : 0) +
                  int32_t(shape.firstClass);
      anchors[i] = chunk.box[i] - skipped;
    }
  }
};

/// The column of number \p k of four that stand x first.
inline uint32_t columnOf(uint32_t k, bool isXFirst) {
  return isXFirst ? k ^ 1 : k;
}

inline void gatherNumbers(DType type, const void *src, const int32_t *index,
                          uint32_t n, bool isXFirst, BoxNumbers<float> &to) {
  for (uint32_t k = 0; k < 4; ++k)
    gatherF32(type, src, index, n, 4, columnOf(k, isXFirst), to.at[k]);
}
inline void gatherNumbers(DType type, const void *src, const int32_t *index,
                          uint32_t n, bool isXFirst, BoxNumbers<int32_t> &to) {
  for (uint32_t k = 0; k < 4; ++k)
    gatherI32(type, src, index, n, 4, columnOf(k, isXFirst), to.at[k]);
}

/// Boxes to the rows of a chunk, zeros where they are none.
inline void storeNumbers(const DecodeShape &shape, const BoxChunk &chunk,
                         const BoxNumbers<float> &box, void *to) {
  for (uint32_t i = 0; i < chunk.n; ++i) {
    float y[4];
    for (uint32_t k = 0; k < 4; ++k)
      y[columnOf(k, shape.outXFirst)] = chunk.isUsed[i] ? box.at[k][i] : 0.0f;
    storeF32(shape.outType, to, 4 * (int64_t(chunk.first) + i), 4, y);
  }
}
inline void storeNumbers(const DecodeShape &shape, const BoxChunk &chunk,
                         const BoxNumbers<int32_t> &box, void *to) {
  for (uint32_t i = 0; i < chunk.n; ++i) {
    int32_t y[4];
    for (uint32_t k = 0; k < 4; ++k)
      y[columnOf(k, shape.outXFirst)] = chunk.isUsed[i] ? box.at[k][i] : 0;
    storeI32(shape.outType, to, 4 * (int64_t(chunk.first) + i), 4, y);
  }
}

} // namespace yarrow::kernels

#endif // YARROW_KERNELS_DETECTION_DECODELOOP_H
