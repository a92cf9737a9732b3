//===- ByteConv.cpp - Convolutions of bytes -------------------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "simulator/engine/ByteConv.h"

#include "simulator/engine/Pieces.h"
#include "support/ThreadPool.h"
#include <algorithm>

using namespace yarrow;
using namespace yarrow::sim;
using namespace yarrow::isa;

/// Sums of a block of pixels stay in the nearer caches, but a block has enough
/// pixels that weights are not read for a few of them.
static constexpr uint64_t kBlockSums = 1 << 13;
static constexpr uint32_t kMinBlockPixels = 64;
/// Pixels that are not worth a block of their own.
static constexpr uint32_t kFewPixels = 16;

namespace {
class ByteConvRun {
public:
  ByteConvRun(const ByteKernel &kernel, const Conv &conv,
              const ConvWeights &weights, ByteScratch &scratch,
              ConvOutput &output)
      : kernel(kernel), conv(conv), weights(weights), scratch(scratch),
        rows(scratch.rows), output(output), window(byteWindowOf(conv)) {
    columns = weights.bytes[0].columns;
    pitch = uint64_t(weights.bytes[0].blocks()) * kByteColumns;
    auto most =
        uint32_t(std::max<uint64_t>(kMinBlockPixels, kBlockSums / pitch));
    blockRows = std::clamp<uint32_t>(most / conv.outWidth, 1, conv.outHeight);
    blockPixels = most;
    blockSums = pitch * std::max<uint64_t>(most + kFewPixels,
                                           uint64_t(blockRows) * conv.outWidth);
  }

  void run() {
    uint32_t bands = (conv.outHeight + blockRows - 1) / blockRows;
    uint32_t parts = 1;
    while (uint64_t(parts) * blockPixels + kFewPixels < conv.outWidth)
      ++parts;
    uint64_t blocks = uint64_t(conv.groups) * bands * parts;
    auto runBlocks = [&](uint64_t begin, uint64_t end, Room &room) {
      room.starts.resize(uint64_t(blockRows) * window.segments);
      room.sums.reserve(blockSums);
      for (uint64_t i = begin; i < end; ++i) {
        uint32_t part = uint32_t(i % parts);
        uint32_t y = uint32_t(i / parts % bands) * blockRows;
        uint32_t x = part * blockPixels;
        block(uint32_t(i / parts / bands), y,
              std::min(blockRows, conv.outHeight - y), x,
              part + 1 == parts ? conv.outWidth - x : blockPixels, room);
      }
    };
    uint64_t pieces = std::min(piecesOf(conv), blocks);
    if (scratch.rooms.size() < pieces)
      scratch.rooms.resize(pieces);
    parallelFor(pieces, [&](size_t i) {
      runBlocks(blocks * i / pieces, blocks * (i + 1) / pieces,
                scratch.rooms[i]);
    });
  }

private:
  using Room = ByteScratch::Room;

  void block(uint32_t g, uint32_t y, uint32_t height, uint32_t x,
             uint32_t pixels, Room &room) {
    findStarts(g, y, height, x, room);
    int32_t *sums = room.sums.get();
    ByteGemmJob job;
    job.starts = room.starts;
    job.rows = height;
    job.pixels = pixels;
    job.pixelPitch = conv.strideX * rows.pixelPitch();
    job.isSigned = conv.inType == ElementType::I8;
    job.columns = &weights.bytes[g];
    job.c = sums;
    job.cPitch = pitch;
    kernel.multiply(job);
    for (uint32_t r = 0; r < height; ++r)
      output.write(sums + uint64_t(r) * pixels * pitch, pitch, y + r, x, pixels,
                   g * columns, columns);
  }

  void findStarts(uint32_t g, uint32_t y, uint32_t height, uint32_t x,
                  Room &room) const {
    uint32_t perRow = window.segments / conv.kernelY;
    int64_t first = int64_t(x) * conv.strideX * rows.pixelPitch() +
                    int64_t(g) * (conv.inChannels / conv.groups);
    const uint8_t **to = room.starts.data();
    for (uint32_t r = 0; r < height; ++r)
      for (uint32_t ky = 0; ky < conv.kernelY; ++ky) {
        const uint8_t *row = rows.row(uint64_t(y + r) * conv.strideY +
                                      uint64_t(ky) * conv.dilationY) +
                             first;
        for (uint32_t i = 0; i < perRow; ++i)
          *to++ = row + int64_t(i) * conv.dilationX * rows.pixelPitch();
      }
  }

  const ByteKernel &kernel;
  const Conv &conv;
  const ConvWeights &weights;
  ByteScratch &scratch;
  const ByteRows &rows;
  ConvOutput &output;
  ByteWindow window;
  uint64_t pitch, blockSums;
  uint32_t columns, blockRows, blockPixels;
};
} // namespace

void sim::runByteConv(const ByteKernel &kernel, const Conv &conv,
                      const BytePlace &place, const ConvWeights &weights,
                      ByteScratch &scratch, ConvOutput &output) {
  bool isShifted = conv.inType == ElementType::I8 && !kernel.takesSigned;
  scratch.rows.build(conv, place, isShifted, kernel.stepBytes);
  ByteConvRun(kernel, conv, weights, scratch, output).run();
}
