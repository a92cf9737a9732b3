//===- Descriptors.h - Engine commands: encode, decode, print -------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// The structs are generated from isa/Descriptors.td. A descriptor starts with
// a header: word 0 holds the opcode and the number of words, words 1 to 4 hold
// the value that each completion counter must reach before the command starts.
//
//   isa::Conv conv;
//   conv.waits[unsigned(isa::Unit::DmaLoad)] = 3;
//   conv.inHeight = 32; ...
//   std::vector<uint32_t> words;
//   conv.encode(words);
//   std::optional<isa::AnyDescriptor> again = isa::decode(words);
//
// forEachAccess() says which bytes a command reads and writes. decode() refuses
// unknown opcodes, wrong lengths and non-zero reserved bits;
// decode(encode(x)) == x.
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_ISA_DESCRIPTORS_H
#define YARROW_ISA_DESCRIPTORS_H

#include "isa/Extent.h"
#include "isa/Types.h"
#include <algorithm>
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
  return cells *
         (conv.depthwise ? 1 : conv.inChannels / std::max(1u, conv.groups));
}
/// What the Winograd mode takes off every input, padding included.
inline int32_t winogradOffset(const Conv &conv) {
  return conv.winograd != WinogradMode::None && conv.inType == ElementType::U8
             ? 128
             : 0;
}
/// Bits of a weight in SRAM and in the engine's weight buffers.
inline uint32_t weightBits(const Conv &conv) {
  return conv.packedWeights ? 4 : 8 * elementBytes(conv.weightType);
}
/// Weights of all output channels, without what may lie behind them.
inline uint64_t filterBytesOf(const Conv &conv) {
  return (filterSize(conv) * conv.outChannels * weightBits(conv) + 7) / 8;
}
/// The Winograd mode's tap shifts, in bytes from `weights`.
inline uint64_t tapShiftOffset(const Conv &conv) {
  uint64_t weightBytes = filterBytesOf(conv);
  return (weightBytes + kConstantAlignBytes - 1) / kConstantAlignBytes *
         kConstantAlignBytes;
}
/// What a command reads from `weights` on, tap shifts included.
inline uint64_t weightBytesOf(const Conv &conv) {
  return conv.hasTapShifts
             ? tapShiftOffset(conv) +
                   uint64_t(conv.outChannels) * tileOf(conv.winograd).taps()
             : filterBytesOf(conv);
}

/// Whether there is a slope for each output channel.
inline bool hasSlopes(const Conv &conv) {
  return conv.activation == Activation::PRelu ||
         (conv.hasResidual && conv.sumActivation == Activation::PRelu);
}

/// Partial sums: of int32 for an 8-bit input, of int64 for one of 16 bits.
inline Extent partialsOf(const Conv &conv) {
  auto sums = bytes(uint64_t(conv.outHeight) * conv.outWidth, conv.outChannels);
  return bytes(sums.sizeBytes(), sumBytes(conv.inType));
}

/// A multiplier of 16 bits, or of 31 in two fields.
constexpr int32_t joinScale(bool isWide, uint32_t low, uint32_t high) {
  return int32_t(isWide ? (low | high << 16) & kMaxWideScale : low);
}
/// The multiplier of a convolution or product, when not perChannel.
template <typename D> int32_t scaleOf(const D &command) {
  return joinScale(command.wideScale, command.scale, command.scaleHigh);
}
template <typename D> void setScale(D &command, int32_t scale) {
  command.wideScale = scale > kMaxNarrowScale;
  command.scale = uint16_t(scale);
  command.scaleHigh = scale >> 16;
}
/// Those of the residual add.
struct SumScales {
  int32_t main, residual, sum;
};
inline SumScales sumScalesOf(const Conv &c) {
  return {joinScale(c.wideSum, c.mainScale, c.mainScaleHigh),
          joinScale(c.wideSum, c.residualScale, c.residualScaleHigh),
          joinScale(c.wideSum, c.sumScale, c.sumScaleHigh)};
}
inline void setSumScales(Conv &c, const SumScales &scales) {
  c.wideSum =
      std::max({scales.main, scales.residual, scales.sum}) > kMaxNarrowScale;
  c.mainScale = uint16_t(scales.main), c.mainScaleHigh = scales.main >> 16;
  c.residualScale = uint16_t(scales.residual);
  c.residualScaleHigh = scales.residual >> 16;
  c.sumScale = uint16_t(scales.sum), c.sumScaleHigh = scales.sum >> 16;
}

#define GET_DESCRIPTOR_ACCESSES
#include "isa/Descriptors.inc"

inline Engine engineOf(const AnyDescriptor &descriptor) {
  return std::visit([](const auto &d) { return d.kEngine; }, descriptor);
}
inline std::string_view mnemonicOf(const AnyDescriptor &descriptor) {
  return std::visit([](const auto &d) { return d.kMnemonic; }, descriptor);
}
inline const Waits &waitsOf(const AnyDescriptor &descriptor) {
  return std::visit([](const auto &d) -> const Waits & { return d.waits; },
                    descriptor);
}

/// Length of the descriptor that begins with \p header, itself included; 0 is
/// of none.
constexpr uint32_t descriptorWords(uint32_t header) {
  return header >> 8 & 0xff;
}

/// Decodes the descriptor at the start of \p words.
std::optional<AnyDescriptor> decode(std::span<const uint32_t> words);

/// One line of assembly: mnemonic, non-zero fields by name, waits.
std::string disassemble(const AnyDescriptor &descriptor);

} // namespace yarrow::isa

#endif // YARROW_ISA_DESCRIPTORS_H
