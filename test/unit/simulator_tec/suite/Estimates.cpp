//===- Estimates.cpp - vfrec7 and vfrsqrt7 for the model ------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// The tables are those of the vector manual (V 13.9, 13.10), and so is the
// method: normalise, look up, and put sign and exponent together.
//
//===----------------------------------------------------------------------===//
#include "test/unit/simulator_tec/suite/SoftFloat.h"

using namespace yarrow::reference;

static const uint8_t kRoots[128] = {
    52,  51,  50,  48,  47,  46,  44,  43,  42,  41,  40,  39,  38,  36,  35,
    34,  33,  32,  31,  30,  30,  29,  28,  27,  26,  25,  24,  23,  23,  22,
    21,  20,  19,  19,  18,  17,  16,  16,  15,  14,  14,  13,  12,  12,  11,
    10,  10,  9,   9,   8,   7,   7,   6,   6,   5,   4,   4,   3,   3,   2,
    2,   1,   1,   0,   127, 125, 123, 121, 119, 118, 116, 114, 113, 111, 109,
    108, 106, 105, 103, 102, 100, 99,  97,  96,  95,  93,  92,  91,  90,  88,
    87,  86,  85,  84,  83,  82,  80,  79,  78,  77,  76,  75,  74,  73,  72,
    71,  70,  70,  69,  68,  67,  66,  65,  64,  63,  63,  62,  61,  60,  59,
    59,  58,  57,  56,  56,  55,  54,  53};
static const uint8_t kReciprocals[128] = {
    127, 125, 123, 121, 119, 117, 116, 114, 112, 110, 109, 107, 105, 104, 102,
    100, 99,  97,  96,  94,  93,  91,  90,  88,  87,  85,  84,  83,  81,  80,
    79,  77,  76,  75,  74,  72,  71,  70,  69,  68,  66,  65,  64,  63,  62,
    61,  60,  59,  58,  57,  56,  55,  54,  53,  52,  51,  50,  49,  48,  47,
    46,  45,  44,  43,  42,  41,  40,  40,  39,  38,  37,  36,  35,  35,  34,
    33,  32,  31,  31,  30,  29,  28,  28,  27,  26,  25,  25,  24,  23,  23,
    22,  21,  21,  20,  19,  19,  18,  17,  17,  16,  15,  15,  14,  14,  13,
    12,  12,  11,  11,  10,  9,   9,   8,   8,   7,   7,   6,   5,   5,   4,
    4,   3,   3,   2,   2,   1,   1,   0};

namespace {
/// Sign, exponent and fraction, of a subnormal as if the exponent went on.
struct Fields {
  uint64_t sign, fraction;
  int exponent;
};
} // namespace

static Fields normalised(FloatFormat f, uint64_t a) {
  uint64_t mask = (uint64_t(1) << f.fractionBits) - 1;
  Fields x{a & f.sign(), a & mask, int((a & ~f.sign()) >> f.fractionBits)};
  if (x.exponent == 0) {
    while (!(x.fraction >> (f.fractionBits - 1))) {
      --x.exponent;
      x.fraction <<= 1;
    }
    x.fraction = x.fraction << 1 & mask;
  }
  return x;
}

uint64_t yarrow::reference::reciprocal7(FloatFormat f, uint64_t a,
                                        Rounding &r) {
  switch (classify(f, a)) {
  case 1 << 0: // -inf
    return f.sign();
  case 1 << 7:
    return 0;
  case 1 << 3: // -0
    r.flags |= kDivideByZero;
    return f.sign() | f.infinity();
  case 1 << 4:
    r.flags |= kDivideByZero;
    return f.infinity();
  case 1 << 8:
    r.flags |= kInvalid;
    return f.nan();
  case 1 << 9:
    return f.nan();
  default:
    break;
  }
  Fields x = normalised(f, a);
  if (x.exponent < -1) {
    r.flags |= kOverflow | kInexact;
    bool toLargest = r.mode == Mode::TowardZero ||
                     (r.mode == Mode::Down && !x.sign) ||
                     (r.mode == Mode::Up && x.sign);
    return x.sign | (toLargest ? f.infinity() - 1 : f.infinity());
  }
  int exponent = 2 * f.bias() - 1 - x.exponent;
  uint64_t fraction = uint64_t(kReciprocals[x.fraction >> (f.fractionBits - 7)])
                      << (f.fractionBits - 7);
  if (exponent == 0 || exponent == -1) {
    fraction = fraction >> 1 | f.quiet();
    if (exponent == -1)
      fraction >>= 1;
    exponent = 0;
  }
  return x.sign | uint64_t(exponent) << f.fractionBits | fraction;
}

uint64_t yarrow::reference::reciprocalRoot7(FloatFormat f, uint64_t a,
                                            Rounding &r) {
  switch (classify(f, a)) {
  case 1 << 0:
  case 1 << 1:
  case 1 << 2:
  case 1 << 8:
    r.flags |= kInvalid;
    return f.nan();
  case 1 << 9:
    return f.nan();
  case 1 << 3:
    r.flags |= kDivideByZero;
    return f.sign() | f.infinity();
  case 1 << 4:
    r.flags |= kDivideByZero;
    return f.infinity();
  case 1 << 7:
    return 0;
  default:
    break;
  }
  Fields x = normalised(f, a);
  unsigned index =
      (x.exponent & 1) << 6 | unsigned(x.fraction >> (f.fractionBits - 6));
  uint64_t exponent = uint64_t(3 * f.bias() - 1 - x.exponent) / 2;
  return exponent << f.fractionBits | uint64_t(kRoots[index])
                                          << (f.fractionBits - 7);
}
