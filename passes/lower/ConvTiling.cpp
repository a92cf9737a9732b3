//===- ConvTiling.cpp - How a convolution is cut --------------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "passes/lower/ConvTiling.h"
#include "passes/lower/ConvBlob.h"

#include <tuple>

using namespace yarrow;
using namespace yarrow::npu;

static uint32_t inputRowsOf(const ConvLayer &c, uint32_t outRows) {
  return uint32_t(std::min<uint64_t>(c.inputRows(outRows), c.inH));
}

/// The next smaller number of output channels in a tile; 0 after the smallest.
static uint32_t fewerChannels(const ConvLayer &c, uint32_t channels,
                              uint32_t outputLanes) {
  uint32_t unit = c.channelUnit();
  bool isDense = !c.splitsInput();
  // Whole blocks of output lanes where possible: a part of one costs a whole.
  uint32_t step = !isDense ? unit : c.outC >= outputLanes ? outputLanes : 1;
  if (channels <= step && step == 1)
    return 0;
  uint32_t half = channels / 2;
  uint32_t next = half / step * step;
  if (next == 0)
    next = isDense ? half : channels > unit ? unit : 0;
  return next == channels ? 0 : next;
}

namespace {
/// What a cut needs and moves.
struct CutCosts {
  uint64_t sramBytes = 0;
  uint64_t cycles = UINT64_MAX; ///< of DDR or multipliers
  uint64_t ddrBytes = 0;
  uint64_t tiles = 0;
  bool channelsOutside = false;

  bool isLessThan(const CutCosts &o) const {
    return std::tie(cycles, ddrBytes, tiles) <
           std::tie(o.cycles, o.ddrBytes, o.tiles);
  }
};
} // namespace

/// Cycles of the multipliers, but for what tiles of rows lose at their ends.
/// Tiles of fewer channels than there are output lanes leave lanes idle; of
/// depthwise and grouped layers, which share no inputs, all cuts cost the same.
static uint64_t computeCycles(const ConvLayer &c, uint32_t channels,
                              const isa::Machine &machine) {
  if (c.splitsInput())
    return 0;
  uint32_t lanes = machine.macArray.outputLanes;
  uint64_t blocks =
      uint64_t(c.outC / channels) * llvm::divideCeil(channels, lanes) +
      llvm::divideCeil(c.outC % channels, lanes);
  // Weights of 16 bits are as quick as others in Winograd's mode.
  bool isMode = c.base.winograd != isa::WinogradMode::None;
  uint64_t passes = (c.inElem == 2 ? machine.int16Passes : 1) *
                    (c.weightElem == 2 && !isMode ? machine.int16Passes : 1);
  uint64_t multiplications = c.macs() / c.outC * blocks * lanes;
  return passes * multiplications / machine.macsPerCycle();
}

static CutCosts costsOf(const ConvLayer &c, const ConvTiling &cut,
                        const ConvResidents &resident,
                        const isa::Machine &machine) {
  CutCosts costs;
  uint32_t rows = cut.rows, channels = cut.channels;
  uint64_t inRow = uint64_t(c.inW) * c.inC * c.inElem;
  uint32_t channelTiles = llvm::divideCeil(c.outC, channels);
  uint32_t rowTiles = llvm::divideCeil(c.outH, rows);
  uint64_t tiles = uint64_t(rowTiles) * channelTiles * c.batch;
  costs.tiles = tiles;
  uint64_t part =
      c.splitsInput() ? llvm::divideCeil(inRow * channels, c.outC) : inRow;
  auto buffered = [](uint64_t bytes, bool twice) {
    return llvm::alignTo(bytes, 64) * (twice ? 2 : 1);
  };
  uint64_t weights =
      ConvBlob::layout(c, {.channels = channels, .phases = cut.phases})
          .sizeBytes;
  uint32_t blobs = channelTiles * c.phases.size() / cut.phases;
  uint64_t pixels = uint64_t(rows) * c.outW * channels;
  costs.sramBytes = buffered(weights, blobs > 1);
  if (!resident.input)
    costs.sramBytes +=
        buffered(part * inputRowsOf(c, rows),
                 (c.splitsInput() ? tiles : rowTiles * c.batch) > 1);
  if (!resident.output)
    costs.sramBytes += buffered(pixels * c.outElem, tiles > 1);
  if (c.hasResidual && !resident.residual)
    costs.sramBytes += buffered(pixels * c.residualElem, tiles > 1);

  uint64_t weightBytes = weights * blobs;
  // What the bus carries: tiles of channels are short runs, and each costs
  // whole bursts.
  uint64_t inPixels =
      uint64_t(c.batch) * rowTiles * inputRowsOf(c, rows) * c.inW;
  uint64_t inBytes = resident.input ? 0
                     : c.splitsInput() && channelTiles > 1
                         ? inPixels * channelTiles *
                               llvm::alignTo(llvm::divideCeil(part, c.inW),
                                             machine.ddrBurstBytes)
                         : inPixels * c.inC * c.inElem;
  uint64_t outBytes =
      resident.output || channelTiles == 1
          ? 0
          : uint64_t(c.batch) * c.outH * c.outW *
                (channelTiles * llvm::alignTo(channels * c.outElem,
                                              machine.ddrBurstBytes) -
                 uint64_t(c.outC) * c.outElem);
  // A depthwise tile reads its own channels only.
  bool reloads = !c.splitsInput();
  uint64_t rowsOutside =
      inBytes + (blobs > 1 ? weightBytes * rowTiles * c.batch : weightBytes);
  // A tile of rows needs all phases.
  uint64_t channelsOutside =
      (blobs > channelTiles ? weightBytes * rowTiles * c.batch : weightBytes) +
      (reloads && rowTiles * c.batch > 1 ? inBytes * channelTiles : inBytes);
  costs.channelsOutside = channelsOutside < rowsOutside;
  costs.ddrBytes = std::min(rowsOutside, channelsOutside) + outBytes;
  costs.cycles = std::max(costs.ddrBytes / machine.ddrBytesPerCycle,
                          computeCycles(c, channels, machine));
  return costs;
}

ConvTiling npu::chooseTiling(const ConvLayer &c, uint64_t freeBytes,
                             const ConvResidents &resident,
                             const isa::Machine &machine) {
  ConvTiling best;
  CutCosts bestCosts;
  auto tryRows = [&](uint32_t channels, uint32_t phases) {
    for (uint32_t rows = c.outH;;
         rows = llvm::alignTo(llvm::divideCeil(rows, 2), c.tileRows)) {
      ConvTiling cut{rows, channels, phases};
      CutCosts costs = costsOf(c, cut, resident, machine);
      if (costs.sramBytes <= freeBytes) {
        if (costs.isLessThan(bestCosts)) {
          bestCosts = costs;
          best = cut;
          best.channelsOutside = costs.channelsOutside;
        }
        return; // fewer rows move more bytes
      }
      if (rows <= c.tileRows)
        return;
    }
  };
  uint32_t allPhases = c.phases.size();
  for (uint32_t channels = c.outC; channels != 0;
       channels = fewerChannels(c, channels, machine.macArray.outputLanes)) {
    tryRows(channels, allPhases);
    if (allPhases > 1)
      tryRows(channels, 1);
  }
  return best;
}
