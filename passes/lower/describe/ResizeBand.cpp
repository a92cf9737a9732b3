//===- ResizeBand.cpp - A resize as convolutions --------------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "passes/lower/describe/ResizeBand.h"
#include "isa/ElfLayout.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

using namespace yarrow;
using namespace yarrow::npu;

RowBand npu::inputBandUnder(const ResizeGrid &grid, const RowBand &band) {
  RowBand input{UINT32_MAX, 0};
  for (uint32_t y = band.begin; y < band.end; ++y) {
    const ResizePlace &place = grid.rows[y];
    input.begin = std::min(input.begin, place.low);
    input.end = std::max(input.end, place.low + place.span + 1);
  }
  return input;
}

ResizeConstants::ResizeConstants(uint32_t mostOutputChannels)
    : bytes(4ull * mostOutputChannels, 0) {}

uint64_t ResizeConstants::add(std::vector<char> weights) {
  auto [it, isNew] = placeOf.try_emplace(std::move(weights), 0);
  if (isNew) {
    bytes.resize(llvm::alignTo(bytes.size(), isa::kConstantAlignBytes), 0);
    it->second = bytes.size();
    bytes.insert(bytes.end(), it->first.begin(), it->first.end());
  }
  return it->second;
}

uint32_t npu::outputChannelsOf(const ResizeLayer &layer, ResizeForm form) {
  return layer.params.shape.channels * std::max(1u, form.blockColumns);
}

namespace {

/// Columns that a command takes for a pixel, and those after them that it takes
/// for the next ones.
struct ColumnBlocks {
  uint32_t first, columns; ///< Of the first block.
  uint32_t count;
  uint32_t low, lowStep, seen; ///< Columns of the input.
};

class BandDescriber {
public:
  BandDescriber(const ResizeLayer &layer, ResizeForm form, const RowBand &band,
                ResizeConstants &constants)
      : layer(layer), grid(layer.grid), channels(layer.params.shape.channels),
        form(form), band(band), input(inputBandUnder(layer.grid, band)),
        constants(constants) {}

  std::vector<isa::Conv> describe();
  uint64_t count() const {
    uint64_t perRun =
        form.blockColumns ? blocksOfRow().size() : columnRuns().size();
    return rowRuns().size() * perRun;
  }

private:
  std::vector<PlaceRun> rowRuns() const {
    return runsOf(grid.rows, band.begin, band.end);
  }
  std::vector<PlaceRun> columnRuns() const {
    return runsOf(grid.columns, 0, grid.columns.size());
  }
  isa::Conv commandOfRows(const PlaceRun &rows) const;
  void addColumns(const PlaceRun &rows, const PlaceRun &columns);
  void addBlocks(const PlaceRun &rows, const ColumnBlocks &blocks);
  std::vector<ColumnBlocks> blocksOfRow() const;
  void appendWeight(std::vector<char> &bytes, int32_t weight) const {
    for (unsigned i = 0; i < elementBytes(grid.weightType); ++i)
      bytes.push_back(char(weight >> 8 * i));
  }

  const ResizeLayer &layer;
  const ResizeGrid &grid;
  uint32_t channels;
  ResizeForm form;
  RowBand band, input;
  ResizeConstants &constants;
  std::vector<isa::Conv> commands;
};

} // namespace

/// Everything that the columns do not decide. A step of 0 is the same place
/// again and again: the stride in bytes is 0 then, that of the window one.
isa::Conv BandDescriber::commandOfRows(const PlaceRun &rows) const {
  const kernels::ResizeIntParams &p = layer.params;
  isa::Conv d;
  d.inType = p.inType, d.outType = p.outType;
  d.weightType = grid.weightType;
  d.scale = 1, d.shift = int8_t(grid.shift);
  d.outMin = p.lo, d.outMax = p.hi;
  d.dilationY = d.dilationX = d.groups = 1;
  d.kernelY = rows.span + 1;
  d.strideY = std::max(1u, rows.lowStep);
  d.inRowStride = rows.count > 1 && rows.lowStep == 0 ? 0 : layer.inRowBytes();
  d.inHeight = (rows.count - 1) * d.strideY + d.kernelY;
  d.input = uint64_t(rows.low - input.begin) * layer.inRowBytes();
  d.outHeight = rows.count;
  d.outRowStride = rows.step * layer.outRowBytes();
  d.output = uint64_t(rows.first - band.begin) * layer.outRowBytes();
  return d;
}

