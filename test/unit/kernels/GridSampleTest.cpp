//===- GridSampleTest.cpp - Sampling against the definition ---------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// GridSample and AffineGrid in double precision, pixel by pixel: neighbours are
// looked up one at a time, and what lies outside is mirrored step by step.
//
//===----------------------------------------------------------------------===//
#include "test/Random.h"
#include "test/unit/kernels/KernelTesting.h"

#include <algorithm>
#include <cmath>
#include <functional>

using namespace yarrow;
using namespace yarrow::kernels;
using namespace yarrow::kernels::testing;
using yarrow::testing::Random;

namespace {

constexpr int kGridSampleRounds = 150;

GridSampleShape randomGridSampleShape(Random &random) {
  GridSampleShape s{.batch = random.between(1, 3),
                    .axes = random.between(2, 3),
                    .places = random.between(1, 50),
                    .channels = random.oneIn(8) ? 35 : random.between(1, 9),
                    .method = SampleMethod(random.below(3)),
                    .padding = SamplePadding(random.below(3)),
                    .alignCorners = random.below(2)};
  for (uint32_t k = 3 - s.axes; k < 3; ++k)
    s.sizes[k] = random.between(1, 6);
  return s;
}

/// "If pixel location x = -3.5 reflects by border -1 and becomes x' = 1.5, then
/// reflects by border 1": as often as it takes.
double mirrored(double v, double low, double high) {
  if (low == high)
    return low;
  while (v < low || v > high)
    v = v < low ? 2 * low - v : 2 * high - v;
  return v;
}

/// The pixel that counts at a whole coordinate, or -1.
int pixelAt(const GridSampleShape &s, int at, uint32_t size) {
  int n = int(size);
  if (s.padding == SamplePadding::Zeros)
    return at >= 0 && at < n ? at : -1;
  if (s.padding == SamplePadding::Border)
    return std::clamp(at, 0, n - 1);
  return s.alignCorners
             ? int(mirrored(at, 0, n - 1))
             : std::clamp(int(mirrored(at, -0.5, n - 0.5)), 0, n - 1);
}

double pixelOf(const GridSampleShape &s, float place, uint32_t size) {
  float n = float(size);
  return s.alignCorners ? (place + 1) / 2 * (n - 1) : ((place + 1) * n - 1) / 2;
}

struct Tap {
  int pixel;
  double weight;
};

std::vector<Tap> tapsOf(const GridSampleShape &s, double v, uint32_t size) {
  if (s.method == SampleMethod::Nearest) {
    if (s.padding == SamplePadding::Reflection)
      v = s.alignCorners
              ? mirrored(v, 0, size - 1.0)
              : std::clamp(mirrored(v, -0.5, size - 0.5), 0.0, size - 1.0);
    return {{pixelAt(s, int(std::nearbyint(v)), size), 1}};
  }
  int first = int(std::floor(v));
  double t = v - first;
  if (s.method == SampleMethod::Bilinear)
    return {{pixelAt(s, first, size), 1 - t}, {pixelAt(s, first + 1, size), t}};
  std::vector<Tap> taps;
  for (int k = -1; k <= 2; ++k) {
    double x = std::fabs(t - k), a = -0.75;
    double w = x <= 1 ? (a + 2) * x * x * x - (a + 3) * x * x + 1
                      : a * x * x * x - 5 * a * x * x + 8 * a * x - 4 * a;
    taps.push_back({pixelAt(s, first + k, size), w});
  }
  return taps;
}

/// The value at a place whose taps are known along z, y, x.
double sampled(const GridSampleShape &s, const std::vector<Tap> (&taps)[3],
               const std::function<double(size_t pixel)> &value) {
  double sum = 0;
  for (Tap z : taps[0])
    for (Tap y : taps[1])
      for (Tap x : taps[2])
        if (z.pixel >= 0 && y.pixel >= 0 && x.pixel >= 0)
          sum += z.weight * y.weight * x.weight *
                 value((size_t(z.pixel) * s.sizes[1] + size_t(y.pixel)) *
                           s.sizes[2] +
                       size_t(x.pixel));
  return sum;
}

size_t pixelsOf(const GridSampleShape &s) {
  return size_t(s.sizes[0]) * s.sizes[1] * s.sizes[2];
}

TEST(GridSample, FloatsAreThoseOfTheDefinition) {
  Random random(1);
  for (int round = 0; round < kGridSampleRounds; ++round) {
    GridSampleShape s = randomGridSampleShape(random);
    std::vector<float> x(s.batch * pixelsOf(s) * s.channels),
        grid(s.batch * s.places * s.axes), y(s.batch * s.places * s.channels);
    for (float &v : x)
      v = random.real(-2, 2);
    for (float &v : grid)
      v = random.real(-2.5f, 2.5f);
    runKernel("yk_grid_sample_float", GridSampleFloatParams{.shape = s},
              {x.data(), grid.data(), y.data()}, random.between(1, 5));
    for (size_t out = 0; out < s.batch * s.places; ++out) {
      std::vector<Tap> taps[3] = {{{0, 1}}, {}, {}};
      for (uint32_t k = 0; k < s.axes; ++k)
        taps[2 - k] =
            tapsOf(s, pixelOf(s, grid[out * s.axes + k], s.sizes[2 - k]),
                   s.sizes[2 - k]);
      for (uint32_t c = 0; c < s.channels; ++c)
        ASSERT_NEAR(y[out * s.channels + c],
                    sampled(s, taps,
                            [&](size_t pixel) {
                              size_t image = out / s.places * pixelsOf(s);
                              return x[(image + pixel) * s.channels + c];
                            }),
                    2e-5)
            << "round " << round;
    }
  }
}

TEST(GridSample, PlacesThatAreNoNumbersReadNothingElse) {
  const float strange[] = {NAN,    INFINITY, -INFINITY, 3e38f,
                           -3e38f, 1e9f,     -1e9f,     1e-40f};
  std::vector<float> x(3 * 4, 5.0f), y(64);
  std::vector<float> grid;
  for (float a : strange)
    for (float b : strange)
      grid.push_back(a), grid.push_back(b);
  for (uint32_t method = 0; method < 3; ++method)
    for (uint32_t padding = 0; padding < 3; ++padding)
      for (uint32_t aligned = 0; aligned < 2; ++aligned) {
        GridSampleShape s{.places = 64,
                          .method = SampleMethod(method),
                          .padding = SamplePadding(padding),
                          .alignCorners = aligned};
        s.sizes[1] = 3, s.sizes[2] = 4;
        runKernel("yk_grid_sample_float", GridSampleFloatParams{.shape = s},
                  {x.data(), grid.data(), y.data()});
        bool isZero = s.padding == SamplePadding::Zeros;
        // The last place alone lies inside.
        for (size_t i = 0; i + 1 < y.size(); ++i)
          EXPECT_NEAR(y[i], isZero ? 0 : 5, 1e-5) << i;
        EXPECT_NEAR(y.back(), 5, 1e-5);
      }
}

/// The cell and the fraction of a place in fixed point.
struct Cell {
  int64_t index, fraction;
};

TEST(GridSample, IntegersAreThoseOfTheReference) {
  Random random(2);
  for (int round = 0; round < kGridSampleRounds; ++round) {
    GridSampleIntParams p{.shape = randomGridSampleShape(random),
                          .type = DType::I8,
                          .gridType = DType::I8};
    const GridSampleShape &s = p.shape;
    p.tables = s.axes == 2 && random.oneIn(2);
    p.gridZp = int32_t(random.below(20)) - 10;
    p.zp = int32_t(random.below(20)) - 10;
    std::vector<int16_t> cells[2] = {std::vector<int16_t>(256),
                                     std::vector<int16_t>(256)};
    std::vector<uint16_t> fractions[2] = {std::vector<uint16_t>(256),
                                          std::vector<uint16_t>(256)};
    for (uint32_t k = 0; k < 3; ++k) {
      p.scale[k] = int32_t(random.below(2000));
      p.shift[k] = int32_t(random.below(6));
      p.fractionBits[k] = p.tables ? 10 : int32_t(random.between(5, 12));
    }
    for (int k : {0, 1})
      for (size_t i = 0; i < 256; ++i) {
        cells[k][i] = int16_t(int(random.below(14)) - 4);
        fractions[k][i] = uint16_t(random.below(1024));
      }
    std::vector<int8_t> x(s.batch * pixelsOf(s) * s.channels),
        grid(s.batch * s.places * s.axes), y(s.batch * s.places * s.channels);
    for (int8_t &v : x)
      v = int8_t(random.below(256));
    for (int8_t &v : grid)
      v = int8_t(random.below(256));
    runKernel("yk_grid_sample_int", p,
              {x.data(), grid.data(), cells[0].data(), cells[1].data(),
               fractions[0].data(), fractions[1].data(), y.data()},
              random.between(1, 5));
    for (size_t out = 0; out < s.batch * s.places; ++out) {
      Cell at[3] = {};
      for (uint32_t k = 0; k < s.axes; ++k) {
        int q = grid[out * s.axes + k];
        uint32_t axis = 2 - k;
        int32_t bits = p.fractionBits[axis];
        if (p.tables) {
          uint32_t entry = uint32_t(q + 128);
          at[axis] = {cells[k][entry], fractions[k][entry]};
          continue;
        }
        int64_t v = std::clamp<int64_t>(
            (int64_t(q + p.gridZp) * p.scale[axis] >> p.shift[axis]) +
                (int64_t(s.sizes[axis]) - 1) * (1 << (bits - 1)),
            -32768, 32767);
        if (s.method == SampleMethod::Nearest)
          v = std::clamp<int64_t>(v + (1 << (bits - 1)), -32768, 32767);
        at[axis] = {v >> bits, v & ((1 << bits) - 1)};
      }
      for (uint32_t c = 0; c < s.channels; ++c) {
        auto pixel = [&](int64_t z, int64_t row, int64_t column) -> int64_t {
          int where[3] = {int(z), pixelAt(s, int(row), s.sizes[1]),
                          pixelAt(s, int(column), s.sizes[2])};
          if (s.axes == 3)
            where[0] = pixelAt(s, int(z), s.sizes[0]);
          if (std::min({where[0], where[1], where[2]}) < 0)
            return -p.zp;
          size_t image = out / s.places * pixelsOf(s);
          return x[(image +
                    (size_t(where[0]) * s.sizes[1] + size_t(where[1])) *
                        s.sizes[2] +
                    size_t(where[2])) *
                       s.channels +
                   c];
        };
        auto mix = [&](int64_t a, int64_t b, uint32_t axis) {
          return a + ((b - a) * at[axis].fraction >> p.fractionBits[axis]);
        };
        auto alongX = [&](int64_t z, int64_t row) {
          int64_t first = at[2].index;
          return mix(pixel(z, row, first), pixel(z, row, first + 1), 2);
        };
        auto alongY = [&](int64_t z) {
          return mix(alongX(z, at[1].index), alongX(z, at[1].index + 1), 1);
        };
        int64_t expected = 0;
        if (s.method == SampleMethod::Nearest) {
          expected = pixel(at[0].index, at[1].index, at[2].index);
        } else if (s.method == SampleMethod::Bilinear) {
          expected = s.axes == 2
                         ? alongY(0)
                         : mix(alongY(at[0].index), alongY(at[0].index + 1), 0);
        } else {
          std::vector<Tap> taps[3] = {{{0, 1}}, {}, {}};
          for (uint32_t axis = 3 - s.axes; axis < 3; ++axis) {
            double t = double(at[axis].fraction) / (1 << p.fractionBits[axis]);
            taps[axis] = tapsOf(s, double(at[axis].index) + t, s.sizes[axis]);
            for (Tap &tap : taps[axis])
              tap.weight = std::nearbyint(tap.weight * 16384) / 16384;
          }
          double sum = sampled(s, taps, [&](size_t at) {
            size_t image = out / s.places * pixelsOf(s);
            return x[(image + at) * s.channels + c] + p.zp;
          });
          expected =
              std::clamp(int64_t(std::nearbyint(sum)) - p.zp, -128l, 127l);
        }
        ASSERT_EQ(y[out * s.channels + c], expected) << "round " << round;
      }
    }
  }
}

TEST(AffineGrid, IsTheMapOfEveryPixel) {
  Random random(3);
  for (int round = 0; round < kGridSampleRounds; ++round) {
    AffineGridShape s{.batch = random.between(1, 3),
                      .axes = random.between(2, 3),
                      .alignCorners = random.below(2)};
    for (uint32_t k = 3 - s.axes; k < 3; ++k)
      s.sizes[k] = random.between(1, 6);
    size_t pixels = size_t(s.sizes[0]) * s.sizes[1] * s.sizes[2];
    size_t columns = s.axes + 1;
    std::vector<float> theta(s.batch * s.axes * columns),
        grid(s.batch * pixels * s.axes);
    for (float &v : theta)
      v = random.real(-2, 2);
    runKernel("yk_affine_grid_float", AffineGridFloatParams{.shape = s},
              {theta.data(), grid.data()}, random.between(1, 5));
    // The same in integers, of theta * 32.
    AffineGridIntParams p{.shape = s, .type = DType::I8, .fractionBits = 10};
    p.requant.outType = DType::I16;
    p.requant.lo = -32768, p.requant.hi = 32767;
    p.requant.scale = 1, p.requant.shift = 5, p.requant.zp = 3;
    std::vector<int8_t> stored;
    for (float v : theta)
      stored.push_back(int8_t(std::nearbyint(v * 32)));
    std::vector<int16_t> tables[3], places(grid.size());
    auto centre = [&](uint32_t i, uint32_t n) {
      if (n == 1)
        return 0.0;
      double v = 2.0 * i / (n - 1) - 1;
      return s.alignCorners ? v : v * (n - 1) / n;
    };
    for (uint32_t k = 0; k < 3; ++k)
      for (uint32_t i = 0; i < s.sizes[k]; ++i)
        tables[k].push_back(
            int16_t(std::nearbyint(centre(i, s.sizes[k]) * 1024)));
    runKernel("yk_affine_grid_int", p,
              {stored.data(), tables[2].data(), tables[1].data(),
               tables[0].data(), places.data()},
              random.between(1, 5));
    for (size_t out = 0; out < s.batch * pixels; ++out) {
      uint32_t at[3] = {uint32_t(out / s.sizes[2] / s.sizes[1] % s.sizes[0]),
                        uint32_t(out / s.sizes[2] % s.sizes[1]),
                        uint32_t(out % s.sizes[2])};
      for (uint32_t k = 0; k < s.axes; ++k) {
        size_t row = (out / pixels * s.axes + k) * columns;
        double value = theta[row + s.axes];
        int64_t sum = int64_t(stored[row + s.axes]) * 1024;
        for (uint32_t j = 0; j < s.axes; ++j) {
          value += theta[row + j] * centre(at[2 - j], s.sizes[2 - j]);
          sum += int64_t(stored[row + j]) * tables[2 - j][at[2 - j]];
        }
        ASSERT_NEAR(grid[out * s.axes + k], value, 1e-5);
        ASSERT_EQ(places[out * s.axes + k],
                  int64_t(std::nearbyint(double(sum) / 32)) - 3);
      }
    }
  }
}

} // namespace
