//===- ConvWeights.cpp - Weights in the form the host wants ---------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "simulator/engine/ConvWeights.h"

#include "simulator/engine/ByteRows.h"
#include "simulator/engine/ImageRows.h"
#include <algorithm>
#include <cstdlib>

using namespace yarrow;
using namespace yarrow::sim;
using namespace yarrow::isa;

/// Largest |x| of the widened input.
static int64_t largestInput(const Conv &conv) {
  TypeRange range = rangeOf(conv.inType);
  int64_t offset = widenOffset(conv.inType);
  int64_t pad = std::abs(int64_t(conv.padValue) - offset);
  return std::max({-(range.lowest - offset), range.highest - offset, pad});
}

uint32_t sim::chunkPairs(int64_t largestX, int64_t largestWeight) {
  int64_t products = INT32_MAX / std::max<int64_t>(1, largestX * largestWeight);
  return uint32_t(std::clamp<int64_t>(products / 2, 1, 1 << 30));
}

/// One filter per row: int16 values [ky][kx][channels made even].
static std::vector<int16_t> evenFilters(const Conv &conv,
                                        const std::vector<int16_t> &values) {
  uint32_t channels = conv.inChannels / conv.groups;
  if (channels % 2 == 0)
    return values;
  uint64_t cells = values.size() / channels;
  std::vector<int16_t> even(cells * (channels + 1));
  for (uint64_t cell = 0; cell < cells; ++cell)
    std::copy_n(&values[cell * channels], channels,
                &even[cell * (channels + 1)]);
  return even;
}

static WeightPlane makePlane(const Conv &conv,
                             const std::vector<int16_t> &values,
                             int32_t factor) {
  WeightPlane plane;
  plane.factor = factor;
  int64_t largest = 0;
  for (int16_t value : values)
    largest = std::max<int64_t>(largest, std::abs(int(value)));
  plane.chunkPairs = chunkPairs(largestInput(conv), largest);
  std::vector<int16_t> filters = evenFilters(conv, values);
  uint64_t pitch = filters.size() / conv.outChannels;
  uint32_t columns = conv.outChannels / conv.groups;
  plane.matrices.resize(conv.groups);
  for (uint32_t g = 0; g < conv.groups; ++g)
    packMatrix(&filters[uint64_t(g) * columns * pitch], pitch, columns,
               uint32_t(pitch), plane.matrices[g]);
  return plane;
}

static void transposeDepthwise(const Conv &conv,
                               const std::vector<int16_t> &values,
                               std::vector<int16_t> &to) {
  uint64_t taps = filterSize(conv);
  to.resize(values.size());
  for (uint32_t c = 0; c < conv.outChannels; ++c)
    for (uint64_t tap = 0; tap < taps; ++tap)
      to[tap * conv.outChannels + c] = values[c * taps + tap];
}

static void sumFilters(const Conv &conv, const std::vector<int16_t> &values,
                       ConvWeights &to) {
  uint64_t filter = filterSize(conv);
  for (uint32_t c = 0; c < conv.outChannels; ++c) {
    int64_t sum = 0, magnitude = 0;
    for (uint64_t i = 0; i < filter; ++i) {
      int64_t value = values[c * filter + i];
      sum += value;
      magnitude += std::abs(value);
    }
    to.filterSums.push_back(sum);
    to.largestSum = std::max(to.largestSum, magnitude * largestInput(conv));
  }
}

/// Few filters are packed into many columns, 16 at least: much more than the
/// weights have.
uint64_t ConvWeights::sizeBytes() const {
  uint64_t size = source.size() + depthwise.size() * sizeof(depthwise[0]) +
                  filterSums.size() * sizeof(filterSums[0]);
  for (const WeightPlane &plane : planes)
    for (const PackedMatrix &matrix : plane.matrices)
      size += matrix.data.size() * sizeof(matrix.data[0]);
  size += depthwiseBytes.sizeBytes();
  for (const PackedBytes &group : bytes)
    size += group.sizeBytes();
  return size;
}

bool sim::isOfBytes(const Conv &conv) {
  return conv.weightType == ElementType::I8 && !conv.depthwise &&
         conv.winograd == WinogradMode::None && ByteRows::canHold(conv);
}

ByteWindow sim::byteWindowOf(const Conv &conv) {
  uint32_t channels = conv.inChannels / conv.groups;
  bool isDense = conv.groups == 1 && conv.dilationX == 1 &&
                 ByteRows::pixelPitchOf(conv) == channels;
  if (isDense || conv.kernelX == 1)
    return {conv.kernelY, conv.kernelX * channels};
  return {conv.kernelY * conv.kernelX, channels};
}

static void packByteWeights(const Conv &conv,
                            const std::vector<int16_t> &values,
                            const ByteKernel &kernel, ConvWeights &weights) {
  std::vector<int8_t> narrow(values.begin(), values.end());
  uint32_t columns = conv.outChannels / conv.groups;
  uint64_t groupSize = filterSize(conv) * columns;
  weights.bytes.resize(conv.groups);
  for (uint32_t g = 0; g < conv.groups; ++g)
    packBytes(kernel, &narrow[g * groupSize], columns, byteWindowOf(conv),
              weights.bytes[g]);
}

/// Two to a byte, the first one in the low half.
static void widenPacked(const uint8_t *packed, std::vector<int16_t> &to) {
  for (uint64_t i = 0; i < to.size(); ++i)
    to[i] = int16_t(int8_t(packed[i / 2] << (i % 2 ? 0 : 4)) >> 4);
}

void sim::packDirectWeights(const Conv &conv, const ConvOperands &operands,
                            const ByteKernel *kernel, ConvWeights &weights) {
  uint64_t count = filterSize(conv) * conv.outChannels;
  std::vector<int16_t> values(count);
  if (conv.packedWeights)
    widenPacked(operands.weights, values);
  else
    widen(conv.weightType, operands.weights, count, values.data());
  sumFilters(conv, values, weights);
  if (conv.depthwise && kernel && hostHasByteDepthwise() &&
      conv.weightType == ElementType::I8 &&
      conv.outChannels == conv.inChannels && ByteRows::canHold(conv) &&
      weights.largestSum <= INT32_MAX) {
    std::vector<int8_t> narrow(values.begin(), values.end());
    packDepthwise(narrow.data(), conv.outChannels, conv.kernelY, conv.kernelX,
                  weights.depthwiseBytes);
    return;
  }
  if (conv.depthwise) {
    transposeDepthwise(conv, values, weights.depthwise);
    return;
  }
  if (kernel && isOfBytes(conv) && weights.largestSum <= INT32_MAX) {
    packByteWeights(conv, values, *kernel, weights);
    return;
  }
  weights.planes.push_back(makePlane(conv, values, 1));
  // Below this many pairs per sum the widening costs more than a second pass.
  if (weights.planes[0].chunkPairs >= 16)
    return;
  std::vector<int16_t> low(count), high(count);
  for (uint64_t i = 0; i < count; ++i) {
    low[i] = int16_t(values[i] & 255);
    high[i] = int16_t(values[i] >> 8);
  }
  weights.planes.clear();
  weights.planes.push_back(makePlane(conv, low, 1));
  weights.planes.push_back(makePlane(conv, high, 256));
}
