//===- Sampling.cpp - Where a resized image reads its pixels --------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "parser/graph/Sampling.h"
#include <algorithm>
#include <cmath>
#include <numeric>

using namespace yarrow;
using namespace yarrow::graph;

using Row = std::vector<double>;

/// As TensorFlow's CropAndResize: one position is the middle of the region.
double Sampling::cropped(std::int64_t o) const {
  double last = double(in - 1);
  if (out == 1)
    return (begin + end) * last / 2;
  return begin * last + double(o) * (end - begin) * last / double(out - 1);
}

/// Of a ratio of lengths with one division, so that ties are ties; of another
/// ratio in float32, as ONNX Runtime rounds it: which pixel is the nearest
/// depends on that.
double Sampling::place(std::int64_t o) const {
  auto back = [&](double v) {
    return scale ? double(float(v) / *scale)
                 : v * 2 * double(in) / double(2 * out);
  };
  switch (mode) {
  case Mode::PytorchHalfPixel:
    if (out <= 1)
      return 0;
    [[fallthrough]];
  case Mode::HalfPixel:
    if (scale)
      return double(float(back(double(o) + 0.5)) - 0.5f);
    return double((2 * o + 1) * in - out) / double(2 * out);
  case Mode::HalfPixelSymmetric: {
    // What the length lost when it was rounded is left out at both ends.
    double kept = double(out) / (ratio() * double(in));
    return double(in) / 2 * (1 - kept) + (double(o) + 0.5) / ratio() - 0.5;
  }
  case Mode::AlignCorners:
    return out <= 1 ? 0 : double(o * (in - 1)) / double(out - 1);
  case Mode::TfHalfPixelForNn:
    return back(double(o) + 0.5);
  case Mode::Crop:
    return cropped(o);
  case Mode::Asymmetric:
    break;
  }
  return back(double(o));
}

bool Sampling::isInside(std::int64_t o) const {
  return mode != Mode::Crop || (place(o) >= 0 && place(o) <= double(in - 1));
}

std::int64_t Sampling::nearest(std::int64_t o, Nearest how) const {
  double x = place(o);
  // Corners and middles are sums of what float32 does not have exactly: a place
  // that is meant to lie between two positions may lie beside.
  bool isSum = mode == Mode::Crop || mode == Mode::HalfPixelSymmetric;
  double half = std::nearbyint(2 * x) / 2;
  if (isSum && std::abs(x - half) < 1e-6 * double(in))
    x = half;
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

/// Keys' cubic convolution.
static double cubicWeight(double distance, double a) {
  double t = std::abs(distance);
  if (t <= 1)
    return ((a + 2) * t - (a + 3)) * t * t + 1;
  return t < 2 ? ((a * t - 5 * a) * t + 8 * a) * t - 4 * a : 0;
}

/// The places that a kernel of \p reach on both sides weights.
template <typename Kernel>
static Row rowOf(const Sampling &s, double x, double shrink, double reach,
                 bool excludesOutside, bool normalises, Kernel kernel) {
  Row row(std::size_t(s.in), 0.0);
  auto first = std::int64_t(std::floor(x - reach / shrink)),
       last = std::int64_t(std::ceil(x + reach / shrink));
  for (std::int64_t i = first; i <= last; ++i)
    if (!excludesOutside || (i >= 0 && i < s.in))
      addAt(row, i, kernel((x - double(i)) * shrink));
  // Nothing of it lies inside: the end that is nearest.
  if (excludesOutside &&
      std::ranges::all_of(row, [](double w) { return w == 0; }))
    addAt(row, std::int64_t(x), 1);
  if (excludesOutside || normalises)
    normalise(row);
  return row;
}

Row Sampling::linearRow(std::int64_t o, bool excludesOutside,
                        bool antialias) const {
  double shrink = antialias ? std::min(1.0, ratio()) : 1.0;
  return rowOf(*this, place(o), shrink, 1, excludesOutside, shrink < 1,
               [](double d) { return std::max(0.0, 1 - std::abs(d)); });
}

Row Sampling::cubicRow(std::int64_t o, double coefficient, bool excludesOutside,
                       bool antialias) const {
  double shrink = antialias ? std::min(1.0, ratio()) : 1.0;
  return rowOf(*this, place(o), shrink, 2, excludesOutside, shrink < 1,
               [=](double d) { return cubicWeight(d, coefficient); });
}

Row Sampling::smoothRow(std::int64_t o) const {
  Row row(std::size_t(in), 0.0);
  double x = place(o), width = std::max(1.0, double(in) / double(out));
  for (std::int64_t i = 0; i < in; ++i)
    row[std::size_t(i)] = std::max(0.0, 1 - std::abs(double(i) - x) / width);
  normalise(row);
  return row;
}
