//===- Conv.cpp - Convolution on the tensor engine ------------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// The padded image lets every window be the same list of segments relative to
// its first cell; rows of windows are then products with the packed weights.
//
//===----------------------------------------------------------------------===//
#include "simulator/engine/ConvCheck.h"
#include "simulator/engine/ConvOutput.h"
#include "simulator/engine/Depthwise.h"
#include "simulator/engine/ImageRows.h"
#include "simulator/engine/TensorEngine.h"
#include <algorithm>

using namespace yarrow;
using namespace yarrow::sim;
using namespace yarrow::isa;

/// Sums of a block of pixels stay in the second-level cache.
static constexpr uint32_t kBlockSums = 1 << 15;

static std::vector<GemmSegment> windowSegments(const Conv &conv,
                                               const ImageRows &image) {
  std::vector<GemmSegment> segments;
  for (uint32_t ky = 0; ky < conv.kernelY; ++ky) {
    int64_t row = int64_t(ky) * conv.dilationY * image.rowPitch();
    if (conv.dilationX == 1) {
      segments.push_back({row, conv.kernelX * image.channels / 2});
      continue;
    }
    for (uint32_t kx = 0; kx < conv.kernelX; ++kx)
      segments.push_back({row + int64_t(kx) * conv.dilationX * image.channels,
                          image.channels / 2});
  }
  return segments;
}

namespace {
/// A block of pixels of one row, one group at a time.
class ConvBlocks {
public:
  ConvBlocks(const Conv &conv, const ConvWeights &weights,
             const ImageRows &image, ConvOutput &output)
      : conv(conv), weights(weights), image(image), output(output),
        segments(windowSegments(conv, image)) {
    const PackedMatrix &matrix = weights.planes[0].matrices[0];
    groupColumns = matrix.columns;
    pitch = uint64_t(matrix.blocks()) * kGemmColumns;
    fits32 = weights.planes.size() == 1 &&
             weights.planes[0].chunkPairs >= matrix.pairs &&
             !is16Bit(conv.inType);
    blockPixels = std::max<uint32_t>(16, uint32_t(kBlockSums / pitch));
    blockPixels = std::min(blockPixels, conv.outWidth);
    sums.resize(blockPixels * pitch);
    if (!fits32)
      wideSums.resize(blockPixels * pitch);
  }

  void run() {
    for (uint32_t g = 0; g < conv.groups; ++g)
      for (uint32_t y = 0; y < conv.outHeight; ++y)
        for (uint32_t x = 0; x < conv.outWidth; x += blockPixels)
          block(g, y, x, std::min(blockPixels, conv.outWidth - x));
  }

private:
  void block(uint32_t g, uint32_t y, uint32_t x, uint32_t pixels) {
    GemmJob job;
    job.a = image.data.get() + g * image.groupPitch() +
            int64_t(y) * conv.strideY * image.rowPitch() +
            int64_t(x) * conv.strideX * image.columnPitch();
    job.pixelPitch = conv.strideX * image.columnPitch();
    job.pixels = pixels;
    job.c = sums.data();
    job.cPitch = pitch;
    uint32_t first = g * groupColumns;
    if (fits32) {
      setColumns(job, weights.planes[0].matrices[g], 0);
      job.segments = segments;
      gemm(job);
      output.write(sums.data(), pitch, y, x, pixels, first, groupColumns);
      return;
    }
    startWide(pixels, first);
    for (const WeightPlane &plane : weights.planes)
      forEachChunk(segments, plane.chunkPairs,
                   [&](std::span<const GemmSegment> part, uint32_t before) {
                     setColumns(job, plane.matrices[g], before);
                     job.segments = part;
                     gemm(job);
                     accumulate(wideSums.data(), sums.data(), plane.factor,
                                pixels * pitch);
                   });
    output.write(wideSums.data(), pitch, y, x, pixels, first, groupColumns);
  }

  static void setColumns(GemmJob &job, const PackedMatrix &matrix,
                         uint32_t pairsBefore) {
    job.b = matrix.data.data() + uint64_t(pairsBefore) * 2 * kGemmColumns;
    job.blockStride = matrix.blockStride();
    job.blocks = matrix.blocks();
  }

  /// What widening the input took away.
  void startWide(uint32_t pixels, uint32_t firstChannel) {
    std::fill_n(wideSums.begin(), pixels * pitch, 0);
    int64_t offset = widenOffset(conv.inType);
    if (offset == 0)
      return;
    for (uint32_t p = 0; p < pixels; ++p)
      for (uint32_t c = 0; c < groupColumns; ++c)
        wideSums[p * pitch + c] = offset * weights.filterSums[firstChannel + c];
  }

