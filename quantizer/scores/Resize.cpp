//===- Resize.cpp - Pictures in another size, for metrics -----------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "quantizer/scores/Resize.h"

#include <algorithm>
#include <array>
#include <cmath>

using namespace yarrow;

namespace {

/// What of a line of pixels makes one of the resized line.
struct Taps {
  std::array<std::size_t, 4> indices = {};
  std::array<double, 4> weights = {};
};

/// Keys' cubic, |distance| up to 2.
double cubic(double distance) {
  constexpr double a = -0.75;
  double x = std::abs(distance);
  if (x <= 1)
    return ((a + 2) * x - (a + 3)) * x * x + 1;
  return x < 2 ? ((a * x - 5 * a) * x + 8 * a) * x - 4 * a : 0;
}

Taps tapsOf(std::size_t i, std::size_t from, std::size_t to, Resize method) {
  double source = (double(i) + 0.5) * double(from) / double(to) - 0.5;
  if (method == Resize::Bilinear)
    source = std::max(source, 0.0);
  double floor = std::floor(source);
  Taps taps;
  for (int k = 0; k < 4; ++k) {
    double at = floor + k - 1, distance = source - at;
    taps.indices[k] = std::size_t(std::clamp(at, 0.0, double(from) - 1));
    taps.weights[k] = method == Resize::Bicubic
                          ? cubic(distance)
                          : std::max(0.0, 1 - std::abs(distance));
  }
  return taps;
}

std::vector<Taps> allTaps(std::size_t from, std::size_t to, Resize method) {
  std::vector<Taps> taps;
  for (std::size_t i = 0; i < to; ++i)
    taps.push_back(tapsOf(i, from, to, method));
  return taps;
}

} // namespace

std::vector<float> yarrow::resized(const Plane &picture, std::size_t height,
                                   std::size_t width, Resize method) {
  std::vector<Taps> columns = allTaps(picture.width, width, method);
  std::vector<Taps> lines = allTaps(picture.height, height, method);
  std::vector<float> result;
  result.reserve(height * width);
  for (const Taps &line : lines)
    for (const Taps &column : columns) {
      double sum = 0;
      for (int y = 0; y < 4; ++y)
        for (int x = 0; x < 4; ++x)
          sum += line.weights[y] * column.weights[x] *
                 double(picture.values[picture.step *
                                       (line.indices[y] * picture.width +
                                        column.indices[x])]);
      result.push_back(float(sum));
    }
  return result;
}
