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

namespace {
/// How many parts a cut makes.
struct CutParts {
  CutParts(const ConvLayer &c, const ConvTiling &cut)
      : channelTiles(llvm::divideCeil(c.outC, cut.channels)),
        rowTiles(llvm::divideCeil(c.outH, cut.rows) * c.batch),
        tiles(rowTiles * channelTiles),
        blobs(channelTiles * c.phases.size() / cut.phases) {
    uint64_t row = uint64_t(c.inW) * c.inC * c.inElem;
    inRowBytes =
        c.splitsInput() ? llvm::divideCeil(row * cut.channels, c.outC) : row;
    blobBytes =
        ConvBlob::layout(c, {.channels = cut.channels, .phases = cut.phases})
            .sizeBytes;
  }
  uint64_t channelTiles, rowTiles; ///< of output channels; of rows, all images
  uint64_t tiles, blobs;           ///< both ways; sets of weights
  uint64_t inRowBytes, blobBytes;  ///< of a tile's input; of a set of weights
};
} // namespace

/// Two buffers of what changes while it is used.
static uint64_t buffered(uint64_t bytes, bool changes) {
  return llvm::alignTo(bytes, 64) * (changes ? 2 : 1);
}

static uint64_t sramBytesOf(const ConvLayer &c, const ConvTiling &cut,
                            const CutParts &parts,
                            const ConvResidents &resident) {
  uint64_t results = uint64_t(cut.rows) * c.outW * cut.channels;
  uint64_t bytes = buffered(parts.blobBytes, parts.blobs > 1);
  if (!resident.input)
    bytes += buffered(parts.inRowBytes * inputRowsOf(c, cut.rows),
                      (c.splitsInput() ? parts.tiles : parts.rowTiles) > 1);
  if (!resident.output)
    bytes += buffered(results * c.outElem, parts.tiles > 1);
  if (c.hasResidual && !resident.residual)
    bytes += buffered(results * c.residualElem, parts.tiles > 1);
  return bytes;
}

/// What the bus carries: tiles of channels are short runs, and each costs whole
/// bursts.
static uint64_t ddrBytesOf(const ConvLayer &c, const ConvTiling &cut,
                           const CutParts &parts, const ConvResidents &resident,
                           const isa::Machine &machine, bool &channelsOutside) {
  uint64_t inPixels = parts.rowTiles * inputRowsOf(c, cut.rows) * c.inW;
  uint64_t inBytes =
      resident.input ? 0
      : c.splitsInput() && parts.channelTiles > 1
          ? inPixels * parts.channelTiles *
                llvm::alignTo(llvm::divideCeil(parts.inRowBytes, c.inW),
                              machine.ddrBurstBytes)
          : inPixels * c.inC * c.inElem;
  uint64_t outBytes =
      resident.output || parts.channelTiles == 1
          ? 0
          : uint64_t(c.batch) * c.outH * c.outW *
                (parts.channelTiles * llvm::alignTo(cut.channels * c.outElem,
                                                    machine.ddrBurstBytes) -
                 uint64_t(c.outC) * c.outElem);
  uint64_t weightBytes = parts.blobBytes * parts.blobs;
  uint64_t reloaded = weightBytes * parts.rowTiles;
  uint64_t ifRowsOutside = inBytes + (parts.blobs > 1 ? reloaded : weightBytes);
  // A tile of rows needs all phases. A depthwise tile reads its own channels
  // only.
  uint64_t ifChannelsOutside =
      (parts.blobs > parts.channelTiles ? reloaded : weightBytes) +
      (!c.splitsInput() && parts.rowTiles > 1 ? inBytes * parts.channelTiles
                                              : inBytes);
  channelsOutside = ifChannelsOutside < ifRowsOutside;
  return std::min(ifRowsOutside, ifChannelsOutside) + outBytes;
}

static CutCosts costsOf(const ConvLayer &c, const ConvTiling &cut,
                        const ConvResidents &resident,
                        const isa::Machine &machine) {
  CutParts parts(c, cut);
  CutCosts costs;
  costs.tiles = parts.tiles;
  costs.sramBytes = sramBytesOf(c, cut, parts, resident);
  costs.ddrBytes =
      ddrBytesOf(c, cut, parts, resident, machine, costs.channelsOutside);
  costs.cycles = std::max(costs.ddrBytes / machine.ddrBytesPerCycle,
                          computeCycles(c, cut.channels, machine));
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
