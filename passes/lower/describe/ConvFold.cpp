//===- ConvFold.cpp - A kernel's columns as channels ----------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "passes/lower/describe/ConvFold.h"

using namespace yarrow;
using namespace yarrow::npu;

/// Columns that the windows of all outputs see.
static uint32_t seenColumns(const ConvLayer &c) {
  return (c.outW - 1) * c.base.strideX + c.base.kernelX;
}

/// Cycles of the array that folding saves.
static uint64_t savedCycles(const ConvLayer &c, const isa::Machine &machine) {
  const isa::MacArray &array = machine.macArray;
  uint64_t kernelX = c.base.kernelX;
  uint64_t apart = kernelX * llvm::divideCeil(c.inC, array.inputLanes);
  uint64_t together = llvm::divideCeil(kernelX * c.inC, array.inputLanes);
  uint64_t blocks = llvm::divideCeil(uint64_t(c.outH) * c.outW, array.pixels) *
                    llvm::divideCeil(c.outC, array.outputLanes) *
                    c.base.kernelY * c.batch;
  return (apart - together) * blocks;
}

void npu::foldColumns(ConvLayer &c, bool isInputInSram,
                      const isa::Machine &machine) {
  isa::Conv &d = c.base;
  if (c.depthwise || c.groups != 1 || c.phases.size() != 1 ||
      c.phases[0].kernelY != 0 || d.winograd != isa::WinogradMode::None ||
      d.kernelX == 1 || d.dilationX != 1 || d.padLeft < 0)
    return;
  ConvFold fold{.kernelX = d.kernelX, .padLeft = uint32_t(d.padLeft)};
  uint32_t seen = seenColumns(c);
  fold.isPadded = d.padLeft > 0 || seen > c.inW;
  fold.columns = fold.isPadded ? std::max(seen, fold.padLeft + 1) : c.inW;
  uint64_t paddedBytes =
      uint64_t(c.batch) * c.inH * fold.columns * c.inC * c.inElem;
  uint64_t cost = 0;
  if (fold.isPadded) {
    // Columns of padding to the left and to the right.
    cost = machine.dmaStartCycles *
           ((fold.padLeft > 0) + (fold.columns > fold.padLeft + c.inW));
    // A copy within SRAM reads and writes each byte.
    if (isInputInSram)
      cost +=
          machine.dmaStartCycles + 2 * paddedBytes / machine.sramBytesPerCycle;
  }
  if (fold.columns > 65535 || savedCycles(c, machine) <= cost)
    return;
  c.fold = fold;
  d.kernelX = 1;
  d.padLeft = 0;
}
