//===- RegionTest.cpp - Regions against the definition --------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// CropAndResize, RoiAlign and MaxRoiPool in double precision and in plain
// integers, over random regions of which some are none: without an image, with
// corners in the wrong order, outside of the map, not numbers.
//
//===----------------------------------------------------------------------===//
#include "support/Numeric.h"
#include "test/Random.h"
#include "test/unit/kernels/KernelTesting.h"
#include "test/unit/kernels/RandomValues.h"

#include <algorithm>
#include <cmath>

using namespace yarrow;
using namespace yarrow::kernels;
using namespace yarrow::kernels::testing;
using yarrow::testing::Random;

namespace {

constexpr int kRegionRounds = 150;

MapShape randomMapShape(Random &random) {
  return {.batch = random.between(1, 3),
          .height = random.between(1, 9),
          .width = random.between(1, 9),
          .channels = random.oneIn(8) ? 150 : random.between(1, 5),
          .regions = random.between(1, 6),
          .rows = random.between(1, 5),
          .columns = random.between(1, 5)};
}

size_t elementsOf(const MapShape &s) {
  return size_t(s.batch) * s.height * s.width * s.channels;
}
size_t resultsOf(const MapShape &s) {
  return size_t(s.regions) * s.rows * s.columns * s.channels;
}

std::vector<float> randomMap(Random &random, const MapShape &s) {
  std::vector<float> x(elementsOf(s));
  for (float &v : x)
    v = random.real(-2, 2);
  return x;
}
size_t at(const MapShape &s, size_t image, int64_t y, int64_t x, size_t c) {
  return ((image * s.height + size_t(y)) * s.width + size_t(x)) * s.channels +
         c;
}

/// Rows image, y1, x1, y2, x2 around a map that is `scale` times as large.
std::vector<float> randomRegions(Random &random, const MapShape &s, float scale,
                                 bool isStrange) {
  std::vector<float> rois;
  for (uint32_t r = 0; r < s.regions; ++r) {
    rois.push_back(float(int(random.below(s.batch + 2)) - 1));
    float y = random.real(-2, float(s.height)),
          x = random.real(-2, float(s.width));
    rois.push_back(y * scale), rois.push_back(x * scale);
    rois.push_back((y + random.real(-1, float(s.height))) * scale);
    rois.push_back((x + random.real(-1, float(s.width))) * scale);
    if (isStrange)
      rois[rois.size() - 1 - random.below(5)] =
          random.of({NAN, INFINITY, -INFINITY, 3e38f, -3e38f});
  }
  return rois;
}

//===----------------------------------------------------------------------===//
// CropAndResize
//===----------------------------------------------------------------------===//

TEST(CropAndResize, FloatsAreThoseOfTheDefinition) {
  Random random(1);
  for (int round = 0; round < kRegionRounds; ++round) {
    CropAndResizeFloatParams p{.shape = randomMapShape(random),
                               .nearest = random.below(2),
                               .extrapolation = 9.0f};
    const MapShape &s = p.shape;
    auto x = randomMap(random, s);
    std::vector<float> boxes, y(resultsOf(s));
    std::vector<int32_t> images;
    for (uint32_t r = 0; r < s.regions; ++r) {
      for (int k = 0; k < 4; ++k)
        boxes.push_back(random.oneIn(20) ? NAN : random.real(-0.2f, 1.2f));
      images.push_back(int32_t(random.below(s.batch + 2)) - 1);
    }
    runKernel("yk_crop_and_resize_float", p,
              {x.data(), boxes.data(), images.data(), y.data()},
              random.between(1, 5));
    auto place = [](float first, float last, uint32_t i, uint32_t n,
                    uint32_t size) {
      float end = float(size - 1);
      return n > 1 ? first * end +
                         float(i) * ((last - first) * end / float(n - 1))
                   : 0.5f * (first + last) * end;
    };
    for (size_t out = 0; out < y.size(); ++out) {
      size_t c = out % s.channels, pixel = out / s.channels;
      uint32_t j = uint32_t(pixel % s.columns),
               i = uint32_t(pixel / s.columns % s.rows);
      size_t r = pixel / s.columns / s.rows;
      const float *box = &boxes[4 * r];
      double v = place(box[0], box[2], i, s.rows, s.height),
             h = place(box[1], box[3], j, s.columns, s.width);
      int image = images[r];
      double expected = 9;
      if (image >= 0 && image < int(s.batch) && v >= 0 && v <= s.height - 1.0 &&
          h >= 0 && h <= s.width - 1.0) {
        auto value = [&](double row, double column) {
          return double(
              x[at(s, size_t(image), int64_t(row), int64_t(column), c)]);
        };
        double y0 = std::floor(v), x0 = std::floor(h), y1 = std::ceil(v),
               x1 = std::ceil(h);
        expected =
            p.nearest
                ? value(std::floor(v + 0.5), std::floor(h + 0.5))
                : (value(y0, x0) * (1 - (h - x0)) + value(y0, x1) * (h - x0)) *
                          (1 - (v - y0)) +
                      (value(y1, x0) * (1 - (h - x0)) +
                       value(y1, x1) * (h - x0)) *
                          (v - y0);
      }
      ASSERT_NEAR(y[out], expected, 1e-5) << "round " << round;
    }
  }
}

TEST(CropAndResize, IntegersAreThoseOfTheReference) {
  Random random(2);
  for (int round = 0; round < kRegionRounds; ++round) {
    CropAndResizeIntParams p{.shape = randomMapShape(random),
                             .nearest = random.below(2),
                             .scale = int32_t(random.between(100, 255)),
                             .shift = int32_t(random.between(13, 16)),
                             .extrapolation = 77};
    const MapShape &s = p.shape;
    auto x = randomBytes<int8_t>(random, elementsOf(s)),
         boxes = randomBytes<int8_t>(random, 4 * s.regions);
    std::vector<int32_t> images;
    for (uint32_t r = 0; r < s.regions; ++r)
      images.push_back(int32_t(random.below(s.batch + 1)));
    std::vector<int8_t> y(resultsOf(s));
    runKernel("yk_crop_and_resize_int", p,
              {x.data(), boxes.data(), images.data(), y.data()},
              random.between(1, 5));
    struct Place {
      bool isOutside;
      int64_t low, high, rest;
    };
    auto place = [&](int64_t a, int64_t b, int64_t i, int64_t n,
                     int64_t size) -> Place {
      int64_t step = n > 1 ? ((b - a) * (size - 1) * 256 / (n - 1)) >> 8 : 0;
      int64_t v = a * (size - 1) + i * step, t = v * p.scale >> p.shift;
      if (v < 0 || t > size - 1)
        return {true, 0, 0, 0};
      int64_t nearest = (v * p.scale + (1 << (p.shift - 1))) >> p.shift;
      int64_t low = p.nearest ? nearest : t;
      return {false, std::clamp<int64_t>(low, 0, size - 1),
              std::clamp<int64_t>(t + 1, 0, size - 1),
              v - (t << p.shift) / p.scale};
    };
    for (size_t out = 0; out < y.size(); ++out) {
      size_t c = out % s.channels, pixel = out / s.channels;
      size_t r = pixel / s.columns / s.rows;
      const int8_t *box = &boxes[4 * r];
      Place v = place(box[0], box[2], int64_t(pixel / s.columns % s.rows),
                      s.rows, s.height),
            h = place(box[1], box[3], int64_t(pixel % s.columns), s.columns,
                      s.width);
      int64_t expected = 77;
      if (images[r] < int32_t(s.batch) && !v.isOutside && !h.isOutside) {
        auto value = [&](int64_t row, int64_t column) {
          return int64_t(x[at(s, size_t(images[r]), row, column, c)]);
        };
        auto mix = [&](int64_t a, int64_t b, int64_t rest) {
          return a + ((b - a) * rest * p.scale >> p.shift);
        };
        expected =
            p.nearest
                ? value(v.low, h.low)
                : mix(mix(value(v.low, h.low), value(v.low, h.high), h.rest),
                      mix(value(v.high, h.low), value(v.high, h.high), h.rest),
                      v.rest);
        expected = std::clamp<int64_t>(expected, -128, 127);
      }
      ASSERT_EQ(y[out], expected) << "round " << round;
    }
  }
}

//===----------------------------------------------------------------------===//
// RoiAlign
//===----------------------------------------------------------------------===//

RoiAlignShape randomAlign(Random &random) {
  return {.region = randomMapShape(random),
          .sampleRows = random.below(4),
          .sampleColumns = random.below(4),
          .method = RoiMethod(random.below(2)),
          .halfPixel = random.below(2)};
}

TEST(RoiAlign, FloatsAreThoseOfTheDefinition) {
  Random random(3);
  for (int round = 0; round < kRegionRounds; ++round) {
    RoiAlignFloatParams p{.shape = randomAlign(random),
                          .spatialScale = {0.25f, 0.5f}};
    const MapShape &s = p.shape.region;
    auto x = randomMap(random, s);
    auto rois = randomRegions(random, s, 3, round % 4 == 0);
    std::vector<float> y(resultsOf(s));
    runKernel("yk_roi_align_float", p, {x.data(), rois.data(), y.data()},
              random.between(1, 5));
    for (size_t out = 0; out < y.size(); ++out) {
      size_t c = out % s.channels, pixel = out / s.channels;
      const float *roi = &rois[5 * (pixel / s.columns / s.rows)];
      size_t bins[2] = {pixel / s.columns % s.rows, pixel % s.columns};
      uint32_t counts[2] = {s.rows, s.columns}, sizes[2] = {s.height, s.width},
               samples[2] = {p.shape.sampleRows, p.shape.sampleColumns};
      bool isThere = roi[0] >= 0 && roi[0] < float(s.batch);
      std::vector<double> places[2];
      for (int k : {0, 1}) {
        double shift = p.shape.halfPixel ? 0.5 : 0;
        double start = double(roi[1 + k]) * p.spatialScale[k] - shift,
               end = double(roi[3 + k]) * p.spatialScale[k] - shift;
        // 2^30 pixels are beyond every map.
        isThere &= std::fabs(start) < 1 << 30 && std::fabs(end) < 1 << 30 &&
                   start <= end;
        if (!isThere)
          break;
        double bin =
            (p.shape.halfPixel ? end - start : std::max(end - start, 1.0)) /
            counts[k];
        uint32_t n =
            samples[k]
                ? samples[k]
                : uint32_t(std::min<double>(std::ceil(bin - 1e-7), sizes[k]));
        for (uint32_t i = 0; i < n; ++i)
          places[k].push_back(
              std::clamp(start + double(bins[k]) * bin + (i + 0.5) * bin / n,
                         0.0, sizes[k] - 1.0));
      }
      double sum = 0, most = -INFINITY;
      for (double v : places[0])
        for (double h : places[1])
          for (int corner = 0; isThere && corner < 4; ++corner) {
            double y0 = std::floor(v) + (corner & 1),
                   x0 = std::floor(h) + (corner >> 1);
            double weight = (1 - std::fabs(v - y0)) * (1 - std::fabs(h - x0));
            double value =
                x[at(s, size_t(roi[0]), int64_t(std::min(y0, s.height - 1.0)),
                     int64_t(std::min(x0, s.width - 1.0)), c)];
            sum += weight * value, most = std::max(most, weight * value);
          }
      size_t n = places[0].size() * places[1].size();
      double expected = !isThere || n == 0                 ? 0
                        : p.shape.method == RoiMethod::Max ? most
                                                           : sum / double(n);
      ASSERT_NEAR(y[out], expected, 1e-4) << "round " << round;
    }
  }
}

TEST(RoiAlign, IntegersAreThoseOfTheReference) {
  Random random(4);
  for (int round = 0; round < kRegionRounds; ++round) {
    RoiAlignIntParams p{.shape = randomAlign(random), .roiType = DType::I16};
    const MapShape &s = p.shape.region;
    uint32_t samples[2] = {p.shape.sampleRows, p.shape.sampleColumns};
    bool isAdaptive = !samples[0] || !samples[1];
    p.inZp = int32_t(random.below(40)) - 20;
    p.outZp = int32_t(random.below(40)) - 20;
    p.spatialScale[0] = 256, p.spatialScale[1] = 341;
    uint32_t counts[2] = {s.rows, s.columns}, sizes[2] = {s.height, s.width};
    for (int k : {0, 1}) {
      p.binScale[k] = int32_t(8192 / counts[k]), p.binShift[k] = 13;
      p.gridScale[k] = int32_t(samples[k] ? 4096 / samples[k] : 1);
      p.gridShift[k] = samples[k] ? 13 : 0;
    }
    p.scale = int32_t(random.between(1, 255)), p.shift = 7;
    auto x = randomBytes<int8_t>(random, elementsOf(s));
    std::vector<int16_t> rois;
    for (float v : randomRegions(random, s, 3, false))
      rois.push_back(int16_t(v));
    std::vector<int8_t> y(resultsOf(s));
    runKernel("yk_roi_align_int", p, {x.data(), rois.data(), y.data()},
              random.between(1, 5));
    for (size_t out = 0; out < y.size(); ++out) {
      size_t c = out % s.channels, pixel = out / s.channels;
      const int16_t *roi = &rois[5 * (pixel / s.columns / s.rows)];
      size_t bins[2] = {pixel / s.columns % s.rows, pixel % s.columns};
      bool isThere = roi[0] >= 0 && roi[0] < int(s.batch);
      std::vector<int64_t> places[2];
      for (int k : {0, 1}) {
        int64_t half = p.shape.halfPixel ? 512 : 0;
        int64_t start = int64_t(roi[1 + k]) * p.spatialScale[k] - half,
                end = int64_t(roi[3 + k]) * p.spatialScale[k] - half;
        isThere &= start <= end && end <= int64_t(sizes[k]) * 1024;
        int64_t length = end - start;
        if (!p.shape.halfPixel)
          length = std::max<int64_t>(length, 1024);
        int64_t bin = length * p.binScale[k] >> 13;
        int64_t n = samples[k];
        int64_t step = bin * p.gridScale[k] >> p.gridShift[k];
        if (n == 0) {
          n = std::min<int64_t>(
              (length + counts[k] * 1024 - 1) / (counts[k] * 1024), sizes[k]);
          step = n > 0 ? bin / (2 * n) : 0;
        }
        for (int64_t i = 0; isThere && i < n; ++i)
          places[k].push_back(std::clamp<int64_t>(
              start + bin * int64_t(bins[k]) + step * (2 * i + 1), 0,
              (int64_t(sizes[k]) - 1) * 1024));
      }
      int64_t sum = 0, most = INT32_MIN;
      for (int64_t v : places[0])
        for (int64_t h : places[1])
          for (int corner = 0; corner < 4; ++corner) {
            int64_t dy = v & 1023, dx = h & 1023;
            int64_t down = corner & 1 ? dy : 1024 - dy,
                    across = corner & 2 ? dx : 1024 - dx;
            int64_t row = std::min<int64_t>((v >> 10) + (corner & 1),
                                            s.height - 1),
                    column = std::min<int64_t>((h >> 10) + (corner >> 1),
                                               s.width - 1);
            int64_t product =
                (x[at(s, size_t(roi[0]), row, column, c)] + p.inZp) *
                (down * across >> 10);
            sum += product, most = std::max(most, product);
          }
      int64_t n = int64_t(places[0].size() * places[1].size());
      double value = 0;
      if (isThere && n > 0 && p.shape.method == RoiMethod::Max)
        value = double(most * p.scale);
      else if (isThere && n > 0)
        value = isAdaptive ? std::floor(double(sum * p.scale) / double(n))
                           : double(sum * p.scale);
      int64_t expected = std::clamp<int64_t>(
          int64_t(std::nearbyint(value / (1 << 17))) - p.outZp, -128, 127);
      ASSERT_EQ(y[out], expected) << "round " << round;
    }
  }
}

// The mean of four samples of 3 is 3, whose half is rounded to the even 2.
TEST(RoiAlign, MeansWithoutARestStayWhole) {
  RoiAlignIntParams p{.roiType = DType::I16};
  p.shape.region = {.batch = 1,
                    .height = 2,
                    .width = 2,
                    .channels = 1,
                    .regions = 1,
                    .rows = 1,
                    .columns = 1};
  for (int k : {0, 1}) {
    p.spatialScale[k] = 1024;
    p.binScale[k] = 8192, p.binShift[k] = 13;
    p.gridScale[k] = 1, p.gridShift[k] = 0;
  }
  p.scale = 1, p.shift = 1;
  const int8_t x[] = {3, 3, 3, 3};
  const int16_t roi[] = {0, 0, 0, 2, 2};
  int8_t y = 0;
  runKernel("yk_roi_align_int", p, {x, roi, &y}, 1);
  EXPECT_EQ(y, 2);
}

//===----------------------------------------------------------------------===//
// MaxRoiPool
//===----------------------------------------------------------------------===//

template <typename T, typename Corner>
void checkPool(const MapShape &s, const std::vector<T> &x,
               const std::vector<T> &y, const std::vector<int> &images,
               Corner corner) {
  for (size_t out = 0; out < y.size(); ++out) {
    size_t c = out % s.channels, pixel = out / s.channels;
    size_t r = pixel / s.columns / s.rows;
    size_t bins[2] = {pixel / s.columns % s.rows, pixel % s.columns};
    double sizes[2] = {double(s.height), double(s.width)};
    double counts[2] = {double(s.rows), double(s.columns)};
    double first[2], last[2];
    bool isThere = images[r] >= 0 && images[r] < int(s.batch);
    for (int k : {0, 1}) {
      double low = corner(r, k), high = corner(r, 2 + k);
      isThere &= low == low && high == high;
      double length = std::max(high - low + 1, 1.0);
      first[k] =
          std::clamp(low + std::floor(double(bins[k]) * length / counts[k]),
                     0.0, sizes[k]);
      last[k] =
          std::clamp(low + std::ceil(double(bins[k] + 1) * length / counts[k]),
                     0.0, sizes[k]);
    }
    T most = 0;
    bool isEmpty = true;
    if (isThere)
      for (int64_t v = int64_t(first[0]); v < last[0]; ++v)
        for (int64_t h = int64_t(first[1]); h < last[1]; ++h) {
          T value = x[at(s, size_t(images[r]), v, h, c)];
          most = isEmpty || value > most ? value : most;
          isEmpty = false;
        }
    ASSERT_EQ(y[out], most);
  }
}

TEST(MaxRoiPool, IsTheLargestOfEachBin) {
  Random random(5);
  for (int round = 0; round < kRegionRounds; ++round) {
    MapShape s = randomMapShape(random);
    auto rois = randomRegions(random, s, 2, round % 4 == 0);
    std::vector<int> images;
    std::vector<int16_t> stored;
    for (size_t i = 0; i < rois.size(); ++i) {
      if (i % 5 == 0)
        images.push_back(std::fabs(rois[i]) < 100 ? int(rois[i]) : -1);
      stored.push_back(
          int16_t(std::fabs(rois[i]) < 100 ? std::nearbyint(rois[i] * 4) : -1));
    }
    auto x = randomMap(random, s);
    std::vector<float> y(resultsOf(s));
    runKernel("yk_roi_pool_float",
              RoiPoolFloatParams{.shape = s, .spatialScale = {0.5f, 0.25f}},
              {x.data(), rois.data(), y.data()}, random.between(1, 5));
    checkPool(s, x, y, images, [&](size_t r, int k) {
      // Beyond 2^31 corners are that.
      double v = rois[5 * r + 1 + size_t(k)] * (k % 2 ? 0.25f : 0.5f);
      return v == v ? std::floor(std::clamp(v, -2e9, 2e9) + 0.5) : v;
    });
    for (size_t r = 0; r < s.regions; ++r)
      images[r] = stored[5 * r] = int16_t(random.below(s.batch + 1));
    auto bytes = randomBytes<int8_t>(random, elementsOf(s));
    std::vector<int8_t> pooled(resultsOf(s));
    runKernel(
        "yk_roi_pool_int",
        RoiPoolIntParams{
            .shape = s, .roiType = DType::I16, .spatialScale = {8192, 12345}},
        {bytes.data(), stored.data(), pooled.data()}, random.between(1, 5));
    checkPool(s, bytes, pooled, images, [&](size_t r, int k) {
      int64_t v = stored[5 * r + 1 + size_t(k)] * (k % 2 ? 12345 : 8192);
      return double((v + 32768) >> 16);
    });
  }
}

} // namespace
