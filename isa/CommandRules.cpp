//===- CommandRules.cpp - Which commands an engine executes ---------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "isa/CommandRules.h"

#include <sstream>

using namespace yarrow;
using namespace yarrow::isa;

namespace {

template <typename... Parts> Refusal refuse(const Parts &...parts) {
  std::ostringstream os;
  (os << ... << parts);
  return os.str();
}

bool isElementType(ElementType type) {
  return uint8_t(type) <= uint8_t(ElementType::I32);
}

/// Whether output pixels of \p pixelBytes lie on one another.
template <typename D> bool pixelsOverlap(const D &d, uint64_t pixelBytes) {
  uint64_t rowBytes = uint64_t(d.outWidth - 1) * d.outPixelStride + pixelBytes;
  return (d.outWidth > 1 && d.outPixelStride < pixelBytes) ||
         (d.outHeight > 1 && d.outRowStride < rowBytes);
}

Refusal checkRange(std::string_view what, int64_t lo, int64_t hi,
                   ElementType type) {
  TypeRange range = rangeOf(type);
  if (lo > hi || lo < range.lowest || hi > range.highest)
    return refuse(what, " [", lo, ", ", hi, "] is not a range of ", name(type));
  return std::nullopt;
}

Refusal checkTypes(const Conv &conv) {
  if (!isOperandType(conv.inType) || !isOperandType(conv.weightType) ||
      conv.weightType == ElementType::U16)
    return refuse("conv: no such input or weight type");
  if (conv.packedWeights && conv.weightType != ElementType::I8)
    return refuse("conv: packed weights are int8, not ", name(conv.weightType));
  if (conv.wideBias && elementBytes(conv.inType) != 2)
    return refuse("conv: 64-bit biases of ", name(conv.inType),
                  " inputs, whose sums have 32 bits");
  for (ElementType type :
       {conv.outType, conv.lutType, conv.mainType, conv.residualType})
    if (!isElementType(type))
      return refuse("conv: no such element type");
  if (uint8_t(conv.activation) > uint8_t(Activation::Clip) ||
      uint8_t(conv.sumActivation) > uint8_t(Activation::PRelu))
    return refuse("conv: no such activation");
  if (uint8_t(conv.sumOp) > uint8_t(SumOp::Min))
    return refuse("conv: no such sumOp");
  return std::nullopt;
}

/// Whether negative values are multiplied by a slope.
bool isLeaky(Activation activation) {
  return activation == Activation::LeakyRelu || activation == Activation::PRelu;
}

Refusal checkShape(const Conv &conv) {
  for (uint32_t extent :
       {conv.inHeight, conv.inWidth, conv.inChannels, conv.kernelY,
        conv.kernelX, conv.strideY, conv.strideX, conv.dilationY,
        conv.dilationX, conv.groups, conv.outHeight, conv.outWidth,
        conv.outChannels})
    if (extent == 0)
      return refuse("conv: a size, stride, dilation or group count is 0");
  if (conv.depthwise
          ? conv.groups != 1 || conv.outChannels % conv.inChannels != 0
          : conv.inChannels % conv.groups != 0 ||
                conv.outChannels % conv.groups != 0)
    return refuse("conv: ", conv.groups, " groups do not divide ",
                  conv.inChannels, " input and ", conv.outChannels,
                  " output channels");
  int64_t pad = int64_t(conv.padValue) - widenOffset(conv.inType);
  if (pad < INT16_MIN || pad > INT16_MAX)
    return refuse("conv: padValue ", conv.padValue, " is out of range");
  return std::nullopt;
}

} // namespace

TypeRange isa::rangeOf(ElementType type) {
  switch (type) {
  case ElementType::I8:
    return {INT8_MIN, INT8_MAX};
  case ElementType::U8:
    return {0, UINT8_MAX};
  case ElementType::I16:
    return {INT16_MIN, INT16_MAX};
  case ElementType::U16:
    return {0, UINT16_MAX};
  default:
    return {INT32_MIN, INT32_MAX};
  }
}

