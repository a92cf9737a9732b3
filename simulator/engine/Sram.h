//===- Sram.h - Operands of the tensor engine -----------------------*- C++
//-*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// Checked host pointers to what a descriptor names by its offset in SRAM.
//
//   Sram sram(memory);
//   if (Fault f = sram.plane("input", offset, rows, rowStride, columns,
//                            pixelStride, channels * elementBytes, data))
//     return f;
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_SIMULATOR_ENGINE_SRAM_H
#define YARROW_SIMULATOR_ENGINE_SRAM_H

#include "isa/Types.h"
#include "simulator/Memory.h"
#include "simulator/engine/Fault.h"

namespace yarrow::sim {

class Sram {
public:
  explicit Sram(Memory &memory) : memory(memory) {}

  uint64_t sizeBytes() const { return memory.sramBytes(); }

  Fault range(const char *what, uint32_t offset, uint64_t sizeBytes,
              uint8_t *&data) const {
    if (sizeBytes > memory.sramBytes() ||
        offset > memory.sramBytes() - sizeBytes)
      return faultText(what, " [", hex(offset), ", +", sizeBytes,
                       ") is not inside the SRAM of ", memory.sramBytes(),
                       " bytes");
    data = memory.hostBase() + Memory::kSramBase + offset;
    return std::nullopt;
  }

  /// rows x columns pixels of pixelBytes each; strides in bytes. A stride of
  /// one row or one pixel is never used.
  Fault plane(const char *what, uint32_t offset, uint64_t rows,
              uint64_t rowStride, uint64_t columns, uint64_t pixelStride,
              uint64_t pixelBytes, uint8_t *&data) const {
    // Factors below 2^32 and 2^16: the products stay below 2^50.
    return range(what, offset,
                 (rows - 1) * rowStride + (columns - 1) * pixelStride +
                     pixelBytes,
                 data);
  }

private:
  Memory &memory;
};

/// Calls fn with a value of the C++ type that \p type names.
template <typename Fn> decltype(auto) withType(isa::ElementType type, Fn fn) {
  switch (type) {
  case isa::ElementType::I8:
    return fn(int8_t());
  case isa::ElementType::U8:
    return fn(uint8_t());
  case isa::ElementType::I16:
    return fn(int16_t());
  case isa::ElementType::U16:
    return fn(uint16_t());
  default:
    return fn(int32_t());
  }
}

struct TypeRange {
  int64_t lowest, highest;
};
inline TypeRange rangeOf(isa::ElementType type) {
  switch (type) {
  case isa::ElementType::I8:
    return {-128, 127};
  case isa::ElementType::U8:
    return {0, 255};
  case isa::ElementType::I16:
    return {-32768, 32767};
  case isa::ElementType::U16:
    return {0, 65535};
  default:
    return {INT32_MIN, INT32_MAX};
  }
}

inline bool isOperandType(isa::ElementType type) {
  return uint8_t(type) <= uint8_t(isa::ElementType::U16);
}
inline bool is16Bit(isa::ElementType type) {
  return isa::elementBytes(type) == 2;
}

} // namespace yarrow::sim

#endif // YARROW_SIMULATOR_ENGINE_SRAM_H
