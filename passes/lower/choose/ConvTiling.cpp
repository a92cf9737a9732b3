//===- ConvTiling.cpp - How a convolution is cut --------------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "passes/lower/choose/ConvTiling.h"
#include "isa/ElfLayout.h"

#include "mlir/IR/Builders.h"
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
  if (channels <= step)
    return isDense ? channels / 2 : channels > unit ? unit : 0;
  // Twice as many parts, the last of which is not a small rest.
  uint32_t next = llvm::alignTo(llvm::divideCeil(channels, 2), step);
  return next == channels ? step : next;
}

/// Of the largest set of weights that is in SRAM at once.
static uint64_t weightBytesOf(const ConvLayer &c, const ConvTiling &cut) {
  uint64_t most = 0;
  WeightPart part{.channels = cut.channels, .phases = cut.phases};
  for (; part.firstPhase < c.phases.size(); part.firstPhase += cut.phases)
    most = std::max(most, ConvBlob::layout(c, part).sizeBytes);
  return most;
}

namespace {
/// How many parts a cut makes.
struct CutParts {
  CutParts(const ConvLayer &c, const OutputRange &range, const ConvTiling &cut)
      : channelTiles(llvm::divideCeil(range.channels(), cut.channels)),
        rowTiles(llvm::divideCeil(range.rows(), cut.rows) * c.batch),
        tiles(rowTiles * channelTiles),
        blobs(channelTiles * c.phases.size() / cut.phases) {
    uint64_t columns = c.fold.isPadded ? c.fold.columns : c.inW;
    uint64_t row = columns * c.inC * c.inElem;
    inRowBytes =
        c.splitsInput() ? llvm::divideCeil(row * cut.channels, c.outC) : row;
    blobBytes = weightBytesOf(c, cut);
  }
  uint64_t channelTiles, rowTiles; ///< of output channels; of rows, all images
  uint64_t tiles, blobs;           ///< both ways; sets of weights
  uint64_t inRowBytes;             ///< of a tile's input
  uint64_t blobBytes = 0;          ///< of the largest set of weights
};
} // namespace

/// Two buffers of what changes while it is used.
static uint64_t buffered(uint64_t bytes, bool changes) {
  return llvm::alignTo(bytes, isa::kBufferAlignBytes) * (changes ? 2 : 1);
}

static uint64_t sramBytesOf(const ConvLayer &c, const ConvTiling &cut,
                            const CutParts &parts,
                            const ConvResidents &resident) {
  uint64_t results = uint64_t(cut.rows) * c.outW * cut.channels;
  uint64_t bytes =
      resident.weights ? 0 : buffered(parts.blobBytes, parts.blobs > 1);
  if (!resident.input)
    bytes += buffered(parts.inRowBytes * inputRowsOf(c, cut.rows),
                      (c.splitsInput() ? parts.tiles : parts.rowTiles) > 1);
  if (!resident.output)
    bytes += buffered(results * c.outElem, parts.tiles > 1);
  if (c.hasResidual && !resident.residual)
    bytes += buffered(results * c.residualElem, parts.tiles > 1);
  return bytes;
}

namespace {
/// A cut that fits, and what cuts are compared by.
struct Candidate {
  ConvTiling cut;
  uint64_t leastCycles, readyCycles, ddrBytes, tiles;
};
} // namespace

/// The cut that is ready first if its loads begin before the layer. If it is in
/// several parts anyway, then rather in those that are clearly ready first if
/// the loads cannot begin before. More bytes are no price for that: neighbours
/// load through the same bus.
static ConvTiling bestOf(llvm::ArrayRef<Candidate> candidates) {
  const Candidate *best = nullptr;
  auto key = [](const Candidate &c) {
    return std::tie(c.leastCycles, c.ddrBytes, c.tiles);
  };
  for (const Candidate &c : candidates)
    if (!best || key(c) < key(*best))
      best = &c;
  if (!best)
    return {};
  if (best->tiles == 1)
    return best->cut;
  // But for padding between constants, and for a few cycles.
  uint64_t mostBytes = best->ddrBytes + best->ddrBytes / 64;
  const Candidate *filled = best;
  auto filledKey = [](const Candidate &c) {
    return std::tie(c.readyCycles, c.ddrBytes, c.tiles);
  };
  for (const Candidate &c : candidates)
    if (c.cut.rows == best->cut.rows && c.ddrBytes <= mostBytes &&
        filledKey(c) < filledKey(*filled))
      filled = &c;
  uint64_t saved = best->readyCycles - filled->readyCycles;
  return saved > best->readyCycles / 32 ? filled->cut : best->cut;
}

