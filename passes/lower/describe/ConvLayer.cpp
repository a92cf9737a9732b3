//===- ConvLayer.cpp - A convolution in the tensor engine's terms ---------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "passes/lower/describe/ConvLayer.h"
#include "isa/CommandRules.h"
#include "kernels/activation/Activation.h"
#include "kernels/arithmetic/Eltwise.h"
#include "kernels/conv/Conv.h"
#include "kernels/conv/Gemm.h"
#include "kernels/norm/Norm.h"
#include "passes/lower/describe/EngineTypes.h"

using namespace yarrow;
using namespace yarrow::npu;
using namespace mlir;
using kernels::Act;
using kernels::DType;

/// The constants in the order of every convolution's kernel call.
static bool viewConstants(const KernelCall &call, ConvLayer &c) {
  auto view = [&](StringRef buffer, compass::ConstantView &to) {
    const compass::BufferBinding &bound = call[buffer];
    to = bound.view;
    return bound.kind == compass::BufferBinding::Kind::Constant;
  };
  if (!view("weights", c.weights) || !view("bias", c.biases))
    return false;
  if (c.requant.perChannel &&
      (!view("scale", c.scales) || !view("shift", c.shifts)))
    return false;
  return c.requant.act != Act::PRelu || view("slope", c.slopes);
}

/// Biases of 64 bits mostly need no more than 32.
static bool fits32(const compass::ConstantView &biases) {
  for (int64_t i = 0, e = biases.numElements(); i < e; ++i)
    if (!llvm::isInt<32>(biases.intAt(i)))
      return false;
  return true;
}

/// A factor and an addend for each channel: depthwise, of one cell.
static kernels::Conv2DIntParams
normParamsOf(const kernels::BatchNormIntParams &p) {
  kernels::Conv2DIntParams conv;
  uint32_t rows = p.outer, columns = 1;
  while (rows > UINT16_MAX && rows % 2 == 0)
    rows /= 2, columns *= 2;
  conv.shape.inH = conv.shape.outH = rows;
  conv.shape.inW = conv.shape.outW = columns;
  conv.shape.inC = conv.shape.outC = p.channels;
  conv.inType = p.inType, conv.weightType = p.weightType;
  conv.biasType = p.biasType;
  conv.requant = p.requant;
  return conv;
}

/// The call's parameters as those of a convolution.
static kernels::Conv2DIntParams paramsOf(const KernelCall &call) {
  if (call.is<kernels::Conv2DWinogradInt>())
    return call.paramsOf<kernels::Conv2DWinogradInt>().conv;
  if (call.is<kernels::BatchNormInt>())
    return normParamsOf(call.paramsOf<kernels::BatchNormInt>());
  if (!call.is<kernels::FullyConnectedInt>())
    return call.paramsAs<kernels::Conv2DIntParams>();
  auto p = call.paramsOf<kernels::FullyConnectedInt>();
  kernels::Conv2DIntParams conv;
  // Rows of features are pixels of a 1x1 convolution.
  conv.shape.inH = conv.shape.outH = p.rows;
  conv.shape.inC = p.inFeatures, conv.shape.outC = p.outFeatures;
  conv.inType = p.inType, conv.weightType = p.weightType;
  conv.biasType = p.biasType;
  conv.requant = p.requant;
  return conv;
}

/// Whether the tensor engine can hold the padding: as an int16, after 2^15 is
/// taken off an unsigned one. A zero point beyond a 16-bit type is too much.
static bool isEnginePad(DType inType, int32_t padValue) {
  return inType == DType::U16 ? llvm::isUInt<16>(padValue)
                              : llvm::isInt<16>(padValue);
}

bool npu::describeConv(const KernelCall &call, ConvLayer &c) {
  isa::Conv &d = c.base;
  kernels::Conv2DIntParams p = paramsOf(call);
  const kernels::Conv2DShape &s = p.shape;
  DType inType = p.inType, weightType = p.weightType;
  c.requant = p.requant;
  bool isNorm = call.is<kernels::BatchNormInt>();
  if (isNorm && call.paramsOf<kernels::BatchNormInt>().inner != 1)
    return false;
  // Of groups with one channel each, weights lie as those of a depthwise layer.
  c.depthwise = isNorm || call.is<kernels::DepthwiseConv2DInt>() ||
                (s.groups > 1 && s.groups == s.inC);
  c.batch = s.batch, c.inH = s.inH, c.inW = s.inW, c.inC = s.inC;
  c.outH = s.outH, c.outW = s.outW, c.outC = s.outC;
  c.groups = c.depthwise ? 1 : s.groups;
  d.kernelY = s.kernelH, d.kernelX = s.kernelW;
  d.strideY = s.strideH, d.strideX = s.strideW;
  d.dilationY = s.dilationH, d.dilationX = s.dilationW;
  d.padLeft = s.padLeft, d.padTop = s.padTop;
  d.padValue = p.padValue;
  c.tileStep = d.strideY;
  c.tileSpan = (d.kernelY - 1) * d.dilationY + 1;
  const kernels::Requant &r = c.requant;
  if (!isEngineType(inType) || !isEnginePad(inType, p.padValue) ||
      (weightType != DType::I8 && weightType != DType::I16) ||
      !(isEngineType(r.outType) || r.outType == DType::I32) || c.inH > 65535 ||
      c.inW > 65535 || c.outH > 65535 || c.outW > 65535 || r.shift < -32 ||
      r.shift > 62)
    return false;
  if (r.act == Act::PRelu &&
      (r.slopeType != DType::I16 || r.slopeCount != c.outC))
    return false;
  d.inType = inType, d.weightType = weightType, d.outType = r.outType;
  d.depthwise = c.depthwise;
  c.inElem = kernels::dtypeBytes(inType);
  c.weightElem = kernels::dtypeBytes(weightType);
  c.outElem = kernels::dtypeBytes(r.outType);
  c.filterElements =
      uint64_t(d.kernelY) * d.kernelX * (c.depthwise ? 1 : c.inC / c.groups);
  setActivation(r, d);
  if (!viewConstants(call, c) || !describeRequant(c))
    return false;
  d.wideBias = !fits32(c.biases);
  return true;
}

