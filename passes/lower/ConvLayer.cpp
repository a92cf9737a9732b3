//===- ConvLayer.cpp - A convolution in the tensor engine's terms ---------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "passes/lower/ConvLayer.h"
#include "kernels/Activation.h"
#include "kernels/Conv.h"
#include "kernels/Eltwise.h"
#include "kernels/Gemm.h"

using namespace yarrow;
using namespace yarrow::npu;
using namespace mlir;
using kernels::Act;
using kernels::DType;

static isa::ElementType engineType(DType t) {
  return isa::ElementType(uint32_t(t));
}

/// The constants in the order of every convolution's kernel call.
static bool viewConstants(const KernelCall &call, ConvLayer &c) {
  auto view = [&](unsigned buffer, compass::ConstantView &to) {
    auto constant = compass::viewConstant(call.buffers[buffer].constant);
    if (constant)
      to = *constant;
    return constant.has_value();
  };
  if (!view(1, c.weights) || !view(2, c.biases) || c.biases.dtype != DType::I32)
    return false;
  if (c.requant.perChannel && (!view(3, c.scales) || !view(4, c.shifts)))
    return false;
  return c.requant.act != Act::PRelu || view(5, c.slopes);
}

bool npu::describeConv(const KernelCall &call, ConvLayer &c) {
  isa::Conv &d = c.base;
  if (call.symbol == "yk_conv2d_winograd_int")
    return false; // transformed weights: the TECs compute it
  DType inType, weightType;
  if (call.symbol == "yk_fully_connected_int") {
    auto p = call.paramsAs<kernels::FullyConnectedIntParams>();
    if (p.weightZp != 0)
      return false;
    // Rows of features are pixels of a 1x1 convolution.
    c.inH = c.outH = p.rows;
    c.inC = p.inFeatures, c.outC = p.outFeatures;
    d.kernelX = d.kernelY = d.strideX = d.strideY = d.dilationX = d.dilationY =
        1;
    inType = p.inType, weightType = p.weightType, c.requant = p.requant;
  } else {
    auto p = call.paramsAs<kernels::Conv2DIntParams>();
    const kernels::Conv2DShape &s = p.shape;
    if (p.weightZp != 0)
      return false;
    c.depthwise = call.symbol == "yk_depthwise_conv2d_int";
    c.batch = s.batch, c.inH = s.inH, c.inW = s.inW, c.inC = s.inC;
    c.outH = s.outH, c.outW = s.outW, c.outC = s.outC, c.groups = s.groups;
    d.kernelY = s.kernelH, d.kernelX = s.kernelW;
    d.strideY = s.strideH, d.strideX = s.strideW;
    d.dilationY = s.dilationH, d.dilationX = s.dilationW;
    d.padLeft = s.padLeft, d.padTop = s.padTop;
    d.padValue = p.padValue;
    inType = p.inType, weightType = p.weightType, c.requant = p.requant;
  }
  const kernels::Requant &r = c.requant;
  if (!isEngineType(inType) ||
      (weightType != DType::I8 && weightType != DType::I16) ||
      !(isEngineType(r.outType) || r.outType == DType::I32) || c.inH > 65535 ||
      c.inW > 65535 || c.outH > 65535 || c.outW > 65535 || r.shift < -32 ||
      r.shift > 62)
    return false;
  if (r.act == Act::PRelu &&
      (r.slopeType != DType::I16 || r.slopeCount != c.outC))
    return false;
  d.inType = engineType(inType), d.weightType = engineType(weightType),
  d.outType = engineType(r.outType);
  d.depthwise = c.depthwise;
  c.inElem = kernels::dtypeBytes(inType);
  c.weightElem = kernels::dtypeBytes(weightType);
  c.outElem = kernels::dtypeBytes(r.outType);
  c.filterElements =
      uint64_t(d.kernelY) * d.kernelX * (c.depthwise ? 1 : c.inC / c.groups);
  d.perChannel = r.perChannel;
  d.scale = r.perChannel ? 0 : r.scale, d.shift = r.perChannel ? 0 : r.shift;
  d.outZeroPoint = r.zp, d.outMin = r.lo, d.outMax = r.hi;
  switch (r.act) {
  case Act::None:
    d.activation = isa::Activation::None;
    break;
  case Act::Relu:
  case Act::Relu6:
    d.activation = isa::Activation::Relu;
    break;
  case Act::LeakyRelu:
    d.activation = isa::Activation::LeakyRelu;
    break;
  case Act::PRelu:
    d.activation = isa::Activation::PRelu;
    break;
  case Act::Clip:
    d.activation = isa::Activation::Clip;
    d.clipRoundBits = c.outElem == 1 ? 8 : 0; // spec: integer semantics 4.3
    break;
  }
  d.slope = r.slope, d.slopeShift = r.slopeShift;
  d.clipMin = r.clipMin, d.clipMax = r.clipMax;
  return viewConstants(call, c);
}

