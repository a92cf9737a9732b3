//===- SoftFloat.cpp - Binary floating point in integers ------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "test/unit/simulator_tec/suite/SoftFloat.h"

using namespace yarrow::reference;

namespace {
/// Holds the sum of two products of doubles whose exponents are kMaxGap apart.
using Wide = unsigned _BitInt(512);

struct Number {
  bool isNaN = false, isSignaling = false, isInfinite = false, sign = false;
  /// (-1)^sign * significand * 2^exponent
  Wide significand = 0;
  int exponent = 0;
  bool isZero() const { return !isNaN && !isInfinite && significand == 0; }
};
} // namespace

static Number unpack(FloatFormat f, uint64_t bits) {
  Number n;
  uint64_t fraction = bits & ((uint64_t(1) << f.fractionBits) - 1);
  int exponent = int((bits & ~f.sign()) >> f.fractionBits);
  n.sign = bits & f.sign();
  if (exponent == (1 << f.exponentBits) - 1) {
    n.isInfinite = fraction == 0;
    n.isNaN = fraction != 0;
    n.isSignaling = n.isNaN && !(fraction & f.quiet());
    return n;
  }
  n.significand =
      exponent ? fraction | uint64_t(1) << f.fractionBits : fraction;
  n.exponent = (exponent ? exponent : 1) - f.bias() - f.fractionBits;
  return n;
}

static int bitLength(Wide x) {
  int bits = 0;
  for (int step = 256; step != 0; step /= 2)
    if (x >> step != 0) {
      x >>= step;
      bits += step;
    }
  return bits + int(x != 0);
}

/// \p significand >> \p shift, rounded. A negative shift is to the left.
static Wide roundShift(Wide significand, int shift, bool sign, Mode mode,
                       bool &inexact) {
  inexact = false;
  if (shift <= 0)
    return significand << -shift;
  if (shift > 500) { // everything is lost, and less than a half
    inexact = significand != 0;
    shift = 500;
  }
  Wide whole = significand >> shift;
  Wide lost = significand - (whole << shift), half = Wide(1) << (shift - 1);
  inexact = inexact || lost != 0;
  if (!inexact)
    return whole;
  bool odd = (whole & 1) != 0;
  switch (mode) {
  case Mode::NearestEven:
    return whole + Wide(lost > half || (lost == half && odd));
  case Mode::TowardZero:
    return whole;
  case Mode::Down:
    return whole + Wide(sign);
  case Mode::Up:
    return whole + Wide(!sign);
  case Mode::NearestAway:
    return whole + Wide(lost >= half);
  case Mode::ToOdd:
    return whole | 1;
  }
  __builtin_unreachable();
}

static uint64_t overflow(FloatFormat f, bool sign, Rounding &r) {
  r.flags |= kOverflow | kInexact;
  bool toLargest = r.mode == Mode::TowardZero || r.mode == Mode::ToOdd ||
                   (r.mode == Mode::Down && !sign) ||
                   (r.mode == Mode::Up && sign);
  return (sign ? f.sign() : 0) | (f.infinity() - toLargest);
}

/// The number, which is not NaN or infinite, rounded to \p f.
static uint64_t pack(FloatFormat f, const Number &n, Rounding &r) {
  uint64_t signBit = n.sign ? f.sign() : 0;
  if (n.significand == 0)
    return signBit;
  int leading = n.exponent + bitLength(n.significand) - 1;
  int least = 1 - f.bias();
  // Exponent of the last place, with and without a bound.
  int freePlace = leading - f.fractionBits;
  int place = leading < least ? least - f.fractionBits : freePlace;

  bool inexact, ignored;
  Wide rounded =
      roundShift(n.significand, place - n.exponent, n.sign, r.mode, inexact);
  // Tininess is detected after rounding as if the exponent had no bound.
  Wide unbounded = roundShift(n.significand, freePlace - n.exponent, n.sign,
                              r.mode, ignored);
  bool carries = bitLength(unbounded) > f.fractionBits + 1;
  bool tiny = leading + int(carries) < least;
  if (inexact)
    r.flags |= tiny ? kInexact | kUnderflow : kInexact;
  if (bitLength(rounded) > f.fractionBits + 1) {
    rounded >>= 1;
    ++place;
  }
  if (place + f.fractionBits > f.bias())
    return overflow(f, n.sign, r);
  uint64_t digits = uint64_t(rounded);
  if (digits >> f.fractionBits == 0) // subnormal
    return signBit | digits;
  int exponent = place + f.fractionBits + f.bias();
  uint64_t fraction = digits & ((uint64_t(1) << f.fractionBits) - 1);
  return signBit | uint64_t(exponent) << f.fractionBits | fraction;
}

