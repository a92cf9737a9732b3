//===- WinogradWeights.h - Transformed weights for the host -----*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// A Winograd command is one matrix product for each sum that the output
// transform takes: a tap of F(2x2,3x3); a column of F(2,3), whose rows are
// summed as they are and so are more channels of one product. The left shift of
// a tap's sum is applied to its weights, which gives the same sum.
//
//   packWinogradWeights(conv, operands, weights);
//   weights.planes[p].matrices[sum]   // rows() * channels made even, by filter
//
// Weights that a shift makes too wide for int16 are two planes: the low 15 bits
// and, with factor 2^15, the rest.
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_SIMULATOR_ENGINE_WINOGRADWEIGHTS_H
#define YARROW_SIMULATOR_ENGINE_WINOGRADWEIGHTS_H

#include "simulator/engine/ConvWeights.h"

namespace yarrow::sim {

/// The sums of a tile, and the rows of it that go into each. Row r of sum s is
/// tap r * count + s.
struct WinogradSums {
  uint32_t count, rows;
};
constexpr WinogradSums sumsOf(isa::WinogradMode mode) {
  return mode == isa::WinogradMode::F2_3 ? WinogradSums{4, 3}
                                         : WinogradSums{16, 1};
}

/// Fills `planes` and `largestSum`: no sum before or after the output transform
/// is larger than that.
void packWinogradWeights(const isa::Conv &conv, const ConvOperands &operands,
                         ConvWeights &to);

} // namespace yarrow::sim

#endif // YARROW_SIMULATOR_ENGINE_WINOGRADWEIGHTS_H
