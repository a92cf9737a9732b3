//===- Keypoint.cpp - The peaks of heatmaps -------------------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "kernels/detection/Keypoint.h"
#include "kernels/Elements.h"
#include "kernels/Math.h"
#include "kernels/detection/MinMax.h"

using namespace yarrow;
using namespace yarrow::kernels;

namespace {

/// No part of the way to the peak is longer, in cells.
constexpr double kMostStep = 1.5;
/// A determinant that is less, beside the squares it is a difference of, is the
/// rounding of float32.
constexpr double kLeastDeterminant = 1e-6;

/// One heatmap: a cell is `stride` elements from the next one.
struct Heatmap {
  const float *cells;
  uint32_t size, stride;

  float at(uint32_t y, uint32_t x) const {
    return cells[(int64_t(y) * size + x) * stride];
  }
  uint32_t greatest() const {
    uint32_t best = 0;
    for (uint32_t i = 1; i < size * size; ++i)
      if (cells[int64_t(i) * stride] > cells[int64_t(best) * stride])
        best = i;
    return best;
  }
  /// The cell \p step before or behind \p i, mirrored at the edges.
  uint32_t beside(uint32_t i, int32_t step) const {
    int32_t at = int32_t(i) + step;
    return at < 0 ? 1 : uint32_t(at) == size ? size - 2 : uint32_t(at);
  }
};

/// A peak: its cell, the way from its middle, and the value there.
struct Peak {
  uint32_t y, x;
  double dy = 0, dx = 0, score;
};

Peak peakOf(const Heatmap &map) {
  uint32_t cell = map.greatest();
  Peak peak{cell / map.size, cell % map.size, 0, 0, 0};
  double f[3][3];
  for (int32_t y = 0; y < 3; ++y)
    for (int32_t x = 0; x < 3; ++x)
      f[y][x] = map.at(map.beside(peak.y, y - 1), map.beside(peak.x, x - 1));
  double centre = f[1][1], gx = 0.5 * (f[1][2] - f[1][0]),
         gy = 0.5 * (f[2][1] - f[0][1]), hxx = f[1][2] - 2 * centre + f[1][0],
         hyy = f[2][1] - 2 * centre + f[0][1],
         hxy = 0.25 * (f[2][2] - f[2][0] - f[0][2] + f[0][0]);
  double determinant = hxx * hyy - hxy * hxy,
         most = hxx * hxx + hyy * hyy + hxy * hxy;
  // Not with a NaN either.
  if (math::abs(determinant) > kLeastDeterminant * most) {
    double dx = (hxy * gy - hyy * gx) / determinant,
           dy = (hxy * gx - hxx * gy) / determinant;
    double longest = greater(math::abs(dx), math::abs(dy));
    double scale = longest > kMostStep ? kMostStep / longest : 1;
    peak.dx = dx * scale, peak.dy = dy * scale;
  }
  peak.score = centre + gx * peak.dx + gy * peak.dy +
               0.5 * (hxx * peak.dx * peak.dx + hyy * peak.dy * peak.dy) +
               hxy * peak.dx * peak.dy;
  return peak;
}

} // namespace

YARROW_KERNEL(yk_keypoint, Keypoint) {
  auto *heatmaps = static_cast<const float *>(buffers.heatmaps()),
       *boxes = static_cast<const float *>(buffers.boxes());
  auto *scores = static_cast<float *>(buffers.scores()),
       *keypoints = static_cast<float *>(buffers.keypoints());
  Share share = shareOf(p.boxes * p.maps, task, taskCount);
  for (uint32_t i = share.begin; i < share.end; ++i) {
    uint32_t box = i / p.maps;
    Heatmap map{heatmaps + int64_t(box) * p.size * p.size * p.maps + i % p.maps,
                p.size, p.maps};
    Peak peak = peakOf(map);
    const float *b = boxes + 4 * int64_t(box);
    double width = (double(b[2]) - double(b[0])) / double(p.size),
           height = (double(b[3]) - double(b[1])) / double(p.size);
    scores[i] = canonicalNaN(float(peak.score));
    keypoints[2 * int64_t(i)] = canonicalNaN(
        float(double(b[0]) + (double(peak.x) + 0.5 + peak.dx) * width));
    keypoints[2 * int64_t(i) + 1] = canonicalNaN(
        float(double(b[1]) + (double(peak.y) + 0.5 + peak.dy) * height));
  }
}
