//===- ReduceNorm.cpp - Integer L1 and L2 reductions ----------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "kernels/Epilogue.h"
#include "kernels/Numeric.h"
#include "kernels/activation/Lookup.h"
#include "kernels/reduce/Reduce.h"
#include "kernels/reduce/ReducePlan.h"

using namespace yarrow;
using namespace yarrow::kernels;

namespace {

/// The sums of outputs [out, out + n), limited to unsigned 32 bits.
void sumOutputs(const Plan &plan, const ReduceNormIntParams &p,
                const void *input, uint32_t out, uint32_t n, int64_t *sums) {
  bool isSquare = p.op == ReduceOp::L2;
  foldOutputs(plan, p.inType, input, Fold::Sum, out, n, sums,
              [&](int32_t x, uint32_t) {
                int64_t v = int64_t(x) + p.inZp;
                int64_t magnitude = v < 0 ? -v : v;
                return isSquare ? v * v : magnitude;
              });
  for (uint32_t i = 0; i < n; ++i)
    sums[i] = clamp<int64_t>(sums[i], 0, UINT32_MAX);
}

/// How many of the low bits the largest sum has too many, log2 in float32 as
/// the reference takes it.
int32_t excessBits(int64_t largest) {
  if (largest <= 65536)
    return 0;
  float bits = float(math::log2(double(float(uint32_t(largest)))));
  return int32_t(math::ceil(bits)) - 16;
}

} // namespace

YARROW_KERNEL(yk_reduce_norm_int, ReduceNormInt) {
  Plan plan(p.shape);
  int64_t sums[kChunk], largest = 0;
  plan.forEachOutput({0, plan.outputs()}, [&](uint32_t out, uint32_t n) {
    sumOutputs(plan, p, buffers.input(), out, n, sums);
    for (uint32_t i = 0; i < n; ++i)
      largest = largest > sums[i] ? largest : sums[i];
  });
  int32_t excess = excessBits(largest);
  Requant r = p.requant;
  if (p.op == ReduceOp::L2) { // the index of the table
    r.zp = r.lo = 0;
    r.hi = 65535;
  }
  Share share = shareOf(plan.outputs(), task, taskCount);
  plan.forEachOutput(share, [&](uint32_t out, uint32_t n) {
    int32_t y[kChunk], rooted[kChunk];
    sumOutputs(plan, p, buffers.input(), out, n, sums);
    for (uint32_t i = 0; i < n; ++i)
      sums[i] = clamp<int64_t>(sums[i] >> excess, 0, 65535);
    requantizeChunk(sums, n, r.scale, r.shift - excess, r, y);
    if (p.op == ReduceOp::L1)
      return storeI32(r.outType, buffers.output(), out, n, y);
    lookup(y, n, p.tableType, buffers.table(), 16, p.log2TableSize, rooted);
    storeI32(p.tableType, buffers.output(), out, n, rooted);
  });
}
