//===- Sampling.cpp - Where a resized image reads its pixels --------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "parser/qnn/operators/Sampling.h"
#include <algorithm>
#include <cmath>
#include <numeric>

using namespace yarrow;
using namespace yarrow::qnn;

using Row = std::vector<double>;

/// One division, so that ties are ties.
double Sampling::place(std::int64_t o) const {
  switch (mode) {
  case Mode::PytorchHalfPixel:
    if (out <= 1)
      return 0;
    [[fallthrough]];
  case Mode::HalfPixel:
    return double((2 * o + 1) * in - out) / double(2 * out);
  case Mode::AlignCorners:
    return out <= 1 ? 0 : double(o * (in - 1)) / double(out - 1);
  case Mode::Asymmetric:
    break;
  }
  return double(o * in) / double(out);
}

std::int64_t Sampling::nearest(std::int64_t o, Nearest how) const {
  double x = place(o);
  double taken = how == Nearest::Floor        ? std::floor(x)
                 : how == Nearest::Ceil       ? std::ceil(x)
                 : how == Nearest::PreferCeil ? std::floor(x + 0.5)
                                              : std::ceil(x - 0.5);
  return std::clamp(std::int64_t(taken), std::int64_t(0), in - 1);
}

bool Sampling::isCertain(Nearest how) const {
  std::int64_t common = std::gcd(in, out);
  auto isPowerOf2 = [](std::int64_t n) { return (n & (n - 1)) == 0; };
  bool isExact = mode != Mode::AlignCorners && isPowerOf2(out / common) &&
                 std::max(in, out) < 1 << 20;
  if (isExact)
    return true;
  bool rounds = how == Nearest::PreferFloor || how == Nearest::PreferCeil;
  for (std::int64_t o = 0; o < out; ++o) {
    double x = place(o) + (rounds ? 0.5 : 0);
    if (std::abs(x - std::nearbyint(x)) < 1e-6 * double(in))
      return false;
  }
  return true;
}

/// Adds to position \p i, or to the end that it lies beyond.
static void addAt(Row &row, std::int64_t i, double weight) {
  row[std::size_t(
      std::clamp(i, std::int64_t(0), std::int64_t(row.size()) - 1))] += weight;
}

static void normalise(Row &row) {
  double sum = 0;
  for (double weight : row)
    sum += weight;
  for (double &weight : row)
    weight /= sum;
}

Row Sampling::linearRow(std::int64_t o) const {
  Row row(std::size_t(in), 0.0);
  double x = place(o), first = std::floor(x);
  addAt(row, std::int64_t(first), 1 - (x - first));
  addAt(row, std::int64_t(first) + 1, x - first);
  return row;
}

/// Keys' cubic convolution.
static double cubicWeight(double distance, double a) {
  double t = std::abs(distance);
  if (t <= 1)
    return ((a + 2) * t - (a + 3)) * t * t + 1;
  return t < 2 ? ((a * t - 5 * a) * t + 8 * a) * t - 4 * a : 0;
}

Row Sampling::cubicRow(std::int64_t o, double coefficient,
                       bool excludesOutside) const {
  Row row(std::size_t(in), 0.0);
  double x = place(o);
  auto first = std::int64_t(std::floor(x));
  for (std::int64_t i = first - 1; i <= first + 2; ++i)
    if (!excludesOutside || (i >= 0 && i < in))
      addAt(row, i, cubicWeight(x - double(i), coefficient));
  if (excludesOutside)
    normalise(row);
  return row;
}

Row Sampling::smoothRow(std::int64_t o) const {
  Row row(std::size_t(in), 0.0);
  double x = place(o), width = std::max(1.0, double(in) / double(out));
  for (std::int64_t i = 0; i < in; ++i)
    row[std::size_t(i)] = std::max(0.0, 1 - std::abs(double(i) - x) / width);
  normalise(row);
  return row;
}
