//===- ConvWeights.h - Weights in the form the host wants -------*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// Packed weights of a convolution command; ConvWeightCache.h keeps them.
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_SIMULATOR_ENGINE_CONVWEIGHTS_H
#define YARROW_SIMULATOR_ENGINE_CONVWEIGHTS_H

#include "simulator/engine/ByteDepthwise.h"
#include "simulator/engine/ByteGemm.h"
#include "simulator/engine/ConvOperands.h"
#include "simulator/engine/Gemm.h"
#include <vector>

namespace yarrow::sim {

/// Weights are sums of factor * plane: 16-bit weights are split in bytes where
/// that lets many more products go into one 32-bit sum. For Winograd's
/// algorithm see WinogradWeights.h.
struct WeightPlane {
  int32_t factor = 1;
  uint32_t chunkPairs = 0; ///< Pairs that a 32-bit sum holds for certain.
  std::vector<PackedMatrix> matrices; ///< One per group.
};

struct ConvWeights {
  std::vector<uint8_t> source;
  /// One per group, where the host multiplies bytes; then there are no planes.
  std::vector<PackedBytes> bytes;
  std::vector<WeightPlane> planes; ///< Empty for depthwise, too.
  std::vector<int16_t> depthwise;  ///< [tap][outChannels]
  PackedDepthwise depthwiseBytes;  ///< Or these.
  std::vector<int64_t> filterSums; ///< Per output channel.
  /// Largest |sum| of one filter over any input of the type and the padding.
  int64_t largestSum = 0;

  uint64_t sizeBytes() const;
};

/// Pairs of products of such values that a 32-bit sum holds for certain, at
/// least 1.
uint32_t chunkPairs(int64_t largestX, int64_t largestWeight);

/// Whether \p conv is one of bytes that a host can multiply as bytes, if the
/// sums fit 32 bits.
bool isOfBytes(const isa::Conv &conv);
/// The windows of such a command.
ByteWindow byteWindowOf(const isa::Conv &conv);

/// Fills all but `source`: the weights of any algorithm but Winograd's. Null
/// for \p kernel: the host does not multiply bytes.
void packDirectWeights(const isa::Conv &conv, const ConvOperands &operands,
                       const ByteKernel *kernel, ConvWeights &weights);

} // namespace yarrow::sim

#endif // YARROW_SIMULATOR_ENGINE_CONVWEIGHTS_H
