//===- ResizeProducts.cpp - A resize as matrix products -------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "passes/lower/describe/ResizeProducts.h"

using namespace yarrow;
using namespace yarrow::npu;

namespace {

class RowDescriber {
public:
  RowDescriber(const ResizeLayer &layer, uint32_t columns, const RowBand &band,
               ResizeConstants &constants)
      : layer(layer), grid(layer.grid), channels(layer.params.shape.channels),
        inW(layer.params.shape.inW), columns(columns), band(band),
        input(inputBandUnder(layer.grid, band)), constants(constants) {}

  ResizeRow describe(uint32_t y, bool hasPairs) const;

private:
  isa::Copy copyOfPairs(uint32_t low) const;
  isa::MatMul product(uint32_t y, uint32_t first, uint32_t count,
                      bool readsPairs) const;

  const ResizeLayer &layer;
  const ResizeGrid &grid;
  uint32_t channels, inW, columns;
  RowBand band, input;
  ResizeConstants &constants;
};

} // namespace

/// [column][row][channel] of [row][column][channel].
isa::Copy RowDescriber::copyOfPairs(uint32_t low) const {
  uint64_t pixelBytes = channels * layer.inElem();
  isa::Copy copy;
  copy.elementBytes = layer.inElem();
  copy.src = uint64_t(low - input.begin) * layer.inRowBytes();
  copy.size0 = channels, copy.size1 = 2, copy.size2 = inW;
  copy.size3 = copy.size4 = 1;
  copy.srcStride0 = copy.dstStride0 = layer.inElem();
  copy.srcStride1 = layer.inRowBytes(), copy.dstStride1 = pixelBytes;
  copy.srcStride2 = pixelBytes, copy.dstStride2 = 2 * pixelBytes;
  return copy;
}

isa::MatMul RowDescriber::product(uint32_t y, uint32_t first, uint32_t count,
                                  bool readsPairs) const {
  const kernels::ResizeIntParams &p = layer.params;
  const ResizePlace &row = grid.rows[y];
  uint64_t pixelBytes = channels * layer.inElem();
  // Of two whole rows, or of the columns that are seen.
  uint32_t low = 0, end = inW;
  if (row.span == 0 || readsPairs) {
    low = inW, end = 0;
    for (uint32_t x = first; x < first + count; ++x) {
      low = std::min(low, grid.columns[x].low);
      end = std::max(end, grid.columns[x].low + grid.columns[x].span + 1);
    }
  }
  uint32_t seen = end - low, rows = row.span + 1;
  std::vector<char> weights(uint64_t(count) * rows * seen *
                            elementBytes(grid.weightType));
  for (uint32_t i = 0; i < count; ++i) {
    const ResizePlace &place = grid.columns[first + i];
    const PixelWeights &w = grid.weights(row.kind, place.kind);
    for (uint32_t ty = 0; ty < rows; ++ty)
      for (uint32_t tx = 0; tx <= place.span; ++tx) {
        uint32_t column = place.low + tx - low;
        uint64_t at = readsPairs ? uint64_t(column) * rows + ty
                                 : uint64_t(ty) * seen + column;
        at = (uint64_t(i) * rows * seen + at) * elementBytes(grid.weightType);
        for (unsigned b = 0; b < elementBytes(grid.weightType); ++b)
          weights[at + b] = char(w[ty][tx] >> 8 * b);
      }
  }
  isa::MatMul d;
  d.aType = grid.weightType, d.bType = p.inType, d.outType = p.outType;
  d.batch = 1, d.rows = count, d.inner = rows * seen, d.columns = channels;
  d.aInnerStride = elementBytes(grid.weightType);
  d.aRowStride = d.inner * d.aInnerStride;
  d.bInnerStride = pixelBytes, d.bColumnStride = layer.inElem();
  d.outRowStride = channels * layer.outElem();
  d.scale = 1, d.shift = int8_t(grid.shift);
  d.outMin = p.lo, d.outMax = p.hi;
  d.a = constants.add(std::move(weights));
  d.b = readsPairs ? 2 * low * pixelBytes
                   : uint64_t(row.low - input.begin) * layer.inRowBytes() +
                         low * pixelBytes;
  d.output = uint64_t(y - band.begin) * layer.outRowBytes() +
             uint64_t(first) * d.outRowStride;
  return d;
}

ResizeRow RowDescriber::describe(uint32_t y, bool hasPairs) const {
  uint32_t outW = layer.params.shape.outW;
  ResizeRow row;
  row.readsPairs = grid.rows[y].span != 0 && columns < outW;
  if (row.readsPairs && !hasPairs)
    row.pairs = copyOfPairs(grid.rows[y].low);
  for (uint32_t x = 0; x < outW; x += columns)
    row.products.push_back(
        product(y, x, std::min(columns, outW - x), row.readsPairs));
  return row;
}

std::vector<ResizeRow> npu::productsOf(const ResizeLayer &layer,
                                       uint32_t columns, const RowBand &band,
                                       ResizeConstants &constants) {
  RowDescriber describer(layer, columns, band, constants);
  std::vector<ResizeRow> rows;
  std::optional<uint32_t> paired; // the upper one of the last pair of rows
  for (uint32_t y = band.begin; y < band.end; ++y) {
    uint32_t low = layer.grid.rows[y].low;
    rows.push_back(describer.describe(y, paired == low));
    if (rows.back().readsPairs)
      paired = low;
  }
  return rows;
}
