//===- Gemm.cpp - Fully connected and matrix product kernels --------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "kernels/conv/Gemm.h"
#include "kernels/Dot.h"
#include "kernels/Epilogue.h"

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

/// Where the matrices of one batch entry start.
struct BatchOffsets {
  int64_t a = 0, b = 0;
};
BatchOffsets batchOffsets(const MatMulShape &s, uint32_t batch) {
  BatchOffsets at;
  for (uint32_t d = s.batchRank; d-- > 0;) {
    uint32_t i = batch % s.batchDims[d];
    batch /= s.batchDims[d];
    at.a += int64_t(i) * s.batchStrideA[d];
    at.b += int64_t(i) * s.batchStrideB[d];
  }
  return at;
}

uint32_t batchCount(const MatMulShape &s) {
  uint32_t count = 1;
  for (uint32_t d = 0; d < s.batchRank; ++d)
    count *= s.batchDims[d];
  return count;
}

/// Splits the rows of all batch entries and cuts them into chunks of columns;
/// calls fn(offsets, row, firstColumn, columns, outElement).
template <typename Fn>
void forEachRowChunk(const MatMulShape &s, uint32_t task, uint32_t taskCount,
                     Fn fn) {
  Share share = shareOf(batchCount(s) * s.m, task, taskCount);
  for (uint32_t i = share.begin; i < share.end; ++i) {
    BatchOffsets at = batchOffsets(s, i / s.m);
    forEachChunk(0, s.n, [&](uint32_t column, uint32_t n) {
      fn(at, i % s.m, column, n, int64_t(i) * s.n + column);
    });
  }
}

/// Element (row, k) of A and (k, column) of B.
int64_t indexA(const MatMulShape &s, int64_t base, uint32_t row, uint32_t k) {
  return base + (s.transA ? int64_t(k) * s.m + row : int64_t(row) * s.k + k);
}
int64_t indexB(const MatMulShape &s, int64_t base, uint32_t k,
               uint32_t column) {
  return base +
         (s.transB ? int64_t(column) * s.k + k : int64_t(k) * s.n + column);
}

void loadShifted(DType type, const void *src, int64_t index, uint32_t n,
                 int32_t zp, int32_t *dst, int64_t stride = 1) {
  loadI32(type, src, index, n, dst, stride);
  for (uint32_t i = 0; i < n; ++i)
    dst[i] += zp;
}

/// acc[j] += sum over kn elements of a[i] * B(k + i, column + j). Operands have
/// at most 17 bits, and `narrow` says at most 9 (8-bit types with their zero
/// points).
void multiplyChunk(const MatMulIntParams &p, const void *b, int64_t baseB,
                   const int32_t *a, uint32_t k, uint32_t kn, uint32_t column,
                   uint32_t n, bool narrow, int64_t *acc) {
  const MatMulShape &s = p.shape;
  int32_t row[kChunk];
  if (s.transB) {
    for (uint32_t j = 0; j < n; ++j) {
      loadShifted(p.typeB, b, indexB(s, baseB, k, column + j), kn, p.zpB, row);
      int64_t sum = 0;
      for (uint32_t i = 0; i < kn; ++i)
        sum += int64_t(a[i]) * row[i];
      acc[j] += sum;
    }
    return;
  }
  // kChunk products of 18 bits fit 32.
  int32_t sum[kChunk] = {};
  for (uint32_t i = 0; i < kn; ++i) {
    loadShifted(p.typeB, b, indexB(s, baseB, k + i, column), n, p.zpB, row);
    if (narrow) {
      for (uint32_t j = 0; j < n; ++j)
        sum[j] += a[i] * row[j];
    } else {
      for (uint32_t j = 0; j < n; ++j)
        acc[j] += int64_t(a[i]) * row[j];
    }
  }
  for (uint32_t j = 0; j < n; ++j)
    acc[j] += sum[j];
}

bool isNarrow(DType type, int32_t zp) {
  return dtypeBytes(type) == 1 && zp >= -256 && zp <= 256;
}

} // namespace

