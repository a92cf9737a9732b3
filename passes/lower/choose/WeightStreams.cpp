//===- WeightStreams.cpp - Weights as the DMA engine decodes them ---------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "passes/lower/choose/WeightStreams.h"
#include "isa/WeightStream.h"
#include "passes/lower/choose/ConvCost.h"
#include "llvm/Support/xxhash.h"

using namespace yarrow;
using namespace yarrow::npu;
using llvm::ArrayRef;

isa::Copy npu::streamedCopy(isa::Copy copy, uint64_t streamBytes) {
  copy.streamBytes = uint32_t(streamBytes);
  copy.srcStride0 = 0;
  return copy;
}

static std::span<const uint8_t> bytesOf(ArrayRef<char> bytes) {
  return {reinterpret_cast<const uint8_t *>(bytes.data()), bytes.size()};
}

[[maybe_unused]] static bool decodesTo(std::span<const uint8_t> stream,
                                       ArrayRef<char> bytes) {
  std::vector<uint8_t> decoded(bytes.size());
  return isa::decodeWeights(stream, decoded).empty() &&
         std::ranges::equal(decoded, bytesOf(bytes));
}

ArrayRef<char> WeightStreams::of(ArrayRef<char> bytes,
                                 ArrayRef<uint64_t> cuts) {
  if (!machine.hasWeightDecoder() || bytes.empty())
    return {};
  std::span<const uint8_t> plain = bytesOf(bytes);
  llvm::XXH128_hash_t digest =
      llvm::xxh3_128bits(ArrayRef(plain.data(), plain.size()));
  auto [it, isNew] = streams.try_emplace({digest.high64, digest.low64});
  if (!isNew)
    return it->second;
  std::vector<uint8_t> stream =
      isa::encodeWeights(plain, {cuts.data(), cuts.size()});
  isa::Copy copy = copyOfBytes(bytes.size());
  if (costOfLoad(streamedCopy(copy, stream.size()), machine).ddrCycles >=
      costOfLoad(copy, machine).ddrCycles)
    return {};
  assert(decodesTo(stream, bytes) && "the code is not lossless");
  it->second.assign(stream.begin(), stream.end());
  return it->second;
}
