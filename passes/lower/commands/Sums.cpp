//===- Sums.cpp - Sums and means on the tensor engine ---------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// A sum is a product with ones: the array adds inputLanes terms of outputLanes
// sums in a cycle, where pooling has one term of them.
//
//===----------------------------------------------------------------------===//
#include "isa/CommandRules.h"
#include "kernels/Numeric.h"
#include "kernels/pool/Pool.h"
#include "kernels/reduce/Reduce.h"
#include "passes/lower/commands/Lowering.h"
#include "passes/lower/describe/ConvLayer.h"
#include "passes/lower/describe/EngineTypes.h"

using namespace yarrow;
using namespace yarrow::npu;
using namespace mlir;
using kernels::DType;

/// Dimensions as [outer][terms][inner]; false if kept and reduced ones
/// alternate more often.
static bool splitAxes(const kernels::ReduceShape &shape, SumAxes &axes) {
  uint64_t *at = &axes.outer;
  for (uint32_t d = 0; d < shape.rank; ++d) {
    if (shape.dims[d] == 1)
      continue;
    bool isReduced = shape.reducedMask >> d & 1;
    if (isReduced && at == &axes.outer)
      at = &axes.terms;
    else if (!isReduced && at == &axes.terms)
      at = &axes.inner;
    else if (isReduced && at == &axes.inner)
      return false;
    *at *= shape.dims[d];
  }
  return true;
}

bool Lowering::emitSums(const Step &step, const SumAxes &axes, DType type,
                        int32_t zp, const kernels::Requant &r) {
  if (!options.fuseResidual || !isEngineType(type) ||
      !(isEngineType(r.outType) || r.outType == DType::I32) ||
      r.act != kernels::Act::None || !isEngineRequant(r, machine) ||
      axes.terms > UINT32_MAX || axes.inner > UINT32_MAX ||
      axes.outer > UINT32_MAX)
    return false;
  isa::MatMul d;
  isa::setScale(d, r.scale);
  // Of rows the terms are the first operand, whose type says how wide the
  // accumulators are; else the ones, of 8 bits, are.
  DType first = axes.inner == 1 ? type : DType::I8;
  // Every partial sum stays below; times the scale it is at most 2^62, of which
  // the rounding is exact.
  auto [low, high] = compass::dtypeRange(type);
  int64_t most = std::max<int64_t>(
      1, std::max(std::abs(int64_t(low) + zp), std::abs(int64_t(high) + zp)));
  int64_t limit = std::min<int64_t>(isa::largestSum(first),
                                    (int64_t(1) << 62) / std::max(1, r.scale));
  if (axes.terms > uint64_t(limit / most))
    return false;
  Tensor in = tensorOf(step, "input"), out = tensorOf(step, "output");
  uint64_t need = (in.inSram ? 0 : in.sizeBytes()) +
                  (out.inSram ? 0 : out.sizeBytes()) + axes.terms +
                  3 * isa::kBufferAlignBytes;
  if (need > freeSramBytes())
    return emitSumsOfParts(step, axes, type, zp, r, most);
  Tensor stagedIn = stageIn(in), stagedOut = stageOut(out);
  std::string name = compass::layerNameOf(step.op).str() + ".ones";
  Value constant = newConstant(std::vector<char>(axes.terms, 1), name);
  Value ones = loadConstant(constant, name);

  uint32_t inBytes = kernels::dtypeBytes(type);
  uint32_t outBytes = kernels::dtypeBytes(r.outType);
  d.inner = uint32_t(axes.terms);
  d.outType = r.outType;
  d.shift = int8_t(r.shift);
  d.halfUp = r.rounding == Rounding::HalfUp;
  d.outZeroPoint = r.zp, d.outMin = r.lo, d.outMax = r.hi;
  d.output = uint32_t(stagedOut.offsetBytes);
  auto inAt = uint32_t(stagedIn.offsetBytes);
  if (axes.inner == 1) {
    // Rows of terms times one column of ones.
    d.aType = type, d.bType = DType::I8;
    d.batch = 1, d.rows = uint32_t(axes.outer), d.columns = 1;
    d.a = inAt, d.aInnerStride = inBytes;
    d.aRowStride = uint32_t(axes.terms * inBytes);
    d.bInnerStride = d.bColumnStride = 1;
    d.aZeroPoint = zp;
    d.outRowStride = outBytes, d.outBatchStride = 0;
    emitAlone(
        d, {{"a", stagedIn.buffer}, {"b", ones}, {"output", stagedOut.buffer}});
  } else {
    // A row of ones times terms of columns.
    d.aType = DType::I8, d.bType = type;
    d.batch = uint32_t(axes.outer), d.rows = 1;
    d.columns = uint32_t(axes.inner);
    d.aInnerStride = 1, d.aRowStride = uint32_t(axes.terms);
    d.b = inAt, d.bColumnStride = inBytes;
    d.bInnerStride = uint32_t(axes.inner * inBytes);
    d.bBatchStride = uint32_t(axes.terms * axes.inner * inBytes);
    d.bZeroPoint = zp;
    d.outRowStride = d.outBatchStride = uint32_t(axes.inner * outBytes);
    emitAlone(
        d, {{"a", ones}, {"b", stagedIn.buffer}, {"output", stagedOut.buffer}});
  }
  finishOut(stagedOut, out);
  return true;
}