static uint64_t invalid(FloatFormat f, Rounding &r) {
  r.flags |= kInvalid;
  return f.nan();
}
/// The result where an operand is a NaN.
static uint64_t nanOf(FloatFormat f, bool signaling, Rounding &r) {
  return signaling ? invalid(f, r) : f.nan();
}
static uint64_t infinity(FloatFormat f, bool sign) {
  return (sign ? f.sign() : 0) | f.infinity();
}

/// Exact, but that where the exponents are far apart the smaller number is
/// replaced by a nearer one that is still far below all that rounding sees:
/// the larger is a multiple of 2^e, results have 53 bits, and the smaller is
/// less than 2^(e - 190) either way.
static Number sum(Number a, Number b, Mode mode) {
  constexpr int kMaxGap = 300;
  if (a.significand == 0 && b.significand == 0) {
    Number zero;
    zero.sign = a.sign == b.sign ? a.sign : mode == Mode::Down;
    return zero;
  }
  if (a.significand == 0)
    return b;
  if (b.significand == 0)
    return a;
  if (a.exponent < b.exponent)
    return sum(b, a, mode);
  if (a.exponent - b.exponent > kMaxGap) {
    b.significand = 1;
    b.exponent = a.exponent - kMaxGap;
  }
  Wide x = a.significand << (a.exponent - b.exponent), y = b.significand;
  Number result;
  result.exponent = b.exponent;
  if (a.sign == b.sign) {
    result.sign = a.sign;
    result.significand = x + y;
  } else if (x == y) {
    result.sign = mode == Mode::Down;
  } else {
    result.sign = x > y ? a.sign : b.sign;
    result.significand = x > y ? x - y : y - x;
  }
  return result;
}

bool yarrow::reference::isNaN(FloatFormat f, uint64_t a) {
  return unpack(f, a).isNaN;
}
bool yarrow::reference::isSignalingNaN(FloatFormat f, uint64_t a) {
  return unpack(f, a).isSignaling;
}

uint64_t yarrow::reference::add(FloatFormat f, uint64_t a, uint64_t b,
                                Rounding &r) {
  Number x = unpack(f, a), y = unpack(f, b);
  if (x.isNaN || y.isNaN)
    return nanOf(f, x.isSignaling || y.isSignaling, r);
  if (x.isInfinite && y.isInfinite && x.sign != y.sign)
    return invalid(f, r);
  if (x.isInfinite || y.isInfinite)
    return infinity(f, x.isInfinite ? x.sign : y.sign);
  return pack(f, sum(x, y, r.mode), r);
}

static Number product(const Number &x, const Number &y) {
  Number n;
  n.sign = x.sign != y.sign;
  n.significand = x.significand * y.significand;
  n.exponent = x.exponent + y.exponent;
  return n;
}

uint64_t yarrow::reference::mul(FloatFormat f, uint64_t a, uint64_t b,
                                Rounding &r) {
  Number x = unpack(f, a), y = unpack(f, b);
  if (x.isNaN || y.isNaN)
    return nanOf(f, x.isSignaling || y.isSignaling, r);
  if ((x.isInfinite && y.isZero()) || (x.isZero() && y.isInfinite))
    return invalid(f, r);
  if (x.isInfinite || y.isInfinite)
    return infinity(f, x.sign != y.sign);
  return pack(f, product(x, y), r);
}

