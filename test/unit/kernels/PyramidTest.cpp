//===- PyramidTest.cpp - Regions of pyramids against the definition -------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// PyramidROIAlign in double precision and in plain integers, sample by sample.
//
//===----------------------------------------------------------------------===//
#include "test/Random.h"
#include "test/unit/kernels/KernelTesting.h"

#include <algorithm>
#include <cmath>

using namespace yarrow;
using namespace yarrow::kernels;
using namespace yarrow::kernels::testing;
using yarrow::testing::Random;

namespace {

constexpr int kPyramidRounds = 150;

PyramidShape randomPyramidShape(Random &random) {
  PyramidShape s{.regions = random.between(1, 8),
                 .rows = random.between(1, 4),
                 .columns = random.between(1, 4),
                 .channels = random.between(1, 5),
                 .sampleRows = random.below(3),
                 .sampleColumns = random.below(3),
                 .halfPixel = random.below(2),
                 .normalized = random.below(2)};
  for (uint32_t k = 0; k < kPyramidLevels; ++k)
    s.heights[k] = random.between(1, 9), s.widths[k] = random.between(1, 9);
  return s;
}

size_t elementsOf(const PyramidShape &s, uint32_t level) {
  return size_t(s.heights[level]) * s.widths[level] * s.channels;
}
size_t resultsOf(const PyramidShape &s) {
  return size_t(s.regions) * s.rows * s.columns * s.channels;
}

/// What the result `out` is: region, row, column, channel.
struct Result {
  size_t region, row, column, channel;
};
Result resultAt(const PyramidShape &s, size_t out) {
  size_t pixel = out / s.channels;
  return {pixel / s.columns / s.rows, pixel / s.columns % s.rows,
          pixel % s.columns, out % s.channels};
}

TEST(PyramidRoiAlign, FloatsAreThoseOfTheDefinition) {
  Random random(1);
  for (int round = 0; round < kPyramidRounds; ++round) {
    PyramidRoiAlignFloatParams p{.shape = randomPyramidShape(random)};
    const PyramidShape &s = p.shape;
    float unit = s.normalized ? 1.0f : 40.0f;
    for (int k = 0; k < 3; ++k)
      p.areas[k] = 0.04f * float(4 << 2 * k) / 4 * unit * unit;
    for (int k = 0; k < 4; ++k)
      p.spatialScale[k] = 0.25f / float(1 << k);
    std::vector<float> maps[4], rois, y(resultsOf(s));
    for (uint32_t k = 0; k < 4; ++k)
      for (size_t i = 0; i < elementsOf(s, k); ++i)
        maps[k].push_back(random.real(-2, 2));
    for (uint32_t r = 0; r < 4 * s.regions; ++r)
      rois.push_back(random.oneIn(20) ? NAN : unit * random.real(-0.1f, 1.1f));
    runKernel("yk_pyramid_roi_align_float", p,
              {rois.data(), maps[0].data(), maps[1].data(), maps[2].data(),
               maps[3].data(), y.data()},
              random.between(1, 5));
    for (size_t out = 0; out < y.size(); ++out) {
      Result at = resultAt(s, out);
      const float *roi = &rois[4 * at.region];
      float area = (roi[2] - roi[0]) * (roi[3] - roi[1]);
      int level =
          (area >= p.areas[0]) + (area >= p.areas[1]) + (area >= p.areas[2]);
      double sizes[2] = {double(s.heights[level]), double(s.widths[level])};
      double bins[2] = {double(s.rows), double(s.columns)};
      double index[2] = {double(at.row), double(at.column)};
      uint32_t given[2] = {s.sampleRows, s.sampleColumns};
      std::vector<double> places[2];
      bool isThere = true;
      for (int k : {0, 1}) {
        double scale = s.normalized ? sizes[k] - 1 : p.spatialScale[level];
        double half = s.halfPixel && !s.normalized ? 0.5 : 0;
        double start = roi[k] * scale - half,
               length = roi[2 + k] * scale - half - start;
        isThere &= length >= 0;
        if (!isThere)
          break;
        if (s.normalized) {
          places[k] = {start +
                       (bins[k] > 1 ? index[k] * length / (bins[k] - 1) : 0)};
          continue;
        }
        double bin = (s.halfPixel ? length : std::max(length, 1.0)) / bins[k];
        double n =
            given[k] ? given[k] : std::min(std::ceil(bin - 1e-7), sizes[k]);
        for (int i = 0; i < n; ++i)
          places[k].push_back(start + index[k] * bin + (i + 0.5) * bin / n);
      }
      double sum = 0;
      for (double v : places[0])
        for (double h : places[1]) {
          if (!isThere)
            break;
          bool isFar = v < -1 || v > sizes[0] || h < -1 || h > sizes[1];
          if (isFar && !s.normalized)
            continue;
          double a = std::clamp(v, 0.0, sizes[0] - 1),
                 b = std::clamp(h, 0.0, sizes[1] - 1);
          for (int corner = 0; corner < 4; ++corner) {
            double i = std::floor(a) + (corner & 1),
                   j = std::floor(b) + (corner >> 1);
            double w = (1 - std::fabs(a - i)) * (1 - std::fabs(b - j));
            if (w > 0)
              sum += w * maps[level][(size_t(i) * s.widths[level] + size_t(j)) *
                                         s.channels +
                                     at.channel];
          }
        }
      size_t n = places[0].size() * places[1].size();
      ASSERT_NEAR(y[out], isThere && n ? sum / double(n) : 0, 1e-4)
          << "round " << round;
    }
  }
}

TEST(PyramidRoiAlign, IntegersAreThoseOfTheReference) {
  Random random(2);
  for (int round = 0; round < kPyramidRounds; ++round) {
    PyramidRoiAlignIntParams p{.shape = randomPyramidShape(random)};
    const PyramidShape &s = p.shape;
    bool isAdaptive = !s.sampleRows || !s.sampleColumns;
    int most = s.normalized ? 32767 : 400;
    for (int k = 0; k < 3; ++k)
      p.areas[k] = most * most / 64 << 2 * k;
    p.roiZp = s.normalized ? 0 : int32_t(random.below(20)) - 10;
    for (int k = 0; k < 4; ++k) {
      p.zps[k] = int32_t(random.below(20)) - 10;
      p.inputScale[k] = 20 + int32_t(random.below(200)),
      p.inputShift[k] = 3 + k;
      p.scale[k] = int32_t(random.between(1, 255)), p.shift[k] = 7;
    }
    p.spatialShift = s.normalized ? 15 : 10;
    p.outZp = s.normalized ? 0 : int32_t(random.below(20)) - 10;
    std::vector<int8_t> maps[4], y(resultsOf(s));
    std::vector<int16_t> rois;
    for (uint32_t k = 0; k < 4; ++k)
      for (size_t i = 0; i < elementsOf(s, k); ++i)
        maps[k].push_back(int8_t(random.below(256)));
    for (uint32_t r = 0; r < 4 * s.regions; ++r)
      rois.push_back(int16_t(random.below(uint32_t(most))));
    runKernel("yk_pyramid_roi_align_int", p,
              {rois.data(), maps[0].data(), maps[1].data(), maps[2].data(),
               maps[3].data(), y.data()},
              random.between(1, 5));
    for (size_t out = 0; out < y.size(); ++out) {
      Result at = resultAt(s, out);
      const int16_t *roi = &rois[4 * at.region];
      int64_t area = int64_t(roi[2] - roi[0]) * (roi[3] - roi[1]);
      int level =
          (area >= p.areas[0]) + (area >= p.areas[1]) + (area >= p.areas[2]);
      int64_t sizes[2] = {s.heights[level], s.widths[level]};
      int64_t bins[2] = {s.rows, s.columns};
      int64_t index[2] = {int64_t(at.row), int64_t(at.column)};
      auto value = [&](int64_t i, int64_t j) {
        i = std::clamp<int64_t>(i, 0, sizes[0] - 1);
        j = std::clamp<int64_t>(j, 0, sizes[1] - 1);
        return int64_t(maps[level][size_t(i * sizes[1] + j) * s.channels +
                                   at.channel]) +
               p.zps[level];
      };
      int64_t expected = 0;
      if (s.normalized) {
        int64_t v[2];
        for (int k : {0, 1}) {
          int64_t end = sizes[k] - 1;
          int64_t step =
              bins[k] > 1
                  ? ((roi[2 + k] - roi[k]) * end * 256 / (bins[k] - 1)) >> 8
                  : 0;
          v[k] = std::clamp<int64_t>(end * roi[k] + index[k] * step, 0,
                                     end * 32767);
        }
        int64_t t = v[0] >> 15, b = (v[0] + 32767) >> 15, l = v[1] >> 15,
                r = (v[1] + 32767) >> 15, dy = v[0] & 32767, dx = v[1] & 32767;
        int64_t tl = value(t, l), tr = value(t, r), bl = value(b, l),
                br = value(b, r);
        expected = std::clamp<int64_t>(((tl + br - tr - bl) * (dy * dx >> 15) +
                                        tl * 32768 + (tr - tl) * dx +
                                        (bl - tl) * dy) >>
                                           15,
                                       -128, 127);
      } else {
        int64_t start[2], bin[2], step[2], n[2];
        bool isThere = true;
        for (int k : {0, 1}) {
          auto corner = [&](int q) {
            double v = double(q + p.roiZp) * p.inputScale[level] /
                       (1 << p.inputShift[level]);
            return int64_t(std::clamp(std::nearbyint(v), 0.0, 65535.0)) -
                   (s.halfPixel ? 512 : 0);
          };
          start[k] = corner(roi[k]);
          int64_t length = corner(roi[2 + k]) - start[k];
          if (!s.halfPixel)
            length = std::max<int64_t>(length, 1024);
          isThere &= length != 0;
          n[k] = k ? s.sampleColumns : s.sampleRows;
          if (n[k] == 0)
            n[k] = int64_t(std::max(
                0.0, std::ceil(double(length) / double(bins[k] * 1024))));
          bin[k] = length / bins[k];
          step[k] = n[k] ? bin[k] / (2 * n[k]) : 0;
        }
        int64_t sum = 0;
        for (int64_t a = 0; a < n[0]; ++a)
          for (int64_t b = 0; b < n[1]; ++b) {
            int64_t v = start[0] + bin[0] * index[0] + step[0] * (2 * a + 1),
                    h = start[1] + bin[1] * index[1] + step[1] * (2 * b + 1);
            int64_t i = v >> 10, j = h >> 10, dy = v & 1023, dx = h & 1023;
            if (i < -1 || i > sizes[0] || j < -1 || j > sizes[1])
              continue;
            sum += value(i, j) * ((1024 - dx) * (1024 - dy) >> 10) +
                   value(i, j + 1) * (dx * (1024 - dy) >> 10) +
                   value(i + 1, j) * ((1024 - dx) * dy >> 10) +
                   value(i + 1, j + 1) * (dx * dy >> 10);
          }
        double scaled = double(sum) * p.scale[level];
        if (isAdaptive && n[0] * n[1])
          scaled = std::floor(scaled / double(n[0] * n[1]));
        if (isThere)
          expected = std::clamp<int64_t>(
              int64_t(std::nearbyint(scaled / (1 << 17))) - p.outZp, -128, 127);
      }
      ASSERT_EQ(y[out], expected) << "round " << round;
    }
  }
}

} // namespace