YARROW_KERNEL(yk_fully_connected_int, FullyConnectedInt) {
  IntEpilogue epilogue(p.requant, buffers.scale(), buffers.shift(),
                       buffers.slope());
  auto block = [&](uint32_t row, uint32_t o, uint32_t n) {
    int64_t acc[kChunk];
    const int32_t *bias = static_cast<const int32_t *>(buffers.bias()) + o;
    for (uint32_t i = 0; i < n; ++i)
      acc[i] = bias[i];
    withTypes(p.inType, p.weightType, buffers.input(), buffers.weights(),
              [&](auto *x, auto *w) {
                x += int64_t(row) * p.inFeatures;
                dotRows(x, w + int64_t(o) * p.inFeatures, p.inFeatures, n,
                        p.inFeatures, acc);
                if (p.weightZp == 0)
                  return;
                int64_t sum = 0;
                for (uint32_t i = 0; i < p.inFeatures; ++i)
                  sum += x[i];
                for (uint32_t i = 0; i < n; ++i)
                  acc[i] += p.weightZp * sum;
              });
    epilogue.store(acc, n, o, int64_t(row) * p.outFeatures + o,
                   buffers.output());
  };
  forEachColumnBlock(p.rows, p.outFeatures, task, taskCount, block);
}

YARROW_KERNEL(yk_fully_connected_float, FullyConnectedFloat) {
  FloatEpilogue epilogue(p.act, p.outType, buffers.slope());
  auto block = [&](uint32_t row, uint32_t o, uint32_t n) {
    float acc[kChunk], xScratch[kChunk], wScratch[kChunk];
    loadF32(p.biasType, buffers.bias(), o, n, acc);
    for (uint32_t j = 0; j < n; ++j) {
      FloatDot dot;
      forEachChunk(0, p.inFeatures, [&](uint32_t i, uint32_t count) {
        dot.add(viewF32(p.inType, buffers.input(),
                        int64_t(row) * p.inFeatures + i, count, xScratch),
                viewF32(p.weightType, buffers.weights(),
                        int64_t(o + j) * p.inFeatures + i, count, wScratch),
                count);
      });
      acc[j] += dot.sum();
    }
    epilogue.store(acc, n, int64_t(row) * p.outFeatures + o, buffers.output());
  };
  forEachColumnBlock(p.rows, p.outFeatures, task, taskCount, block);
}

YARROW_KERNEL(yk_matmul_int, MatMulInt) {
  const MatMulShape &s = p.shape;
  IntEpilogue epilogue(p.requant);
  bool narrow = isNarrow(p.typeA, p.zpA) && isNarrow(p.typeB, p.zpB);
  auto chunk = [&](BatchOffsets at, uint32_t row, uint32_t column, uint32_t n,
                   int64_t element) {
    int64_t acc[kChunk] = {};
    int32_t a[kChunk];
    forEachChunk(0, s.k, [&](uint32_t k, uint32_t kn) {
      loadShifted(p.typeA, buffers.a(), indexA(s, at.a, row, k), kn, p.zpA, a,
                  s.transA ? s.m : 1);
      multiplyChunk(p, buffers.b(), at.b, a, k, kn, column, n, narrow, acc);
    });
    epilogue.store(acc, n, 0, element, buffers.output());
  };
  forEachRowChunk(s, task, taskCount, chunk);
}

YARROW_KERNEL(yk_matmul_float, MatMulFloat) {
  const MatMulShape &s = p.shape;
  auto chunk = [&](BatchOffsets at, uint32_t row, uint32_t column, uint32_t n,
                   int64_t element) {
    float acc[kChunk] = {}, a[kChunk], b[kChunk];
    forEachChunk(0, s.k, [&](uint32_t k, uint32_t kn) {
      loadF32(p.typeA, buffers.a(), indexA(s, at.a, row, k), kn, a,
              s.transA ? s.m : 1);
      for (uint32_t i = 0; i < kn; ++i) {
        loadF32(p.typeB, buffers.b(), indexB(s, at.b, k + i, column), n, b,
                s.transB ? s.k : 1);
        for (uint32_t j = 0; j < n; ++j)
          acc[j] += a[i] * b[j];
      }
    });
    storeF32(p.outType, buffers.output(), element, n, acc);
  };
  forEachRowChunk(s, task, taskCount, chunk);
}
