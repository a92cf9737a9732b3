//===- Winograd.h - The matrices of minimal filtering ---------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// F(m,r) computes m outputs of a filter of r weights from a tile of m + r - 1
// inputs with m + r - 1 multiplications (Winograd 1980; Lavin and Gray,
// "Fast Algorithms for Convolutional Neural Networks", 2015):
//
//   y = A^T [(G g) . (B^T d)]
//
// and in two dimensions Y = A^T [(G g G^T) . (B^T d B)] A. The matrices of any
// m and r come from one construction (Cook and Toom) over the points
// 0, 1, -1, 2, -2, 1/2, -1/2, ... and infinity; for F(2,3) and F(4,3) they are
// those of the paper.
//
//   WinogradMatrices f = winogradMatrices(2, 3);
//   f.at(0, 1), f.g(1, 2), f.bt(3, 0);   // Rational
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_SUPPORT_WINOGRAD_H
#define YARROW_SUPPORT_WINOGRAD_H

#include <cassert>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace yarrow {

/// Larger tiles have entries that no integer arithmetic of use can hold.
inline constexpr unsigned kMaxWinogradTile = 8;

/// An exact fraction in lowest terms; den > 0.
struct Rational {
  int64_t num = 0, den = 1;
  bool isInteger() const { return den == 1; }
  double value() const { return double(num) / double(den); }
  bool operator==(const Rational &) const = default;
};

struct WinogradMatrices {
  unsigned outputs = 1, kernel = 1; ///< m, r
  unsigned tile() const { return outputs + kernel - 1; }

  const Rational &at(unsigned row, unsigned column) const {
    assert(row < outputs && column < tile());
    return outputTransform[row * tile() + column];
  }
  const Rational &g(unsigned row, unsigned column) const {
    assert(row < tile() && column < kernel);
    return weightTransform[row * kernel + column];
  }
  const Rational &bt(unsigned row, unsigned column) const {
    assert(row < tile() && column < tile());
    return inputTransform[row * tile() + column];
  }
  /// Can inputs and sums be transformed in integers without rounding?
  bool isIntegral() const;

  std::vector<Rational> outputTransform; ///< A^T, m x tile
  std::vector<Rational> weightTransform; ///< G, tile x r
  std::vector<Rational> inputTransform;  ///< B^T, tile x tile
};

/// \p outputs and \p kernel are at least 1, their tile at most
/// kMaxWinogradTile (asserted). F(1,r) and F(m,1) need no points: B^T and A^T
/// of F(1,r) leave values as they are.
WinogradMatrices winogradMatrices(unsigned outputs, unsigned kernel);

} // namespace yarrow

#endif // YARROW_SUPPORT_WINOGRAD_H
