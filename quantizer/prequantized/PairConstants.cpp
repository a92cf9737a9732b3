//===- PairConstants.cpp - Multipliers that are right for all pairs -------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "quantizer/prequantized/PairConstants.h"
#include "support/Multiplier.h"
#include "support/Numeric.h"
#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <vector>

using namespace yarrow;

namespace {

int64_t valuesOf(const PairSide &s) { return s.hi - s.lo + 1; }
bool canTryAll(const PairSide &a, const PairSide &b) {
  return valuesOf(a) * valuesOf(b) <= 65536;
}

/// Ratios below which pairs are tried: |q| < 2^9 makes at most 2^49 steps.
constexpr double kMostRatio = 0x1p31;

/// \p real / \p step rounded half to even, exactly: real has at most 42
/// significant bits here (products of two float32 steps, or sums of such in a
/// long double's 64), n * step at most 24 + 18. \p real and \p step are in the
/// same unit; the quotient is below 2^50 (kMostRatio).
int64_t nearestSteps(long double real, long double step) {
  auto n = int64_t(std::floor(real / step));
  // The quotient may be off by an ulp: settle it by exact products.
  while ((long double)n * step > real)
    --n;
  while ((long double)(n + 1) * step <= real)
    ++n;
  long double twice = 2 * (real - (long double)n * step);
  if (twice > step || (twice == step && (n & 1)))
    ++n;
  return n;
}

/// What exact arithmetic gives for each pair, before the zero point.
template <typename Real>
std::vector<int64_t> exactSteps(const PairSide &a, const PairSide &b,
                                Real realOf, long double step) {
  std::vector<int64_t> steps;
  steps.reserve(size_t(valuesOf(a) * valuesOf(b)));
  for (int64_t qa = a.lo; qa <= a.hi; ++qa)
    for (int64_t qb = b.lo; qb <= b.hi; ++qb)
      steps.push_back(nearestSteps(realOf(qa - a.zero, qb - b.zero), step));
  return steps;
}

int64_t clipped(int64_t steps, const PairSide &result) {
  return std::clamp(steps + result.zero, result.lo, result.hi);
}

/// Pairs for which \p accumulatorOf, shifted and rounded, differs from \p exact
/// where it is stored. |accumulator| < 2^9 * 2^31 * 2.
template <typename Accumulator>
int64_t countInexact(const PairSide &a, const PairSide &b,
                     const PairSide &result, const std::vector<int64_t> &exact,
                     Accumulator accumulatorOf, int32_t shift,
                     Rounding rounding = Rounding::HalfEven) {
  int64_t count = 0;
  size_t pair = 0;
  RoundShift s = makeRoundShift(shift, rounding);
  for (int64_t qa = a.lo; qa <= a.hi; ++qa)
    for (int64_t qb = b.lo; qb <= b.hi; ++qb) {
      int64_t y = shiftRounded(accumulatorOf(qa - a.zero, qb - b.zero), s);
      count += clipped(y, result) != clipped(exact[pair++], result);
    }
  return count;
}

/// The larger ratio gets all \p bits.
bool sumMultipliers(double ra, double rb, unsigned bits, PairConstants &c) {
  auto larger = multiplierOf(std::max(ra, rb), bits);
  if (!larger)
    return false;
  c.shift = larger->shift;
  c.a = std::llround(std::ldexp(ra, c.shift));
  c.b = std::llround(std::ldexp(rb, c.shift));
  return true;
}

} // namespace

PairConstants yarrow::sumConstants(const PairSide &a, const PairSide &b,
                                   const PairSide &result, int sign) {
  double ra = a.step / result.step, rb = b.step / result.step;
  if (std::max(ra, rb) >= kMostRatio)
    return {};
  PairConstants c;
  if (!canTryAll(a, b)) {
    sumMultipliers(ra, rb, 31, c);
    return c;
  }
  std::vector<int64_t> exact = exactSteps(
      a, b,
      [&](int64_t x, int64_t y) {
        return (long double)a.step * (long double)x +
               (long double)b.step * (long double)(sign * y);
      },
      result.step);
  for (unsigned bits : {15u, 31u}) {
    if (!sumMultipliers(ra, rb, bits, c))
      return {};
    c.numInexact = countInexact(
        a, b, result, exact,
        [&](int64_t x, int64_t y) { return c.a * x + sign * c.b * y; },
        c.shift);
    if (c.numInexact == 0)
      break;
  }
  return c;
}

PairConstants yarrow::xnnpackSumConstants(const PairSide &a, const PairSide &b,
                                          const PairSide &result, int sign) {
  // In single precision, as there.
  float ra = float(a.step) / float(result.step),
        rb = float(b.step) / float(result.step);
  auto isTaken = [](float ratio) {
    return ratio >= 0x1p-10f && ratio < 0x1p8f;
  };
  if (!isTaken(ra) || !isTaken(rb))
    return {};
  PairConstants theirs;
  theirs.shift = 20 - std::ilogb(std::max(ra, rb));
  theirs.a = std::lrint(std::ldexp(ra, theirs.shift));
  theirs.b = std::lrint(std::ldexp(rb, theirs.shift));
  theirs.rounding = Rounding::HalfUp;
  theirs.numInexact = 0;
  RoundShift shift = makeRoundShift(theirs.shift, Rounding::HalfUp);
  std::vector<int64_t> wanted;
  wanted.reserve(size_t(valuesOf(a) * valuesOf(b)));
  for (int64_t qa = a.lo; qa <= a.hi; ++qa)
    for (int64_t qb = b.lo; qb <= b.hi; ++qb)
      wanted.push_back(shiftRounded(
          theirs.a * (qa - a.zero) + sign * theirs.b * (qb - b.zero), shift));
  PairConstants narrow;
  if (sumMultipliers(double(ra), double(rb), 15, narrow))
    for (Rounding rounding : {Rounding::HalfEven, Rounding::HalfUp}) {
      narrow.rounding = rounding;
      narrow.numInexact = countInexact(
          a, b, result, wanted,
          [&](int64_t x, int64_t y) {
            return narrow.a * x + sign * narrow.b * y;
          },
          narrow.shift, rounding);
      if (narrow.numInexact == 0)
        return narrow;
    }
  return theirs;
}

PairConstants yarrow::productConstants(const PairSide &a, const PairSide &b,
                                       const PairSide &result) {
  // In the order in which TFLite takes them.
  double ratio = a.step * b.step / result.step;
  auto m = multiplierOf(ratio);
  if (!m || ratio >= kMostRatio)
    return {};
  PairConstants c{.a = m->scale, .b = 1, .shift = m->shift};
  if (!canTryAll(a, b))
    return c;
  std::vector<int64_t> exact = exactSteps(
      a, b,
      [&](int64_t x, int64_t y) {
        return (long double)a.step * (long double)b.step * (long double)(x * y);
      },
      result.step);
  auto count = [&] {
    return countInexact(
        a, b, result, exact,
        [&](int64_t x, int64_t y) { return c.a * (x * y); }, c.shift);
  };
  c.numInexact = count();
  // A neighbour may be on the right side of a pair that is almost a tie.
  for (int64_t d : {1, -1}) {
    if (c.numInexact == 0)
      break;
    PairConstants first = c;
    c.a += d;
    c.numInexact = c.a > INT32_MAX ? first.numInexact : count();
    if (c.numInexact >= first.numInexact)
      c = first;
  }
  return c;
}
