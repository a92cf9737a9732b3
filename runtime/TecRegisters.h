//===- TecRegisters.h - The registers of a TEC as text --------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// A copy of what a program can see of a TEC, to print or to compare.
//
//   TecRegisters before = TecRegisters::of(tec);
//   ...
//   os << TecRegisters::of(tec).changesSince(before);   // " a0=0x0000002a"
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_RUNTIME_TECREGISTERS_H
#define YARROW_RUNTIME_TECREGISTERS_H

#include "simulator/tec/Tec.h"
#include <array>
#include <cstdint>
#include <string>

namespace yarrow::runtime {

struct TecRegisters {
  std::array<uint32_t, 32> x{};
  std::array<uint64_t, 32> f{};
  std::array<std::array<uint8_t, sim::Tec::kVlenBytes>, 32> v{};
  uint32_t fcsr = 0, vl = 0, vtype = 0, vstart = 0, vcsr = 0;

  static TecRegisters of(const sim::Tec &tec);

  /// One register a line, "x10 0x0000002a", in hexadecimal: x0 to x31, f0 to
  /// f31, v0 to v31 (the highest byte first), fcsr, vl, vtype, vstart, vcsr.
  std::string str() const;
  /// " a0=0x0000002a" for each that differs.
  std::string changesSince(const TecRegisters &before) const;
};

} // namespace yarrow::runtime

#endif // YARROW_RUNTIME_TECREGISTERS_H
