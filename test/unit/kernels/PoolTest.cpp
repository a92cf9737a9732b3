//===- PoolTest.cpp - Pooling kernels against plain loops -----------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// Random windows, areas and places, on several tasks. Expected values come from
// loops over padded coordinates, and their rounding from double arithmetic,
// which is exact here: sums are small.
//
//===----------------------------------------------------------------------===//
#include "test/Random.h"
#include "test/unit/kernels/KernelTesting.h"
#include "test/unit/kernels/RandomValues.h"

#include <algorithm>
#include <cmath>

using namespace yarrow::kernels;
using namespace yarrow::kernels::testing;
using yarrow::testing::Random;

namespace {

using SignedBytes = std::vector<int8_t>;

/// A multiplier of 8 bits and a shift for 1 / area, by search instead of a
/// logarithm.
double mean(double sum, uint32_t area) {
  int shift = 0;
  while (std::floor(std::ldexp(1.0, shift + 1) / area) <= 255 && shift < 31 &&
         std::ldexp(1.0, shift + 1) / area <= 255)
    ++shift;
  double multiplier =
      std::floor(std::ldexp(double(1.0f / float(area)), shift) + 0.5);
  return std::nearbyint(std::ldexp(sum * multiplier, -shift));
}

int8_t clipped(double v) { return int8_t(std::clamp(v, -128.0, 127.0)); }

struct Window {
  PoolShape s;

  explicit Window(Random &random) {
    auto upTo = [&](uint32_t n) { return 1 + random.below(n); };
    s.batch = upTo(2), s.channels = upTo(random.oneIn(4) ? 70 : 5);
    s.inH = upTo(6), s.inW = upTo(6);
    s.kernelH = upTo(3), s.kernelW = upTo(3);
    s.strideH = upTo(2), s.strideW = upTo(2);
    s.dilationH = upTo(2), s.dilationW = upTo(2);
    s.padTop = int32_t(random.below(3)), s.padLeft = int32_t(random.below(3));
    s.outH = upTo(4), s.outW = upTo(4);
  }

  size_t inputs() const { return s.batch * s.inH * s.inW * s.channels; }
  size_t outputs() const { return s.batch * s.outH * s.outW * s.channels; }

