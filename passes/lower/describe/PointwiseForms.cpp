//===- PointwiseForms.cpp - Kernels as functions of single elements -------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "isa/CommandRules.h"
#include "kernels/Broadcast.h"
#include "kernels/activation/Activation.h"
#include "kernels/arithmetic/Eltwise.h"
#include "kernels/convert/Convert.h"
#include "passes/lower/describe/ConvLayer.h"
#include "passes/lower/describe/EngineTypes.h"
#include "passes/lower/describe/Pointwise.h"

#include <cmath>

using namespace yarrow;
using namespace yarrow::npu;
using namespace mlir;
using compass::BufferBinding;
using kernels::Act;
using kernels::DType;

isa::Conv npu::plainStage(DType type) {
  isa::Conv d;
  d.inType = d.outType = type;
  d.weightType = DType::I8;
  d.scale = 1;
  auto [low, high] = compass::dtypeRange(type);
  d.outMin = low, d.outMax = high;
  return d;
}

static PointAxis denseAxis(uint64_t count) { return {count, 1, 1, 1}; }

/// Axes of a broadcast function, of whose operands the engine's is the first or
/// the second one.
static void setAxes(const kernels::BroadcastShape &shape, bool isFirst,
                    Pointwise &f) {
  int64_t out = 1;
  for (uint32_t d = shape.rank; d-- > 0;) {
    int64_t a = shape.strideA[d], b = shape.strideB[d];
    f.axes.insert(f.axes.begin(),
                  {shape.dims[d], isFirst ? a : b, isFirst ? b : a, out});
    out *= shape.dims[d];
  }
}

/// The slopes of a buffer that is known now; false if it is not, or they have
/// more than 16 bits.
static bool setSlopes(const BufferBinding &bound, Pointwise &f) {
  if (bound.kind != BufferBinding::Kind::Constant)
    return false;
  for (int64_t i = 0, e = bound.view.numElements(); i < e; ++i) {
    int64_t slope = bound.view.intAt(i);
    if (!llvm::isInt<16>(slope))
      return false;
    f.slopes.push_back(int16_t(slope));
  }
  return !f.slopes.empty();
}

/// Has the innermost axis hold a multiple of the slopes' channels; false if
/// they do not lie so.
static bool alignChannels(uint64_t slopes, SmallVector<PointAxis, 4> &axes) {
  axes = joinedAxes(axes, /*hasSlopes=*/false);
  if (axes.empty() || axes.back().size % slopes != 0)
    return false;
  PointAxis inner = axes.pop_back_val();
  auto step = int64_t(slopes);
  axes.push_back({inner.size / slopes, inner.in * step, inner.other * step,
                  inner.out * step});
  inner.size = slopes;
  axes.push_back(inner);
  return true;
}

/// A function of two tensors but for its slopes.
static bool describeJoin(const kernels::EltwiseIntParams &p,
                         const isa::Machine &machine, Pointwise &f) {
  if (!isEngineSum(p, machine))
    return false;
  kernels::BroadcastShape shape = kernels::mergedShape(p.shape);
  // The engine's own operand is the one that is repeated less.
  auto readsOf = [&](const int32_t *strides) {
    uint64_t reads = 1;
    for (uint32_t d = 0; d < shape.rank; ++d)
      reads *= strides[d] != 0 ? shape.dims[d] : 1;
    return reads;
  };
  bool isFirst = readsOf(shape.strideA) >= readsOf(shape.strideB);
  f.in = isFirst ? "a" : "b", f.other = isFirst ? "b" : "a";
  f.stage = plainStage(isFirst ? p.typeA : p.typeB);
  describeSum(p, isFirst, f.stage);
  setAxes(shape, isFirst, f);
  return true;
}

bool npu::describeEltwise(const KernelCall &call, const isa::Machine &machine,
                          Pointwise &f) {
  auto p = call.paramsOf<kernels::EltwiseInt>();
  return describeJoin(p, machine, f) &&
         (p.requant.act != Act::PRelu ||
          (setSlopes(call["slope"], f) &&
           alignChannels(f.slopes.size(), f.axes)));
}