bool npu::describeTable(const KernelCall &call, ConvLayer &c) {
  auto p = call.paramsOf<kernels::Lut>();
  if (!isEngineType(p.tableType) || p.inType != c.base.outType)
    return false;
  isa::Conv &d = c.base;
  d.hasLut = true;
  d.lutType = p.tableType;
  d.lutLog2Items = p.log2Size;
  d.lutInputBits = p.inBits;
  d.lutInputMin = p.indexMin;
  // The kernel limits the index, the engine demands one within the table. The
  // input's type may hold more than its range, which the table is of.
  d.outMin = std::max(d.outMin, p.indexMin);
  d.outMax = int32_t(
      std::min<int64_t>(d.outMax, p.indexMin + (int64_t(1) << p.inBits) - 1));
  if (isa::outputStageRefusalOf(d))
    return false;
  c.outElem = kernels::dtypeBytes(p.tableType);
  return true;
}

void ConvLayer::copyFrom(const ConvLayer &other) {
  static_cast<ConvFields &>(*this) = other;
  auto follow = [](compass::ConstantView &view, const std::vector<char> &own,
                   const std::vector<char> &from) {
    const char *data = view.bytes.data();
    if (!from.empty() && data >= from.data() &&
        data < from.data() + from.size())
      view.bytes = {own.data() + (data - from.data()), view.bytes.size()};
  };
  follow(weights, ownWeights, other.ownWeights);
  follow(biases, ownBiases, other.ownBiases);
  follow(scales, ownScales, other.ownScales);
  follow(shifts, ownShifts, other.ownShifts);
  follow(slopes, ownSlopes, other.ownSlopes);
}

uint64_t ConvLayer::filterElementsOf(uint32_t phase) const {
  const ConvPhase &p = phases[phase];
  if (p.kernelY == 0)
    return filterElements;
  return uint64_t(p.kernelY) * p.kernelX * (depthwise ? 1 : inC / groups);
}

uint64_t ConvLayer::firstWeightOf(uint32_t phase) const {
  uint64_t elements = 0;
  for (uint32_t i = 0; i < phase; ++i)
    elements += outC * filterElementsOf(i);
  return elements;
}

uint64_t ConvLayer::macs() const {
  uint64_t filters = uint64_t(batch) * outC * filterElements;
  if (base.winograd == isa::WinogradMode::None) {
    uint64_t perChannel = 0;
    for (auto [i, phase] : llvm::enumerate(phases))
      perChannel += filterElementsOf(i) *
                    llvm::divideCeil(outH - phase.row, phaseRows) *
                    columnsOf(phase);
    return uint64_t(batch) * outC * perChannel;
  }
  isa::WinogradTile tile = isa::tileOf(base.winograd);
  return filters * llvm::divideCeil(outH, tile.outRows) *
         llvm::divideCeil(outW, tile.outColumns);
}

/// The rounding of a product is exact up to here.
static constexpr int64_t kMostProduct = int64_t(1) << 62;

/// With the actual weights the largest sum of a channel is
///   |bias| + max|x| * sum |w|,
/// which holds for every partial sum as well, in any order.
bool npu::fitsAccumulator(const ConvLayer &c) {
  assert(c.base.winograd == isa::WinogradMode::None);
  int64_t maxInput = int64_t(1) << (8 * c.inElem); // covers a pad value as well
  uint64_t first = 0;
  for (uint64_t i = 0; i < c.phases.size() * uint64_t(c.outC); ++i) {
    uint64_t elements = c.filterElementsOf(i / c.outC);
    int64_t bias = c.biases.intAt(c.hasPhaseBiases ? i : i % c.outC);
    // Sums of 32 bits times any scale are below.
    int64_t limit = std::min(isa::largestSum(c.base.inType),
                             kMostProduct / std::max(1, c.scaleOf(i % c.outC)));
    auto fits = [&](int64_t magnitude) {
      return magnitude <= limit / maxInput &&
             magnitude * maxInput + std::abs(bias) <= limit;
    };
    // Few filters are so long that their weights have to be looked at.
    if (!fits(int64_t(elements << (8 * c.weightElem - 1))) &&
        !fits(int64_t(c.weights.magnitudeOf(first, elements))))
      return false;
    first += elements;
  }
  return true;
}
