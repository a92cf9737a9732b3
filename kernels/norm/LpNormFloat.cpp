//===- LpNormFloat.cpp - Float division by a norm -------------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "kernels/LaneSum.h"
#include "kernels/Math.h"
#include "kernels/norm/ColumnSums.h"
#include "kernels/norm/LpNorm.h"

using namespace yarrow;
using namespace yarrow::kernels;

namespace {

float normOf(const LpNormFloatParams &p, double sum) {
  double least = double(p.epsilon);
  sum = sum < least ? least : sum; // NaN stays
  return float(p.order == 1 ? sum : math::sqrt(sum));
}

template <typename Floats>
void divideChunks(const LpNormFloatParams &p, LpNormFloatBuffers buffers,
                  const NormBlock &block, const Floats &norm) {
  block.forEachOwnChunk([&](int64_t element, uint32_t n, uint32_t) {
    float x[kChunk];
    loadF32(p.inType, buffers.input(), element, n, x);
    for (uint32_t i = 0; i < n; ++i)
      x[i] = x[i] / norm[i];
    storeF32(p.outType, buffers.output(), element, n, x);
  });
}

void normalizeRows(const LpNormFloatParams &p, LpNormFloatBuffers buffers,
                   const NormBlock &block) {
  float x[kChunk];
  LaneSum sum;
  block.forEachChunk([&](int64_t element, uint32_t n, uint32_t) {
    loadF32(p.inType, buffers.input(), element, n, x);
    for (uint32_t i = 0; i < n; ++i)
      x[i] = p.order == 1 ? __builtin_fabsf(x[i]) : x[i] * x[i];
    sum.add(x, n);
  });
  divideChunks(p, buffers, block, SameForAll<float>{normOf(p, sum.total())});
}

void normalizeColumns(const LpNormFloatParams &p, LpNormFloatBuffers buffers,
                      const NormBlock &block) {
  double sums[kNormColumns];
  float norms[kNormColumns];
  sumColumns(block, sums,
             [&](int64_t element, uint32_t, uint32_t n, Columns<double> &sum) {
               Columns<float> x;
               loadColumns(p.inType, buffers.input(), element, n, x);
               x = p.order == 1 ? (x < 0 ? -x : x) : x * x;
               sum += __builtin_convertvector(x, Columns<double>);
             });
  block.sumGroups(sums);
  for (uint32_t i = 0; i < block.lanes(); ++i)
    norms[i] = normOf(p, sums[i]);
  const float *norm = norms;
  divideChunks(p, buffers, block, norm);
}

} // namespace

YARROW_KERNEL(yk_lp_norm_float, LpNormFloat) {
  forEachBlock(p.shape, task, taskCount, [&](const NormBlock &block) {
    if (block.isColumns())
      normalizeColumns(p, buffers, block);
    else
      normalizeRows(p, buffers, block);
  });
}
