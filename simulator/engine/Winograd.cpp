//===- Winograd.cpp - The tensor engine's Winograd mode -------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// Block by block of tiles: what the transforms and products of one block read
// and write stays in the second-level cache.
//
//===----------------------------------------------------------------------===//
#include "simulator/engine/Winograd.h"

#include "simulator/engine/WinogradTransforms.h"
#include "simulator/engine/WinogradWeights.h"
#include <algorithm>

using namespace yarrow;
using namespace yarrow::sim;
using namespace yarrow::isa;

/// Transformed inputs and sums of a block.
static constexpr uint64_t kBlockBytes = 128 << 10;

/// Fewer tiles would read the weights too often for what they multiply.
static constexpr uint64_t kMinBlockTiles = 32;

namespace {
/// Sum is int32_t if every sum fits, else int64_t.
template <typename Sum> class WinogradBlocks {
public:
  WinogradBlocks(const Conv &conv, const ConvWeights &weights,
                 WinogradScratch &scratch, ConvOutput &output)
      : conv(conv), weights(weights), image(scratch.image), output(output),
        tile(tileOf(conv.winograd)), sums(sumsOf(conv.winograd)) {
    tilesY = (conv.outHeight + tile.outRows - 1) / tile.outRows;
    tilesX = (conv.outWidth + tile.outColumns - 1) / tile.outColumns;
    inputPitch = uint64_t(sums.rows) * image.channels;
    pitch = uint64_t(weights.planes[0].matrices[0].blocks()) * kGemmColumns;
    chooseBlock();
    uint64_t tiles = uint64_t(blockRows) * blockColumns;
    inputs = scratch.inputs.reserve(sums.count * tiles * inputPitch);
    products = scratch.products.reserve(sums.count * tiles * pitch);
    if (tile.outRows > 1)
      columns = scratch.columns.reserve(tile.rows * columnsPitch());
    uint64_t resultCount = tile.outRows * resultsPitch();
    if constexpr (sizeof(Sum) == 8) {
      wideSums = scratch.wideSums.reserve(sums.count * tiles * pitch);
      results = scratch.wideResults.reserve(resultCount);
    } else {
      results = scratch.results.reserve(resultCount);
    }
    // Rows of a tile that are summed lie one behind the other.
    segments[0] = {0, uint32_t(inputPitch / 2)};
  }

  void run() {
    for (uint32_t y = 0; y < tilesY; y += blockRows)
      for (uint32_t x = 0; x < tilesX; x += blockColumns)
        block(y, std::min(blockRows, tilesY - y), x,
              std::min(blockColumns, tilesX - x));
  }

private:
  void chooseBlock() {
    uint64_t tileBytes = sums.count * (inputPitch * 2 + pitch * sizeof(Sum));
    uint64_t tiles =
        std::max<uint64_t>(kMinBlockTiles, kBlockBytes / tileBytes);
    // Equal parts of a row, in whole groups of the product's 16 rows.
    uint64_t parts = (tilesX + tiles - 1) / tiles;
    uint64_t part = (tilesX + parts - 1) / parts;
    blockColumns = parts == 1 ? tilesX : uint32_t((part + 15) / 16 * 16);
    blockRows = uint32_t(std::clamp<uint64_t>(tiles / blockColumns, 1, tilesY));
  }
  uint64_t columnsPitch() const {
    return (uint64_t(blockColumns) * 2 + 2) * image.channels;
  }
  uint64_t resultsPitch() const { return blockColumns * 2 * pitch; }

  void block(uint32_t y, uint32_t rows, uint32_t x, uint32_t width) {
    uint64_t tiles = uint64_t(rows) * width;
    for (uint32_t r = 0; r < rows; ++r)
      transformInputs(y + r, x, width, r * width, tiles);
    multiply(uint32_t(tiles));
    for (uint32_t r = 0; r < rows; ++r)
      finish(y + r, x, width, r * width, tiles);
  }

  /// [sum][tile][row of the tile][channel], tile by tile of one row of them.
  void transformInputs(uint32_t y, uint32_t x, uint32_t width,
                       uint64_t firstTile, uint64_t tiles) {
    const int16_t *from = image.data.get() +
                          int64_t(y) * tile.outRows * image.rowPitch() +
                          int64_t(x) * tile.outColumns * image.columnPitch();
    WinogradRow row{from,
                    width,
                    image.channels,
                    inputPitch,
                    tiles * inputPitch,
                    inputs + firstTile * inputPitch};
    if (tile.outRows == 1) {
      for (uint32_t r = 0; r < tile.rows; ++r) {
        transformRow(row);
        row.from += image.rowPitch();
        row.to += image.channels;
      }
      return;
    }
    uint64_t cells = (uint64_t(width) * 2 + 2) * image.channels;
    transformColumns(from, image.rowPitch(), cells, columns, cells);
    row.from = columns;
    for (uint32_t r = 0; r < tile.rows; ++r) {
      transformRow(row);
      row.from += cells;
      row.to += tile.columns * row.sumPitch;
    }
  }

  void multiply(uint32_t tiles) {
    GemmJob job;
    job.pixelPitch = int64_t(inputPitch);
    job.pixels = tiles;
    job.cPitch = pitch;
    if constexpr (sizeof(Sum) == 8)
      std::fill_n(wideSums, sums.count * tiles * pitch, 0);
    for (uint32_t s = 0; s < sums.count; ++s) {
      job.a = inputs + s * tiles * inputPitch;
      job.c = products + s * tiles * pitch;
      if constexpr (sizeof(Sum) == 4)
        multiplyPart(job, weights.planes[0].matrices[s], 0, segments);
      else
        for (const WeightPlane &plane : weights.planes)
          forEachChunk(segments, plane.chunkPairs,
                       [&](std::span<const GemmSegment> part, uint32_t before) {
                         multiplyPart(job, plane.matrices[s], before, part);
                         accumulate(wideSums + s * tiles * pitch, job.c,
                                    plane.factor, tiles * pitch);
                       });
    }
  }

  static void multiplyPart(GemmJob &job, const PackedMatrix &matrix,
                           uint32_t pairsBefore,
                           std::span<const GemmSegment> part) {
    job.segments = part;
    job.b = matrix.data.data() + uint64_t(pairsBefore) * 2 * kGemmColumns;
    job.blockStride = matrix.blockStride();
    job.blocks = matrix.blocks();
    gemm(job);
  }

  /// The results of one row of tiles.
  void finish(uint32_t y, uint32_t x, uint32_t width, uint64_t firstTile,
              uint64_t tiles) {
    WinogradTiles<Sum> part{allSums() + firstTile * pitch,
                            tiles * pitch,
                            pitch,
                            width,
                            conv.winogradShift,
                            results,
                            resultsPitch()};
    if (tile.outRows == 1)
      finishTileRows(part);
    else
      finishTiles(part);
    // What a last tile has beyond the result is dropped.
    uint32_t left = x * tile.outColumns;
    uint32_t pixels = std::min(width * tile.outColumns, conv.outWidth - left);
    for (uint32_t r = 0; r < tile.outRows; ++r)
      if (uint32_t row = y * tile.outRows + r; row < conv.outHeight)
        output.write(results + r * resultsPitch(), pitch, row, left, pixels, 0,
                     conv.outChannels);
  }

  const Sum *allSums() const {
    if constexpr (sizeof(Sum) == 8)
      return wideSums;
    else
      return products;
  }

  const Conv &conv;
  const ConvWeights &weights;
  const ImageRows &image;
  ConvOutput &output;
  WinogradTile tile;
  WinogradSums sums;
  uint32_t tilesY, tilesX;
  uint32_t blockRows, blockColumns;
  uint64_t inputPitch; ///< Of a tile in `inputs`.
  uint64_t pitch;      ///< Of a tile in `products`.
  GemmSegment segments[1];
  int16_t *inputs = nullptr, *columns = nullptr;
  int32_t *products = nullptr;
  Sum *wideSums = nullptr, *results = nullptr;
};
} // namespace

void sim::runWinograd(const Conv &conv, const ConvOperands &operands,
                      const ConvWeights &weights, WinogradScratch &scratch,
                      ConvOutput &output) {
  // Whole tiles, whatever is beyond the result.
  WinogradTile tile = tileOf(conv.winograd);
  Conv whole = conv;
  whole.outHeight =
      (conv.outHeight + tile.outRows - 1) / tile.outRows * tile.outRows;
  whole.outWidth =
      (conv.outWidth + tile.outColumns - 1) / tile.outColumns * tile.outColumns;
  buildImage(whole, operands.input, 1, 1, true, scratch.image);
  if (weights.planes.size() == 1 && weights.largestSum <= INT32_MAX)
    WinogradBlocks<int32_t>(conv, weights, scratch, output).run();
  else
    WinogradBlocks<int64_t>(conv, weights, scratch, output).run();
}