uint64_t yarrow::reference::fma(FloatFormat f, uint64_t a, uint64_t b,
                                uint64_t c, Rounding &r) {
  Number x = unpack(f, a), y = unpack(f, b), z = unpack(f, c);
  // Even if c is a quiet NaN (F 11.2).
  if ((x.isInfinite && y.isZero()) || (x.isZero() && y.isInfinite))
    return invalid(f, r);
  if (x.isNaN || y.isNaN || z.isNaN)
    return nanOf(f, x.isSignaling || y.isSignaling || z.isSignaling, r);
  bool productSign = x.sign != y.sign;
  bool productInfinite = x.isInfinite || y.isInfinite;
  if (productInfinite && z.isInfinite && productSign != z.sign)
    return invalid(f, r);
  if (productInfinite || z.isInfinite)
    return infinity(f, productInfinite ? productSign : z.sign);
  return pack(f, sum(product(x, y), z, r.mode), r);
}

uint64_t yarrow::reference::div(FloatFormat f, uint64_t a, uint64_t b,
                                Rounding &r) {
  Number x = unpack(f, a), y = unpack(f, b);
  if (x.isNaN || y.isNaN)
    return nanOf(f, x.isSignaling || y.isSignaling, r);
  if ((x.isInfinite && y.isInfinite) || (x.isZero() && y.isZero()))
    return invalid(f, r);
  bool sign = x.sign != y.sign;
  if (x.isInfinite)
    return infinity(f, sign);
  if (y.isInfinite)
    return sign ? f.sign() : 0;
  if (y.isZero()) {
    r.flags |= kDivideByZero;
    return infinity(f, sign);
  }
  // 200 more bits than the divisor has, and one that says whether any are
  // missing.
  Wide dividend = x.significand << 200;
  Number n;
  n.sign = sign;
  Wide quotient = dividend / y.significand;
  n.significand = quotient << 1 | Wide(quotient * y.significand != dividend);
  n.exponent = x.exponent - y.exponent - 201;
  return pack(f, n, r);
}

uint64_t yarrow::reference::sqrt(FloatFormat f, uint64_t a, Rounding &r) {
  Number x = unpack(f, a);
  if (x.isNaN)
    return nanOf(f, x.isSignaling, r);
  if (x.isZero())
    return a;
  if (x.sign)
    return invalid(f, r);
  if (x.isInfinite)
    return a;
  // An even exponent, and 2 * 64 more bits for 64 more of the root.
  Wide square = x.significand << (x.exponent & 1 ? 129 : 128);
  int exponent = x.exponent - (x.exponent & 1 ? 129 : 128);
  Wide root = 0;
  for (int bit = bitLength(square) / 2; bit >= 0; --bit) {
    Wide candidate = root | Wide(1) << bit;
    if (candidate * candidate <= square)
      root = candidate;
  }
  Number n;
  n.significand = root << 1 | Wide(root * root != square);
  n.exponent = exponent / 2 - 1;
  return pack(f, n, r);
}

uint64_t yarrow::reference::convert(FloatFormat from, FloatFormat to,
                                    uint64_t a, Rounding &r) {
  Number x = unpack(from, a);
  if (x.isNaN)
    return nanOf(to, x.isSignaling, r);
  if (x.isInfinite)
    return infinity(to, x.sign);
  return pack(to, x, r);
}

uint64_t yarrow::reference::fromInteger(FloatFormat to, __int128 value,
                                        Rounding &r) {
  Number n;
  n.sign = value < 0;
  n.significand = Wide(value < 0 ? -(unsigned __int128)(value)
                                 : (unsigned __int128)(value));
  return pack(to, n, r);
}

uint64_t yarrow::reference::toInteger(FloatFormat from, uint64_t a,
                                      unsigned bits, bool isSigned,
                                      Rounding &r) {
  Number x = unpack(from, a);
  __int128 most = ((__int128)1 << (isSigned ? bits - 1 : bits)) - 1;
  __int128 least = isSigned ? -most - 1 : 0;
  auto saturated = [&](bool toLeast) {
    r.flags |= kInvalid;
    return uint64_t(toLeast ? least : most);
  };
  if (x.isNaN)
    return saturated(false);
  if (x.isInfinite ||
      (x.significand != 0 && x.exponent + bitLength(x.significand) > 70))
    return saturated(x.sign);
  bool inexact;
  Wide rounded = roundShift(x.significand, -x.exponent, x.sign, r.mode,
                            inexact); // below 2^71
  __int128 value = (__int128)rounded;
  value = x.sign ? -value : value;
  if (value < least || value > most)
    return saturated(x.sign);
  r.flags |= inexact ? kInexact : 0;
  return uint64_t(value);
}

