//===- ColoursTest.cpp - RGB and YUV against plain loops ------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// And what CTCGreedyDecoder and AccidentalHits list.
//
//===----------------------------------------------------------------------===//
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

constexpr int kColoursRounds = 60;

ColourParams randomColours(Random &random) {
  ColourParams p{.batch = random.between(1, 2),
                 .height = 2 * random.between(1, 6),
                 .width = 2 * (random.oneIn(4) ? random.between(120, 200)
                                               : random.between(1, 9))};
  bool isMixed = random.oneIn(2), isVFirst = random.oneIn(2);
  uint32_t pixels = p.height * p.width,
           second = pixels + (isMixed ? 1 : pixels / 4);
  p.chromaStep = isMixed ? 2 : 1;
  p.firstU = isVFirst ? second : pixels;
  p.firstV = isVFirst ? pixels : second;
  for (int32_t &m : p.matrix)
    m = int32_t(random.below(1000)) - 300;
  for (int32_t &b : p.bias)
    b = int32_t(random.below(100000));
  p.shift = 10;
  return p;
}

uint8_t converted(const ColourParams &p, int plane, const double (&from)[3]) {
  double sum = p.bias[plane];
  for (int k = 0; k < 3; ++k)
    sum += p.matrix[3 * plane + k] * from[k];
  return uint8_t(
      std::clamp(std::nearbyint(std::ldexp(sum, -p.shift)), 0.0, 255.0));
}

TEST(Colours, YuvHasTheChromaOfTopLeftPixels) {
  Random random(1);
  for (int round = 0; round < kColoursRounds; ++round) {
    ColourParams p = randomColours(random);
    size_t pixels = size_t(p.height) * p.width, frame = pixels / 2 * 3;
    auto rgb = randomBytes<uint8_t>(random, p.batch * pixels * 3);
    std::vector<uint8_t> yuv(p.batch * frame), expected(yuv.size());
    runKernel("yk_rgb_to_yuv", p, {rgb.data(), yuv.data()},
              random.between(1, 5));
    for (size_t n = 0; n < p.batch; ++n)
      for (size_t i = 0; i < p.height; ++i)
        for (size_t j = 0; j < p.width; ++j) {
          const uint8_t *from = &rgb[(n * pixels + i * p.width + j) * 3];
          double x[3] = {double(from[0]), double(from[1]), double(from[2])};
          uint8_t *to = &expected[n * frame];
          to[i * p.width + j] = converted(p, 0, x);
          size_t k = (i / 2 * (p.width / 2) + j / 2) * p.chromaStep;
          if (i % 2 == 0 && j % 2 == 0) {
            to[p.firstU + k] = converted(p, 1, x);
            to[p.firstV + k] = converted(p, 2, x);
          }
        }
    ASSERT_EQ(yuv, expected) << "round " << round;
  }
}

/// Chroma doubled both ways, then rows and columns between as the reference
/// mixes them.
std::vector<double> upsampled(const ColourParams &p, const uint8_t *plane) {
  size_t h = p.height, w = p.width;
  std::vector<double> x(h * w);
  for (size_t i = 0; i < h; ++i)
    for (size_t j = 0; j < w; ++j) {
      size_t pair = i / 2 * (w / 2) + j / 2;
      x[i * w + j] = plane[pair * p.chromaStep];
    }
  for (size_t i = 1; i + 1 < h; i += 2)
    for (size_t j = 0; j < w; ++j)
      x[i * w + j] =
          std::nearbyint((x[(i - 1) * w + j] + x[(i + 1) * w + j]) / 2);
  std::vector<double> y = x;
  for (size_t i = 0; i < h; ++i)
    for (size_t j = 1; j + 1 < w; ++j) {
      double left = x[i * w + j - 1], right = x[i * w + j + 1];
      y[i * w + j] =
          std::nearbyint((j % 2 ? 3 * left + right : left + 3 * right) / 4);
    }
  return y;
}

