//===- MatMul.cpp - Products of activations on the tensor engine ----------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "kernels/conv/Gemm.h"
#include "passes/lower/commands/Lowering.h"
#include "passes/lower/describe/EngineTypes.h"

using namespace yarrow;
using namespace yarrow::npu;
using namespace mlir;
using kernels::DType;

bool Lowering::lowerMatMul(const Step &step) {
  auto p = step.call.paramsOf<kernels::MatMulInt>();
  const kernels::MatMulShape &s = p.shape;
  if (!isEngineType(p.typeA) || !isEngineType(p.typeB) ||
      !(isEngineType(p.requant.outType) || p.requant.outType == DType::I32) ||
      p.requant.act != kernels::Act::None || p.requant.perChannel ||
      p.requant.rounding == Rounding::Double)
    return false;
  isa::MatMul d;
  isa::setScale(d, p.requant.scale);
  if (d.wideScale && !machine.hasWideScales())
    return false;
  // Every partial sum stays below maxA * maxB * k in magnitude.
  auto largest = [](DType type, int32_t zp) {
    auto [lo, hi] = compass::dtypeRange(type);
    return uint64_t(std::max(std::abs(lo + zp), std::abs(hi + zp)));
  };
  auto typeA = p.typeA, typeB = p.typeB;
  // Times the scale it is at most 2^62, of which the rounding is exact.
  uint64_t limit =
      std::min<uint64_t>(isa::largestSum(typeA),
                         (uint64_t(1) << 62) / std::max(1, p.requant.scale));
  uint64_t product =
      std::max<uint64_t>(1, largest(p.typeA, p.zpA) * largest(p.typeB, p.zpB));
  if (s.k > limit / product)
    return false;
  // The batch as one axis: strides must be uniform, otherwise one command per
  // outermost index.
  Tensor a = tensorOf(step, "a"), b = tensorOf(step, "b"),
         out = tensorOf(step, "output");
  uint64_t need =
      (a.inSram ? 0 : a.sizeBytes()) + (b.inSram ? 0 : b.sizeBytes()) +
      (out.inSram ? 0 : out.sizeBytes()) + 3 * isa::kBufferAlignBytes;
  if (need > freeSramBytes())
    return false;
  uint64_t aElem = kernels::dtypeBytes(p.typeA),
           bElem = kernels::dtypeBytes(p.typeB);
  uint64_t outElem = kernels::dtypeBytes(p.requant.outType);
  bool isSquare = a.buffer == b.buffer && a.offsetBytes == b.offsetBytes;
  Tensor stagedA = stageIn(a), stagedB = isSquare ? stagedA : stageIn(b);
  Tensor stagedOut = stageOut(out);

  d.aType = typeA, d.bType = typeB;
  d.outType = p.requant.outType;
  d.rows = s.m, d.inner = s.k, d.columns = s.n;
  d.aRowStride = aElem * (s.transA ? 1 : s.k),
  d.aInnerStride = aElem * (s.transA ? s.m : 1);
  d.bInnerStride = bElem * (s.transB ? 1 : s.n),
  d.bColumnStride = bElem * (s.transB ? s.k : 1);
  d.outRowStride = outElem * s.n, d.outBatchStride = outElem * s.n * s.m;
  d.aZeroPoint = p.zpA, d.bZeroPoint = p.zpB;
  d.shift = p.requant.shift;
  d.halfUp = p.requant.rounding == Rounding::HalfUp;
  d.outZeroPoint = p.requant.zp, d.outMin = p.requant.lo,
  d.outMax = p.requant.hi;
  // The innermost batch axis runs in the command, the others are unrolled.
  uint32_t inner = s.batchRank ? s.batchDims[s.batchRank - 1] : 1;
  d.batch = inner;
  d.aBatchStride = s.batchRank ? s.batchStrideA[s.batchRank - 1] * aElem : 0;
  d.bBatchStride = s.batchRank ? s.batchStrideB[s.batchRank - 1] * bElem : 0;
  uint64_t outer = 1;
  for (uint32_t i = 0; i + 1 < s.batchRank; ++i)
    outer *= s.batchDims[i];
  for (uint64_t index = 0; index < outer; ++index) {
    uint64_t rest = index, offsetA = 0, offsetB = 0;
    for (int i = int(s.batchRank) - 2; i >= 0; --i) {
      uint64_t at = rest % s.batchDims[i];
      rest /= s.batchDims[i];
      offsetA += at * s.batchStrideA[i];
      offsetB += at * s.batchStrideB[i];
    }
    d.a = stagedA.offsetBytes + offsetA * aElem;
    d.b = stagedB.offsetBytes + offsetB * bElem;
    d.output = stagedOut.offsetBytes + index * inner * d.outBatchStride;
    emitAlone(d, {{"a", stagedA.buffer},
                  {"b", stagedB.buffer},
                  {"output", stagedOut.buffer}});
  }
  finishOut(stagedOut, out);
  return true;
}
