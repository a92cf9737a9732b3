//===- SoftmaxForms.cpp - The steps of a Softmax on the engine ------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "passes/lower/describe/SoftmaxForms.h"
#include "isa/CommandRules.h"
#include "isa/Cost.h"

using namespace yarrow;
using namespace yarrow::npu;
using isa::SumOp;
using kernels::DType;

static Pointwise joinOf(SumOp op, DType own, DType other, DType out, int32_t lo,
                        int32_t hi) {
  Pointwise f;
  f.stage = plainStage(own);
  isa::Conv &d = f.stage;
  d.hasResidual = true;
  d.mainType = own, d.residualType = other, d.outType = out;
  d.sumOp = op;
  isa::setSumScales(d, {.main = 1, .residual = 1, .sum = 1});
  d.sumMin = lo, d.sumMax = hi;
  return f;
}

Pointwise SoftmaxForms::halves(uint32_t width) const {
  auto [lo, hi] = compass::dtypeRange(type);
  Pointwise f = joinOf(SumOp::Max, type, type, type, int32_t(lo), int32_t(hi));
  auto half = int64_t(isa::divideUp(width, 2));
  f.axes = {{rows, width, width, half}, {uint64_t(half), 1, 1, 1}};
  return f;
}

Pointwise SoftmaxForms::withNumbers(SumOp op, DType own, DType number,
                                    DType out, int32_t lo, int32_t hi) const {
  Pointwise f = joinOf(op, own, number, out, lo, hi);
  f.axes = {{rows, axis, 1, axis}, {axis, 1, 0, 1}};
  return f;
}

Pointwise SoftmaxForms::differences(DType tableType, uint32_t inBits,
                                    uint32_t log2Items) const {
  int32_t least = 1 - (1 << inBits);
  Pointwise f = withNumbers(SumOp::Sub, type, type, DType::I32, least, 0);
  isa::Conv &d = f.stage;
  d.hasLut = true;
  d.lutType = tableType;
  d.lutInputBits = uint8_t(inBits), d.lutLog2Items = uint8_t(log2Items);
  d.lutInputMin = least;
  return f;
}

isa::MatMul SoftmaxForms::sums() const {
  isa::MatMul d;
  isa::setScale(d, 1);
  d.aType = DType::U16, d.bType = DType::I8, d.outType = DType::I32;
  d.outMin = INT32_MIN, d.outMax = INT32_MAX;
  d.batch = d.columns = 1;
  d.rows = rows, d.inner = axis;
  d.aRowStride = axis * 2, d.aInnerStride = 2;
  d.outRowStride = sizeof(int32_t);
  return d;
}

void ChainCost::add(const Pointwise &f) {
  std::vector<PointPart> parts =
      partsOf(f.axes, /*hasSlopes=*/false, machine.macArray);
  isPossible &= !parts.empty();
  for (const PointPart &part : parts) {
    isa::Conv d = commandOf(f, part);
    isPossible &= !isa::refusalOf(d);
    sum += isa::costOf(d, machine).aloneCycles();
  }
  sum += machine.eventCycles;
}

void ChainCost::add(const isa::MatMul &d) {
  isPossible &= !isa::refusalOf(d);
  sum += isa::costOf(d, machine).aloneCycles() + machine.eventCycles;
}