TEST(Colours, RgbHasChromaBetweenItsSamples) {
  Random random(2);
  for (int round = 0; round < kColoursRounds; ++round) {
    ColourParams p = randomColours(random);
    size_t pixels = size_t(p.height) * p.width, frame = pixels / 2 * 3;
    auto yuv = randomBytes<uint8_t>(random, p.batch * frame);
    std::vector<uint8_t> rgb(p.batch * pixels * 3), expected(rgb.size());
    runKernel("yk_yuv_to_rgb", p, {yuv.data(), rgb.data()},
              random.between(1, 5));
    for (size_t n = 0; n < p.batch; ++n) {
      auto u = upsampled(p, &yuv[n * frame + p.firstU]),
           v = upsampled(p, &yuv[n * frame + p.firstV]);
      for (size_t i = 0; i < pixels; ++i)
        for (int c = 0; c < 3; ++c)
          expected[(n * pixels + i) * 3 + size_t(c)] =
              converted(p, c, {double(yuv[n * frame + i]), u[i], v[i]});
    }
    ASSERT_EQ(rgb, expected) << "round " << round;
  }
}

TEST(CtcMerge, DropsBlanksAndRepeatedClasses) {
  Random random(3);
  for (int round = 0; round < kColoursRounds; ++round) {
    CtcMergeParams p{.rows = random.between(1, 5),
                     .steps = random.between(1, 300),
                     .capacity = random.between(1, 200),
                     .merges = random.below(2),
                     .blank = 3};
    std::vector<int32_t> best(p.rows * p.steps), lengths(p.rows);
    for (int32_t &v : best)
      v = int32_t(random.below(4));
    for (int32_t &v : lengths)
      v = int32_t(random.below(p.steps + 3)) - 2;
    std::vector<uint16_t> found(p.rows * p.capacity), expected;
    runKernel("yk_ctc_merge", p, {best.data(), lengths.data(), found.data()},
              random.between(1, 5));
    for (uint32_t r = 0; r < p.rows; ++r) {
      uint32_t steps = lengths[r] > 0 && uint32_t(lengths[r]) < p.steps
                           ? uint32_t(lengths[r])
                           : p.steps;
      std::vector<uint16_t> row;
      for (uint32_t i = 0; i < steps; ++i) {
        int32_t v = best[r * p.steps + i];
        bool isRepeated = i > 0 && p.merges && v == best[r * p.steps + i - 1];
        if (v != p.blank && !isRepeated)
          row.push_back(uint16_t(v));
      }
      row.resize(p.capacity, 65535);
      expected.insert(expected.end(), row.begin(), row.end());
    }
    ASSERT_EQ(found, expected) << "round " << round;
  }
}

TEST(AccidentalHits, ListsRowsAndCandidates) {
  Random random(4);
  for (int round = 0; round < kColoursRounds; ++round) {
    AccidentalHitsParams p{.rows = random.between(1, 6),
                           .trues = random.between(1, 6),
                           .candidates = random.between(1, 200),
                           .capacity = random.between(1, 60),
                           .rowType = DType::U16,
                           .mostRow = 65535};
    std::vector<int32_t> classes(p.rows * p.trues), candidates(p.candidates);
    for (int32_t &v : classes)
      v = int32_t(random.below(300)) - 20;
    for (int32_t &v : candidates)
      v = int32_t(random.below(300)) - 20;
    std::vector<uint16_t> rows(p.capacity), expectedRows;
    std::vector<int32_t> ids(p.capacity), expectedIds;
    int32_t count = -1;
    runKernel(
        "yk_accidental_hits", p,
        {classes.data(), candidates.data(), rows.data(), ids.data(), &count},
        random.between(1, 5));
    for (uint32_t pair = 0; pair < classes.size(); ++pair)
      for (uint32_t i = 0; i < p.candidates; ++i)
        if (candidates[i] == classes[pair]) {
          expectedRows.push_back(uint16_t(pair / p.trues));
          expectedIds.push_back(int32_t(i));
        }
    ASSERT_EQ(count, int32_t(std::min<size_t>(expectedIds.size(), p.capacity)));
    expectedRows.resize(p.capacity), expectedIds.resize(p.capacity);
    ASSERT_EQ(rows, expectedRows) << "round " << round;
    ASSERT_EQ(ids, expectedIds) << "round " << round;
  }
}

} // namespace
