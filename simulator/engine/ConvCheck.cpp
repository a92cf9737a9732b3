//===- ConvCheck.cpp - What a convolution command must hold ---------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "simulator/engine/ConvCheck.h"

#include "isa/CommandRules.h"
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

/// Of a command whose sizes are none of them 0.
static Fault checkWindows(const Conv &conv, const Sram &sram) {
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

Fault sim::resolveConv(const Conv &conv, const Sram &sram,
                       const WinogradUnit &winograd, ConvOperands &operands) {
  if (Fault f = refusalOf(conv))
    return f;
  if (Fault f = checkWindows(conv, sram))
    return f;
  if (Fault f = checkWinograd(conv, winograd))
    return f;
  if (Fault f = sram.resolve(conv, operands))
    return f;
  // The image check bounds each filter by 2^28 weights, transformed ones by 16
  // ninths of that, and so all of them by 2^62 bytes.
  operands.weightBytes = weightBytesOf(conv);
  if (conv.hasTapShifts)
    operands.tapShifts = operands.weights + tapShiftOffset(conv);
  return checkWinogradWeights(conv, operands, winograd);
}
