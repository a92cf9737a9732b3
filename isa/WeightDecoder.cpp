//===- WeightDecoder.cpp - From weight streams to weights -----------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// As docs/machine.md describes the hardware: round after round of one byte for
// each of half the lanes, in two steps, before each of which a lane that has
// too few bits takes the stream's next byte.
//
//===----------------------------------------------------------------------===//
#include "isa/WeightStream.h"

#include <algorithm>
#include <cstring>

using namespace yarrow;
using namespace yarrow::isa;

namespace {

/// A prefix code as what each 8 bits begin with.
struct CodeTable {
  uint8_t symbol[1 << kMostCodeBits], length[1 << kMostCodeBits];

  bool build(const uint8_t *packed);
};

/// The bits that lanes have taken, and what they take them from.
class Lanes {
public:
  /// \p bytes are not empty.
  explicit Lanes(std::span<const uint8_t> bytes) : bytes(bytes) {}

  /// A lane with fewer bits than it needs takes a byte: every second time, so
  /// without branches. Behind the end nothing is read; the block is refused in
  /// the end.
  void supply(unsigned lane, unsigned needed) {
    uint32_t isShort = counts[lane] < needed;
    uint32_t byte = bytes[std::min(taken, bytes.size() - 1)] & (0 - isShort);
    taken += isShort;
    bits[lane] |= byte << (24 - counts[lane]) % 32;
    counts[lane] += 8 * isShort;
  }
  uint32_t peekByte(unsigned lane) const { return bits[lane] >> 24; }
  uint32_t take(unsigned lane, unsigned count) {
    uint32_t value = uint32_t(uint64_t(bits[lane]) >> (32 - count));
    bits[lane] <<= count;
    counts[lane] -= count;
    return value;
  }
  size_t takenBytes() const { return taken; }

private:
  std::span<const uint8_t> bytes;
  size_t taken = 0;
  uint32_t bits[kWeightLanes] = {}; ///< From the highest bit down.
  uint32_t counts[kWeightLanes] = {};
};

class Decoder {
public:
  Decoder(std::span<const uint8_t> stream, std::span<uint8_t> bytes)
      : next(stream.data()), end(next + stream.size()), out(bytes.data()),
        outEnd(out + bytes.size()) {}

  std::string_view run();

private:
  std::string_view runBlock();
  std::string_view readHeader(WeightBlock &block);
  std::string_view runCoded(const WeightBlock &block);
  void runRound(const WeightBlock &block, const CodeTable &code, Lanes &lanes,
                unsigned first, unsigned count);

  size_t left() const { return size_t(end - next); }

  const uint8_t *next, *const end;
  uint8_t *out, *const outEnd;
};

} // namespace

/// False if it is no complete prefix code.
bool CodeTable::build(const uint8_t *packed) {
  unsigned at = 0;
  for (unsigned bits = 1; bits <= kMostCodeBits; ++bits)
    for (unsigned i = 0; i < kWeightClasses; ++i) {
      if ((packed[i / 2] >> (i % 2 * 4) & 15u) != bits)
        continue;
      unsigned share = 1u << (kMostCodeBits - bits);
      if (at + share > std::size(symbol))
        return false;
      std::memset(symbol + at, int(i), share);
      std::memset(length + at, int(bits), share);
      at += share;
    }
  for (unsigned i = 0; i < kWeightClasses; ++i)
    if ((packed[i / 2] >> (i % 2 * 4) & 15u) > kMostCodeBits)
      return false;
  return at == std::size(symbol);
}

