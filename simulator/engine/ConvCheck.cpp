//===- ConvCheck.cpp - What a convolution command must hold ---------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "simulator/engine/ConvCheck.h"

#include "simulator/engine/ImageRows.h"
#include "simulator/engine/WinogradOperands.h"
#include <algorithm>

using namespace yarrow;
using namespace yarrow::sim;
using namespace yarrow::isa;

/// Strides, dilations and padding make windows cover more than is held: not so
/// many times as much, unless the descriptor is broken.
static uint64_t maxImageElements(const Sram &sram) {
  return std::clamp<uint64_t>(16 * sram.sizeBytes(), 1 << 24, 1 << 28);
}

static Fault checkTypes(const Conv &conv) {
  if (!isOperandType(conv.inType) || !isOperandType(conv.weightType) ||
      conv.weightType == ElementType::U16)
    return faultText("conv: no such input or weight type");
  if (conv.packedWeights && conv.weightType != ElementType::I8)
    return faultText("conv: packed weights are int8, not ",
                     name(conv.weightType));
  if (conv.wideBias && elementBytes(conv.inType) != 2)
    return faultText("conv: 64-bit biases of ", name(conv.inType),
                     " inputs, whose sums have 32 bits");
  if (uint8_t(conv.outType) > uint8_t(ElementType::I32) ||
      uint8_t(conv.lutType) > uint8_t(ElementType::I32) ||
      uint8_t(conv.mainType) > uint8_t(ElementType::I32) ||
      uint8_t(conv.residualType) > uint8_t(ElementType::I32))
    return faultText("conv: no such element type");
  if (uint8_t(conv.activation) > uint8_t(Activation::Clip) ||
      uint8_t(conv.sumActivation) > uint8_t(Activation::Relu))
    return faultText("conv: no such activation");
  return std::nullopt;
}

static Fault checkShape(const Conv &conv, const Sram &sram) {
  for (uint32_t extent :
       {conv.inHeight, conv.inWidth, conv.inChannels, conv.kernelY,
        conv.kernelX, conv.strideY, conv.strideX, conv.dilationY,
        conv.dilationX, conv.groups, conv.outHeight, conv.outWidth,
        conv.outChannels})
    if (extent == 0)
      return faultText("conv: a size, stride, dilation or group count is 0");
  if (conv.depthwise
          ? conv.groups != 1 || conv.outChannels % conv.inChannels != 0
          : conv.inChannels % conv.groups != 0 ||
                conv.outChannels % conv.groups != 0)
    return faultText("conv: ", conv.groups, " groups do not divide ",
                     conv.inChannels, " input and ", conv.outChannels,
                     " output channels");
  int64_t pad = int64_t(conv.padValue) - widenOffset(conv.inType);
  if (pad < INT16_MIN || pad > INT16_MAX)
    return faultText("conv: padValue ", conv.padValue, " is out of range");
  uint64_t rows = (conv.outHeight - 1) * uint64_t(conv.strideY) +
                  (conv.kernelY - 1) * uint64_t(conv.dilationY) + 1;
  uint64_t columns = (conv.outWidth - 1) * uint64_t(conv.strideX) +
                     (conv.kernelX - 1) * uint64_t(conv.dilationX) + 1;
  // rows and columns are below 2^33.
  uint64_t channels = uint64_t(conv.inChannels) + conv.groups;
  if (conv.depthwise)
    channels = conv.outChannels;
  uint64_t most = maxImageElements(sram);
  if (rows > most / columns || rows * columns > most / channels)
    return faultText("conv: windows cover ", rows, " x ", columns,
                     " pixels of ", channels, " channels");
  return std::nullopt;
}

static Fault checkRange(const char *what, int64_t lo, int64_t hi,
                        ElementType type) {
  TypeRange range = rangeOf(type);
  if (lo > hi || lo < range.lowest || hi > range.highest)
    return faultText("conv: ", what, " [", lo, ", ", hi, "] is not a range of ",
                     name(type));
  return std::nullopt;
}

static Fault checkOutputStage(const Conv &conv) {
  int64_t lo = conv.outMin, hi = conv.outMax;
  if (lo > hi)
    return faultText("conv: outMin ", lo, " is above outMax ", hi);
  if (conv.hasResidual) {
    lo = conv.sumMin;
    hi = conv.sumMax;
    if (lo > hi)
      return faultText("conv: sumMin ", lo, " is above sumMax ", hi);
  }
  if (conv.activation == Activation::Clip && conv.clipMin > conv.clipMax)
    return faultText("conv: clipMin ", conv.clipMin, " is above clipMax ",
                     conv.clipMax);
  if (conv.clipRoundBits > 31 || conv.slopeShift > 62)
    return faultText("conv: clipRoundBits or slopeShift is out of range");
  if (!conv.hasLut)
    return checkRange("output", lo, hi, conv.outType);
  if (conv.lutInputBits == 0 || conv.lutInputBits > 16 ||
      conv.lutLog2Items > conv.lutInputBits)
    return faultText("conv: table of 2^", int(conv.lutLog2Items), " items for ",
                     int(conv.lutInputBits), "-bit indices");
  if (lo < conv.lutInputMin ||
      hi - conv.lutInputMin >= int64_t(1) << conv.lutInputBits)
    return faultText("conv: values [", lo, ", ", hi,
                     "] are outside of the table's ", int(conv.lutInputBits),
                     "-bit index from ", conv.lutInputMin);
  return std::nullopt;
}

static Fault checkOutputStrides(const Conv &conv) {
  uint64_t pixelBytes =
      uint64_t(conv.outChannels) * elementBytes(writtenType(conv));
  if (pixelsOverlap(conv, pixelBytes))
    return faultText("conv: output strides ", conv.outRowStride, " and ",
                     conv.outPixelStride, " make pixels of ", pixelBytes,
                     " bytes overlap");
  return std::nullopt;
}

Fault sim::resolveConv(const Conv &conv, const Sram &sram,
                       const WinogradUnit &winograd, ConvOperands &operands) {
  if (Fault f = checkTypes(conv))
    return f;
  if (Fault f = checkShape(conv, sram))
    return f;
  if (Fault f = checkWinograd(conv, winograd))
    return f;
  if (!conv.accumulateOut) {
    if (Fault f = checkOutputStage(conv))
      return f;
    if (Fault f = checkOutputStrides(conv))
      return f;
  }
  if (Fault f = sram.resolve(conv, operands))
    return f;
  // The image check bounds each filter by 2^28 weights, transformed ones by 16
  // ninths of that, and so all of them by 2^62 bytes.
  operands.weightBytes = weightBytesOf(conv);
  if (conv.hasTapShifts)
    operands.tapShifts = operands.weights + tapShiftOffset(conv);
  return checkWinogradWeights(conv, operands, winograd);
}
