//===- Norms.cpp - Normalizations on the engine ---------------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "passes/lower/describe/Norms.h"
#include "isa/CommandRules.h"
#include "kernels/norm/Norm.h"
#include "kernels/norm/NormLoops.h"
#include "passes/lower/describe/ConvLayer.h"
#include "passes/lower/describe/EngineTypes.h"

#include <cstring>

using namespace yarrow;
using namespace yarrow::npu;
using namespace mlir;
using compass::BufferBinding;
using kernels::DType;
using kernels::LayerNormIntParams;
using kernels::NormAxes;
using kernels::NormForm;

/// Whether the gains of a table have 15 bits and no sign: its entries fall.
static bool isUsual(const BufferBinding &table) {
  if (table.kind != BufferBinding::Kind::Constant)
    return false;
  int64_t last = INT16_MAX;
  for (int64_t i = 0, e = table.view.numElements(); i < e; ++i) {
    int64_t entry = table.view.intAt(i);
    if (entry < 0 || entry > last)
      return false;
    last = entry;
  }
  return true;
}

/// The narrowest type of these numbers.
static DType typeOf(int64_t lo, int64_t hi) {
  if (lo >= 0)
    return hi <= UINT8_MAX ? DType::U8 : DType::U16;
  return lo >= INT8_MIN && hi <= INT8_MAX ? DType::I8 : DType::I16;
}

/// The tensor's axes, the outermost one first, with steps in the numbers.
static SmallVector<PointAxis, 4> axesOf(const kernels::NormShape &s) {
  SmallVector<PointAxis, 4> axes;
  bool isColumns = s.groupColumns != 0;
  int64_t groups = isColumns ? s.inner : 1;
  for (uint32_t d = s.kept.rank; d-- > 0;) {
    int64_t step = s.kept.strides[d];
    axes.push_back({s.kept.dims[d], step, groups, step});
    groups *= s.kept.dims[d];
  }
  for (uint32_t d = 0; d < s.reduced.rank; ++d) {
    int64_t step = s.reduced.strides[d];
    axes.push_back({s.reduced.dims[d], step, 0, step});
  }
  llvm::erase_if(axes, [](const PointAxis &axis) { return axis.size == 1; });
  llvm::stable_sort(
      axes, [](const PointAxis &a, const PointAxis &b) { return a.in > b.in; });
  axes.push_back({s.inner, 1, isColumns, 1});
  return axes;
}

/// How many weights there are if they belong to the innermost elements, in
/// their order, again and again; 0 if they lie in another way.
static uint64_t affinePeriod(const kernels::NormShape &s) {
  uint64_t period = s.innerAffineStride == 0 ? 1 : s.inner;
  if (s.innerAffineStride == 0 && s.inner != 1)
    return 0;
  for (const NormAxes *axes : {&s.kept, &s.reduced})
    for (uint32_t d = 0; d < axes->rank; ++d)
      if (axes->affineStrides[d] != 0)
        period += (axes->dims[d] - 1) * uint64_t(axes->affineStrides[d]);
  for (const NormAxes *axes : {&s.kept, &s.reduced})
    for (uint32_t d = 0; d < axes->rank; ++d) {
      bool isIn = axes->affineStrides[d] != 0;
      if (axes->dims[d] != 1 &&
          (isIn ? axes->affineStrides[d] != axes->strides[d]
                : axes->strides[d] % period != 0))
        return 0;
    }
  return period;
}

static BufferBinding allOf(int32_t value, DType type, uint64_t count) {
  uint32_t bytes = kernels::dtypeBytes(type);
  std::vector<char> data(count * bytes);
  for (uint64_t i = 0; i < count; ++i)
    std::memcpy(&data[i * bytes], &value, bytes);
  return compass::constant({int64_t(count)}, type, std::move(data));
}

/// From n of \p type to the results; none if the engine has no such
/// convolution.
static std::optional<KernelCall> affineOf(const KernelCall &call, DType type,
                                          uint64_t elements) {
  auto p = call.paramsOf<kernels::LayerNormInt>();
  bool isWeighted = p.hasWeights || p.hasBias || p.requant.perChannel;
  uint64_t channels = isWeighted ? affinePeriod(p.shape) : p.shape.inner;
  if (channels == 0 || elements % channels != 0 || elements > UINT32_MAX)
    return std::nullopt;
  kernels::BatchNormIntParams norm;
  norm.outer = uint32_t(elements / channels);
  norm.channels = uint32_t(channels);
  norm.inType = type;
  norm.weightType = p.hasWeights ? p.weightType : DType::I8;
  norm.requant = p.requant;
  KernelCall affine(*kernels::findKernel(kernels::BatchNormInt::kSymbol),
                    &norm);
  affine["weights"] =
      p.hasWeights ? call["weights"] : allOf(1, DType::I8, channels);
  affine["bias"] = p.hasBias ? call["bias"] : allOf(0, DType::I32, channels);
  if (p.requant.perChannel)
    affine["scale"] = call["scale"], affine["shift"] = call["shift"];
  ConvLayer layer;
  if (!describeConv(affine, layer) || !fitsAccumulator(layer))
    return std::nullopt;
  return affine;
}