  const Conv &conv;
  const ConvWeights &weights;
  const ImageRows &image;
  ConvOutput &output;
  std::vector<GemmSegment> segments;
  uint64_t pitch;
  uint32_t groupColumns, blockPixels;
  bool fits32;
  std::vector<int32_t> sums;
  std::vector<int64_t> wideSums;
};
} // namespace

/// A 1x1 convolution over whole rows that lie one behind the other is one over
/// a single long row: narrow images then fill the host's tiles.
static Conv withJoinedRows(const Conv &conv) {
  Conv joined = conv;
  uint64_t pixels = uint64_t(conv.outHeight) * conv.outWidth;
  bool isPointwise = conv.kernelY == 1 && conv.kernelX == 1 &&
                     conv.strideY == 1 && conv.strideX == 1 &&
                     conv.padTop == 0 && conv.padLeft == 0;
  bool isWhole =
      conv.inWidth == conv.outWidth && conv.inHeight >= conv.outHeight;
  auto isDense = [&](uint64_t rowStride, uint64_t pixelStride) {
    return conv.outHeight == 1 || rowStride == conv.outWidth * pixelStride;
  };
  if (!isPointwise || !isWhole ||
      !isDense(conv.inRowStride, conv.inPixelStride) ||
      !isDense(conv.outRowStride, conv.outPixelStride) ||
      (conv.hasResidual &&
       !isDense(conv.residualRowStride, conv.residualPixelStride)))
    return joined;
  joined.inHeight = joined.outHeight = 1;
  joined.inWidth = joined.outWidth = uint32_t(pixels);
  return joined;
}

/// Results that land on the input are written after all of it was read.
BytePlace TensorEngine::placeOf(const Conv &conv,
                                const ConvOperands &operands) const {
  BytePlace place{operands.input, sram.hostEnd(), false};
  Extent input;
  conv.forEachAccess([&](const FieldAccess &a) {
    Extent bytes{a.offset + a.extent.begin, a.offset + a.extent.end};
    if (Conv::kAddressFields[a.field].name == "input")
      input = bytes; // The first of all.
    else if (a.isWrite)
      place.mustCopy |= bytes.begin < input.end && input.begin < bytes.end;
  });
  return place;
}

void TensorEngine::useConstants(uint64_t begin, uint64_t end) {
  memory.watch(begin, end);
  uint64_t writes = memory.watchedWrites();
  if (begin != constantsBegin || end != constantsEnd ||
      writes != constantsWrites)
    weightCache.forgetSources();
  constantsBegin = begin;
  constantsEnd = end;
  constantsWrites = writes;
}

const ConvWeights &TensorEngine::weightsOf(const Conv &conv,
                                           const ConvOperands &operands) {
  std::optional<uint32_t> source =
      loadedConstants.sourceOf(conv.weights, operands.weightBytes);
  if (source)
    if (const ConvWeights *known = weightCache.find(conv, *source))
      return *known;
  loadedConstants.read(conv.weights,
                       int64_t(conv.weights + operands.weightBytes));
  return weightCache.get(conv, operands, source);
}

Fault TensorEngine::execute(const Conv &command, Budget *budget) {
  // Of Winograd's weights some are checked.
  if (command.winograd != WinogradMode::None)
    loadedConstants.readAll();
  if (Fault f = checkStage("conv", command.wideScale || command.wideSum))
    return f;
  ConvOperands operands;
  if (Fault f = resolveConv(command, sram, winograd, operands))
    return f;
  if (budget)
    if (Fault f = budget->take(effortOf(command)))
      return f;
  const Conv conv = withJoinedRows(command);
  const ConvWeights &weights = weightsOf(conv, operands);
  access(command);
  ConvOutput output(conv, operands);
  if (conv.winograd != WinogradMode::None) {
    runWinograd(conv, operands, weights, winogradScratch, output);
    return std::nullopt;
  }
  if (weights.depthwiseBytes.channels != 0) {
    runByteDepthwise(conv, placeOf(conv, operands), weights.depthwiseBytes,
                     depthwiseScratch, output);
    return std::nullopt;
  }
  if (conv.depthwise) {
    uint32_t multiplier = conv.outChannels / conv.inChannels;
    buildImage(conv, operands.input, 1, multiplier, false, image);
    runDepthwise(conv, weights, image, output);
    return std::nullopt;
  }
  if (!weights.bytes.empty()) {
    runByteConv(*byteKernel, conv, placeOf(conv, operands), weights,
                byteScratch, output);
    return std::nullopt;
  }
  buildImage(conv, operands.input, conv.groups, 1, true, image);
  ConvBlocks(conv, weights, image, output).run();
  return std::nullopt;
}
