//===- ConvWeightCache.h - Weights that were packed before ------*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// Packed weights are kept from one inference to the next. An entry is used
// again only if the weights in SRAM are byte for byte those it was made of, or
// were loaded from the same constants (SramLoads.h), so a cache never changes a
// result.
//
//   const ConvWeights *weights = cache.find(conv, source);
//   if (!weights)
//     weights = &cache.get(conv, operands, source);
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_SIMULATOR_ENGINE_CONVWEIGHTCACHE_H
#define YARROW_SIMULATOR_ENGINE_CONVWEIGHTCACHE_H

#include "simulator/engine/ConvWeights.h"
#include <map>
#include <memory>
#include <optional>
#include <vector>

namespace yarrow::sim {

class ConvWeightCache {
public:
  /// Null for \p kernel: weights are not packed for products of bytes.
  explicit ConvWeightCache(const ByteKernel *kernel) : kernel(kernel) {}

  /// By the DDR address that the weights were loaded from; null if they are not
  /// known. Until the next call, as the other.
  const ConvWeights *find(const isa::Conv &conv, uint32_t source) const;
  /// By the weights' bytes; \p source, if any, finds them the next time.
  const ConvWeights &get(const isa::Conv &conv, const ConvOperands &operands,
                         std::optional<uint32_t> source = std::nullopt);
  /// What is at the addresses has changed.
  void forgetSources() { bySource.clear(); }

private:
  struct Key {
    uint32_t offset, inType, type, inChannels, outChannels, groups;
    uint32_t kernelY, kernelX, dilationX, depthwise, winograd, hasTapShifts;
    uint32_t packedWeights, segmentBytes, isHeldInBytes;
    int32_t padValue; ///< Bounds of sums depend on it.
    auto operator<=>(const Key &) const = default;
  };
  struct Entry {
    std::vector<std::unique_ptr<ConvWeights>> versions;
    size_t nextVersion = 0;
  };
  Key keyOf(const isa::Conv &conv) const;
  const ConvWeights &versionOf(const Key &key, const isa::Conv &conv,
                               const ConvOperands &operands);

  const ByteKernel *kernel;
  std::map<std::pair<uint32_t, Key>, const ConvWeights *> bySource;
  std::map<Key, Entry> entries;
  uint64_t sizeBytes = 0;
};

} // namespace yarrow::sim

#endif // YARROW_SIMULATOR_ENGINE_CONVWEIGHTCACHE_H
