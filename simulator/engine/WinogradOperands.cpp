//===- WinogradOperands.cpp - Legality of a Winograd command --------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "simulator/engine/WinogradOperands.h"

#include "simulator/engine/HostVector.h"
#include <cstring>

using namespace yarrow;
using namespace yarrow::sim;
using namespace yarrow::isa;

static Fault checkWindow(const Conv &conv, std::string_view mode) {
  if (conv.kernelY != 3 || conv.kernelX != 3)
    return faultText("conv: Winograd ", mode, " has a window of 3x3, not of ",
                     conv.kernelY, "x", conv.kernelX);
  if (conv.strideY != 1 || conv.strideX != 1 || conv.dilationY != 1 ||
      conv.dilationX != 1)
    return faultText("conv: Winograd ", mode,
                     " has strides and dilations of 1, not ", conv.strideY, "x",
                     conv.strideX, " and ", conv.dilationY, "x",
                     conv.dilationX);
  if (conv.groups != 1 || conv.depthwise)
    return faultText("conv: Winograd ", mode,
                     " sums over all channels: neither groups nor depthwise");
  if (conv.accumulateIn || conv.accumulateOut)
    return faultText("conv: Winograd ", mode,
                     " neither takes nor gives partial sums");
  return std::nullopt;
}

static Fault checkElements(const Conv &conv, std::string_view mode,
                           const WinogradUnit &unit) {
  if (conv.inType != ElementType::I8 && conv.inType != ElementType::U8)
    return faultText("conv: Winograd ", mode,
                     " takes int8 or uint8 inputs, not ", name(conv.inType));
  if (conv.weightType != ElementType::I8 && conv.weightType != ElementType::I16)
    return faultText("conv: Winograd ", mode,
                     " takes int8 or int16 weights, not ",
                     name(conv.weightType));
  if (conv.packedWeights)
    return faultText("conv: Winograd ", mode, " takes no packed weights");
  if (conv.weightType == ElementType::I16 && unit.weightBits <= 8)
    return faultText("conv: Winograd ", mode,
                     " with int16 weights, on multipliers of ", unit.weightBits,
                     " bits");
  int64_t pad = int64_t(conv.padValue) - winogradOffset(conv);
  if (pad < -128 || pad > 127)
    return faultText("conv: padValue ", conv.padValue, " is not a value of ",
                     name(conv.inType), ", which Winograd ", mode, " needs");
  return std::nullopt;
}

Fault sim::checkWinograd(const Conv &conv, const WinogradUnit &unit) {
  if (conv.winograd == WinogradMode::None) {
    if (conv.hasTapShifts || conv.winogradShift != 0)
      return faultText("conv: tap shifts or winogradShift without a Winograd "
                       "mode");
    return std::nullopt;
  }
  if (uint8_t(conv.winograd) > uint8_t(WinogradMode::F2x2_3x3))
    return faultText("conv: unknown Winograd mode");
  std::string_view mode = name(conv.winograd);
  if (!unit.has(conv.winograd))
    return faultText("conv: this machine has no Winograd ", mode);
  if (Fault f = checkWindow(conv, mode))
    return f;
  return checkElements(conv, mode, unit);
}

static Fault checkTapShifts(const Conv &conv, const ConvOperands &operands) {
  uint32_t taps = tileOf(conv.winograd).taps();
  for (uint64_t i = 0; i < uint64_t(conv.outChannels) * taps; ++i)
    if (operands.tapShifts[i] > kMaxTapShift)
      return faultText("conv: tap shift ", int(operands.tapShifts[i]),
                       " of output channel ", i / taps, ", tap ", i % taps,
                       ", is above ", kMaxTapShift);
  return std::nullopt;
}

/// Whether all \p count int16 are in [-limit, limit).
YARROW_HOST_CLONES static bool areWithin(const uint8_t *values, uint64_t count,
                                         int32_t limit) {
  uint32_t bad = 0;
  for (uint64_t i = 0; i < count; ++i) {
    int16_t value;
    std::memcpy(&value, values + i * 2, 2);
    bad |= uint32_t(value + limit) & ~uint32_t(2 * limit - 1);
  }
  return bad == 0;
}

Fault sim::checkWinogradWeights(const Conv &conv, const ConvOperands &operands,
                                const WinogradUnit &unit) {
  if (conv.hasTapShifts)
    if (Fault f = checkTapShifts(conv, operands))
      return f;
  if (conv.winograd == WinogradMode::None ||
      conv.weightType != ElementType::I16 || unit.weightBits >= 16)
    return std::nullopt;
  int32_t limit = 1 << (unit.weightBits - 1);
  uint64_t filter = filterSize(conv), count = filter * conv.outChannels;
  if (areWithin(operands.weights, count, limit))
    return std::nullopt;
  for (uint64_t i = 0; i < count; ++i) {
    int16_t weight;
    std::memcpy(&weight, operands.weights + i * 2, 2);
    if (weight < -limit || weight >= limit)
      return faultText("conv: weight ", weight, " of output channel ",
                       i / filter, " does not fit the multipliers' ",
                       unit.weightBits, " bits");
  }
  return std::nullopt;
}
