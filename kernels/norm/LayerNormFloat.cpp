//===- LayerNormFloat.cpp - Float normalization to mean and variance ------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "kernels/LaneSum.h"
#include "kernels/Math.h"
#include "kernels/norm/ColumnSums.h"
#include "kernels/norm/LayerNorm.h"
#include "kernels/norm/NormLoops.h"

using namespace yarrow;
using namespace yarrow::kernels;

namespace {

float gainOf(const LayerNormFloatParams &p, double squares, double terms) {
  return float(1.0 / math::sqrt(squares / terms + double(p.epsilon)));
}

template <typename Floats>
void storeChunk(const LayerNormFloatParams &p, LayerNormFloatBuffers buffers,
                float *x, const Floats &mean, const Floats &gain,
                int64_t element, uint32_t n, uint32_t affine) {
  float w[kChunk], b[kChunk];
  uint32_t step = p.shape.innerAffineStride;
  if (p.hasWeights)
    loadF32(p.weightType, buffers.weights(), affine, n, w, step);
  if (p.hasBias)
    loadF32(p.biasType, buffers.bias(), affine, n, b, step);
  for (uint32_t i = 0; i < n; ++i) {
    float y = (p.subtractsMean ? x[i] - mean[i] : x[i]) * gain[i];
    y = p.hasWeights ? y * w[i] : y;
    x[i] = p.hasBias ? y + b[i] : y;
  }
  storeF32(p.outType, buffers.output(), element, n, x);
}

/// One group.
void normalizeRows(const LayerNormFloatParams &p, LayerNormFloatBuffers buffers,
                   const NormBlock &block) {
  double terms = block.terms();
  float x[kChunk];
  SameForAll<float> mean{0}, gain;
  if (p.subtractsMean) {
    LaneSum sum;
    block.forEachChunk([&](int64_t element, uint32_t n, uint32_t) {
      loadF32(p.inType, buffers.input(), element, n, x);
      sum.add(x, n);
    });
    mean.value = float(sum.total() / terms);
  }
  LaneSum squares;
  block.forEachChunk([&](int64_t element, uint32_t n, uint32_t) {
    loadF32(p.inType, buffers.input(), element, n, x);
    for (uint32_t i = 0; i < n; ++i)
      x[i] = (x[i] - mean.value) * (x[i] - mean.value);
    squares.add(x, n);
  });
  gain.value = gainOf(p, squares.total(), terms);
  block.forEachOwnChunk([&](int64_t element, uint32_t n, uint32_t affine) {
    loadF32(p.inType, buffers.input(), element, n, x);
    storeChunk(p, buffers, x, mean, gain, element, n, affine);
  });
}

/// Groups side by side.
void normalizeColumns(const LayerNormFloatParams &p,
                      LayerNormFloatBuffers buffers, const NormBlock &block) {
  double terms = block.terms(), sums[kNormColumns];
  float mean[kNormColumns] = {}, gain[kNormColumns];
  if (p.subtractsMean) {
    sumColumns(
        block, sums,
        [&](int64_t element, uint32_t, uint32_t n, Columns<double> &sum) {
          Columns<float> x;
          loadColumns(p.inType, buffers.input(), element, n, x);
          sum += __builtin_convertvector(x, Columns<double>);
        });
    block.sumGroups(sums);
    for (uint32_t i = 0; i < block.lanes(); ++i)
      mean[i] = float(sums[i] / terms);
  }
  sumColumns(
      block, sums,
      [&](int64_t element, uint32_t lane, uint32_t n, Columns<double> &sum) {
        Columns<float> x, means;
        loadColumns(p.inType, buffers.input(), element, n, x);
        __builtin_memcpy(&means, mean + lane, sizeof(means));
        x -= means;
        sum += __builtin_convertvector(x * x, Columns<double>);
      });
  block.sumGroups(sums);
  for (uint32_t i = 0; i < block.lanes(); ++i)
    gain[i] = gainOf(p, sums[i], terms);
  const float *means = mean, *gains = gain;
  block.forEachOwnChunk([&](int64_t element, uint32_t n, uint32_t affine) {
    float x[kNormColumns];
    loadF32(p.inType, buffers.input(), element, n, x);
    storeChunk(p, buffers, x, means, gains, element, n, affine);
  });
}

} // namespace

YARROW_KERNEL(yk_layer_norm_float, LayerNormFloat) {
  forEachBlock(p.shape, task, taskCount, [&](const NormBlock &block) {
    if (block.isColumns())
      normalizeColumns(p, buffers, block);
    else
      normalizeRows(p, buffers, block);
  });
}
