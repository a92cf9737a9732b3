//===- Depthwise.cpp - Channel-by-channel convolution ---------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "simulator/engine/Depthwise.h"

#include "simulator/engine/HostVector.h"
#include <cstring>

using namespace yarrow;
using namespace yarrow::sim;
using namespace yarrow::isa;

namespace {
/// One output row.
struct DepthwiseRow {
  const int16_t *image; ///< First cell of the first window.
  int64_t pixelPitch;
  const int16_t *weights; ///< [tap][channels]
  std::vector<int64_t> tapOffsets;
  uint32_t pixels, channels;
};
} // namespace

// 32 channels: two registers of 512 bits of sums, four of 256.
static constexpr uint32_t kLanes = 32;
typedef int16_t HalfLanes __attribute__((vector_size(kLanes * 2), aligned(2)));
typedef int32_t SumLanes __attribute__((vector_size(kLanes * 4), aligned(4)));

YARROW_HOST_CLONES static void sumRow(const DepthwiseRow &row, int32_t *sums) {
  size_t taps = row.tapOffsets.size();
  for (uint32_t p = 0; p < row.pixels; ++p) {
    const int16_t *window = row.image + p * row.pixelPitch;
    int32_t *to = sums + size_t(p) * row.channels;
    uint32_t c = 0;
    for (; c + kLanes <= row.channels; c += kLanes) {
      SumLanes sum = {};
      for (size_t t = 0; t < taps; ++t) {
        HalfLanes x, w;
        std::memcpy(&x, window + row.tapOffsets[t] + c, sizeof x);
        std::memcpy(&w, row.weights + t * row.channels + c, sizeof w);
        sum += __builtin_convertvector(x, SumLanes) *
               __builtin_convertvector(w, SumLanes);
      }
      std::memcpy(to + c, &sum, sizeof sum);
    }
    uint32_t rest = row.channels - c;
    if (rest == 0)
      continue;
    std::memset(to + c, 0, rest * sizeof *to);
    for (size_t t = 0; t < taps; ++t)
      for (uint32_t i = 0; i < rest; ++i)
        to[c + i] += int32_t(window[row.tapOffsets[t] + c + i]) *
                     row.weights[t * row.channels + c + i];
  }
}

YARROW_HOST_CLONES static void sumRowWide(const DepthwiseRow &row,
                                          const int64_t *start, int64_t *sums) {
  for (uint32_t p = 0; p < row.pixels; ++p) {
    const int16_t *window = row.image + p * row.pixelPitch;
    int64_t *to = sums + size_t(p) * row.channels;
    std::memcpy(to, start, row.channels * sizeof *to);
    for (size_t t = 0; t < row.tapOffsets.size(); ++t) {
      const int16_t *x = window + row.tapOffsets[t];
      const int16_t *w = row.weights + t * row.channels;
      for (uint32_t c = 0; c < row.channels; ++c)
        to[c] += int32_t(x[c]) * w[c];
    }
  }
}

void sim::runDepthwise(const Conv &conv, const ConvWeights &weights,
                       const ImageRows &image, ConvOutput &output) {
  DepthwiseRow row;
  row.pixelPitch = conv.strideX * image.columnPitch();
  row.weights = weights.depthwise.data();
  row.pixels = conv.outWidth;
  row.channels = conv.outChannels;
  for (uint32_t ky = 0; ky < conv.kernelY; ++ky)
    for (uint32_t kx = 0; kx < conv.kernelX; ++kx)
      row.tapOffsets.push_back(int64_t(ky) * conv.dilationY * image.rowPitch() +
                               int64_t(kx) * conv.dilationX *
                                   image.columnPitch());
  bool fits32 = !is16Bit(conv.inType) && weights.largestSum <= INT32_MAX;
  size_t size = size_t(row.pixels) * row.channels;
  std::vector<int32_t> sums(fits32 ? size : 0);
  std::vector<int64_t> wideSums(fits32 ? 0 : size), start;
  if (!fits32)
    for (int64_t sum : weights.filterSums)
      start.push_back(widenOffset(conv.inType) * sum);
  for (uint32_t y = 0; y < conv.outHeight; ++y) {
    row.image = image.data.get() + int64_t(y) * conv.strideY * image.rowPitch();
    if (fits32) {
      sumRow(row, sums.data());
      output.write(sums.data(), row.channels, y, 0, row.pixels, 0,
                   row.channels);
    } else {
      sumRowWide(row, start.data(), wideSums.data());
      output.write(wideSums.data(), row.channels, y, 0, row.pixels, 0,
                   row.channels);
    }
  }
}