isa::WorkCost npu::costOf(const ConvLayer &c, const ConvTiling &cut,
                          const ConvResidents &resident,
                          const isa::Machine &machine,
                          const OutputRange &range) {
  ConvCost sum(c, resident, machine);
  visitTiles(c, cut, resident, sum, range);
  return sum.work;
}

ConvTiling npu::chooseTiling(const ConvLayer &c, const TilingLimits &limits,
                             const ConvResidents &resident,
                             const isa::Machine &machine) {
  llvm::SmallVector<Candidate> candidates;
  const OutputRange range = limits.range.value_or(OutputRange::all(c));
  auto tryCut = [&](const ConvTiling &cut, uint64_t tiles, bool isFilled) {
    ConvCost sum(c, resident, machine);
    visitTiles(c, cut, resident, sum, range);
    candidates.push_back({cut, sum.work.leastCycles(machine),
                          sum.readyCycles(isFilled), sum.work.ddrBytes, tiles});
  };
  auto tryRows = [&](uint32_t channels, uint32_t phases) {
    uint32_t most = uint32_t(llvm::alignTo(
        llvm::divideCeil(range.rows(), limits.inputBands), c.tileRows));
    for (uint32_t rows = std::min(range.rows(), most);;
         rows = llvm::alignTo(llvm::divideCeil(rows, 2), c.tileRows)) {
      ConvTiling cut{rows, channels, phases};
      CutParts parts(c, range, cut);
      uint64_t sramBytes = sramBytesOf(c, cut, parts, resident);
      if (sramBytes <= limits.sramBytes) {
        for (bool channelsOutside : {false, true}) {
          cut.channelsOutside = channelsOutside;
          // Where two such layers do not fit beside one another, the loads
          // wait until the layer before is done.
          tryCut(cut, parts.tiles, sramBytes * 2 > limits.sramBytes);
          if (parts.rowTiles == 1 || parts.channelTiles == 1)
            break; // there is one loop
        }
        // Fewer rows move more bytes; each engine wants a tile, though.
        if (parts.tiles >= machine.tensorEngines)
          return;
      }
      if (rows <= c.tileRows)
        return;
    }
  };
  uint32_t allPhases = c.phases.size();
  uint32_t lanes = machine.macArray.outputLanes;
  for (uint32_t channels = range.channels(), fewer; channels != 0;
       channels = fewer) {
    fewer = fewerChannels(c, channels, lanes);
    if (!resident.weights && fewer != 0 && fewer % lanes == 0 &&
        weightBytesOf(c, {.channels = channels, .phases = allPhases}) >
            limits.weightPartBytes)
      continue;
    tryRows(channels, allPhases);
    if (resident.weights)
      break; // they are there in one piece
    if (allPhases > 1)
      tryRows(channels, 1);
  }
  return bestOf(candidates);
}

mlir::DictionaryAttr npu::tilingAttr(const ConvTiling &tiling,
                                     const isa::WorkCost &work, int64_t layer,
                                     bool isWholeLayer,
                                     mlir::Builder &builder) {
  auto number = [&](llvm::StringRef key, uint64_t value) {
    return builder.getNamedAttr(key, builder.getI64IntegerAttr(value));
  };
  auto cycles = [&](llvm::StringRef key, isa::Unit queue) {
    return number(key, work.queueCycles[unsigned(queue)]);
  };
  return builder.getDictionaryAttr(
      {number("layer", layer), number("rows", tiling.rows),
       number("channels", tiling.channels), number("phases", tiling.phases),
       builder.getNamedAttr("channels_outside",
                            builder.getBoolAttr(tiling.channelsOutside)),
       builder.getNamedAttr("is_whole_layer",
                            builder.getBoolAttr(isWholeLayer)),
       cycles("tensor_cycles", isa::Unit::TensorEngine),
       cycles("load_cycles", isa::Unit::DmaLoad),
       cycles("store_cycles", isa::Unit::DmaStore),
       number("ddr_bytes", work.ddrBytes)});
}
