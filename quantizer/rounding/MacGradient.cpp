//===- MacGradient.cpp - A layer of products, there and back --------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#include "quantizer/rounding/MacGradient.h"

#include "quantizer/math/Matrix.h"

#include <algorithm>

using namespace yarrow;

namespace {

/// One group's part of a layer over one sample.
class GroupProduct {
public:
  GroupProduct(const Im2col &map, std::size_t group,
               std::span<const float> weights)
      : map(map), group(group), weights(map.outputsPerGroup(), map.terms()) {
    for (std::size_t o = 0; o < this->weights.rows; ++o)
      std::copy_n(weights.data() + (first() + o) * map.terms(), map.terms(),
                  this->weights.row(o));
  }

  /// Of the layer's outputs, this group's first one.
  std::size_t first() const { return group * map.outputsPerGroup(); }

  Matrix gather(std::span<const float> x) const {
    Matrix rows(map.pixels(), map.terms());
    for (std::size_t p = 0; p < rows.rows; ++p)
      map.gather(x, p, group, rows.rowOf(p));
    return rows;
  }

  void forward(std::span<const float> x, std::span<const float> biases,
               std::span<float> y) const {
    Matrix sums(map.pixels(), weights.rows);
    for (std::size_t p = 0; p < sums.rows; ++p)
      std::copy_n(biases.data() + first(), sums.columns, sums.row(p));
    addProduct(gather(x), weights.transposed(), sums);
    for (std::size_t p = 0; p < sums.rows; ++p)
      std::copy_n(sums.row(p), sums.columns,
                  y.data() + p * map.outputs() + first());
  }

  void backward(std::span<const float> x, std::span<const float> byY,
                const MacSlopes &slopes) const {
    Matrix bySums(map.pixels(), weights.rows);
    for (std::size_t p = 0; p < bySums.rows; ++p)
      std::copy_n(byY.data() + p * map.outputs() + first(), bySums.columns,
                  bySums.row(p));
    for (std::size_t p = 0; p < bySums.rows; ++p)
      for (std::size_t o = 0; o < bySums.columns; ++o)
        slopes.byBiases[first() + o] += bySums.at(p, o);
    Matrix byWeights(weights.rows, weights.columns);
    addProduct(bySums.transposed(), gather(x), byWeights);
    for (std::size_t o = 0; o < byWeights.rows; ++o)
      for (std::size_t i = 0; i < byWeights.columns; ++i)
        slopes.byWeights[(first() + o) * map.terms() + i] += byWeights.at(o, i);
    if (slopes.byX.empty())
      return;
    Matrix byRows(map.pixels(), map.terms());
    addProduct(bySums, weights, byRows);
    for (std::size_t p = 0; p < byRows.rows; ++p)
      map.scatter(byRows.rowOf(p), p, group, slopes.byX);
  }

private:
  const Im2col &map;
  const std::size_t group;
  Matrix weights; ///< [output of the group, term]
};

} // namespace

void yarrow::macForward(const Im2col &map, std::span<const float> x,
                        std::span<const float> weights,
                        std::span<const float> biases, std::span<float> y) {
  for (std::size_t g = 0; g < map.groups(); ++g)
    GroupProduct(map, g, weights).forward(x, biases, y);
}

void yarrow::macBackward(const Im2col &map, std::span<const float> x,
                         std::span<const float> weights,
                         std::span<const float> byY, const MacSlopes &slopes) {
  for (std::size_t g = 0; g < map.groups(); ++g)
    GroupProduct(map, g, weights).backward(x, byY, slopes);
}