bool npu::describeResidual(Operation *add, const FusedLayer &fused,
                           ConvLayer &c) {
  KernelCall call;
  if (failed(cast<compass::CompassOp>(add).buildKernel(call)))
    return false;
  auto p = call.paramsAs<kernels::EltwiseIntParams>();
  bool first = fused.convOperand == 0;
  DType residualType = first ? p.typeB : p.typeA;
  if (!isEngineType(residualType) || !isEngineType(p.requant.outType))
    return false;
  isa::Conv &d = c.base;
  c.hasResidual = d.hasResidual = true;
  d.mainType = d.outType;
  d.outType = engineType(p.requant.outType);
  d.residualType = engineType(residualType);
  d.sumActivation = p.requant.act == Act::None ? isa::Activation::None
                                               : isa::Activation::Relu;
  d.sumScale = p.requant.scale, d.sumShift = p.requant.shift;
  d.sumZeroPoint = p.requant.zp, d.sumMin = p.requant.lo,
  d.sumMax = p.requant.hi;
  d.mainZeroPoint = first ? p.zpA : p.zpB,
  d.residualZeroPoint = first ? p.zpB : p.zpA;
  d.mainScale = first ? p.scaleA : p.scaleB,
  d.residualScale = first ? p.scaleB : p.scaleA;
  c.outElem = kernels::dtypeBytes(p.requant.outType);
  c.residualElem = kernels::dtypeBytes(residualType);
  return true;
}

bool npu::describeTable(Operation *lookup, KernelCall &call, ConvLayer &c) {
  if (failed(cast<compass::CompassOp>(lookup).buildKernel(call)))
    return false;
  auto p = call.paramsAs<kernels::LutParams>();
  if (!isEngineType(p.tableType) || engineType(p.inType) != c.base.outType)
    return false;
  isa::Conv &d = c.base;
  d.hasLut = true;
  d.lutType = engineType(p.tableType);
  d.lutLog2Items = p.log2Size;
  d.lutInputBits = p.inBits;
  d.lutInputMin = p.indexMin;
  c.outElem = kernels::dtypeBytes(p.tableType);
  return true;
}

/// The accumulators have 32 bits for 8-bit inputs and 48 for 16-bit ones. With
/// the actual weights the largest sum of a channel is
///   |bias| + max|x| * sum |w|,
/// which holds for every partial sum as well, in any order.
bool npu::fitsAccumulator(const ConvLayer &c) {
  int64_t maxInput = int64_t(1) << (8 * c.inElem); // covers a pad value as well
  int64_t limit =
      c.inElem == 1 ? (int64_t(1) << 31) - 1 : (int64_t(1) << 47) - 1;
  for (uint32_t o = 0; o < c.outC; ++o) {
    int64_t sum = 0;
    const char *p =
        c.weights.bytes.data() + o * c.filterElements * c.weightElem;
    for (uint64_t i = 0; i < c.filterElements; ++i) {
      int16_t w;
      if (c.weightElem == 1)
        w = int8_t(p[i]);
      else
        std::memcpy(&w, p + 2 * i, 2);
      sum += std::abs(int32_t(w));
    }
    if (sum > limit / maxInput ||
        sum * maxInput + std::abs(c.biases.intAt(o)) > limit)
      return false;
  }
  return true;
}
