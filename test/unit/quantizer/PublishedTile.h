//===- PublishedTile.h - The transforms of a tile, as published -----------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// F(2x2,3x3) and F(2,3) from the matrices as printed (Lavin and Gray, 2015),
// not from the code under test. The 1-D form sums three rows as they are.
//
//   PublishedTile tile{.is2D = false};
//   tile.bt(tap, cell) * tile.at(output, tap)
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_TEST_UNIT_QUANTIZER_PUBLISHEDTILE_H
#define YARROW_TEST_UNIT_QUANTIZER_PUBLISHEDTILE_H

#include <cstddef>
#include <vector>

namespace yarrow {

/// Taps, cells, outputs and weights of the window are counted row by row; a row
/// of taps or cells has 4, of outputs 2, of weights 3.
struct PublishedTile {
  bool is2D = true;

  int rows() const { return is2D ? 4 : 3; }
  int outputRows() const { return is2D ? 2 : 1; }
  int taps() const { return 4 * rows(); }
  int outputs() const { return 2 * outputRows(); }

  int bt(int tap, int cell) const {
    static constexpr int kBt[4][4] = {
        {1, 0, -1, 0}, {0, 1, 1, 0}, {0, -1, 1, 0}, {0, 1, 0, -1}};
    int y = is2D ? kBt[tap / 4][cell / 4] : tap / 4 == cell / 4;
    return y * kBt[tap % 4][cell % 4];
  }
  int at(int output, int tap) const {
    static constexpr int kAt[2][4] = {{1, 1, 1, 0}, {0, 1, -1, -1}};
    return (is2D ? kAt[output / 2][tap / 4] : 1) * kAt[output % 2][tap % 4];
  }
  double g(int tap, int weight) const {
    static constexpr double kG[4][3] = {
        {1, 0, 0}, {.5, .5, .5}, {.5, -.5, .5}, {0, 0, 1}};
    double y = is2D ? kG[tap / 4][weight / 3] : tap / 4 == weight / 3;
    return y * kG[tap % 4][weight % 3];
  }
  /// [outputs, 9, channels] to [outputs, taps, channels].
  std::vector<float> transformWeights(const std::vector<float> &weights,
                                      std::size_t channels) const {
    std::vector<float> transformed;
    for (std::size_t o = 0; o < weights.size(); o += 9 * channels)
      for (int tap = 0; tap < taps(); ++tap)
        for (std::size_t c = 0; c < channels; ++c) {
          double sum = 0;
          for (int k = 0; k < 9; ++k)
            sum +=
                g(tap, k) * double(weights[o + std::size_t(k) * channels + c]);
          transformed.push_back(float(sum));
        }
    return transformed;
  }
};

} // namespace yarrow

#endif // YARROW_TEST_UNIT_QUANTIZER_PUBLISHEDTILE_H