Refusal isa::outputStageRefusalOf(const Conv &conv) {
  int64_t lo = conv.outMin, hi = conv.outMax;
  if (lo > hi)
    return refuse("conv: outMin ", lo, " is above outMax ", hi);
  if (conv.hasResidual) {
    lo = conv.sumMin;
    hi = conv.sumMax;
    if (lo > hi)
      return refuse("conv: sumMin ", lo, " is above sumMax ", hi);
  }
  if (conv.hasResidual && isLeaky(conv.activation) &&
      isLeaky(conv.sumActivation))
    return refuse("conv: slopes for activation and sumActivation at once");
  bool hasWideFactor = conv.wideSum && conv.residualType == ElementType::I32;
  if (conv.hasResidual && conv.sumOp == SumOp::Mul &&
      !(isOperandType(conv.mainType) &&
        (isOperandType(conv.residualType) || hasWideFactor)))
    return refuse("conv: mul of ", name(conv.mainType), " and ",
                  name(conv.residualType), conv.wideSum ? "" : " without",
                  conv.wideSum ? "" : " wideSum");
  if (conv.activation == Activation::Clip && conv.clipMin > conv.clipMax)
    return refuse("conv: clipMin ", conv.clipMin, " is above clipMax ",
                  conv.clipMax);
  if (conv.clipRoundBits > 31 || conv.slopeShift > 62)
    return refuse("conv: clipRoundBits or slopeShift is out of range");
  if (!conv.hasLut)
    return checkRange("conv: output", lo, hi, conv.outType);
  if (conv.lutInputBits == 0 || conv.lutInputBits > 16 ||
      conv.lutLog2Items > conv.lutInputBits)
    return refuse("conv: table of 2^", int(conv.lutLog2Items), " items for ",
                  int(conv.lutInputBits), "-bit indices");
  if (lo < conv.lutInputMin ||
      hi - conv.lutInputMin >= int64_t(1) << conv.lutInputBits)
    return refuse("conv: values [", lo, ", ", hi,
                  "] are outside of the table's ", int(conv.lutInputBits),
                  "-bit index from ", conv.lutInputMin);
  return std::nullopt;
}

Refusal isa::refusalOf(const Conv &conv) {
  if (Refusal why = checkTypes(conv))
    return why;
  if (Refusal why = checkShape(conv))
    return why;
  if (conv.accumulateOut) // the other fields do not matter
    return std::nullopt;
  if (Refusal why = outputStageRefusalOf(conv))
    return why;
  uint64_t pixelBytes =
      uint64_t(conv.outChannels) * elementBytes(writtenType(conv));
  if (pixelsOverlap(conv, pixelBytes))
    return refuse("conv: output strides ", conv.outRowStride, " and ",
                  conv.outPixelStride, " make pixels of ", pixelBytes,
                  " bytes overlap");
  return std::nullopt;
}

Refusal isa::refusalOf(const MatMul &product) {
  if (!isOperandType(product.aType) || !isOperandType(product.bType) ||
      !isElementType(product.outType))
    return refuse("matmul: no such element type");
  for (uint32_t size :
       {product.batch, product.rows, product.inner, product.columns})
    if (size == 0)
      return refuse("matmul: a size is 0");
  if (Refusal why = checkRange("matmul: output", product.outMin, product.outMax,
                               product.outType))
    return why;
  if (product.rows > 1 &&
      product.outRowStride <
          uint64_t(product.columns) * elementBytes(product.outType))
    return refuse("matmul: output rows overlap");
  return std::nullopt;
}

Refusal isa::refusalOf(const Pool &pool) {
  if (!isOperandType(pool.inType) || !isElementType(pool.outType) ||
      uint8_t(pool.method) > uint8_t(PoolMethod::Avg))
    return refuse("pool: no such type or method");
  for (uint32_t extent :
       {pool.inHeight, pool.inWidth, pool.inChannels, pool.kernelY,
        pool.kernelX, pool.strideY, pool.strideX, pool.dilationY,
        pool.dilationX, pool.outHeight, pool.outWidth, pool.tensorHeight})
    if (extent == 0)
      return refuse("pool: a size, stride or dilation is 0");
  if (pool.outChannels != pool.inChannels)
    return refuse("pool: ", pool.inChannels, " channels in, ", pool.outChannels,
                  " out");
  if (pool.method == PoolMethod::Avg)
    if (Refusal why =
            checkRange("pool: output", pool.outMin, pool.outMax, pool.outType))
      return why;
  if (pixelsOverlap(pool,
                    uint64_t(pool.outChannels) * elementBytes(pool.outType)))
    return refuse("pool: output pixels overlap");
  return std::nullopt;
}

static Refusal checkStream(const Copy &copy) {
  if (copy.fill || copy.elementBytes != 1 || copy.size1 != 1 ||
      copy.size2 != 1 || copy.size3 != 1 || copy.size4 != 1 ||
      copy.dstStride0 != 1)
    return refuse("copy: a weight stream is decoded to consecutive bytes");
  if (copy.srcRegion == kSramRegion || copy.dstRegion != kSramRegion)
    return refuse("copy: a weight stream is decoded from DDR to SRAM");
  return std::nullopt;
}

Refusal isa::refusalOf(const Copy &copy) {
  if (copy.elementBytes != 1 && copy.elementBytes != 2 &&
      copy.elementBytes != 4 && copy.elementBytes != 8)
    return refuse("copy: elements of ", int(copy.elementBytes), " bytes");
  for (uint32_t size :
       {copy.size0, copy.size1, copy.size2, copy.size3, copy.size4})
    if (size == 0)
      return refuse("copy: a size is 0");
  return copy.streamBytes != 0 ? checkStream(copy) : std::nullopt;
}

Refusal isa::refusalOf(const AnyDescriptor &descriptor) {
  return std::visit([](const auto &d) { return refusalOf(d); }, descriptor);
}
