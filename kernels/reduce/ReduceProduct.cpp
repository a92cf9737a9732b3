//===- ReduceProduct.cpp - Integer products over axes ---------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "kernels/Epilogue.h"
#include "kernels/reduce/Cumulate.h"
#include "kernels/reduce/RunningProduct.h"

using namespace yarrow;
using namespace yarrow::kernels;

namespace {

uint32_t countOf(const StridedAxes &axes) {
  uint32_t count = 1;
  for (uint32_t d = 0; d < axes.rank; ++d)
    count *= axes.dims[d];
  return count;
}

/// Of element `index` in row-major order.
int64_t offsetOf(const StridedAxes &axes, uint32_t index) {
  int64_t offset = 0;
  for (uint32_t d = axes.rank; d-- > 0;) {
    offset += int64_t(index % axes.dims[d]) * axes.strides[d];
    index /= axes.dims[d];
  }
  return offset;
}

} // namespace

YARROW_KERNEL(yk_reduce_product_int, ReduceProductInt) {
  Share share = shareOf(countOf(p.kept), task, taskCount);
  uint32_t factors = countOf(p.reduced);
  bool isScalar = p.kept.rank == 0;
  uint32_t row = isScalar ? 1 : p.kept.dims[p.kept.rank - 1];
  int64_t stride = isScalar ? 1 : p.kept.strides[p.kept.rank - 1];
  for (uint32_t out = share.begin, n; out < share.end; out += n) {
    n = row - out % row; // outputs along the innermost axis that is kept
    n = n < share.end - out ? n : share.end - out;
    n = n < kChunk ? n : kChunk;
    int64_t product[kChunk], base = offsetOf(p.kept, out);
    int32_t halvings[kChunk], x[kChunk], scales[kChunk];
    for (uint32_t i = 0; i < n; ++i)
      product[i] = 1, halvings[i] = 0, scales[i] = p.requant.scale;
    for (uint32_t k = 0; k < factors; ++k) {
      loadI32(p.inType, buffers.input(), base + offsetOf(p.reduced, k), n, x,
              stride);
      for (uint32_t i = 0; i < n; ++i)
        multiplyWithin16(product[i], halvings[i], int64_t(x[i]) + p.inZp,
                         p.isSigned);
    }
    for (uint32_t i = 0; i < n; ++i)
      halvings[i] = p.shift - halvings[i];
    requantizeChunkPerChannel(product, n, scales, halvings, p.requant, x);
    storeI32(p.requant.outType, buffers.output(), out, n, x);
  }
}