/// Sums of parts of a tensor that SRAM has no room for, \p most being the
/// largest magnitude of a term. TECs add up these few and requantize.
bool Lowering::emitSumsOfParts(const Step &step, const SumAxes &axes,
                               DType type, int32_t zp,
                               const kernels::Requant &r, int64_t most) {
  uint64_t rowBytes = axes.inner * kernels::dtypeBytes(type);
  // One part is loaded while another one is added up, with a byte of ones for
  // each term.
  uint64_t length = std::min<uint64_t>(freeSramBytes() / 3 / (rowBytes + 1),
                                       INT32_MAX / most);
  if (length == 0)
    return false;
  uint64_t parts = llvm::divideCeil(axes.terms, length);
  uint64_t sumBytes = axes.outer * parts * axes.inner * sizeof(int32_t);
  constexpr uint64_t kMostParts = 256;
  Tensor in = tensorOf(step, "input");
  if (in.inSram || parts * axes.outer > kMostParts ||
      sumBytes > freeSramBytes() / 8)
    return false;

  std::string name = compass::layerNameOf(step.op).str();
  Value constant = newConstant(std::vector<char>(length, 1), name + ".ones");
  Value ones = loadConstant(constant, name + ".ones");
  Tensor sums;
  sums.buffer = newSram(sumBytes, name + ".sums");
  sums.inSram = true;
  sums.partBytes = sumBytes;
  isa::MatMul d;
  isa::setScale(d, 1);
  d.outType = DType::I32;
  d.outMin = INT32_MIN, d.outMax = INT32_MAX;
  d.aType = DType::I8, d.bType = type;
  d.batch = d.rows = 1;
  d.columns = uint32_t(axes.inner);
  d.aInnerStride = 1;
  d.bColumnStride = kernels::dtypeBytes(type);
  d.bInnerStride = uint32_t(rowBytes);
  d.bZeroPoint = zp;
  d.outRowStride = uint32_t(axes.inner * sizeof(int32_t));
  for (uint64_t i = 0; i < axes.outer * parts; ++i) {
    uint64_t begin = i % parts * length,
             count = std::min(length, axes.terms - begin);
    uint64_t from =
        in.offsetBytes + (i / parts * axes.terms + begin) * rowBytes;
    Value part = newSram(count * rowBytes, name + ".part");
    copyBytes(in.buffer, from, part, 0, count * rowBytes);
    d.inner = uint32_t(count), d.aRowStride = uint32_t(count);
    d.output = uint32_t(i * axes.inner * sizeof(int32_t));
    emitAlone(d, {{"a", ones}, {"b", part}, {"output", sums.buffer}});
  }

  kernels::ReduceIntParams p;
  p.shape = {
      .rank = 3,
      .dims = {uint32_t(axes.outer), uint32_t(parts), uint32_t(axes.inner)},
      .reducedMask = 1 << 1};
  p.inType = DType::I32;
  p.requant = r;
  graph.intermediates.push_back(sums);
  graph.intermediateBytes += sumBytes;
  LayerProgram program;
  KernelCall &add = program.call<kernels::ReduceInt>(p);
  add["input"].kind = compass::BufferBinding::Kind::Intermediate;
  add["input"].index = unsigned(graph.intermediates.size() - 1);
  add["output"] = step.call["output"];
  lowerKernel({step.op, program, add});
  graph.intermediates.pop_back();
  graph.intermediateBytes -= sumBytes;
  return true;
}

bool Lowering::lowerReduce(const Step &step) {
  auto p = step.call.paramsOf<kernels::ReduceInt>();
  SumAxes axes;
  bool isSum =
      p.op == kernels::ReduceOp::Sum || p.op == kernels::ReduceOp::Mean;
  return splitAxes(p.shape, axes) &&
         (isSum ? emitSums(step, axes, p.inType, p.inZp, p.requant)
                : lowerExtreme(step, axes));
}

bool Lowering::lowerGlobalAverage(const Step &step) {
  auto p = step.call.paramsOf<kernels::PoolInt>();
  const kernels::PoolShape &s = p.shape;
  if (s.method != kernels::PoolMethod::Avg || p.isHalfAway || s.outH != 1 ||
      s.outW != 1 || s.kernelH != s.inH || s.kernelW != s.inW ||
      s.padTop != 0 || s.padLeft != 0 || s.dilationH != 1 || s.dilationW != 1)
    return false;
  uint32_t area = s.inH * s.inW;
  kernels::ScaleShift average = kernels::averageScale(p.scaleRatio, area);
  kernels::Requant r;
  r.outType = p.outType;
  r.scale = average.scale, r.shift = average.shift;
  r.zp = p.zp, r.lo = p.lo, r.hi = p.hi;
  return emitSums(step, {s.batch, area, s.channels}, p.inType, p.inZp, r);
}
