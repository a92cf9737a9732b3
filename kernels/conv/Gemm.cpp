//===- Gemm.cpp - Fully connected and matrix product kernels --------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "kernels/conv/Gemm.h"
#include "kernels/Dot.h"
#include "kernels/Epilogue.h"
#include "kernels/conv/HostConv.h"
#include "kernels/conv/MatMulLoop.h"

using namespace yarrow;
using namespace yarrow::kernels;

namespace {

/// Columns of a fully connected layer that one unit of work computes.
constexpr uint32_t kColumnBlock = 64;
static_assert(kColumnBlock <= kChunk);

/// Splits rows x column blocks; calls fn(row, firstColumn, columns).
template <typename Fn>
void forEachColumnBlock(uint32_t rows, uint32_t columns, uint32_t task,
                        uint32_t taskCount, Fn fn) {
  uint32_t blocks = (columns + kColumnBlock - 1) / kColumnBlock;
  Share share = shareOf(rows * blocks, task, taskCount);
  for (uint32_t i = share.begin; i < share.end; ++i) {
    uint32_t o = i % blocks * kColumnBlock;
    uint32_t rest = columns - o;
    fn(i / blocks, o, rest < kColumnBlock ? rest : kColumnBlock);
  }
}

#ifdef __x86_64__
/// Rows are the pixels of an image.
template <typename Buffers>
bool multiplyOnHost(const FullyConnectedIntParams &p, const Buffers &buffers) {
  Conv2DIntParams conv;
  conv.shape.inW = conv.shape.outW = p.rows;
  conv.shape.inC = p.inFeatures, conv.shape.outC = p.outFeatures;
  conv.inType = p.inType, conv.weightType = p.weightType;
  conv.biasType = p.biasType;
  conv.requant = p.requant;
  return convolveOnHost({conv, buffers.input(), buffers.weights(),
                         buffers.bias(), buffers.scale(), buffers.shift(),
                         buffers.slope(), buffers.output()},
                        /*task=*/0, /*taskCount=*/1);
}
#endif

} // namespace

YARROW_KERNEL(yk_fully_connected_int, FullyConnectedInt) {
#ifdef __x86_64__
  if (taskCount == 1 && multiplyOnHost(p, buffers))
    return;
#endif
  IntEpilogue epilogue(p.requant, buffers.scale(), buffers.shift(),
                       buffers.slope());
  auto block = [&](uint32_t row, uint32_t o, uint32_t n) {
    int64_t acc[kChunk];
    loadBias(p.biasType, buffers.bias(), o, n, acc);
    withTypes(p.inType, p.weightType, buffers.input(), buffers.weights(),
              [&](auto *x, auto *w) {
                x += int64_t(row) * p.inFeatures;
                dotRows(x, w + int64_t(o) * p.inFeatures, p.inFeatures, n,
                        p.inFeatures, acc);
              });
    epilogue.store(acc, n, o, int64_t(row) * p.outFeatures + o,
                   buffers.output());
  };
  forEachColumnBlock(p.rows, p.outFeatures, task, taskCount, block);
}

YARROW_KERNEL(yk_fully_connected_float, FullyConnectedFloat) {
  FloatEpilogue epilogue(p.act, p.outType, buffers.slope());
  const float *weights = static_cast<const float *>(buffers.weights());
  uint32_t tiles = (p.rows + kTileRows - 1) / kTileRows,
           blocks = (p.outFeatures + kTileColumns - 1) / kTileColumns;
  auto compute = [&](uint32_t row, uint32_t o, auto size) {
    uint32_t rows = p.rows - row < kTileRows ? p.rows - row : kTileRows;
    uint32_t width = tileWidth(size.count);
    float sums[kTileRows * kTileColumns] = {};
    addRunOfProducts(width,
                     {p.inType, buffers.input(), int64_t(row) * p.inFeatures,
                      p.inFeatures, rows},
                     {weights + int64_t(o) * p.inFeatures, width}, p.inFeatures,
                     sums);
    storeTile(sums, rows, size, p.biasType, buffers.bias(), o, epilogue,
              int64_t(row) * p.outFeatures + o, p.outFeatures,
              buffers.output());
  };
  Share share = shareOf(tiles * blocks, task, taskCount);
  for (uint32_t i = share.begin; i < share.end; ++i) {
    uint32_t row = i / blocks * kTileRows, o = i % blocks * kTileColumns;
    if (o + kTileColumns <= p.outFeatures)
      compute(row, o, WholeStrip());
    else
      compute(row, o, PartOfStrip{p.outFeatures % kTileColumns});
  }
}

YARROW_KERNEL(yk_matmul_int, MatMulInt) {
  IntEpilogue epilogue(p.requant);
  auto store = [&](int64_t *acc, uint32_t, uint32_t, uint32_t n,
                   int64_t element) {
    epilogue.store(acc, n, 0, element, buffers.output());
  };
  forEachProduct(p, buffers.a(), buffers.b(), task, taskCount, store);
}

YARROW_KERNEL(yk_matmul_float, MatMulFloat) {
  auto store = [&](float *acc, uint32_t, uint32_t, uint32_t n,
                   int64_t element) {
    storeF32(p.outType, buffers.output(), element, n, acc);
  };
  forEachProduct(p, buffers.a(), buffers.b(), task, taskCount, store);
}
