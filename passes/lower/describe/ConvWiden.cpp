//===- ConvWiden.cpp - Neighbouring outputs as channels -------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "passes/lower/describe/ConvWiden.h"
#include "isa/Division.h"

#include <cstring>

using namespace yarrow;
using namespace yarrow::npu;

/// Cycles of the array for a row of the kernel, with so many outputs at once
/// and the kernel's columns as channels where that takes fewer.
static uint64_t cyclesOf(const ConvLayer &c, uint32_t outputs,
                         const isa::MacArray &array) {
  uint64_t kernelX = c.base.kernelX + (outputs - 1) * uint64_t(c.base.strideX);
  uint64_t apart = kernelX * isa::divideUp(c.inC, array.inputLanes);
  uint64_t together = isa::divideUp(kernelX * c.inC, array.inputLanes);
  return std::min(apart, together) *
         isa::divideUp(uint64_t(c.outH) * (c.outW / outputs), array.pixels);
}

/// How many outputs at once take the fewest cycles; 1 if that is not worth it.
static uint32_t outputsOf(const ConvLayer &c, const isa::MacArray &array) {
  uint64_t one = cyclesOf(c, 1, array), least = one;
  uint32_t best = 1;
  for (uint32_t outputs = 2; outputs * c.outC <= array.outputLanes; ++outputs)
    if (uint64_t cycles = cyclesOf(c, outputs, array);
        c.outW % outputs == 0 && cycles < least)
      best = outputs, least = cycles;
  // Zeros are loaded and multiplied, too.
  constexpr uint64_t kLeastSaved = 128;
  uint64_t rows = uint64_t(c.base.kernelY) * c.batch;
  return 4 * least <= 3 * one && (one - least) * rows >= kLeastSaved ? best : 1;
}

/// The elements again, for every output.
static void repeat(compass::ConstantView &view, uint32_t outputs,
                   std::vector<char> &own) {
  own.clear();
  for (uint32_t i = 0; i < outputs; ++i)
    own.insert(own.end(), view.bytes.begin(), view.bytes.end());
  view.bytes = own;
  view.shape = {int64_t(own.size() / kernels::dtypeBytes(view.dtype))};
}

void npu::widenOutputs(ConvLayer &c, const isa::Machine &machine) {
  isa::Conv &d = c.base;
  if (c.depthwise || c.groups != 1 || c.phases.size() != 1 ||
      c.phases[0].kernelY != 0 || d.winograd != isa::WinogradMode::None ||
      d.kernelX == 1 || d.dilationX != 1 || c.hasPhaseBiases ||
      c.fold.kernelX != 0)
    return;
  uint32_t outputs = outputsOf(c, machine.macArray);
  if (outputs == 1)
    return;
  uint32_t kernelX = d.kernelX + (outputs - 1) * d.strideX;
  uint64_t row = d.kernelX * uint64_t(c.inC) * c.weightElem,
           wideRow = kernelX * uint64_t(c.inC) * c.weightElem,
           step = d.strideX * uint64_t(c.inC) * c.weightElem;
  std::vector<char> weights(outputs * c.outC * d.kernelY * wideRow, 0);
  for (uint32_t i = 0; i < outputs; ++i)
    for (uint32_t filter = 0; filter < c.outC; ++filter)
      for (uint32_t y = 0; y < d.kernelY; ++y) {
        uint64_t from = uint64_t(filter) * d.kernelY + y;
        uint64_t to = (uint64_t(i) * c.outC + filter) * d.kernelY + y;
        std::memcpy(&weights[to * wideRow + i * step],
                    c.weights.bytes.data() + from * row, row);
      }
  c.ownWeights = std::move(weights);
  c.weights.bytes = c.ownWeights;
  c.weights.shape = {outputs * int64_t(c.outC), d.kernelY, kernelX, c.inC};
  repeat(c.biases, outputs, c.ownBiases);
  if (c.requant.perChannel) {
    repeat(c.scales, outputs, c.ownScales);
    repeat(c.shifts, outputs, c.ownShifts);
  }
  if (c.requant.act == kernels::Act::PRelu)
    repeat(c.slopes, outputs, c.ownSlopes);
  c.filterElements = uint64_t(d.kernelY) * kernelX * c.inC;
  c.outW /= outputs, c.outC *= outputs;
  d.kernelX = uint16_t(kernelX), d.strideX *= outputs;
}
