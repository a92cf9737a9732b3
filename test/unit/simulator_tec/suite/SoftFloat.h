//===- SoftFloat.h - Binary floating point in integers ----------*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// IEEE 754-2019 as RISC-V has it, for the model of the instruction suite: exact
// values as significand * 2^exponent in wide integers, rounded once at the end.
// Slow on purpose; it shares nothing with the simulator, nor with the host's
// floating point.
//
//   Rounding r{Mode::NearestEven};
//   add(kSingle, 0x3f800000, 0x33800000, r);   // 0x3f800000, a tie
//   r.flags == kInexact;
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_TEST_UNIT_SIMULATOR_TEC_SUITE_SOFTFLOAT_H
#define YARROW_TEST_UNIT_SIMULATOR_TEC_SUITE_SOFTFLOAT_H

#include <cstdint>

namespace yarrow::reference {

struct FloatFormat {
  int exponentBits, fractionBits;
  int bias() const { return (1 << (exponentBits - 1)) - 1; }
  int width() const { return 1 + exponentBits + fractionBits; }
  uint64_t sign() const { return uint64_t(1) << (width() - 1); }
  uint64_t infinity() const {
    return ((uint64_t(1) << exponentBits) - 1) << fractionBits;
  }
  uint64_t quiet() const { return uint64_t(1) << (fractionBits - 1); }
  uint64_t nan() const { return infinity() | quiet(); }
};
inline constexpr FloatFormat kSingle{8, 23}, kDouble{11, 52};

/// As frm encodes them; ToOdd is of vfncvt.rod.
enum class Mode { NearestEven, TowardZero, Down, Up, NearestAway, ToOdd };

enum : uint8_t {
  kInexact = 1,
  kUnderflow = 2,
  kOverflow = 4,
  kDivideByZero = 8,
  kInvalid = 16
};

struct Rounding {
  Mode mode;
  uint8_t flags = 0; ///< Accumulates.
};

bool isNaN(FloatFormat format, uint64_t a);
bool isSignalingNaN(FloatFormat format, uint64_t a);

uint64_t add(FloatFormat format, uint64_t a, uint64_t b, Rounding &r);
uint64_t mul(FloatFormat format, uint64_t a, uint64_t b, Rounding &r);
uint64_t div(FloatFormat format, uint64_t a, uint64_t b, Rounding &r);
uint64_t sqrt(FloatFormat format, uint64_t a, Rounding &r);
/// a * b + c
uint64_t fma(FloatFormat format, uint64_t a, uint64_t b, uint64_t c,
             Rounding &r);
uint64_t convert(FloatFormat from, FloatFormat to, uint64_t a, Rounding &r);
uint64_t fromInteger(FloatFormat to, __int128 value, Rounding &r);
/// To an integer of \p bits, saturated; in the low bits.
uint64_t toInteger(FloatFormat from, uint64_t a, unsigned bits, bool isSigned,
                   Rounding &r);

uint64_t minimum(FloatFormat format, uint64_t a, uint64_t b, Rounding &r);
uint64_t maximum(FloatFormat format, uint64_t a, uint64_t b, Rounding &r);
/// Quiet.
bool equal(FloatFormat format, uint64_t a, uint64_t b, Rounding &r);
/// Signaling.
bool less(FloatFormat format, uint64_t a, uint64_t b, Rounding &r);
bool lessEqual(FloatFormat format, uint64_t a, uint64_t b, Rounding &r);
uint64_t classify(FloatFormat format, uint64_t a);

/// vfrec7 and vfrsqrt7.
uint64_t reciprocal7(FloatFormat format, uint64_t a, Rounding &r);
uint64_t reciprocalRoot7(FloatFormat format, uint64_t a, Rounding &r);

} // namespace yarrow::reference

#endif // YARROW_TEST_UNIT_SIMULATOR_TEC_SUITE_SOFTFLOAT_H
