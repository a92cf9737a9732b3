//===- ConvColumns.cpp - Rows of outputs in two parts ---------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "passes/lower/describe/ConvColumns.h"
#include "isa/Cost.h"

using namespace yarrow;
using namespace yarrow::npu;

/// Of so many outputs of all rows.
static uint64_t cyclesOf(const ConvLayer &c, uint32_t outputs,
                         const isa::Machine &machine) {
  isa::Conv d = c.base;
  d.inChannels = c.inC, d.outChannels = c.outC;
  d.inHeight = uint16_t(c.inH), d.inWidth = uint16_t(c.inW);
  d.outHeight = uint16_t(c.outH), d.outWidth = uint16_t(outputs);
  d.groups = 1;
  return isa::costOf(d, machine).aloneCycles();
}

void npu::splitColumns(ConvLayer &c, const isa::Machine &machine) {
  const isa::Conv &d = c.base;
  if (!c.depthwise || c.phases.size() != 1 || c.phases[0].kernelY != 0 ||
      d.kernelX == 1 || machine.depthwise.rowBufferBytes == 0)
    return;
  uint32_t window = (d.kernelX - 1) * uint32_t(d.dilationX) + 1;
  uint32_t columns = (c.outW - 1) * d.strideX + window;
  // As many as the steps without the last one cover.
  uint32_t covered =
      (columns - 1) / machine.macArray.pixels * machine.macArray.pixels;
  if (covered < window)
    return;
  uint32_t first = (covered - window) / d.strideX + 1;
  if (first >= c.outW)
    return;
  uint64_t whole = cyclesOf(c, c.outW, machine);
  uint64_t apart =
      cyclesOf(c, first, machine) + cyclesOf(c, c.outW - first, machine);
  // Tiles may be several, and each has two commands then.
  constexpr uint64_t kLeastShare = 32, kLeastSaved = 16;
  if (apart + std::max(kLeastSaved, whole / kLeastShare) > whole)
    return;
  c.phases = {{.columns = first},
              {.column = first, .startX = first * d.strideX}};
  c.ownWeights.assign(c.weights.bytes.begin(), c.weights.bytes.end());
  c.ownWeights.insert(c.ownWeights.end(), c.weights.bytes.begin(),
                      c.weights.bytes.end());
  c.weights.bytes = c.ownWeights;
}
