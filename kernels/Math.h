//===- Math.h - Elementary functions without a C library ------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// Host and TEC must produce the same bits, so no library function is used: each
// is a short double-precision expression whose relative error is below 1e-11
// (measured in test/unit/kernels), far below the 6e-8 of a float. Branches are
// selections and polynomials have fixed lengths, so that a loop over a function
// vectorizes. Only
// +, -, *, /, sqrt and conversions are used, all correctly rounded on both
// machines, never contracted (-ffp-contract=off).
//
//   double y = math::tanh(0.5);
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_KERNELS_MATH_H
#define YARROW_KERNELS_MATH_H

#include <stdint.h>

/// Always inlined: a call in a loop keeps it from being vectorized.
#define YARROW_MATH inline __attribute__((always_inline))

namespace yarrow::kernels::math {

constexpr double kPi = 3.141592653589793238;
constexpr double kLn2 = 0.693147180559945309;
constexpr double kLog2e = 1.442695040888963407;
constexpr double kInfinity = __builtin_huge_val();
constexpr double kNaN = __builtin_nan("");

YARROW_MATH uint64_t bitsOf(double x) {
  return __builtin_bit_cast(uint64_t, x);
}
YARROW_MATH double fromBits(uint64_t b) {
  return __builtin_bit_cast(double, b);
}
YARROW_MATH double abs(double x) { return __builtin_fabs(x); }
YARROW_MATH double copySign(double magnitude, double sign) {
  return __builtin_copysign(magnitude, sign);
}
YARROW_MATH double sqrt(double x) { return __builtin_sqrt(x); }

/// Exact for |x| < 2^53; a TEC has no instruction for 64-bit integers.
YARROW_MATH double fromI64(int64_t x) {
  return double(int32_t(x >> 32)) * 4294967296.0 + double(uint32_t(x));
}

// Adding 1.5 * 2^52 leaves the nearest integer (ties to even) in the low bits:
// a rounding that needs neither a library nor a 64-bit conversion. |x| < 2^31.
constexpr double kRoundMagic = 6755399441055744.0;

/// Horner's scheme: c[0] + c[1] * x + ...
template <uint32_t N>
YARROW_MATH double polynomial(double x, const double (&c)[N]) {
  double y = c[N - 1];
  for (uint32_t i = N - 1; i-- > 0;)
    y = y * x + c[i];
  return y;
}

/// e^x: 2^k * e^r with |r| <= ln2 / 2 and a Taylor polynomial of degree 11.
/// Below e^-708.7 it is 0 and above e^709.4 infinity, which for floats begin at
/// e^-104 and e^89: so 2^k is one factor.
YARROW_MATH double exp(double x) {
  // So that k is at least -1023 and at most 1024; comparisons keep NaN.
  double limited = x < -709.0 ? -709.0 : x;
  limited = limited > 710.0 ? 710.0 : limited;
  double shifted = limited * kLog2e + kRoundMagic;
  double k = shifted - kRoundMagic;
  // ln2 in two parts: the first has 32 bits, so k times it is exact.
  double r = (limited - k * 6.93147180369123816490e-01) -
             k * 1.90821492927058770002e-10;
  const double c[] = {1.0,         1.0,          1.0 / 2,       1.0 / 6,
                      1.0 / 24,    1.0 / 120,    1.0 / 720,     1.0 / 5040,
                      1.0 / 40320, 1.0 / 362880, 1.0 / 3628800, 1.0 / 39916800};
  // Exponents 0 and 2047 are those of 0 and infinity.
  return polynomial(r, c) * fromBits((bitsOf(shifted) + 1023) << 52);
}

/// x = m * 2^k with m in [sqrt(1/2), sqrt(2)); ln(m) = 2 atanh(s) with
/// s = (m - 1) / (m + 1), |s| < 0.172. For finite x > 0.
struct LogParts {
  double k, logM;
};
YARROW_MATH LogParts splitLog(double x) {
  bool tiny = x < 2.2250738585072014e-308;
  double scaled = tiny ? x * 18014398509481984.0 : x; // 2^54 for subnormals
  uint64_t bits = bitsOf(scaled);
  // Subtracting the bits of sqrt(1/2) moves the break between exponents there.
  uint64_t offset = bits - 0x3fe6a09e667f3bcdULL;
  int32_t exponent = int32_t(uint32_t(offset >> 32)) >> 20;
  double m = fromBits(bits - (uint64_t(uint32_t(exponent)) << 52));
  double f = m - 1.0;
  double s = f / (2.0 + f);
  const double c[] = {1.0,      1.0 / 3,  1.0 / 5,  1.0 / 7,  1.0 / 9,
                      1.0 / 11, 1.0 / 13, 1.0 / 15, 1.0 / 17, 1.0 / 19};
  return {double(tiny ? exponent - 54 : exponent),
          2.0 * s * polynomial(s * s, c)};
}
/// The logarithm `y` of x > 0, or that of the special values.
YARROW_MATH double logOrSpecial(double x, double y) {
  y = x == 0.0 ? -kInfinity : y;
  y = x == kInfinity ? x : y;
  return x < 0.0 || x != x ? kNaN : y;
}
YARROW_MATH double log(double x) {
  LogParts p = splitLog(x);
  return logOrSpecial(x, p.k * 6.93147180369123816490e-01 +
                             (p.logM + p.k * 1.90821492927058770002e-10));
}
/// Exact for powers of two.
YARROW_MATH double log2(double x) {
  LogParts p = splitLog(x);
  return logOrSpecial(x, p.k + p.logM * kLog2e);
}

/// ln(1 + x): the error of the sum 1 + x, made good to first order.
YARROW_MATH double log1p(double x) {
  double u = 1.0 + x;
  double y = log(u) + (x - (u - 1.0)) / u;
  y = u == 0.0 ? -kInfinity : y;
  return u == kInfinity ? u : y;
}

/// e^x - 1 without cancellation near 0.
YARROW_MATH double expm1(double x) {
  const double c[] = {1.0,       1.0 / 2,   1.0 / 6,    1.0 / 24,
                      1.0 / 120, 1.0 / 720, 1.0 / 5040, 1.0 / 40320};
  double small = x * polynomial(x, c);
  return abs(x) < 0.03 ? small : exp(x) - 1.0;
}

YARROW_MATH double sigmoid(double x) { return 1.0 / (1.0 + exp(-x)); }

YARROW_MATH double tanh(double x) {
  double x2 = x * x;
  const double c[] = {1.0, -1.0 / 3, 2.0 / 15, -17.0 / 315, 62.0 / 2835};
  double small = x * polynomial(x2, c);
  double large = copySign(1.0 - 2.0 / (exp(2.0 * abs(x)) + 1.0), x);
  return abs(x) < 0.04 ? small : x != x ? x : large;
}

YARROW_MATH double sinh(double x) {
  const double c[] = {1.0, 1.0 / 6, 1.0 / 120, 1.0 / 5040, 1.0 / 362880};
  double small = x * polynomial(x * x, c);
  double e = exp(x);
  return abs(x) < 0.1 ? small : 0.5 * e - 0.5 / e;
}
YARROW_MATH double cosh(double x) {
  double e = exp(x);
  return 0.5 * e + 0.5 / e;
}

/// sin and cos share the reduction by multiples of pi/2 in three parts of 33
/// bits: exact products while the multiple has at most 20 bits, that is for |x|
/// < 1.6e6. Beyond, precision is lost gradually; beyond 2^30 the result is NaN.
struct QuarterTurn {
  double sine, cosine;
  int32_t quadrant;
};
YARROW_MATH QuarterTurn reduceAngle(double x) {
  double limited = abs(x) < 1073741824.0 ? x : kNaN;
  double shifted = limited * (2.0 / kPi) + kRoundMagic;
  double k = shifted - kRoundMagic;
  double r = limited - k * 1.57079632673412561417e+00;
  r = r - k * 6.07710050630396597660e-11;
  r = r - k * 2.02226624879595063154e-21;
  double r2 = r * r;
  const double s[] = {
      1.0,          -1.0 / 6,        1.0 / 120,         -1.0 / 5040,
      1.0 / 362880, -1.0 / 39916800, 1.0 / 6227020800.0};
  const double c[] = {
      1.0,         -1.0 / 2,       1.0 / 24,        -1.0 / 720,
      1.0 / 40320, -1.0 / 3628800, 1.0 / 479001600, -1.0 / 87178291200.0};
  return {r * polynomial(r2, s), polynomial(r2, c),
          int32_t(uint32_t(bitsOf(shifted)))};
}
YARROW_MATH double sin(double x) {
  QuarterTurn t = reduceAngle(x);
  double y = t.quadrant & 1 ? t.cosine : t.sine;
  return t.quadrant & 2 ? -y : y;
}
YARROW_MATH double cos(double x) {
  QuarterTurn t = reduceAngle(x);
  double y = t.quadrant & 1 ? t.sine : t.cosine;
  return (t.quadrant + 1) & 2 ? -y : y;
}
YARROW_MATH double tan(double x) {
  QuarterTurn t = reduceAngle(x);
  return t.quadrant & 1 ? -t.cosine / t.sine : t.sine / t.cosine;
}

/// atan: |x| > 1 by its reciprocal, then two halvings of the angle
/// (tan(a/2) = t / (1 + sqrt(1 + t^2))) down to |t| < 0.2.
YARROW_MATH double atan(double x) {
  double a = abs(x);
  double t = a > 1.0 ? 1.0 / a : a;
  t = t / (1.0 + sqrt(1.0 + t * t));
  t = t / (1.0 + sqrt(1.0 + t * t));
  const double c[] = {1.0,       -1.0 / 3, 1.0 / 5,   -1.0 / 7, 1.0 / 9,
                      -1.0 / 11, 1.0 / 13, -1.0 / 15, 1.0 / 17};
  double y = 4.0 * t * polynomial(t * t, c);
  return copySign(a > 1.0 ? kPi / 2 - y : y, x);
}
YARROW_MATH double asin(double x) {
  return 2.0 * atan(x / (1.0 + sqrt((1.0 - x) * (1.0 + x))));
}
YARROW_MATH double acos(double x) {
  return 2.0 * atan(sqrt((1.0 - x) / (1.0 + x)));
}

YARROW_MATH double asinh(double x) {
  double a = abs(x);
  double y = log1p(a + a * a / (1.0 + sqrt(a * a + 1.0)));
  // Where a * a overflows, asinh(a) is ln(2a).
  y = a > 1e150 ? log(a) + kLn2 : y;
  return copySign(y, x);
}
YARROW_MATH double acosh(double x) {
  double t = x - 1.0;
  double y = log1p(t + sqrt(t * (x + 1.0)));
  return x > 1e150 ? log(x) + kLn2 : x < 1.0 ? kNaN : y;
}
YARROW_MATH double atanh(double x) {
  double a = abs(x);
  return copySign(0.5 * log1p(2.0 * a / (1.0 - a)), x);
}

/// erfc(x) for x >= 0: e^(-x^2) * t * P(2t - 1), t = 2 / (2 + x). P is a
/// Chebyshev fit of erfc(x) e^(x^2) / t over all x >= 0, relative error 1e-12.
YARROW_MATH double erfcPositive(double x) {
  const double c[] = {
      0.5107913526208938,      0.34358034220529554,    0.13973604630083689,
      0.018221115840368587,    -0.010755331672951616,  -0.0032395938677600706,
      0.0015453150381471656,   0.00041865682389445884, -0.0003315932962980383,
      -1.721352335906094e-05,  7.24389650599732e-05,   -1.7039392253082003e-05,
      -1.1293196212136516e-05, 8.08963366125679e-06,   3.5062657843811364e-08,
      -1.9821984096779435e-06, 5.277252057567218e-07,  2.285909431520841e-07,
      -1.0165967978537043e-07};
  double t = 2.0 / (2.0 + x);
  return exp(-x * x) * t * polynomial(2.0 * t - 1.0, c);
}
YARROW_MATH double erfc(double x) {
  double y = erfcPositive(abs(x));
  return x < 0.0 ? 2.0 - y : y;
}
YARROW_MATH double erf(double x) {
  // Taylor series where 1 - erfc would cancel, |x| < 0.5.
  const double c[] = {1.0,          -1.0 / 3,       1.0 / 10,      -1.0 / 42,
                      1.0 / 216,    -1.0 / 1320,    1.0 / 9360,    -1.0 / 75600,
                      1.0 / 685440, -1.0 / 6894720, 1.0 / 76204800};
  double small = x * 1.128379167095512574 * polynomial(x * x, c);
  double large = copySign(1.0 - erfcPositive(abs(x)), x);
  return abs(x) < 0.5 ? small : x != x ? x : large;
}

/// True for integers of any size.
YARROW_MATH bool isInteger(double y) {
  double a = abs(y);
  double rounded = (a + 4503599627370496.0) - 4503599627370496.0;
  return a >= 4503599627370496.0 || rounded == a;
}

/// x^y as in C: a negative base needs an integer exponent.
YARROW_MATH double pow(double x, double y) {
  double a = abs(x);
  double r = exp(y * log(a));
  r = a == 1.0 ? 1.0 : r;
  bool odd = isInteger(y) && !isInteger(y * 0.5);
  bool fails = x < 0.0 && a <= 1.7976931348623157e308 && !isInteger(y);
  r = fails ? kNaN : r;
  r = odd ? copySign(r, x) : r;
  r = x != x || y != y ? kNaN : r;
  return y == 0.0 || x == 1.0 ? 1.0 : r;
}

// Rounding to an integer; exact for every float. Results keep the sign of x.
YARROW_MATH double roundEven(double x) {
  double a = abs(x);
  double y = (a + 4503599627370496.0) - 4503599627370496.0;
  return copySign(a < 4503599627370496.0 ? y : a, x);
}
YARROW_MATH double floor(double x) {
  double y = roundEven(x);
  return copySign(y > x ? y - 1.0 : y, x);
}
YARROW_MATH double ceil(double x) {
  double y = roundEven(x);
  return copySign(y < x ? y + 1.0 : y, x);
}
YARROW_MATH double trunc(double x) { return copySign(floor(abs(x)), x); }

} // namespace yarrow::kernels::math

#endif // YARROW_KERNELS_MATH_H
