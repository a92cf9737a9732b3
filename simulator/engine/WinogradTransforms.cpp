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

#define YARROW_INLINE static inline __attribute__((always_inline))

template <unsigned Count> struct Inputs {
  typedef int16_t Vector __attribute__((vector_size(Count * 2), aligned(2)));
};

/// Calls fn with the first index of each group of Lanes out of count, which
/// overlap in the end if Lanes does not divide it.
template <unsigned Lanes, typename Fn>
YARROW_INLINE void forEachGroup(uint64_t count, Fn fn) {
  for (uint64_t i = 0; i + Lanes < count; i += Lanes)
    fn(i);
  fn(count - Lanes);
}

// Types of vectors are not deduced: that would lose their alignment.

/// B^T d, to results \p pitch apart.
template <unsigned Lanes>
YARROW_INLINE void inputButterfly(const typename Inputs<Lanes>::Vector (&d)[4],
                                  int16_t *to, uint64_t pitch) {
  using Vector = typename Inputs<Lanes>::Vector;
  const Vector out[4] = {d[0] - d[2], d[1] + d[2], d[2] - d[1], d[1] - d[3]};
  for (unsigned i = 0; i < 4; ++i)
    std::memcpy(to + i * pitch, &out[i], sizeof(Vector));
}

template <unsigned Lanes>
YARROW_INLINE void transformColumn(const int16_t *d, uint64_t pitch,
                                   int16_t *to, uint64_t toPitch) {
  using Vector = typename Inputs<Lanes>::Vector;
  Vector in[4];
  for (unsigned i = 0; i < 4; ++i)
    std::memcpy(&in[i], d + i * pitch, sizeof(Vector));
  inputButterfly<Lanes>(in, to, toPitch);
}

YARROW_HOST_CLONES void sim::transformColumns(const int16_t *rows,
                                              int64_t rowPitch, uint64_t count,
                                              int16_t *to, uint64_t toPitch) {
  auto pitch = uint64_t(rowPitch);
  // At least four cells of two channels.
  if (count >= 32)
    forEachGroup<32>(count, [&](uint64_t i) {
      transformColumn<32>(rows + i, pitch, to + i, toPitch);
    });
  else
    forEachGroup<8>(count, [&](uint64_t i) {
      transformColumn<8>(rows + i, pitch, to + i, toPitch);
    });
}

/// Lanes channels of all tiles. A tile begins with the last two pixels of the
/// one before.
template <unsigned Lanes>
YARROW_INLINE void transformLanes(const WinogradRow &row, uint64_t channel) {
  using Vector = typename Inputs<Lanes>::Vector;
  const int16_t *from = row.from + channel;
  int16_t *to = row.to + channel;
  const uint64_t pitch = row.channels, tilePitch = row.tilePitch;
  const uint64_t sumPitch = row.sumPitch;
  Vector d0, d1, d2, d3;
  std::memcpy(&d0, from, sizeof(Vector));
  std::memcpy(&d1, from + pitch, sizeof(Vector));
  for (uint32_t tile = row.tiles; tile != 0; --tile) {
    from += 2 * pitch;
    std::memcpy(&d2, from, sizeof(Vector));
    std::memcpy(&d3, from + pitch, sizeof(Vector));
    inputButterfly<Lanes>({d0, d1, d2, d3}, to, sumPitch);
    to += tilePitch;
    d0 = d2;
    d1 = d3;
  }
}

template <unsigned Lanes>
YARROW_INLINE void transformAllLanes(const WinogradRow &row) {
  forEachGroup<Lanes>(row.channels, [&](uint64_t channel) {
    transformLanes<Lanes>(row, channel);
  });
}

YARROW_HOST_CLONES void sim::transformRow(const WinogradRow &row) {
  if (row.channels >= 32)
    transformAllLanes<32>(row);
  else if (row.channels >= 16)
    transformAllLanes<16>(row);
  else if (row.channels >= 8)
    transformAllLanes<8>(row);
  else if (row.channels >= 4)
    transformAllLanes<4>(row);
  else
    transformAllLanes<2>(row);
}

// 64 bytes: one register of 512 bits, two of 256.
template <typename Sum> struct SumLanes {
  typedef Sum Vector __attribute__((vector_size(64), aligned(sizeof(Sum))));
  static constexpr uint32_t kCount = 64 / sizeof(Sum);
};

/// A^T m
template <typename Sum>
YARROW_INLINE void outputButterfly(const typename SumLanes<Sum>::Vector (&m)[4],
                                   typename SumLanes<Sum>::Vector (&out)[2]) {
  out[0] = m[0] + m[1] + m[2];
  out[1] = m[1] - m[2] - m[3];
}

/// (A^T m) >> shift, to results \p pitch apart.
template <typename Sum>
YARROW_INLINE void writeResults(const typename SumLanes<Sum>::Vector (&m)[4],
                                Sum shift, Sum *to, uint64_t pitch) {
  typename SumLanes<Sum>::Vector out[2];
  outputButterfly<Sum>(m, out);
  for (unsigned i = 0; i < 2; ++i) {
    out[i] >>= shift;
    std::memcpy(to + i * pitch, &out[i], sizeof(out[i]));
  }
}

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
        Vector out[2];
        outputButterfly<Sum>(m, out);
        columns[0][j] = out[0];
        columns[1][j] = out[1];
      }
      for (unsigned i = 0; i < 2; ++i)
        writeResults<Sum>(columns[i], shift,
                          t.to + i * t.rowPitch + tile * 2 * t.pitch + c,
                          t.pitch);
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
      writeResults<Sum>(m, shift, t.to + tile * 2 * t.pitch + c, t.pitch);
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
