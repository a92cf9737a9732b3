//===- BoxTransform.cpp - Boxes moved by deltas, all of them data ---------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "kernels/detection/BoxTransform.h"
#include "kernels/Math.h"
#include "kernels/detection/DecodeLoop.h"
#include "kernels/detection/MinMax.h"
#include "support/Numeric.h"

using namespace yarrow;
using namespace yarrow::kernels;

namespace {

/// A chunk's anchors as centres and sides, its deltas, and the greatest
/// coordinates.
struct TransformChunk {
  BoxNumbers<float> deltas, anchors;
  float most[2][kBoxChunk];
};

class Loader {
public:
  Loader(const BoxTransformParams &p, BoxTransformBuffers buffers)
      : p(p), anchors(static_cast<const float *>(buffers.anchors())),
        deltas(static_cast<const float *>(buffers.deltas())),
        sizes(static_cast<const float *>(buffers.sizes())),
        numbers(static_cast<const int32_t *>(buffers.numbers())),
        perImage(p.rows / p.perBox / p.images) {}

  void load(uint32_t row, uint32_t i, TransformChunk &to) const {
    const float *delta = deltas + int64_t(row) * p.deltaLength;
    for (uint32_t k = 0; k < 4; ++k)
      to.deltas.at[k][i] = delta[k] * p.factors[k];
    uint32_t box = row / p.perBox;
    loadAnchor(box, i, to.anchors);
    if (!sizes)
      return;
    uint32_t image = imageOf(box);
    to.most[0][i] = sizes[2 * image + 1], to.most[1][i] = sizes[2 * image];
  }

private:
  uint32_t imageOf(uint32_t box) const {
    if (!numbers)
      return lesser(box / perImage, p.images - 1);
    return uint32_t(clamp<int32_t>(numbers[box], 0, int32_t(p.images) - 1));
  }

  void loadAnchor(uint32_t box, uint32_t i, BoxNumbers<float> &to) const {
    if (p.form == AnchorForm::Centres) {
      const float *a = anchors + 4 * int64_t(box % p.anchors);
      for (uint32_t k = 0; k < 4; ++k)
        to.at[k][i] = a[k];
      return;
    }
    bool isGrid = p.form == AnchorForm::Cells;
    const float *a = anchors + 4 * int64_t(isGrid ? box % p.anchors : box);
    uint32_t cell = isGrid ? box % perImage / p.anchors : 0;
    float at[2] = {float(cell % p.gridColumns) * p.strides[0],
                   float(cell / p.gridColumns) * p.strides[1]};
    for (uint32_t axis = 0; axis < 2; ++axis) {
      float low = a[axis] + at[axis], high = a[axis + 2] + at[axis];
      to.at[axis][i] = (low + high) * 0.5f;
      to.at[axis + 2][i] = high - low;
    }
  }

  const BoxTransformParams &p;
  const float *anchors, *deltas, *sizes;
  const int32_t *numbers;
  uint32_t perImage; // boxes
};

/// The corners take the place of the deltas.
void move(uint32_t n, bool isLimited, TransformChunk &chunk) {
  for (uint32_t axis = 0; axis < 2; ++axis) {
    float *shift = chunk.deltas.at[axis], *log = chunk.deltas.at[axis + 2];
    const float *centres = chunk.anchors.at[axis],
                *sides = chunk.anchors.at[axis + 2], *most = chunk.most[axis];
    for (uint32_t i = 0; i < n; ++i) {
      float centre = centres[i] + shift[i] * sides[i];
      float half = float(math::exp(double(log[i]))) * sides[i] * 0.5f;
      shift[i] = centre - half, log[i] = centre + half;
    }
    if (!isLimited)
      continue;
    float *corners[] = {shift, log};
    for (float *corner : corners)
      for (uint32_t i = 0; i < n; ++i) {
        // A NaN stays one.
        float x = corner[i] < 0 ? 0.0f : corner[i];
        corner[i] = x > most[i] ? most[i] : x;
      }
  }
}

} // namespace

YARROW_KERNEL(yk_box_transform, BoxTransform) {
  Loader loader(p, buffers);
  auto *output = static_cast<float *>(buffers.output());
  Share share = shareOf(p.rows, task, taskCount);
  for (uint32_t first = share.begin; first < share.end; first += kBoxChunk) {
    uint32_t n = lesser(kBoxChunk, share.end - first);
    TransformChunk chunk;
    for (uint32_t i = 0; i < n; ++i)
      loader.load(first + i, i, chunk);
    move(n, buffers.sizes() != nullptr, chunk);
    for (uint32_t i = 0; i < n; ++i)
      for (uint32_t k = 0; k < 4; ++k)
        output[4 * int64_t(first + i) + k] =
            canonicalNaN(chunk.deltas.at[k][i]);
  }
}
