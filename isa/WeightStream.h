//===- WeightStream.h - Weights in fewer bytes ------------------*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// The code of weight streams, which the DMA engine decodes on the way from DDR
// into SRAM (`copy`, field streamBytes). It is lossless. In the worst case, a
// stream is longer than its bytes by one block header for every 64 KiB.
// docs/machine.md explains the decoder, and why it has a fixed rate.
//
//   std::vector<uint8_t> stream = isa::encodeWeights(bytes);
//   std::string_view problem = isa::decodeWeights(stream, bytesAgain);
//
// A stream is a sequence of blocks. A block is a header (blockHeader), for
// coded kinds a table with the lengths of the 16 codes, 4 bits each, and the
// bytes of the lanes in the order in which the lanes read them.
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_ISA_WEIGHTSTREAM_H
#define YARROW_ISA_WEIGHTSTREAM_H

#include <array>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

namespace yarrow::isa {

/// What follows the header of a block.
enum class WeightBlockKind : uint8_t {
  Plain = 0,   ///< The bytes.
  Repeat = 1,  ///< One byte, which is repeated.
  Bytes = 2,   ///< Each byte as a class and low bits.
  Nibbles = 3, ///< Each half of a byte as a class: packed weights.
  Pairs = 4,   ///< Bytes of 16-bit weights: every second one is coded.
};

struct WeightBlock {
  WeightBlockKind kind = WeightBlockKind::Plain;
  /// Bytes, Pairs: bits of a value below its class.
  uint8_t lowBits = 0;
  /// Bytes, Pairs: the byte that small classes are near.
  uint8_t center = 0;
  uint32_t sizeBytes = 0; ///< Decoded: 1 to kMostWeightBlockBytes.

  bool isCoded() const { return kind >= WeightBlockKind::Bytes; }
  bool operator==(const WeightBlock &) const = default;
};

constexpr uint32_t kMostWeightBlockBytes = 1 << 16;
constexpr unsigned kWeightHeaderBytes = 4;
/// Byte i of a block is decoded by lane i modulo their number. Half of the
/// lanes do a round, in two steps; the halves take turns.
constexpr unsigned kWeightLanes = 128;
constexpr unsigned kWeightRoundBytes = kWeightLanes / 2;
constexpr unsigned kWeightClasses = 16;
constexpr unsigned kWeightTableBytes = kWeightClasses / 2;
/// The last class of Bytes and Pairs is followed by all 8 bits of the value.
constexpr unsigned kEscapeClass = kWeightClasses - 1;
constexpr unsigned kMostLowBits = 4;
/// So a lane that has a byte knows the next code.
constexpr unsigned kMostCodeBits = 8;

/// Lengths of the codes of all classes; 0 has none. They are those of a
/// complete prefix code: of equally long ones the smaller class comes first.
using WeightCode = std::array<uint8_t, kWeightClasses>;

/// Small numbers of either sign as small numbers: 0, -1, 1, -2, 2, ...
constexpr uint8_t foldSign(uint8_t distance) {
  return uint8_t(distance << 1 ^ (distance & 0x80 ? 0xff : 0));
}
constexpr uint8_t unfoldSign(uint8_t folded) {
  return uint8_t(folded >> 1 ^ (folded & 1 ? 0xff : 0));
}

/// \p cuts are offsets in \p bytes, in order, at which what they hold changes:
/// blocks begin there.
std::vector<uint8_t> encodeWeights(std::span<const uint8_t> bytes,
                                   std::span<const uint64_t> cuts = {});

/// What is wrong with \p stream, which is to give as many bytes as \p bytes
/// has;
/// "" if nothing is. Whatever it holds, no other memory is touched.
std::string_view decodeWeights(std::span<const uint8_t> stream,
                               std::span<uint8_t> bytes);

} // namespace yarrow::isa

#endif // YARROW_ISA_WEIGHTSTREAM_H
