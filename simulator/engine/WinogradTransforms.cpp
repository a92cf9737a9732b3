//===- WinogradTransforms.cpp - The butterflies of F(2,3) -----------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "simulator/engine/WinogradTransforms.h"

#include "simulator/engine/HostVector.h"
#include <cstring>

using namespace yarrow;
using namespace yarrow::sim;

// Transformed inputs have 10 bits, of which nothing is lost in 16. Sums are in
// int32 where the weights prove that all of them and their combinations fit.

typedef int16_t InputLanes __attribute__((vector_size(32), aligned(2)));
static constexpr uint32_t kInputLanes = 16;

#define YARROW_INLINE static inline __attribute__((always_inline))

/// B^T of \p d into \p to, Vector values at a time.
template <typename Vector>
YARROW_INLINE void butterfly(const int16_t *d, uint64_t pitch, int16_t *to,
                             uint64_t toPitch) {
  Vector in[4];
  for (unsigned i = 0; i < 4; ++i)
    std::memcpy(&in[i], d + i * pitch, sizeof(Vector));
  const Vector out[4] = {Vector(in[0] - in[2]), Vector(in[1] + in[2]),
                         Vector(in[2] - in[1]), Vector(in[1] - in[3])};
  for (unsigned i = 0; i < 4; ++i)
    std::memcpy(to + i * toPitch, &out[i], sizeof(Vector));
}

YARROW_INLINE void butterflies(const int16_t *d, uint64_t pitch, uint64_t count,
                               int16_t *to, uint64_t toPitch) {
  uint64_t i = 0;
  for (; i + kInputLanes <= count; i += kInputLanes)
    butterfly<InputLanes>(d + i, pitch, to + i, toPitch);
  for (; i < count; ++i)
    butterfly<int16_t>(d + i, pitch, to + i, toPitch);
}

YARROW_HOST_CLONES void sim::transformColumns(const int16_t *rows,
                                              int64_t rowPitch, uint64_t count,
                                              int16_t *to, uint64_t toPitch) {
  butterflies(rows, uint64_t(rowPitch), count, to, toPitch);
}

YARROW_HOST_CLONES void sim::transformRow(const WinogradRow &row) {
  for (uint32_t tile = 0; tile < row.tiles; ++tile)
    butterflies(row.from + uint64_t(tile) * 2 * row.channels, row.channels,
                row.channels, row.to + tile * row.tilePitch, row.sumPitch);
}

// 64 bytes: one register of 512 bits, two of 256.
template <typename Sum> struct SumLanes {
  typedef Sum Vector __attribute__((vector_size(64), aligned(sizeof(Sum))));
  static constexpr uint32_t kCount = 64 / sizeof(Sum);
};

template <typename Sum>
YARROW_INLINE void finishSquare(const WinogradTiles<Sum> &t) {
  using Vector = typename SumLanes<Sum>::Vector;
  const auto shift = Sum(t.shift);
  for (uint32_t tile = 0; tile < t.tiles; ++tile)
    for (uint64_t c = 0; c < t.pitch; c += SumLanes<Sum>::kCount) {
      const Sum *from = t.from + tile * t.pitch + c;
      Vector columns[2][4]; // A^T M
      for (unsigned j = 0; j < 4; ++j) {
        Vector m[4];
        for (unsigned i = 0; i < 4; ++i)
          std::memcpy(&m[i], from + (i * 4 + j) * t.sumPitch, sizeof(Vector));
        columns[0][j] = m[0] + m[1] + m[2];
        columns[1][j] = m[1] - m[2] - m[3];
      }
      for (unsigned i = 0; i < 2; ++i) {
        const Vector *m = columns[i];
        const Vector out[2] = {(m[0] + m[1] + m[2]) >> shift,
                               (m[1] - m[2] - m[3]) >> shift};
        Sum *to = t.to + i * t.rowPitch + tile * 2 * t.pitch + c;
        for (unsigned j = 0; j < 2; ++j)
          std::memcpy(to + j * t.pitch, &out[j], sizeof(Vector));
      }
    }
}

template <typename Sum>
YARROW_INLINE void finishRow(const WinogradTiles<Sum> &t) {
  using Vector = typename SumLanes<Sum>::Vector;
  const auto shift = Sum(t.shift);
  for (uint32_t tile = 0; tile < t.tiles; ++tile)
    for (uint64_t c = 0; c < t.pitch; c += SumLanes<Sum>::kCount) {
      const Sum *from = t.from + tile * t.pitch + c;
      Vector m[4];
      for (unsigned i = 0; i < 4; ++i)
        std::memcpy(&m[i], from + i * t.sumPitch, sizeof(Vector));
      const Vector out[2] = {(m[0] + m[1] + m[2]) >> shift,
                             (m[1] - m[2] - m[3]) >> shift};
      Sum *to = t.to + tile * 2 * t.pitch + c;
      for (unsigned j = 0; j < 2; ++j)
        std::memcpy(to + j * t.pitch, &out[j], sizeof(Vector));
    }
}

YARROW_HOST_CLONES void sim::finishTiles(const WinogradTiles<int32_t> &tiles) {
  finishSquare(tiles);
}
YARROW_HOST_CLONES void sim::finishTiles(const WinogradTiles<int64_t> &tiles) {
  finishSquare(tiles);
}
YARROW_HOST_CLONES void
sim::finishTileRows(const WinogradTiles<int32_t> &tiles) {
  finishRow(tiles);
}
YARROW_HOST_CLONES void
sim::finishTileRows(const WinogradTiles<int64_t> &tiles) {
  finishRow(tiles);
}