std::string_view Decoder::readHeader(WeightBlock &block) {
  if (left() < kWeightHeaderBytes)
    return "a block's header is cut off";
  if (next[0] & 0xc0)
    return "reserved bits of a block's header are set";
  block = {.kind = WeightBlockKind(next[0] & 7),
           .lowBits = uint8_t(next[0] >> 3 & 7),
           .center = next[1],
           .sizeBytes = (next[2] | uint32_t(next[3]) << 8) + 1};
  next += kWeightHeaderBytes;
  if (block.kind > WeightBlockKind::Pairs)
    return "a block has an unknown kind";
  bool hasLowBits = block.kind == WeightBlockKind::Bytes ||
                    block.kind == WeightBlockKind::Pairs;
  if (block.lowBits > (hasLowBits ? kMostLowBits : 0) ||
      (block.center != 0 && !hasLowBits))
    return "a block's header has fields that its kind does not use";
  if (block.sizeBytes > size_t(outEnd - out))
    return "it decodes to more bytes than the copy has";
  return {};
}

/// A byte for each of \p count lanes from \p first on.
void Decoder::runRound(const WeightBlock &block, const CodeTable &code,
                       Lanes &lanes, unsigned first, unsigned count) {
  bool isPairs = block.kind == WeightBlockKind::Pairs;
  bool isNibbles = block.kind == WeightBlockKind::Nibbles;
  uint8_t classes[kWeightRoundBytes];
  auto takeClass = [&](unsigned lane) {
    lanes.supply(lane, kMostCodeBits);
    uint32_t byte = lanes.peekByte(lane);
    lanes.take(lane, code.length[byte]);
    return code.symbol[byte];
  };
  for (unsigned i = isPairs ? 1 : 0; i < count; i += isPairs ? 2 : 1)
    classes[i] = takeClass(first + i);
  for (unsigned i = 0; i < count; ++i) {
    unsigned lane = first + i;
    if (isPairs && i % 2 == 0) {
      lanes.supply(lane, 8);
      out[i] = uint8_t(lanes.take(lane, 8));
    } else if (isNibbles) {
      out[i] = uint8_t(classes[i] | takeClass(lane) << 4);
    } else {
      bool isEscape = classes[i] == kEscapeClass;
      unsigned bits = isEscape ? 8 : block.lowBits;
      lanes.supply(lane, bits);
      uint32_t low = lanes.take(lane, bits);
      uint32_t folded =
          isEscape ? low : uint32_t(classes[i]) << block.lowBits | low;
      out[i] = uint8_t(block.center + unfoldSign(uint8_t(folded)));
    }
  }
  out += count;
}

std::string_view Decoder::runCoded(const WeightBlock &block) {
  if (left() < kWeightTableBytes)
    return "a block's table is cut off";
  CodeTable code;
  if (!code.build(next))
    return "a block's table is not a complete prefix code";
  next += kWeightTableBytes;
  if (left() == 0)
    return "it ends in the middle of a block";
  Lanes lanes({next, left()});
  for (uint32_t done = 0; done < block.sizeBytes; done += kWeightRoundBytes)
    runRound(block, code, lanes, done % kWeightLanes,
             std::min(kWeightRoundBytes, block.sizeBytes - done));
  if (lanes.takenBytes() > left())
    return "it ends in the middle of a block";
  next += lanes.takenBytes();
  return {};
}

std::string_view Decoder::runBlock() {
  WeightBlock block;
  if (std::string_view problem = readHeader(block); !problem.empty())
    return problem;
  if (block.isCoded())
    return runCoded(block);
  bool isRepeat = block.kind == WeightBlockKind::Repeat;
  uint32_t bytes = isRepeat ? 1 : block.sizeBytes;
  if (left() < bytes)
    return "it ends in the middle of a block";
  if (isRepeat)
    std::memset(out, *next, block.sizeBytes);
  else
    std::memmove(out, next, bytes);
  next += bytes;
  out += block.sizeBytes;
  return {};
}

std::string_view Decoder::run() {
  while (out < outEnd)
    if (std::string_view problem = runBlock(); !problem.empty())
      return problem;
  return next == end ? std::string_view() : "bytes follow its last block";
}

std::string_view isa::decodeWeights(std::span<const uint8_t> stream,
                                    std::span<uint8_t> bytes) {
  return Decoder(stream, bytes).run();
}
