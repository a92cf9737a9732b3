//===- ByteConv.cpp - Convolutions of bytes -------------------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "simulator/engine/ByteConv.h"

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
      : kernel(kernel), conv(conv), weights(weights), rows(scratch.rows),
        output(output), window(byteWindowOf(conv)) {
    columns = weights.bytes[0].columns;
    pitch = uint64_t(weights.bytes[0].blocks()) * kByteColumns;
    auto most =
        uint32_t(std::max<uint64_t>(kMinBlockPixels, kBlockSums / pitch));
    blockRows = std::clamp<uint32_t>(most / conv.outWidth, 1, conv.outHeight);
    blockPixels = most;
    sums = scratch.sums.reserve(
        pitch * std::max<uint64_t>(most + kFewPixels,
                                   uint64_t(blockRows) * conv.outWidth));
    starts.resize(uint64_t(blockRows) * window.segments);
  }

  void run() {
    for (uint32_t g = 0; g < conv.groups; ++g)
      for (uint32_t y = 0; y < conv.outHeight; y += blockRows)
        for (uint32_t x = 0; x < conv.outWidth;) {
          uint32_t pixels = conv.outWidth - x;
          if (pixels > blockPixels + kFewPixels)
            pixels = blockPixels;
          block(g, y, std::min(blockRows, conv.outHeight - y), x, pixels);
          x += pixels;
        }
  }

private:
  void block(uint32_t g, uint32_t y, uint32_t height, uint32_t x,
             uint32_t pixels) {
    findStarts(g, y, height, x);
    ByteGemmJob job;
    job.starts = starts;
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

  void findStarts(uint32_t g, uint32_t y, uint32_t height, uint32_t x) {
    uint32_t perRow = window.segments / conv.kernelY;
    int64_t first = int64_t(x) * conv.strideX * rows.pixelPitch() +
                    int64_t(g) * (conv.inChannels / conv.groups);
    const uint8_t **to = starts.data();
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
  const ByteRows &rows;
  ConvOutput &output;
  ByteWindow window;
  uint64_t pitch;
  uint32_t columns, blockRows, blockPixels;
  int32_t *sums;
  std::vector<const uint8_t *> starts;
};
} // namespace

void sim::runByteConv(const ByteKernel &kernel, const Conv &conv,
                      const BytePlace &place, const ConvWeights &weights,
                      ByteScratch &scratch, ConvOutput &output) {
  bool isShifted = conv.inType == ElementType::I8 && !kernel.takesSigned;
  scratch.rows.build(conv, place, isShifted, kernel.stepBytes);
  ByteConvRun(kernel, conv, weights, scratch, output).run();
}