/// A stage that joins a value and a number, without any scale.
static void setJoin(isa::SumOp op, DType in, DType number, DType out,
                    int64_t lo, int64_t hi, Pointwise &f) {
  isa::Conv &d = f.stage;
  d = plainStage(in);
  d.hasResidual = true;
  d.mainType = in, d.residualType = number, d.outType = out;
  d.sumOp = op;
  isa::setSumScales(d, {.main = 1, .residual = 1, .sum = 1});
  d.sumMin = int32_t(lo), d.sumMax = int32_t(hi);
}

bool npu::describeNorm(const KernelCall &call, const isa::Machine &machine,
                       NormCommands &norm) {
  auto p = call.paramsOf<kernels::LayerNormInt>();
  bool isColumns = p.shape.groupColumns != 0;
  constexpr int32_t kMostZeroPoint = 1 << 15;
  if (!isEngineType(p.inType) || !isUsual(call["table"]) || p.normScale < 0 ||
      p.requant.act != kernels::Act::None ||
      p.requant.rounding != Rounding::HalfEven ||
      std::abs(p.inZp) > kMostZeroPoint || 8 + p.normShift < 0 ||
      8 + p.normShift > 62 ||
      ((isColumns || p.normScale > UINT16_MAX) && !machine.hasWideScales()))
    return false;
  norm.numbers = p;
  norm.numbers.shape.parts = 1;
  norm.product.axes = axesOf(p.shape);
  norm.elements = 1;
  for (const PointAxis &axis : norm.product.axes)
    norm.elements *= axis.size;
  norm.numberCount =
      uint64_t(countOf(p.shape.kept)) * (isColumns ? p.shape.inner : 1);
  if (kernels::haveParts(p)) {
    // Every TEC has a part.
    uint32_t parts = std::min<uint32_t>(machine.tecs, p.shape.reduced.dims[0]);
    norm.numbers.shape.parts = parts;
    norm.sumBytes = 2 * sizeof(int64_t) * parts * norm.numberCount;
  }

  DType valueType = p.inType;
  norm.hasDifference = p.form != NormForm::RootMeanSquare;
  if (norm.hasDifference) {
    Pointwise &f = norm.difference;
    f.axes = norm.product.axes;
    setJoin(isa::SumOp::Add, p.inType, DType::I32, DType::I16, INT16_MIN,
            INT16_MAX, f);
    if (p.form == NormForm::Wide) {
      // Half of d, rounded down: that of d - 1, with halves rounded up.
      f.stage.mainZeroPoint = -1;
      f.stage.sumShift = 1, f.stage.sumHalfUp = true;
    }
    valueType = DType::I16;
  }
  // A gain of 16 bits is the low half of its number, which serves where numbers
  // need not touch.
  Pointwise &f = norm.product;
  DType gainType = isColumns ? DType::I32 : DType::U16;
  DType normType = typeOf(p.normLo, p.normHi);
  setJoin(isa::SumOp::Mul, valueType, gainType, normType, p.normLo, p.normHi,
          f);
  if (!isColumns)
    for (PointAxis &axis : f.axes)
      axis.other *= sizeof(int32_t) / sizeof(uint16_t);
  switch (p.form) {
  case NormForm::Narrow:
    isa::setSumScales(f.stage, {.main = 1, .residual = 1, .sum = p.normScale});
    f.stage.sumShift = int8_t(8 + p.normShift);
    break;
  case NormForm::Wide:
    f.stage.sumShift = 7;
    break;
  case NormForm::RootMeanSquare:
    f.stage.mainZeroPoint = p.inZp;
    f.stage.sumShift = 8, f.stage.sumHalfUp = true;
    break;
  }
  f.stage.wideSum |= isColumns;
  norm.affine = affineOf(call, normType, norm.elements);
  return norm.affine.has_value() && !isa::outputStageRefusalOf(f.stage);
}