void BandDescriber::addColumns(const PlaceRun &rows, const PlaceRun &columns) {
  isa::Conv d = commandOfRows(rows);
  uint64_t inPixel = channels * layer.inElem(),
           outPixel = channels * layer.outElem();
  d.depthwise = true;
  d.inChannels = d.outChannels = channels;
  d.kernelX = columns.span + 1;
  d.strideX = std::max(1u, columns.lowStep);
  d.inPixelStride = columns.count > 1 && columns.lowStep == 0 ? 0 : inPixel;
  d.inWidth = (columns.count - 1) * d.strideX + d.kernelX;
  d.input += columns.low * inPixel;
  d.outWidth = columns.count;
  d.outPixelStride = columns.step * outPixel;
  d.output += columns.first * outPixel;
  const PixelWeights &w = grid.weights(rows.kind, columns.kind);
  std::vector<char> bytes;
  for (uint32_t c = 0; c < channels; ++c)
    for (uint32_t y = 0; y <= rows.span; ++y)
      for (uint32_t x = 0; x <= columns.span; ++x)
        appendWeight(bytes, w[y][x]);
  d.weights = constants.add(std::move(bytes));
  commands.push_back(d);
}

/// Blocks that are alike one after the other are of one command.
std::vector<ColumnBlocks> BandDescriber::blocksOfRow() const {
  llvm::ArrayRef<ResizePlace> places = grid.columns;
  std::vector<ColumnBlocks> blocks;
  auto block = [&](uint32_t first) {
    return places.slice(
        first, std::min<size_t>(form.blockColumns, places.size() - first));
  };
  auto areAlike = [](llvm::ArrayRef<ResizePlace> a,
                     llvm::ArrayRef<ResizePlace> b) {
    return llvm::equal(a, b, [&](const ResizePlace &x, const ResizePlace &y) {
      return x.kind == y.kind && x.span == y.span &&
             x.low - a.front().low == y.low - b.front().low;
    });
  };
  for (uint32_t x = 0; x < places.size(); x += form.blockColumns) {
    llvm::ArrayRef<ResizePlace> here = block(x);
    if (!blocks.empty()) {
      ColumnBlocks &last = blocks.back();
      uint32_t step =
          here.front().low - block(x - form.blockColumns).front().low;
      if (areAlike(block(last.first), here) &&
          (last.count == 1 || step == last.lowStep)) {
        last.lowStep = step;
        ++last.count;
        continue;
      }
    }
    uint32_t end = 0;
    for (const ResizePlace &place : here)
      end = std::max(end, place.low + place.span + 1);
    blocks.push_back({x, uint32_t(here.size()), 1, here.front().low, 0,
                      end - here.front().low});
  }
  return blocks;
}

void BandDescriber::addBlocks(const PlaceRun &rows,
                              const ColumnBlocks &blocks) {
  isa::Conv d = commandOfRows(rows);
  uint64_t inPixel = channels * layer.inElem(),
           outPixel = channels * layer.outElem();
  d.kernelX = d.strideX = 1;
  d.inChannels = blocks.seen * channels;
  d.outChannels = blocks.columns * channels;
  d.inWidth = d.outWidth = blocks.count;
  d.inPixelStride = blocks.lowStep * inPixel;
  d.outPixelStride = blocks.columns * outPixel;
  d.input += blocks.low * inPixel;
  d.output += blocks.first * outPixel;
  // The array takes pixels of one row at once: those of a column are a row.
  if (blocks.count == 1 && rows.span == 0) {
    d.inWidth = d.outWidth = rows.count;
    d.inPixelStride = rows.lowStep * layer.inRowBytes();
    d.outPixelStride = d.outRowStride;
    d.inHeight = d.outHeight = d.strideY = 1;
  }
  std::vector<char> bytes;
  for (uint32_t i = 0; i < blocks.columns; ++i) {
    const ResizePlace &place = grid.columns[blocks.first + i];
    const PixelWeights &w = grid.weights(rows.kind, place.kind);
    for (uint32_t c = 0; c < channels; ++c)
      for (uint32_t y = 0; y <= rows.span; ++y)
        for (uint32_t x = 0; x < blocks.seen; ++x)
          for (uint32_t from = 0; from < channels; ++from) {
            uint32_t tap = blocks.low + x - place.low; // wraps in front of it
            appendWeight(bytes, from == c && tap <= place.span ? w[y][tap] : 0);
          }
  }
  d.weights = constants.add(std::move(bytes));
  commands.push_back(d);
}

std::vector<isa::Conv> BandDescriber::describe() {
  std::vector<PlaceRun> rows = rowRuns();
  if (form.blockColumns != 0) {
    std::vector<ColumnBlocks> all = blocksOfRow();
    for (const PlaceRun &run : rows)
      for (const ColumnBlocks &blocks : all)
        addBlocks(run, blocks);
    return std::move(commands);
  }
  std::vector<PlaceRun> columns = columnRuns();
  for (const PlaceRun &run : rows)
    for (const PlaceRun &others : columns)
      addColumns(run, others);
  return std::move(commands);
}

std::vector<isa::Conv> npu::commandsOf(const ResizeLayer &layer,
                                       ResizeForm form, const RowBand &band,
                                       ResizeConstants &constants) {
  return BandDescriber(layer, form, band, constants).describe();
}

uint64_t npu::commandCount(const ResizeLayer &layer, ResizeForm form,
                           const RowBand &band) {
  ResizeConstants unused(0);
  return BandDescriber(layer, form, band, unused).count();
}
