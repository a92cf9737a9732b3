//===- DecodeFloat.cpp - Boxes from deltas in floats ----------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "kernels/Math.h"
#include "kernels/detection/DecodeLoop.h"
#include "kernels/detection/MinMax.h"

using namespace yarrow;
using namespace yarrow::kernels;

namespace {

/// From corners to y, x of the centre, h, w.
void toCentres(uint32_t n, float extra, BoxNumbers<float> &a) {
  for (uint32_t axis = 0; axis < 2; ++axis)
    for (uint32_t i = 0; i < n; ++i) {
      float low = a.at[axis][i], size = a.at[axis + 2][i] - low + extra;
      a.at[axis][i] = low + 0.5f * size;
      a.at[axis + 2][i] = size;
    }
}

void decode(const DecodeFloatParams &p, uint32_t n, BoxNumbers<float> &d,
            BoxNumbers<float> &a) {
  for (uint32_t axis = 0; axis < 2; ++axis)
    for (uint32_t i = 0; i < n; ++i) {
      float size = a.at[axis + 2][i];
      float centre = a.at[axis][i] + d.at[axis][i] * p.factors[axis] * size;
      float log = d.at[axis + 2][i] * p.factors[axis + 2];
      log = log > p.mostLog ? p.mostLog : log;
      size = float(math::exp(double(log))) * size;
      size = size > p.mostSize[axis] ? p.mostSize[axis] : size;
      float low = centre - 0.5f * size, high = centre + 0.5f * size;
      // A NaN stays one.
      low = low < p.least ? p.least : low;
      high = high < p.least ? p.least : high;
      d.at[axis][i] = low > p.most[axis] ? p.most[axis] : low;
      d.at[axis + 2][i] = high > p.most[axis] ? p.most[axis] : high;
    }
}

} // namespace

YARROW_KERNEL(yk_decode_float, DecodeFloat) {
  const DecodeShape &shape = p.shape;
  forEachBoxChunk(
      shape.rows, buffers.places(), task, taskCount,
      [&](const BoxChunk &chunk) {
        DecodeIndices index(shape, chunk);
        BoxNumbers<float> deltas, anchors;
        gatherNumbers(shape.deltaType, buffers.deltas(), index.deltas, chunk.n,
                      shape.deltasXFirst, deltas);
        if (buffers.xCentres()) {
          const void *of[] = {buffers.anchors(), buffers.xCentres(),
                              buffers.heights(), buffers.widths()};
          for (uint32_t k = 0; k < 4; ++k)
            gatherF32(shape.anchorType, of[k], index.anchors, chunk.n, 1, 0,
                      anchors.at[k]);
        } else {
          gatherNumbers(shape.anchorType, buffers.anchors(), index.anchors,
                        chunk.n, shape.anchorsXFirst, anchors);
          toCentres(chunk.n, p.sideExtra, anchors);
        }
        decode(p, chunk.n, deltas, anchors);
        storeNumbers(shape, chunk, deltas, buffers.output());
      });
}