bool npu::describeComparison(const KernelCall &call,
                             const isa::Machine &machine, Pointwise &f,
                             std::array<uint8_t, 4> &table) {
  using kernels::BinaryOp;
  auto p = call.paramsOf<kernels::EltwiseInt>();
  BinaryOp op = p.op;
  if (kernels::formOf(op) != kernels::BinaryForm::Compared)
    return false;
  // IR may say that truth is stored as something else than 0 and 1.
  if (p.requant.zp != 0 || p.requant.lo > 0 || p.requant.hi < 1)
    return false;
  DType truth = p.requant.outType;
  bool isEquality = op == BinaryOp::Equal || op == BinaryOp::NotEqual;
  bool isLess = op == BinaryOp::Less || op == BinaryOp::LessEqual;
  bool mayEqual = op == BinaryOp::LessEqual || op == BinaryOp::GreaterEqual;
  // The whole numbers that are compared differ by 0 or by 1 at least, so their
  // difference, and 1 more where equal ones count, limited to 0 and 1, is the
  // truth. Of equality -1, 0 and 1 choose from a table.
  p.op = BinaryOp::Sub;
  p.isStored = 0;
  p.requant = kernels::Requant();
  p.requant.outType = truth;
  p.requant.scale = 1;
  p.requant.lo = isEquality ? -1 : 0, p.requant.hi = 1;
  p.requant.zp = mayEqual ? -1 : 0;
  if (kernels::dtypeBytes(truth) != 1 || !describeJoin(p, machine, f))
    return false;
  isa::Conv &d = f.stage;
  if (isLess)
    d.sumOp =
        d.sumOp == isa::SumOp::Sub ? isa::SumOp::ReverseSub : isa::SumOp::Sub;
  if (isEquality) {
    d.hasLut = true;
    d.lutType = truth;
    d.lutLog2Items = d.lutInputBits = 2;
    d.lutInputMin = -1;
    uint8_t equal = op == BinaryOp::Equal, other = 1 - equal;
    table = {other, equal, other, other};
  }
  return !isa::outputStageRefusalOf(d);
}

bool npu::describeWordTable(ElementType type, ElementType tableType,
                            int32_t indexMin, uint32_t inBits,
                            uint32_t log2Items, uint64_t count, Pointwise &f) {
  if (!isEngineType(type))
    return false;
  isa::Conv &d = f.stage;
  d = plainStage(type);
  d.hasLut = true;
  d.lutType = tableType;
  d.lutLog2Items = uint8_t(log2Items), d.lutInputBits = uint8_t(inBits);
  d.lutInputMin = indexMin;
  int64_t indexMax = indexMin + (int64_t(1) << inBits) - 1;
  d.outMin = std::max(d.outMin, indexMin);
  d.outMax = int32_t(std::min<int64_t>(d.outMax, indexMax));
  f.axes = {denseAxis(count)};
  return !isa::outputStageRefusalOf(d);
}

bool npu::describeByteTable(ElementType type, ElementType tableType,
                            uint64_t count, Pointwise &f) {
  return kernels::dtypeBytes(type) == 1 &&
         describeWordTable(type, tableType, compass::dtypeRange(type).first,
                           /*inBits=*/8, /*log2Items=*/8, count, f);
}

bool npu::describeQuotient(const kernels::DivIntParams &p,
                           ElementType inverseType, const isa::Machine &machine,
                           Pointwise &f) {
  const kernels::Requant &r = p.requant;
  bool isWide = inverseType == DType::I32 || r.scale > isa::kMaxNarrowScale;
  // Inverses have up to 28 bits (DivIntParams).
  double most =
      std::ldexp(mostOf(p.typeA, p.zpA), inverseType == DType::I32 ? 28 : 16);
  if (!isEngineType(r.outType) || r.act != Act::None ||
      !isEngineRequant(r, machine) || (isWide && !machine.hasWideScales()) ||
      !roundsExactly(most, r))
    return false;
  kernels::EltwiseIntParams product;
  product.op = kernels::BinaryOp::Mul;
  product.typeA = p.typeA, product.typeB = inverseType;
  product.zpA = p.zpA;
  product.requant = r;
  f.in = "a";
  f.stage = plainStage(p.typeA);
  describeSum(product, /*isFirst=*/true, f.stage);
  f.stage.wideSum = isWide;
  setAxes(kernels::mergedShape(p.shape), /*isFirst=*/true, f);
  return true;
}

bool npu::describeLookup(const KernelCall &call, Pointwise &f) {
  auto p = call.paramsOf<kernels::Lut>();
  ConvLayer layer;
  if (!isEngineType(p.inType))
    return false;
  layer.base = plainStage(p.inType);
  if (!describeTable(call, layer))
    return false;
  f.stage = layer.base;
  f.axes = {denseAxis(p.count)};
  return true;
}

/// The stage of an element of \p type, with \p inZp: activation and
/// requantization, of which f has the slopes. False if products leave the
/// stage's 62 bits, or the engine lacks something.
static bool setRequant(DType type, int32_t inZp, const kernels::Requant &r,
                       const isa::Machine &machine, Pointwise &f) {
  bool isPlain =
      r.act == Act::None || r.act == Act::Relu || r.act == Act::Relu6;
  if (!isEngineType(type) || !isEngineType(r.outType) ||
      !isEngineRequant(r, machine) ||
      (r.rounding != Rounding::HalfEven && !isPlain))
    return false;
  isa::Conv &d = f.stage;
  d = plainStage(type);
  f.bias = inZp;
  d.outType = r.outType;
  setActivation(r, d);
  isa::setScale(d, r.scale);
  d.shift = int8_t(r.shift);
  d.halfUp = r.rounding == Rounding::HalfUp;
  return roundsExactly(mostOf(type, inZp), r) && !isa::outputStageRefusalOf(d);
}

