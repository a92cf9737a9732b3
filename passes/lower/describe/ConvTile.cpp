//===- ConvTile.cpp - The commands of a convolution that is cut -----------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "passes/lower/describe/ConvTile.h"
#include "isa/ElfLayout.h"

using namespace yarrow;
using namespace yarrow::npu;

/// Where in DDR does not matter.
static constexpr uint32_t kSomeDdr = isa::kWorkspaceRegion;

isa::Copy npu::copyOfBytes(uint64_t sizeBytes) {
  isa::Copy copy;
  copy.elementBytes = 1;
  copy.size0 = sizeBytes, copy.size1 = copy.size2 = copy.size3 = copy.size4 = 1;
  copy.srcStride0 = copy.dstStride0 = 1;
  return copy;
}

/// A part of some pixels' channels: pixels are contiguous only when all
/// channels are taken, so copies have two axes.
static isa::Copy copyOfPixels(uint64_t pixels, uint64_t pixelBytes,
                              bool isWhole) {
  isa::Copy copy = copyOfBytes(isWhole ? pixels * pixelBytes : pixelBytes);
  if (!isWhole)
    copy.size1 = pixels;
  return copy;
}

/// Negative in the padding.
static int64_t firstRowUnder(const ConvLayer &c, const OutputPart &part) {
  return int64_t(part.row / c.tileRows) * c.tileStep - c.base.padTop;
}

InputRows npu::inputRowsUnder(const ConvLayer &c, const OutputPart &part) {
  int64_t top = firstRowUnder(c, part);
  int64_t bottom = top + int64_t(c.inputRows(part.rows));
  // At least one row is held, although windows may see padding alone.
  int64_t first = std::clamp<int64_t>(top, 0, c.inH - 1),
          end = std::clamp<int64_t>(bottom, first + 1, c.inH);
  return {uint32_t(first), uint32_t(end - first)};
}

namespace {
class TileDescriber {
public:
  TileDescriber(const ConvLayer &layer, const ConvResidents &resident,
                const OutputPart &part)
      : c(layer), resident(resident), part(part) {
    tile.part = part;
    tile.command = c.base;
  }
  ConvTile describe() {
    describeInput();
    if (c.isInputPlanar)
      describePlanes();
    describeOutput();
    if (c.hasResidual)
      describeResidual();
    return tile;
  }

private:
  void describeInput();
  void describePaddedRows(uint64_t from);
  void describePlanes();
  isa::Copy padColumns(uint32_t first, uint32_t count) const;
  void describeOutput();
  void describeResidual();
  /// Of the part's first element in a tensor of the output's shape.
  uint64_t offsetOf(uint64_t elementBytes) const {
    uint64_t row = uint64_t(part.image) * c.outH + part.row;
    return (row * c.outW * c.outC + part.channel) * elementBytes;
  }
  isa::Copy copyOfResults(uint64_t elementBytes) const {
    return copyOfPixels(uint64_t(part.rows) * c.outW,
                        part.channels * elementBytes, part.channels == c.outC);
  }

  const ConvLayer &c;
  const ConvResidents &resident;
  const OutputPart &part;
  ConvTile tile;
};
} // namespace

void TileDescriber::describeInput() {
  isa::Conv &d = tile.command;
  const uint64_t inPixel = c.inC * c.inElem, inRow = c.inW * inPixel;
  // The channels of the input that this tile reads.
  uint32_t inChannel = 0, inChannels = c.inC;
  if (c.splitsInput()) {
    inChannel = uint64_t(part.channel) * c.inC / c.outC;
    inChannels = uint64_t(part.channels) * c.inC / c.outC;
  }
  d.groups =
      c.depthwise
          ? 1
          : std::max<uint32_t>(1, uint64_t(part.channels) * c.groups / c.outC);
  d.inChannels = inChannels;
  d.inWidth = c.inW;
  InputRows rows = inputRowsUnder(c, part);
  uint32_t first = rows.first;
  // The padding above the first held row. It is negative only below the last
  // row, as rows above the window are not held.
  d.padTop = int32_t(int64_t(first) - firstRowUnder(c, part));
  d.inHeight = rows.count;
  uint64_t from =
      (uint64_t(part.image) * c.inH + first) * inRow + inChannel * c.inElem;
  tile.loadInput.srcRegion =
      resident.isInputInSram ? isa::kSramRegion : kSomeDdr;
  if (c.fold.kernelX) {
    d.inChannels = c.inC * c.fold.kernelX;
    d.inWidth = c.fold.columns - c.fold.kernelX + 1;
    if (c.fold.isPadded)
      return describePaddedRows(from);
  }
  if (resident.input) {
    d.input = from;
    d.inRowStride = inRow, d.inPixelStride = inPixel;
    return;
  }
  uint64_t tilePixel = inChannels * c.inElem;
  uint64_t pixels = d.inHeight * uint64_t(c.inW);
  tile.inputBytes = pixels * tilePixel;
  isa::Copy &copy = tile.loadInput;
  uint32_t region = copy.srcRegion;
  copy = copyOfPixels(pixels, tilePixel, inChannels == c.inC);
  copy.src = from;
  copy.srcRegion = region;
  if (inChannels != c.inC)
    copy.srcStride1 = inPixel, copy.dstStride1 = tilePixel;
  d.input = 0;
  d.inRowStride = c.inW * tilePixel, d.inPixelStride = tilePixel;
}

