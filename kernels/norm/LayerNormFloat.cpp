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

/// The results of a run of one group.
void storeRun(const LayerNormFloatParams &p, LayerNormFloatBuffers buffers,
              float *x, float mean, float gain, int64_t element, uint32_t n,
              uint32_t affine) {
  float w[kChunk], b[kChunk];
  uint32_t step = p.shape.innerAffineStride;
  if (p.hasWeights)
    loadF32(p.weightType, buffers.weights(), affine, n, w, step);
  if (p.hasBias)
    loadF32(p.biasType, buffers.bias(), affine, n, b, step);
  for (uint32_t i = 0; i < n; ++i) {
    float y = (p.subtractsMean ? x[i] - mean : x[i]) * gain;
    y = p.hasWeights ? y * w[i] : y;
    x[i] = p.hasBias ? y + b[i] : y;
  }
  storeF32(p.outType, buffers.output(), element, n, x);
}

/// The results of n groups side by side. Strips, because LLVM would convert so
/// few halves one by one.
void storeColumns(const LayerNormFloatParams &p, LayerNormFloatBuffers buffers,
                  const float *mean, const float *gain, int64_t element,
                  uint32_t n, uint32_t affine) {
  auto step = int32_t(p.shape.innerAffineStride);
  forEachFittingStrip(0, n, [&](uint32_t i, auto size) {
    Fitting<float, decltype(size)> x, other;
    loadFloats(p.inType, buffers.input(), element + i, size, x);
    if (p.subtractsMean) {
      loadStrip<float>(mean, i, size, other);
      x -= other;
    }
    loadStrip<float>(gain, i, size, other);
    x *= other;
    int64_t at = affine + int64_t(i) * step;
    if (p.hasWeights) {
      loadFloats(p.weightType, buffers.weights(), at, step, size, other);
      x *= other;
    }
    if (p.hasBias) {
      loadFloats(p.biasType, buffers.bias(), at, step, size, other);
      x += other;
    }
    storeFloats(p.outType, x, size, buffers.output(), element + i);
  });
}

/// One group.
void normalizeRows(const LayerNormFloatParams &p, LayerNormFloatBuffers buffers,
                   const NormBlock &block) {
  double terms = block.terms();
  float x[kChunk];
  float mean = 0;
  if (p.subtractsMean) {
    LaneSum sum;
    block.forEachChunk([&](int64_t element, uint32_t n, uint32_t) {
      loadF32(p.inType, buffers.input(), element, n, x);
      sum.add(x, n);
    });
    mean = float(sum.total() / terms);
  }
  LaneSum squares;
  block.forEachChunk([&](int64_t element, uint32_t n, uint32_t) {
    loadF32(p.inType, buffers.input(), element, n, x);
    for (uint32_t i = 0; i < n; ++i)
      x[i] = (x[i] - mean) * (x[i] - mean);
    squares.add(x, n);
  });
  float gain = gainOf(p, squares.total(), terms);
  block.forEachOwnChunk([&](int64_t element, uint32_t n, uint32_t affine) {
    loadF32(p.inType, buffers.input(), element, n, x);
    storeRun(p, buffers, x, mean, gain, element, n, affine);
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
  block.forEachOwnChunk([&](int64_t element, uint32_t n, uint32_t affine) {
    storeColumns(p, buffers, mean, gain, element, n, affine);
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
