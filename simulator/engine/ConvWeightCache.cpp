//===- ConvWeightCache.cpp - Weights that were packed before --------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "simulator/engine/ConvWeightCache.h"

#include "simulator/engine/WinogradWeights.h"
#include <cstring>

using namespace yarrow;
using namespace yarrow::sim;
using namespace yarrow::isa;

/// The cache is emptied when it holds more.
static constexpr uint64_t kMaxCacheBytes = uint64_t(256) << 20;

/// A network whose layers share one SRAM place has as many versions per key as
/// layers of the same shape; more than this and the search costs more than
/// packing.
static constexpr size_t kMaxVersions = 64;

static ConvWeights makeWeights(const Conv &conv, const ConvOperands &operands,
                               const ByteKernel *kernel) {
  ConvWeights weights;
  weights.source.assign(operands.weights,
                        operands.weights + operands.weightBytes);
  if (conv.winograd != WinogradMode::None)
    packWinogradWeights(conv, operands, weights);
  else
    packDirectWeights(conv, operands, kernel, weights);
  return weights;
}

ConvWeightCache::Key ConvWeightCache::keyOf(const Conv &conv) const {
  return {conv.weights,
          uint32_t(conv.inType),
          uint32_t(conv.weightType),
          conv.inChannels,
          conv.outChannels,
          conv.groups,
          conv.kernelY,
          conv.kernelX,
          conv.dilationX != 1,
          conv.depthwise,
          uint32_t(conv.winograd),
          conv.hasTapShifts,
          conv.packedWeights,
          kernel && isOfBytes(conv) ? byteWindowOf(conv).bytes : 0,
          ByteRows::canHold(conv),
          conv.padValue};
}

const ConvWeights *ConvWeightCache::find(const Conv &conv,
                                         uint32_t source) const {
  auto it = bySource.find({source, keyOf(conv)});
  return it == bySource.end() ? nullptr : it->second;
}

const ConvWeights &ConvWeightCache::get(const Conv &conv,
                                        const ConvOperands &operands,
                                        std::optional<uint32_t> source) {
  Key key = keyOf(conv);
  const ConvWeights &weights = versionOf(key, conv, operands);
  if (source)
    bySource[{*source, key}] = &weights;
  return weights;
}

const ConvWeights &ConvWeightCache::versionOf(const Key &key, const Conv &conv,
                                              const ConvOperands &operands) {
  if (sizeBytes > kMaxCacheBytes) {
    entries.clear();
    bySource.clear();
    sizeBytes = 0;
  }
  Entry &entry = entries[key];
  for (const auto &version : entry.versions)
    if (std::memcmp(version->source.data(), operands.weights,
                    operands.weightBytes) == 0)
      return *version;
  ConvWeights made = makeWeights(conv, operands, kernel);
  sizeBytes += made.sizeBytes();
  if (entry.versions.size() < kMaxVersions) {
    entry.versions.push_back(std::make_unique<ConvWeights>(std::move(made)));
    return *entry.versions.back();
  }
  bySource.clear();
  ConvWeights &place = *entry.versions[entry.nextVersion];
  entry.nextVersion = (entry.nextVersion + 1) % kMaxVersions;
  sizeBytes -= place.sizeBytes();
  return place = std::move(made);
}
