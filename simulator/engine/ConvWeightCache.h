//===- ConvWeightCache.h - Weights that were packed before ------*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// Packed weights are kept from one inference to the next. An entry is used
// again only if the weights in SRAM are byte for byte those it was made of, so
// a cache never changes a result.
//
//   const ConvWeights &weights = cache.get(conv, operands);
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_SIMULATOR_ENGINE_CONVWEIGHTCACHE_H
#define YARROW_SIMULATOR_ENGINE_CONVWEIGHTCACHE_H

#include "simulator/engine/ConvWeights.h"
#include <map>
#include <vector>

namespace yarrow::sim {

class ConvWeightCache {
public:
  /// Null for \p kernel: weights are not packed for products of bytes.
  explicit ConvWeightCache(const ByteKernel *kernel) : kernel(kernel) {}

  /// The reference is good until the next call.
  const ConvWeights &get(const isa::Conv &conv, const ConvOperands &operands);

private:
  struct Key {
    uint32_t offset, inType, type, inChannels, outChannels, groups;
    uint32_t kernelY, kernelX, dilationX, depthwise, winograd, hasTapShifts;
    uint32_t packedWeights, segmentBytes, isHeldInBytes;
    int32_t padValue; ///< Bounds of sums depend on it.
    auto operator<=>(const Key &) const = default;
  };
  struct Entry {
    std::vector<ConvWeights> versions;
    size_t nextVersion = 0;
  };
  const ByteKernel *kernel;
  std::map<Key, Entry> entries;
  uint64_t sizeBytes = 0;
};

} // namespace yarrow::sim

#endif // YARROW_SIMULATOR_ENGINE_CONVWEIGHTCACHE_H
