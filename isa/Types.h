//===- Types.h - Enumerations of the instruction set ----------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// The values that descriptor fields hold. Their numbers are part of the
// executable format.
//
//   isa::elementBytes(isa::ElementType::I16) == 2
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_ISA_TYPES_H
#define YARROW_ISA_TYPES_H

#include "support/ElementType.h"
#include <cstdint>
#include <iterator>
#include <string_view>

namespace yarrow::isa {

/// The tensor engine has I8 to I32 of them.
using yarrow::elementBytes;
using yarrow::ElementType;

/// The tensor engine's sums, by the type of the input (A of a product): how
/// many bits of one are exact, and the bytes that it takes in the accumulators
/// and as a partial sum in SRAM. The same on every machine, as the arithmetic
/// of a command is (docs/isa.md); how many sums there are is the machine's.
constexpr uint32_t sumBits(ElementType input) {
  return elementBytes(input) == 2 ? 48 : 32;
}
constexpr uint32_t sumBytes(ElementType input) {
  return elementBytes(input) == 2 ? 8 : 4;
}
constexpr int64_t largestSum(ElementType input) {
  return (int64_t(1) << (sumBits(input) - 1)) - 1;
}

/// The greatest multipliers of a requantization; those above the first one need
/// a machine with wide scales.
constexpr int32_t kMaxNarrowScale = UINT16_MAX;
constexpr int32_t kMaxWideScale = INT32_MAX;
/// Of the reciprocals of averages.
constexpr int32_t kMaxReciprocal = (1 << 24) - 1;

enum class Activation : uint8_t {
  None = 0,
  Relu = 1,
  LeakyRelu = 2,
  PRelu = 3,
  Clip = 4
};
/// What joins a convolution's result and its residual (Conv.sumOp).
enum class SumOp : uint8_t {
  Add = 0,
  Sub = 1,        ///< Result less residual.
  ReverseSub = 2, ///< Residual less result.
  Mul = 3,
  Max = 4,
  Min = 5
};
enum class PoolMethod : uint8_t { Max = 0, Avg = 1 };

/// Winograd's minimal filtering in the tensor engine: how many outputs a tile
/// of transformed inputs gives, along rows and columns. The window is 3x3 with
/// stride and dilation 1.
enum class WinogradMode : uint8_t {
  None = 0,
  F2_3 = 1,    ///< F(2,3) along the width; rows are summed directly.
  F2x2_3x3 = 2 ///< F(2x2,3x3).
};
struct WinogradTile {
  uint32_t outRows, outColumns; ///< Outputs of a tile.
  uint32_t rows, columns;       ///< Of the input, and of transformed weights.
  uint32_t taps() const { return rows * columns; }
};
/// The tile of a mode that is not None.
constexpr WinogradTile tileOf(WinogradMode m) {
  return m == WinogradMode::F2_3 ? WinogradTile{1, 2, 3, 4}
                                 : WinogradTile{2, 2, 4, 4};
}
/// Bits of transformed 8-bit inputs: along each axis that is transformed two
/// values are added or subtracted, which makes one bit more.
constexpr uint32_t transformedBits(WinogradMode m) {
  return m == WinogradMode::F2_3 ? 9 : 10;
}
/// The largest left shift of a tap's sum.
constexpr uint32_t kMaxTapShift = 15;

/// What executes descriptors.
enum class Engine : uint8_t { TensorEngine, Dma };

/// What completes work in order and counts it: queues of engine commands, and
/// the TECs. Every unit has a completion counter of its number.
enum class Unit : uint8_t {
#define YARROW_UNIT(id, mnemonic, text, track) id,
#include "isa/Units.def"
};
struct UnitInfo {
  std::string_view mnemonic;
  uint32_t track; ///< Of a trace: the row of its first channel.
};
constexpr UnitInfo kUnits[] = {
#define YARROW_UNIT(id, mnemonic, text, track) {mnemonic, track},
#include "isa/Units.def"
};
constexpr const UnitInfo &infoOf(Unit u) { return kUnits[unsigned(u)]; }
constexpr unsigned kNumCounters = std::size(kUnits);

/// The units that are queues come first.
constexpr Engine kEngineOfQueue[] = {
#define YARROW_QUEUE(id, engine, mnemonic, text, track) Engine::engine,
#define YARROW_UNIT(id, mnemonic, text, track)
#include "isa/Units.def"
};
constexpr unsigned kNumQueues = std::size(kEngineOfQueue);
constexpr bool isQueue(Unit u) { return unsigned(u) < kNumQueues; }
/// Of a queue.
constexpr Engine engineOf(Unit queue) {
  return kEngineOfQueue[unsigned(queue)];
}

/// The region number that means the core's SRAM; other regions are parts of
/// DDR whose base addresses the TEC program sets with npu.setbase.
constexpr unsigned kSramRegion = 0;
constexpr unsigned kMaxRegions = 256;

/// Where TECs see the SRAM, which is above all DDR.
constexpr uint32_t kSramBaseAddress = 0xE0000000u;

/// Buffers begin at multiples of this: a burst of DDR, and more than any
/// element or vector register.
constexpr uint64_t kBufferAlignBytes = 64;
/// The parts of a command's constants (weights, tap shifts, bias, ...) begin at
/// multiples of this.
constexpr uint64_t kConstantAlignBytes = 16;

/// The TECs' stacks lie at the top of the SRAM: kernels work on chunks of a few
/// kilobytes there, and DDR would make every access of them a miss. The largest
/// frame of the operator library is 4 KiB and kernels do not nest.
constexpr uint32_t kSramStackBytes = 16 * 1024;

/// The values of a descriptor's enumeration, in order: what they are called in
/// disassembly, messages and the npu dialect.
template <typename E> constexpr std::string_view kNames[] = {""};
template <>
inline constexpr std::string_view kNames<ElementType>[] = {
    "int8", "uint8", "int16", "uint16", "int32"};
template <>
inline constexpr std::string_view kNames<Activation>[] = {
    "none", "relu", "leakyrelu", "prelu", "clip"};
template <>
inline constexpr std::string_view kNames<Unit>[] = {
#define YARROW_UNIT(id, mnemonic, text, track) text,
#include "isa/Units.def"
};
template <>
inline constexpr std::string_view kNames<SumOp>[] = {"add", "sub", "rsub",
                                                     "mul", "max", "min"};
template <>
inline constexpr std::string_view kNames<PoolMethod>[] = {"max", "avg"};
template <>
inline constexpr std::string_view kNames<WinogradMode>[] = {"none", "f(2,3)",
                                                            "f(2x2,3x3)"};

/// "?" of a number that is none: a broken descriptor may hold any.
template <typename E> constexpr std::string_view name(E value) {
  return size_t(value) < std::size(kNames<E>) ? kNames<E>[size_t(value)] : "?";
}
constexpr std::string_view name(Engine e) {
  return e == Engine::TensorEngine ? "tensor engine" : "DMA";
}

} // namespace yarrow::isa

#endif // YARROW_ISA_TYPES_H