/// Whether what becomes of -1, 0 and 1 is a straight line. Then the signs of
/// whole numbers are these numbers themselves, limited to where 1 and -1 are.
static bool limitToSigns(kernels::Requant &r) {
  auto stored = [&](int32_t sign) {
    return requantize(sign, r.scale, r.shift, /*zp=*/0, INT32_MIN, INT32_MAX,
                      r.rounding);
  };
  int64_t step = stored(1);
  if (r.act != Act::None || stored(0) != 0 || stored(-1) != -step)
    return false;
  auto limited = [&](int64_t y) {
    return int32_t(clamp<int64_t>(y - r.zp, r.lo, r.hi));
  };
  int32_t low = limited(-step), high = limited(step);
  r.scale = int32_t(step), r.shift = 0;
  r.rounding = Rounding::HalfEven;
  r.lo = low, r.hi = high;
  return true;
}

bool npu::describeActivation(const KernelCall &call,
                             const isa::Machine &machine, Pointwise &f) {
  auto p = call.paramsOf<kernels::ActivationInt>();
  bool isNegative = p.op == kernels::UnaryIntOp::Negative;
  kernels::Requant r = p.requant;
  if (p.op == kernels::UnaryIntOp::Abs && r.act == Act::None) {
    // Negative values times -1: exact, as the slope is not rounded.
    r.act = Act::LeakyRelu;
    r.slope = -1, r.slopeShift = 0;
  } else if (p.op == kernels::UnaryIntOp::Sign) {
    if (!limitToSigns(r))
      return false;
  } else if (!isNegative && p.op != kernels::UnaryIntOp::Identity) {
    return false;
  }
  if (!setRequant(p.inType, isNegative ? -p.inZp : p.inZp, r, machine, f))
    return false;
  f.weight = isNegative ? -1 : 1;
  f.axes = {denseAxis(p.count)};
  return r.act != Act::PRelu || (setSlopes(call["slope"], f) &&
                                 alignChannels(f.slopes.size(), f.axes));
}

bool npu::describeCast(const KernelCall &call, const isa::Machine &machine,
                       Pointwise &f) {
  auto p = call.paramsOf<kernels::Cast>();
  bool isScaled = p.mode == kernels::CastMode::Requantize;
  if (!isScaled && p.mode != kernels::CastMode::Saturate)
    return false;
  kernels::Requant r;
  r.outType = p.outType;
  r.zp = p.zp, r.lo = p.lo, r.hi = p.hi;
  r.rounding = p.rounding;
  if (isScaled)
    r.scale = p.scale, r.shift = p.shift;
  f.axes = {denseAxis(p.count)};
  return setRequant(p.inType, p.inZp, r, machine, f);
}

bool npu::describePRelu(const KernelCall &call, const isa::Machine &machine,
                        Pointwise &f) {
  auto p = call.paramsOf<kernels::PReluInt>();
  kernels::Requant r = p.requant;
  r.act = Act::PRelu;
  kernels::BroadcastShape shape = kernels::mergedShape(p.shape);
  uint32_t inner = shape.rank - 1;
  // A slope for each channel, or one for all.
  for (uint32_t d = 0; d < shape.rank; ++d)
    if (shape.strideB[d] != 0 && (d != inner || shape.strideB[d] != 1))
      return false;
  if (!setSlopes(call["slope"], f) ||
      !setRequant(p.inType, p.inZp, r, machine, f))
    return false;
  setAxes(shape, /*isFirst=*/true, f);
  for (PointAxis &axis : f.axes)
    axis.other = 0;
  if (f.slopes.size() == 1) {
    f.stage.activation = isa::Activation::LeakyRelu;
    f.stage.slope = f.slopes.front();
    f.slopes.clear();
    return true;
  }
  return f.slopes.size() == shape.dims[inner] &&
         alignChannels(f.slopes.size(), f.axes);
}

bool npu::describeBranch(const KernelCall &concat,
                         const kernels::ConcatBranch &b,
                         const isa::Machine &machine, Pointwise &f) {
  auto p = concat.paramsOf<kernels::Concat>();
  kernels::Requant r;
  r.outType = p.outType;
  r.scale = b.scale, r.shift = b.shift;
  r.zp = p.zp, r.lo = p.lo, r.hi = p.hi;
  f.axes = {{p.outer, b.inner, 0, p.outInner}, {b.inner, 1, 0, 1}};
  return setRequant(b.inType, b.inZp, r, machine, f);
}
