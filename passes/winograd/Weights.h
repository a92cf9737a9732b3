//===- Weights.h - Winograd layers as ordinary convolutions ---------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// A layer with transformed weights is a set of ordinary convolutions: the
// outputs of a tile at one position, of all tiles, have a filter of their own
// and a stride of one tile. These are the "phases" of the layer. Position i has
// the weights
//
//   K[i][k] = sum over the taps t of A^T[i][t] * B^T[t][k] * (W[t] << shift[t])
//
// and the same along the other axis. For weights that are exactly those of an
// ordinary convolution all phases are that convolution; after rounding they
// differ.
//
//   WinogradPhases y = phasesOf(winogradMatrices(2, 3)), x = y;
//   auto filters = phaseWeights(y, x, weights, tapShifts, /*outputShift=*/0);
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_PASSES_WINOGRAD_WEIGHTS_H
#define YARROW_PASSES_WINOGRAD_WEIGHTS_H

#include "dialects/compass/Tensors.h"
#include "support/Winograd.h"

namespace yarrow {

/// The positions of a tile's outputs along one axis.
struct WinogradPhases {
  unsigned count = 1;  ///< outputs of a tile, which is also the stride
  unsigned tile = 1;   ///< taps, and inputs of a tile
  unsigned window = 1; ///< cells of every phase's filter: 3 for F(2,3)
  /// By phase: the first cell of the tile that its filter covers.
  std::vector<unsigned> start;
  /// [phase][cell of the window][tap]
  std::vector<int64_t> factors;

  int64_t factor(unsigned phase, unsigned cell, unsigned tap) const {
    return factors[(phase * window + cell) * tile + tap];
  }
};

/// \p axis has whole transforms (asserted).
WinogradPhases phasesOf(const WinogradMatrices &axis);

/// Filters [phase y][phase x][output][window y][window x][channel], divided by
/// 2^outputShift. \p weights is [output][tile y][tile x][channel] of int8 or
/// int16, \p tapShifts [output][tile y][tile x] or empty, at most 15. Nullopt
/// if a filter is no multiple of that power of two, or not of 16 bits.
std::optional<std::vector<int16_t>>
phaseWeights(const WinogradPhases &y, const WinogradPhases &x,
             const compass::ConstantView &weights,
             llvm::ArrayRef<uint8_t> tapShifts, unsigned outputShift);

/// The weights of F(2x2,3x3) that give four times the convolution with \p
/// weights, int8 [output][3][3][channel], without rounding: (2G) w (2G)^T,
/// [output][4][4][channel]. They have 12 bits, the sign included: at most 9 *
/// 128 in magnitude.
std::vector<int16_t> exactWeights(const compass::ConstantView &weights);

} // namespace yarrow

#endif // YARROW_PASSES_WINOGRAD_WEIGHTS_H