/// Columns of a padded row, in all rows that are held.
isa::Copy TileDescriber::padColumns(uint32_t first, uint32_t count) const {
  uint64_t pixelBytes = c.inC * c.inElem;
  isa::Copy fill;
  fill.fill = true;
  fill.elementBytes = c.inElem;
  fill.fillValue = uint32_t(c.base.padValue);
  fill.size0 = count * c.inC, fill.size1 = tile.command.inHeight;
  fill.size2 = fill.size3 = fill.size4 = 1;
  fill.dst = first * pixelBytes;
  fill.dstStride0 = c.inElem, fill.dstStride1 = c.fold.columns * pixelBytes;
  return fill;
}

void TileDescriber::describePaddedRows(uint64_t from) {
  isa::Conv &d = tile.command;
  const ConvFold &fold = c.fold;
  uint64_t pixelBytes = c.inC * c.inElem;
  d.input = 0;
  d.inPixelStride = pixelBytes;
  d.inRowStride = fold.columns * pixelBytes;
  tile.inputBytes = d.inHeight * uint64_t(d.inRowStride);
  // Columns that no window sees are left out.
  uint32_t columns = std::min(c.inW, fold.columns - fold.padLeft);
  uint32_t end = fold.padLeft + columns;
  isa::Copy &copy = tile.loadInput;
  uint32_t region = copy.srcRegion;
  copy = copyOfBytes(columns * pixelBytes);
  copy.srcRegion = region;
  copy.size1 = d.inHeight;
  copy.src = from, copy.dst = fold.padLeft * pixelBytes;
  copy.srcStride1 = c.inW * pixelBytes, copy.dstStride1 = d.inRowStride;
  if (fold.padLeft)
    tile.padInput.push_back(padColumns(0, fold.padLeft));
  if (end < fold.columns)
    tile.padInput.push_back(padColumns(end, fold.columns - end));
}

/// Rows of all planes, to where describeInput had their pixels copied. Read
/// plane by plane they are long runs in DDR; the SRAM takes single elements.
void TileDescriber::describePlanes() {
  const isa::Conv &d = tile.command;
  uint64_t row = c.inW * c.inElem;
  isa::Copy &load = tile.loadInput;
  uint64_t dst = load.dst;
  load = copyOfBytes(0);
  load.srcRegion = kSomeDdr;
  load.elementBytes = c.inElem;
  load.size0 = c.fold.isPadded
                   ? std::min(c.inW, c.fold.columns - c.fold.padLeft)
                   : c.inW;
  load.size1 = d.inHeight, load.size2 = c.inC;
  load.src =
      (uint64_t(part.image) * c.inC * c.inH + inputRowsUnder(c, part).first) *
      row;
  load.srcStride0 = c.inElem, load.srcStride1 = row;
  load.srcStride2 = c.inH * row;
  load.dst = dst;
  load.dstStride0 = c.inC * c.inElem, load.dstStride1 = d.inRowStride;
  load.dstStride2 = c.inElem;
}

void TileDescriber::describeOutput() {
  isa::Conv &d = tile.command;
  d.outHeight = part.rows, d.outWidth = c.outW, d.outChannels = part.channels;
  uint64_t pixelBytes = c.outC * c.outElem,
           tilePixel = part.channels * c.outElem;
  assert((resident.output || !c.outPitchBytes) && "a slice is not copied");
  if (resident.output) {
    if (c.outPitchBytes)
      pixelBytes = c.outPitchBytes;
    uint64_t row = uint64_t(part.image) * c.outH + part.row;
    d.output = row * c.outW * pixelBytes + part.channel * c.outElem;
  } else {
    isa::Copy &copy = tile.storeOutput;
    copy = copyOfResults(c.outElem);
    copy.dst = offsetOf(c.outElem);
    copy.srcStride1 = tilePixel, copy.dstStride1 = pixelBytes;
    pixelBytes = tilePixel;
    tile.outputBytes = part.rows * c.outW * pixelBytes;
  }
  d.outRowStride = c.outW * pixelBytes, d.outPixelStride = pixelBytes;
}

