//===- WinogradTransforms.h - The butterflies of F(2,3) ---------*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// What the tensor engine's adders do before and after the multiplications in
// the Winograd mode: with d a tile's inputs and m its sums along one axis,
//
//   B^T d = d0 - d2, d1 + d2, d2 - d1, d1 - d3
//   A^T m = m0 + m1 + m2, m1 - m2 - m3
//
// on rows of channels or filters, vectorized for the host.
//
//   transformColumns(image, rowPitch, cells, rows, rowsPitch);   // F(2x2,3x3)
//   transformRow({rows, tiles, channels, tilePitch, sumPitch, to});
//   ... products ...
//   finishTiles(sums);
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_SIMULATOR_ENGINE_WINOGRADTRANSFORMS_H
#define YARROW_SIMULATOR_ENGINE_WINOGRADTRANSFORMS_H

#include <cstdint>

namespace yarrow::sim {

/// B^T down the columns of four rows of \p count values each, at least 8, \p
/// rowPitch apart; results lie \p toPitch apart.
void transformColumns(const int16_t *rows, int64_t rowPitch, uint64_t count,
                      int16_t *to, uint64_t toPitch);

/// One row of pixels, of which each tile takes four and the next begins two on.
/// The number of channels is even.
struct WinogradRow {
  const int16_t *from;
  uint32_t tiles, channels;
  uint64_t tilePitch, sumPitch; ///< Of the results.
  int16_t *to;
};
/// B^T along the row: result t of a tile goes to to + t * sumPitch.
void transformRow(const WinogradRow &row);

/// The sums of tiles in one row, [sum][tile][pitch]; results are two rows (of
/// F(2,3): one), [row][2 * tiles][pitch].
template <typename Sum> struct WinogradTiles {
  const Sum *from;
  uint64_t sumPitch, pitch; ///< pitch is a multiple of kGemmColumns.
  uint32_t tiles, shift;
  Sum *to;
  uint64_t rowPitch; ///< Of the results.
};
/// (A^T M A) >> shift of 16 sums a tile.
void finishTiles(const WinogradTiles<int32_t> &tiles);
void finishTiles(const WinogradTiles<int64_t> &tiles);
/// (A^T m) >> shift of 4 sums a tile.
void finishTileRows(const WinogradTiles<int32_t> &tiles);
void finishTileRows(const WinogradTiles<int64_t> &tiles);

} // namespace yarrow::sim

#endif // YARROW_SIMULATOR_ENGINE_WINOGRADTRANSFORMS_H
