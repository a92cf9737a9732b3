//===- Descriptors.h - Engine commands: encode, decode, print -------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// The structs are generated from isa/Descriptors.td. A descriptor starts with
// a header: word 0 holds the opcode and the number of words, words 1 to 4 hold
// how far each completion counter must have come before the command may start.
//
//   isa::Conv conv;
//   conv.waits[unsigned(isa::Queue::DmaLoad)] = 3;
//   conv.inHeight = 32; ...
//   std::vector<uint32_t> words;
//   conv.encode(words);
//   std::optional<isa::AnyDescriptor> again = isa::decode(words);
//
// decode() refuses unknown opcodes, wrong lengths and non-zero reserved bits;
// decode(encode(x)) == x.
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_ISA_DESCRIPTORS_H
#define YARROW_ISA_DESCRIPTORS_H

#include "isa/Types.h"
#include <array>
#include <cassert>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <variant>
#include <vector>

namespace yarrow::isa {

constexpr unsigned kHeaderWords = 1 + kNumCounters;

/// Counter values that must be reached before a command starts.
using Waits = std::array<uint32_t, kNumCounters>;

#define GET_DESCRIPTOR_STRUCTS
#include "isa/Descriptors.inc"

/// Weights of one output channel.
inline uint64_t filterSize(const Conv &conv) {
  uint64_t cells = conv.winograd == WinogradMode::None
                       ? uint64_t(conv.kernelY) * conv.kernelX
                       : tileOf(conv.winograd).taps();
  return cells * (conv.depthwise ? 1 : conv.inChannels / conv.groups);
}
/// What the Winograd mode takes off every input, padding included.
inline int32_t winogradOffset(const Conv &conv) {
  return conv.winograd != WinogradMode::None && conv.inType == ElementType::U8
             ? 128
             : 0;
}
/// The Winograd mode's tap shifts, in bytes from `weights`.
inline uint64_t tapShiftOffset(const Conv &conv) {
  uint64_t weightBytes =
      filterSize(conv) * conv.outChannels * elementBytes(conv.weightType);
  return (weightBytes + 15) / 16 * 16;
}
/// What a command reads from `weights` on, tap shifts included.
inline uint64_t weightBytesOf(const Conv &conv) {
  return conv.hasTapShifts
             ? tapShiftOffset(conv) +
                   uint64_t(conv.outChannels) * tileOf(conv.winograd).taps()
             : filterSize(conv) * conv.outChannels *
                   elementBytes(conv.weightType);
}

/// Decodes the descriptor at the start of \p words; its length is
/// words[0] >> 8 & 0xff.
std::optional<AnyDescriptor> decode(std::span<const uint32_t> words);

/// One line of assembly: mnemonic, non-zero fields by name, waits.
std::string disassemble(const AnyDescriptor &descriptor);

} // namespace yarrow::isa

#endif // YARROW_ISA_DESCRIPTORS_H