  /// fn(outElement, inElement or -1, y, x, tap) for every cell, padding
  /// included.
  template <typename Fn> void visit(Fn fn) const {
    for (int n = 0; n < int(s.batch); ++n)
      for (int i = 0; i < int(s.outH); ++i)
        for (int j = 0; j < int(s.outW); ++j)
          for (int c = 0; c < int(s.channels); ++c)
            for (int k = 0; k < int(s.kernelH * s.kernelW); ++k) {
              int y = i * int(s.strideH) - s.padTop +
                      k / int(s.kernelW) * int(s.dilationH);
              int x = j * int(s.strideW) - s.padLeft +
                      k % int(s.kernelW) * int(s.dilationW);
              bool inside =
                  y >= 0 && x >= 0 && y < int(s.inH) && x < int(s.inW);
              int in =
                  ((n * int(s.inH) + y) * int(s.inW) + x) * int(s.channels) + c;
              int out =
                  ((n * int(s.outH) + i) * int(s.outW) + j) * int(s.channels) +
                  c;
              fn(out, inside ? in : -1, y, x, k);
            }
  }
};

TEST(PoolNorm, sumsOfMagnitudesAndRootsOfSquares) {
  Random random(1);
  for (int round = 0; round < 60; ++round) {
    Window window(random);
    bool isL2 = round % 2;
    SignedBytes x = randomBytes<int8_t>(random, window.inputs());
    PoolNormIntParams p{.shape = window.s,
                        .inZp = int32_t(random.below(9)) - 4};
    p.shape.method = isL2 ? PoolMethod::L2 : PoolMethod::L1;
    p.requant.scale = int32_t(1 + random.below(60000));
    p.requant.shift = int32_t(random.below(12)) + 8;
    p.requant.lo = 0, p.requant.hi = isL2 ? 65535 : 255;
    std::vector<uint8_t> table(256);
    for (size_t i = 0; i < table.size(); ++i)
      table[i] = uint8_t(std::sqrt(double(i * 256)));
    p.log2TableSize = 8;
    std::vector<double> sums(window.outputs());
    window.visit([&](int out, int in, int, int, int) {
      double v = in < 0 ? 0 : x[in] + p.inZp;
      sums[out] += isL2 ? v * v : std::abs(v);
    });
    std::vector<uint8_t> y(window.outputs());
    runKernel("yk_pool_norm_int", p, {x.data(), table.data(), y.data()},
              1 + random.below(4));
    for (size_t i = 0; i < y.size(); ++i) {
      double index =
          std::clamp(std::nearbyint(std::ldexp(sums[i] * p.requant.scale,
                                               -p.requant.shift)),
                     0.0, double(p.requant.hi));
      double expected = index;
      if (isL2) {
        int at = int(index) / 256, fraction = int(index) % 256;
        int next = table[std::min(at + 1, 255)];
        expected = table[at] + ((next - table[at]) * fraction >> 8);
      }
      EXPECT_EQ(y[i], expected) << round;
    }
  }
}

TEST(MaxPoolArg, firstGreatestAndItsIndex) {
  Random random(2);
  for (int round = 0; round < 80; ++round) {
    Window window(random);
    const PoolShape &s = window.s;
    // Few values, so that maxima repeat.
    std::vector<float> x(window.inputs());
    for (float &v : x)
      v = float(random.below(3)) - 1;
    SignedBytes narrow(x.begin(), x.end());
    MaxPoolArgParams p{.shape = s,
                       .index = FlatIndex(round % 4),
                       .isColumnMajor = random.below(2)};
    std::vector<int> best(window.outputs(), -1), index(window.outputs());
    window.visit([&](int out, int in, int row, int column, int) {
      if (in < 0 || (best[out] >= 0 && x[best[out]] >= x[in]))
        return;
      best[out] = in;
      int c = in % int(s.channels), n = in / int(s.channels * s.inH * s.inW),
          map = int(s.inH * s.inW);
      int place = p.isColumnMajor ? column * int(s.inH) + row
                                  : row * int(s.inW) + column;
      switch (p.index) {
      case FlatIndex::HW:
        index[out] = place;
        break;
      case FlatIndex::HWC:
        index[out] = place * int(s.channels) + c;
        break;
      case FlatIndex::NHWC:
        index[out] = (n * map + place) * int(s.channels) + c;
        break;
      case FlatIndex::NCHW:
        index[out] = (n * int(s.channels) + c) * map + place;
        break;
      }
    });
    SignedBytes y(window.outputs());
    std::vector<int32_t> found(window.outputs());
    runKernel("yk_max_pool_arg_int", p, {narrow.data(), y.data(), found.data()},
              1 + random.below(4));
    std::vector<float> z(window.outputs());
    std::vector<int32_t> foundOfFloats(window.outputs());
    p.inType = p.outType = DType::F32;
    runKernel("yk_max_pool_arg_float", p,
              {x.data(), z.data(), foundOfFloats.data()}, 2);
    EXPECT_EQ(found, index) << round;
    EXPECT_EQ(foundOfFloats, index) << round;
    for (size_t i = 0; i < y.size(); ++i) {
      EXPECT_EQ(y[i], best[i] < 0 ? 0 : x[best[i]]);
      EXPECT_EQ(z[i], best[i] < 0 ? 0 : x[best[i]]);
    }
  }
}

TEST(Unpool, undoesMaxPoolArg) {
  Random random(3);
  for (int round = 0; round < 60; ++round) {
    uint32_t n = 1 + random.below(2), h = 1 + random.below(4),
             w = 1 + random.below(4), c = 1 + random.below(5);
    UnpoolParams p{.elemBytes = 1,
                   .batch = n,
                   .inH = h,
                   .inW = w,
                   .channels = c,
                   .outH = h + random.below(4),
                   .outW = w + random.below(4),
                   .index = FlatIndex(round % 4),
                   .fill = 7};
    int map = int(p.outH * p.outW), image = map * int(c),
        total = image * int(n);
    SignedBytes x = randomBytes<int8_t>(random, n * h * w * c);
    std::vector<int32_t> index(x.size());
    for (int32_t &i : index)
      i = int32_t(random.below(total + 6)) - 3;
    bool mapsFirst = p.index == FlatIndex::HW || p.index == FlatIndex::NCHW;
    // In the order of the index's axes.
    SignedBytes flat(total, 7);
    auto put = [&](int b, int y, int z, int k) {
      int from = ((b * int(h) + y) * int(w) + z) * int(c) + k, to = index[from];
      if (p.index == FlatIndex::HW || p.index == FlatIndex::HWC)
        to += b * image;
      if (p.index == FlatIndex::HW)
        to += k * map;
      if (to >= 0 && to < total)
        flat[to] = x[from];
    };
    for (int b = 0; b < int(n); ++b)
      if (mapsFirst) {
        for (int k = 0; k < int(c); ++k)
          for (int y = 0; y < int(h); ++y)
            for (int z = 0; z < int(w); ++z)
              put(b, y, z, k);
      } else {
        for (int y = 0; y < int(h); ++y)
          for (int z = 0; z < int(w); ++z)
            for (int k = 0; k < int(c); ++k)
              put(b, y, z, k);
      }
    SignedBytes expected(total), y(total);
    for (int b = 0; b < int(n); ++b)
      for (int at = 0; at < map; ++at)
        for (int k = 0; k < int(c); ++k) {
          int last = (b * map + at) * int(c) + k;
          expected[last] =
              mapsFirst ? flat[b * image + k * map + at] : flat[last];
        }
    runKernel("yk_unpool", p, {x.data(), index.data(), y.data()},
              1 + random.below(5));
    EXPECT_EQ(y, expected) << round;
  }
}

TEST(PoolAreas, meanAndMaximumOfStoredValues) {
  Random random(4);
  for (int round = 0; round < 60; ++round) {
    auto upTo = [&](uint32_t n) { return 1 + random.below(n); };
    PoolAreas s{.batch = upTo(2),
                .inD = upTo(3),
                .inH = upTo(7),
                .inW = upTo(7),
                .channels = upTo(5)};
    s.outD = upTo(s.inD), s.outH = upTo(s.inH), s.outW = upTo(s.inW);
    s.method = round % 2 ? PoolMethod::Max : PoolMethod::Avg;
    std::vector<int32_t> bounds;
    for (auto [in, out] :
         {std::pair(s.inD, s.outD), {s.inH, s.outH}, {s.inW, s.outW}})
      for (uint32_t i = 0; i < out; ++i) {
        bounds.push_back(int32_t(i * in / out));
        bounds.push_back(int32_t(((i + 1) * in + out - 1) / out));
      }
    SignedBytes x = randomBytes<int8_t>(random, s.batch * s.inD * s.inH *
                                                    s.inW * s.channels);
    SignedBytes y(s.batch * s.outD * s.outH * s.outW * s.channels), expected(y);
    std::vector<float> reals(x.begin(), x.end()), z(y.size()), means(y.size());
    for (size_t out = 0; out < y.size(); ++out) {
      size_t c = out % s.channels, j = out / s.channels % s.outW,
             i = out / s.channels / s.outW % s.outH,
             k = out / s.channels / s.outW / s.outH % s.outD,
             n = out / s.channels / s.outW / s.outH / s.outD;
      const int32_t *planes = bounds.data(), *rows = planes + 2 * s.outD,
                    *columns = rows + 2 * s.outH;
      double sum = 0, most = -1000;
      uint32_t cells = 0;
      for (int d = planes[2 * k]; d < planes[2 * k + 1]; ++d)
        for (int r = rows[2 * i]; r < rows[2 * i + 1]; ++r)
          for (int q = columns[2 * j]; q < columns[2 * j + 1]; ++q) {
            double v =
                x[(((n * s.inD + d) * s.inH + r) * s.inW + q) * s.channels + c];
            sum += v, most = std::max(most, v), ++cells;
          }
      bool isMax = s.method == PoolMethod::Max;
      expected[out] = isMax ? int8_t(most) : clipped(mean(sum, cells));
      means[out] = float(isMax ? most : sum / cells);
    }
    runKernel("yk_pool_areas_int", PoolAreasIntParams{.shape = s},
              {x.data(), bounds.data(), y.data()}, 1 + random.below(4));
    EXPECT_EQ(y, expected) << round;
    runKernel("yk_pool_areas_float", PoolAreasFloatParams{.shape = s},
              {reals.data(), bounds.data(), z.data()}, 3);
    for (size_t i = 0; i < z.size(); ++i)
      EXPECT_NEAR(z[i], means[i], 1e-4);
  }
}

TEST(PoolAverage3D, twoRoundings) {
  Random random(5);
  for (int round = 0; round < 80; ++round) {
    auto upTo = [&](uint32_t n) { return 1 + random.below(n); };
    uint32_t in[3], out[3], kernel[3], stride[3], dilation[3];
    int32_t pad[3];
    for (int a = 0; a < 3; ++a) {
      in[a] = upTo(5), out[a] = upTo(3), kernel[a] = upTo(3);
      stride[a] = upTo(2), pad[a] = int32_t(random.below(2));
      dilation[a] = round % 3 == 0 ? upTo(2) : 1;
    }
    uint32_t channels = upTo(4);
    PoolAverage3DIntParams p;
    p.shape = {1,           in[0],       in[1],     in[2],     channels,
               out[0],      out[1],      out[2],    kernel[0], kernel[1],
               kernel[2],   stride[0],   stride[1], stride[2], dilation[0],
               dilation[1], dilation[2], pad[0],    pad[1],    pad[2]};
    p.zp = int32_t(random.below(9)) - 4;
    p.countIncludePad = random.below(2);
    int zp = p.countIncludePad ? p.zp : 0;
    SignedBytes x =
        randomBytes<int8_t>(random, in[0] * in[1] * in[2] * channels);
    SignedBytes y(out[0] * out[1] * out[2] * channels), expected(y);
    for (size_t o = 0; o < y.size(); ++o) {
      size_t c = o % channels;
      size_t at[3] = {o / channels / out[2] / out[1],
                      o / channels / out[2] % out[1], o / channels % out[2]};
      double sum = 0;
      uint32_t valid = 0;
      for (uint32_t tap = 0; tap < kernel[0] * kernel[1] * kernel[2]; ++tap) {
        uint32_t t[3] = {tap / kernel[2] / kernel[1],
                         tap / kernel[2] % kernel[1], tap % kernel[2]};
        int cell[3];
        bool inside = true;
        for (int a = 0; a < 3; ++a) {
          cell[a] = int(at[a] * stride[a] + t[a] * dilation[a]) - pad[a];
          inside &= cell[a] >= 0 && cell[a] < int(in[a]);
        }
        if (!inside)
          continue;
        ++valid;
        sum +=
            x[((cell[0] * in[1] + cell[1]) * in[2] + cell[2]) * channels + c] +
            zp;
      }
      uint32_t area = kernel[1] * kernel[2], cells = area * kernel[0];
      bool isDilated = dilation[0] > 1 || dilation[1] > 1 || dilation[2] > 1;
      double result;
      if (isDilated) {
        result = mean(sum, p.countIncludePad ? cells : std::max(valid, 1u));
      } else {
        if (!p.countIncludePad && valid > 0)
          sum = sum * cells / valid; // no tie that double could miss
        result = mean(mean(sum, area), kernel[0]);
      }
      expected[o] = clipped(result - zp);
    }
    runKernel("yk_pool_average3d_int", p, {x.data(), y.data()},
              1 + random.below(4));
    EXPECT_EQ(y, expected) << round;
  }
}

TEST(Morphology, extremesOfSums) {
  Random random(6);
  for (int round = 0; round < 80; ++round) {
    Window window(random);
    const PoolShape &s = window.s;
    uint32_t taps = s.kernelH * s.kernelW;
    SignedBytes x = randomBytes<int8_t>(random, window.inputs()),
                w = randomBytes<int8_t>(random, s.channels * taps),
                y(window.outputs());
    MorphologyIntParams p{.shape = s,
                          .isErosion = random.below(2),
                          .inZp = int32_t(random.below(9)) - 4,
                          .scaleInput = int32_t(random.below(300)),
                          .scaleWeights = int32_t(random.below(300))};
    p.requant.scale = int32_t(random.below(200));
    p.requant.shift = int32_t(random.below(8)) + 8;
    p.requant.zp = int32_t(random.below(9)) - 4;
    std::vector<double> best(window.outputs(), NAN), real(best);
    window.visit([&](int out, int in, int, int, int tap) {
      if (in < 0)
        return;
      int k = p.isErosion ? int(taps) - 1 - tap : tap;
      double filter = w[out % int(s.channels) * int(taps) + k];
      double sign = p.isErosion ? -1 : 1;
      auto better = [&](double a, double b) {
        return std::isnan(a) ? b
               : p.isErosion ? std::min(a, b)
                             : std::max(a, b);
      };
      best[out] = better(best[out], (x[in] + p.inZp) * p.scaleInput +
                                        sign * filter * p.scaleWeights);
      real[out] = better(real[out], x[in] + sign * filter);
    });
    runKernel("yk_morphology_int", p, {x.data(), w.data(), y.data()},
              1 + random.below(4));
    std::vector<float> fx(x.begin(), x.end()), fw(w.begin(), w.end()),
        fy(y.size());
    runKernel("yk_morphology_float",
              MorphologyFloatParams{.shape = s, .isErosion = p.isErosion},
              {fx.data(), fw.data(), fy.data()}, 2);
    for (size_t i = 0; i < y.size(); ++i) {
      if (std::isnan(best[i])) {
        EXPECT_EQ(y[i], p.isErosion ? 127 : -128);
        continue;
      }
      double scaled = std::nearbyint(
          std::ldexp(best[i] * p.requant.scale, -p.requant.shift));
      EXPECT_EQ(y[i], clipped(scaled - p.requant.zp)) << round;
      EXPECT_EQ(fy[i], real[i]);
    }
  }
}

} // namespace
