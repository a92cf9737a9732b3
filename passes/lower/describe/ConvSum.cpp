//===- ConvSum.cpp - What joins a convolution's result and a tensor -------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "passes/lower/describe/ConvLayer.h"
#include "passes/lower/describe/EngineTypes.h"

#include <cmath>

using namespace yarrow;
using namespace yarrow::npu;
using namespace mlir;
using isa::SumOp;
using kernels::Act;
using kernels::BinaryOp;
using kernels::DType;
using kernels::EltwiseIntParams;

/// The operation on the engine, its own result being the operand that
/// \p isFirst says.
static std::optional<SumOp> sumOpOf(BinaryOp op, bool isFirst) {
  switch (op) {
  case BinaryOp::Add:
    return SumOp::Add;
  case BinaryOp::Sub:
    return isFirst ? SumOp::Sub : SumOp::ReverseSub;
  case BinaryOp::Mul:
    return SumOp::Mul;
  case BinaryOp::Max:
    return SumOp::Max;
  case BinaryOp::Min:
    return SumOp::Min;
  default:
    return std::nullopt;
  }
}

double npu::mostOf(DType type, int32_t zp) {
  auto [lo, hi] = compass::dtypeRange(type);
  return std::max(std::abs(double(lo) + zp), std::abs(double(hi) + zp));
}

bool npu::isEngineSum(const EltwiseIntParams &p, const isa::Machine &machine) {
  if (!sumOpOf(p.op, /*isFirst=*/true) || p.isStored || p.isApart ||
      !isEngineType(p.typeA) || !isEngineType(p.typeB) ||
      !isEngineType(p.requant.outType) || !sumActivationOf(p.requant))
    return false;
  if (p.op == BinaryOp::Mul && (p.scaleA != 1 || p.scaleB != 1))
    return false;
  if (p.scaleA < 0 || p.scaleB < 0 || !isEngineRequant(p.requant, machine) ||
      (std::max(p.scaleA, p.scaleB) > isa::kMaxNarrowScale &&
       !machine.hasWideScales()))
    return false;
  double a = mostOf(p.typeA, p.zpA), b = mostOf(p.typeB, p.zpB);
  return roundsExactly(
      p.op == BinaryOp::Mul ? a * b : a * p.scaleA + b * p.scaleB, p.requant);
}

void npu::describeSum(const EltwiseIntParams &p, bool isFirst, isa::Conv &d) {
  const kernels::Requant &r = p.requant;
  d.hasResidual = true;
  d.mainType = d.outType;
  d.outType = r.outType;
  d.residualType = isFirst ? p.typeB : p.typeA;
  d.sumOp = *sumOpOf(p.op, isFirst);
  d.sumActivation = *sumActivationOf(r);
  if (r.act == Act::LeakyRelu)
    d.slope = r.slope;
  if (r.act == Act::LeakyRelu || r.act == Act::PRelu)
    d.slopeShift = r.slopeShift;
  isa::setSumScales(d, {.main = isFirst ? p.scaleA : p.scaleB,
                        .residual = isFirst ? p.scaleB : p.scaleA,
                        .sum = r.scale});
  d.sumShift = r.shift;
  d.sumHalfUp = r.rounding == Rounding::HalfUp;
  d.sumZeroPoint = r.zp, d.sumMin = r.lo, d.sumMax = r.hi;
  d.mainZeroPoint = isFirst ? p.zpA : p.zpB;
  d.residualZeroPoint = isFirst ? p.zpB : p.zpA;
}

bool npu::describeResidual(Operation *join, unsigned convOperand,
                           ConvLayer &c) {
  auto program = compass::programOf(join);
  if (failed(program))
    return false;
  const KernelCall &call = *program->single();
  auto p = call.paramsOf<kernels::EltwiseInt>();
  if (p.requant.act == Act::PRelu || p.requant.act == Act::LeakyRelu) {
    // The command has slopes for one of both activations.
    if (c.requant.act == Act::PRelu || c.requant.act == Act::LeakyRelu)
      return false;
    if (p.requant.act == Act::PRelu) {
      const compass::BufferBinding &slope = call["slope"];
      if (slope.kind != compass::BufferBinding::Kind::Constant ||
          p.requant.slopeCount != c.outC)
        return false;
      c.slopes = slope.view;
    }
  }
  c.hasResidual = true;
  describeSum(p, convOperand == 0, c.base);
  c.outElem = kernels::dtypeBytes(c.base.outType);
  c.residualElem = kernels::dtypeBytes(c.base.residualType);
  return true;
}
