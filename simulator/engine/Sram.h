//===- Sram.h - Operands of the tensor engine -------------------*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// Checked host pointers to what a descriptor names by its offset in SRAM; its
// record says how far each operand reaches.
//
//   Sram sram(memory);
//   isa::Pool::PerAddress<uint8_t *> operands;
//   if (Fault f = sram.resolve(pool, operands))
//     return f;
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_SIMULATOR_ENGINE_SRAM_H
#define YARROW_SIMULATOR_ENGINE_SRAM_H

#include "isa/CommandRules.h"
#include "simulator/Memory.h"
#include "simulator/engine/Fault.h"

namespace yarrow::sim {

using isa::isOperandType;
using isa::rangeOf;
using isa::TypeRange;

class Sram {
public:
  explicit Sram(Memory &memory) : memory(memory) {}

  uint64_t sizeBytes() const { return memory.sramBytes(); }
  const uint8_t *hostEnd() const {
    return memory.hostBase() + Memory::kSramBase + memory.sramBytes();
  }

  /// The host's address of each operand that the command uses, after all of
  /// them were found inside the SRAM; null for the others.
  template <typename D>
  Fault resolve(const D &command,
                typename D::template PerAddress<uint8_t *> &to) const {
    Fault fault;
    command.forEachAccess([&](const isa::FieldAccess &a) {
      if (fault)
        return;
      if (contains(a))
        to[a.field] = memory.hostBase() + Memory::kSramBase + a.offset;
      else
        fault = faultText(D::kMnemonic, ": ", D::kAddressFields[a.field].name,
                          " [", hex(a.offset), ", +", a.extent.sizeBytes(),
                          ") is not inside the SRAM of ", memory.sramBytes(),
                          " bytes");
    });
    return fault;
  }

private:
  bool contains(const isa::FieldAccess &a) const {
    return int64_t(a.offset) + a.extent.begin >= 0 &&
           int64_t(a.offset) + a.extent.end <= int64_t(memory.sramBytes());
  }

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

inline bool is16Bit(isa::ElementType type) {
  return isa::elementBytes(type) == 2;
}

} // namespace yarrow::sim

#endif // YARROW_SIMULATOR_ENGINE_SRAM_H