void TileDescriber::describeResidual() {
  isa::Conv &d = tile.command;
  uint64_t pixelBytes = c.outC * c.residualElem;
  if (resident.residual) {
    d.residual = offsetOf(c.residualElem);
  } else {
    isa::Copy &copy = tile.loadResidual;
    copy = copyOfResults(c.residualElem);
    copy.src = offsetOf(c.residualElem);
    copy.srcStride1 = pixelBytes;
    pixelBytes = part.channels * c.residualElem;
    copy.dstStride1 = pixelBytes;
    tile.residualBytes = part.rows * c.outW * pixelBytes;
  }
  d.residualRowStride = c.outW * pixelBytes;
  d.residualPixelStride = pixelBytes;
}

ConvTile npu::describeTile(const ConvLayer &layer,
                           const ConvResidents &resident,
                           const OutputPart &part) {
  return TileDescriber(layer, resident, part).describe();
}

/// Outputs lie a tile of outputs apart, in rows and columns, and so do windows.
isa::Conv npu::commandOfPhase(const ConvLayer &c, const ConvTile &tile,
                              const ConvPhase &phase) {
  isa::Conv d = tile.command;
  if (phase.kernelY != 0)
    d.kernelY = phase.kernelY, d.kernelX = phase.kernelX;
  d.padTop -= phase.startY, d.padLeft -= phase.startX;
  d.outHeight = llvm::divideCeil(tile.part.rows - phase.row, c.phaseRows);
  d.outWidth = c.columnsOf(phase);
  d.output += phase.row * d.outRowStride + phase.column * d.outPixelStride;
  d.outRowStride *= c.phaseRows;
  d.outPixelStride *= c.phaseColumns;
  if (c.hasResidual) {
    d.residual +=
        phase.row * d.residualRowStride + phase.column * d.residualPixelStride;
    d.residualRowStride *= c.phaseRows;
    d.residualPixelStride *= c.phaseColumns;
  }
  return d;
}

namespace {
class TileWalk {
public:
  TileWalk(const ConvLayer &layer, const ConvTiling &tiling,
           const ConvResidents &resident, ConvTileVisitor &visitor,
           const OutputRange &range)
      : c(layer), tiling(tiling), resident(resident), visitor(visitor),
        range(range) {}

  void run();

private:
  void visit(uint32_t image, uint32_t row, uint32_t channel);
  WeightPart needWeights(uint32_t channel, uint32_t phase);

  const ConvLayer &c;
  const ConvTiling &tiling;
  const ConvResidents &resident;
  ConvTileVisitor &visitor;
  const OutputRange &range;
  /// What is in SRAM: which weights, and the input of which part.
  uint64_t weightKey = UINT64_MAX, inputKey = UINT64_MAX;
};
} // namespace

WeightPart TileWalk::needWeights(uint32_t channel, uint32_t phase) {
  WeightPart part{channel,
                  std::min(tiling.channels, range.endChannel - channel),
                  phase / tiling.phases * tiling.phases, tiling.phases};
  uint64_t key = part.firstChannel * c.phases.size() + part.firstPhase;
  if (weightKey != key)
    visitor.loadWeights(part);
  weightKey = key;
  return part;
}

void TileWalk::visit(uint32_t image, uint32_t row, uint32_t channel) {
  needWeights(channel, /*phase=*/0);
  ConvTile tile = describeTile(
      c, resident,
      {image, row, std::min(tiling.rows, range.endRow - row), channel,
       std::min(tiling.channels, range.endChannel - channel)});
  uint64_t key = uint64_t(image) * c.outH + row;
  if (c.splitsInput())
    key = key * c.outC + channel;
  visitor.begin(tile, /*hasNewInput=*/inputKey != key);
  inputKey = key;
  for (auto [i, phase] : llvm::enumerate(c.phases)) {
    if (phase.row >= tile.part.rows || phase.column >= c.outW)
      continue; // the last tile is a part of one
    WeightPart part = needWeights(channel, i);
    visitor.compute(tile, part, i, commandOfPhase(c, tile, phase));
  }
  visitor.end(tile);
}

void TileWalk::run() {
  if (tiling.channelsOutside) {
    for (uint32_t channel = range.channel; channel < range.endChannel;
         channel += tiling.channels)
      for (uint32_t image = 0; image < c.batch; ++image)
        for (uint32_t row = range.row; row < range.endRow; row += tiling.rows)
          visit(image, row, channel);
    return;
  }
  for (uint32_t image = 0; image < c.batch; ++image)
    for (uint32_t row = range.row; row < range.endRow; row += tiling.rows)
      for (uint32_t channel = range.channel; channel < range.endChannel;
           channel += tiling.channels)
        visit(image, row, channel);
}

void npu::visitTiles(const ConvLayer &layer, const ConvTiling &tiling,
                     const ConvResidents &resident, ConvTileVisitor &visitor,
                     const OutputRange &range) {
  TileWalk(layer, tiling, resident, visitor, range).run();
}