/// Of what is no NaN: -1, 0 or 1 as a is less than, equal to or greater than b.
static int compare(const Number &a, const Number &b) {
  if (a.isZero() && b.isZero())
    return 0;
  if (a.sign != b.sign)
    return a.isZero() ? (b.sign ? 1 : -1) : (a.sign ? -1 : 1);
  int order;
  if (a.isInfinite || b.isInfinite) {
    order = int(a.isInfinite) - int(b.isInfinite);
  } else {
    int aLeading =
        a.significand == 0 ? -100000 : a.exponent + bitLength(a.significand);
    int bLeading =
        b.significand == 0 ? -100000 : b.exponent + bitLength(b.significand);
    if (aLeading != bLeading) {
      order = aLeading < bLeading ? -1 : 1;
    } else {
      int low = a.exponent < b.exponent ? a.exponent : b.exponent;
      Wide x = a.significand << (a.exponent - low);
      Wide y = b.significand << (b.exponent - low);
      order = x < y ? -1 : x > y ? 1 : 0;
    }
  }
  return a.sign ? -order : order;
}

static uint64_t extreme(FloatFormat f, uint64_t a, uint64_t b, Rounding &r,
                        int wanted) {
  Number x = unpack(f, a), y = unpack(f, b);
  if (x.isSignaling || y.isSignaling)
    r.flags |= kInvalid;
  if (x.isNaN && y.isNaN)
    return f.nan();
  if (x.isNaN || y.isNaN)
    return x.isNaN ? b : a;
  if (x.isZero() && y.isZero()) // -0 is less than +0
    return x.sign == (wanted < 0) ? a : b;
  return compare(x, y) == wanted ? a : b;
}
uint64_t yarrow::reference::minimum(FloatFormat f, uint64_t a, uint64_t b,
                                    Rounding &r) {
  return extreme(f, a, b, r, -1);
}
uint64_t yarrow::reference::maximum(FloatFormat f, uint64_t a, uint64_t b,
                                    Rounding &r) {
  return extreme(f, a, b, r, 1);
}

bool yarrow::reference::equal(FloatFormat f, uint64_t a, uint64_t b,
                              Rounding &r) {
  Number x = unpack(f, a), y = unpack(f, b);
  if (x.isSignaling || y.isSignaling)
    r.flags |= kInvalid;
  return !x.isNaN && !y.isNaN && compare(x, y) == 0;
}
bool yarrow::reference::less(FloatFormat f, uint64_t a, uint64_t b,
                             Rounding &r) {
  Number x = unpack(f, a), y = unpack(f, b);
  if (x.isNaN || y.isNaN)
    r.flags |= kInvalid;
  return !x.isNaN && !y.isNaN && compare(x, y) < 0;
}
bool yarrow::reference::lessEqual(FloatFormat f, uint64_t a, uint64_t b,
                                  Rounding &r) {
  Number x = unpack(f, a), y = unpack(f, b);
  if (x.isNaN || y.isNaN)
    r.flags |= kInvalid;
  return !x.isNaN && !y.isNaN && compare(x, y) <= 0;
}

uint64_t yarrow::reference::classify(FloatFormat f, uint64_t a) {
  Number n = unpack(f, a);
  if (n.isNaN)
    return n.isSignaling ? 1 << 8 : 1 << 9;
  if (n.isInfinite)
    return n.sign ? 1 << 0 : 1 << 7;
  if (n.isZero())
    return n.sign ? 1 << 3 : 1 << 4;
  bool subnormal = bitLength(n.significand) <= f.fractionBits;
  if (n.sign)
    return subnormal ? 1 << 2 : 1 << 1;
  return subnormal ? 1 << 5 : 1 << 6;
}
