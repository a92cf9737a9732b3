//===- NmsTest.cpp - Suppression against the definition -------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// The steps of a layer against plain loops over lists, in double precision for
// floats: boxes with corners in any order, without area, equal ones, with NaN
// and infinities, equal scores, and numbers of boxes that are wrong.
//
//===----------------------------------------------------------------------===//
#include "test/Random.h"
#include "test/unit/kernels/KernelTesting.h"

#include <algorithm>
#include <cmath>
#include <cstring>

using namespace yarrow;
using namespace yarrow::kernels;
using namespace yarrow::kernels::testing;
using yarrow::testing::Random;

namespace {

template <typename T> struct Problem {
  NmsShape shape;
  uint32_t capacity = 1;
  double scoreThreshold = 0, iouThreshold = 0, sigma = 1;
  std::vector<T> boxes, scores;
  std::vector<int32_t> perClass, classCount;
};

template <typename T> struct Answer {
  std::vector<T> boxes, scores;
  std::vector<int32_t> perClass, indices;
  bool operator==(const Answer &) const = default;
};

/// The entries of candidates, sorted in runs of \p run and merged.
std::vector<RankEntry> ranked(const NmsCandidatesParams &p, const void *scores,
                              const void *perClass, const void *classCount,
                              uint32_t run, uint32_t tasks) {
  std::vector<RankEntry> entries(p.batch * p.list.boxes), next(entries.size());
  runKernel("yk_nms_candidates", p,
            {scores, perClass, classCount, entries.data()}, tasks);
  RankParams rank{p.batch, p.list.boxes, run};
  runKernel("yk_rank_runs", rank, {entries.data(), next.data()}, tasks);
  for (entries.swap(next); rank.run < rank.count; rank.run *= 2) {
    runKernel("yk_rank_merge", rank, {entries.data(), next.data()}, tasks);
    entries.swap(next);
  }
  return entries;
}

struct Kept {
  std::vector<int32_t> lists, kept, heap;
  explicit Kept(const NmsShape &s)
      : lists(s.batch * s.list.classes * 3), kept(s.batch * s.list.boxes),
        heap(3 * s.batch * s.list.boxes) {}
};

int32_t keyOf(float threshold) {
  return keyAt(DType::F32, &threshold, 0, false);
}

/// The answer of the kernels.
Answer<float> solve(const Problem<float> &x, uint32_t run, uint32_t tasks) {
  const NmsShape &s = x.shape;
  auto entries = ranked(
      {s.list, s.batch, DType::F32, keyOf(float(x.scoreThreshold))},
      x.scores.data(), x.perClass.data(), x.classCount.data(), run, tasks);
  NmsFloatParams p{.shape = s,
                   .scoreThreshold = float(x.scoreThreshold),
                   .iouThreshold = float(x.iouThreshold),
                   .decay = float(-0.5 / x.sigma)};
  Kept kept(s);
  std::vector<float> scores(kept.kept.size()), corners(5 * scores.size());
  runKernel("yk_nms_float", p,
            {entries.data(), x.boxes.data(), x.scores.data(), x.perClass.data(),
             x.classCount.data(), kept.lists.data(), kept.kept.data(),
             scores.data(), corners.data(), kept.heap.data()},
            tasks);
  NmsEmitParams emit{.batch = s.batch,
                     .boxes = s.list.boxes,
                     .classes = s.list.classes,
                     .capacity = x.capacity};
  Answer<float> y;
  y.boxes.resize(4 * s.batch * x.capacity);
  y.scores.resize(s.batch * x.capacity), y.indices.resize(y.scores.size());
  y.perClass.resize(s.batch * s.list.classes);
  runKernel("yk_nms_emit", emit,
            {x.boxes.data(), kept.lists.data(), kept.kept.data(), scores.data(),
             y.boxes.data(), y.perClass.data(), y.scores.data(),
             y.indices.data()},
            tasks);
  return y;
}

double iouOf(const float *a, const float *b, bool isCentred) {
  auto axis = [&](const float *box, int k, double &low, double &high) {
    double p = box[k], q = box[k + 2];
    if (isCentred) {
      double centre = p, size = q;
      p = centre - size / 2, q = centre + size / 2;
    }
    low = std::min(p, q), high = std::max(p, q);
  };
  double inter = 1, areaA = 1, areaB = 1;
  for (int k : {0, 1}) {
    double lowA, highA, lowB, highB;
    axis(a, k, lowA, highA), axis(b, k, lowB, highB);
    inter *= std::max(0.0, std::min(highA, highB) - std::max(lowA, lowB));
    areaA *= highA - lowA, areaB *= highB - lowB;
  }
  double iou = inter / (areaA + areaB - inter);
  for (int k = 0; k < 4; ++k)
    if (std::isnan(a[k]) || std::isnan(b[k]))
      return 0;
  return iou > 0 ? iou : 0; // of 0 / 0 nothing
}

/// The greatest score first, all of them looked at again after each choice.
Answer<float> expected(const Problem<float> &x) {
  const NmsShape &s = x.shape;
  Answer<float> y;
  for (uint32_t image = 0; image < s.batch; ++image) {
    uint32_t begin = 0;
    std::vector<float> boxes, scores;
    std::vector<int32_t> indices;
    uint32_t classes = uint32_t(
        std::clamp<int32_t>(x.classCount[image], 0, int32_t(s.list.classes)));
    for (uint32_t c = 0; c < s.list.classes; ++c) {
      uint32_t count = c < classes ? uint32_t(std::clamp<int32_t>(
                                         x.perClass[image * s.list.classes + c],
                                         0, int32_t(s.list.boxes - begin)))
                                   : 0;
      const float *box = &x.boxes[4 * (image * s.list.boxes + begin)];
      const float *score = &x.scores[image * s.list.boxes + begin];
      std::vector<double> now(score, score + count);
      std::vector<bool> isOut(count);
      uint32_t kept = 0;
      while (kept < s.most) {
        int best = -1;
        for (uint32_t i = 0; i < count; ++i)
          if (!isOut[i] && now[i] > x.scoreThreshold &&
              (best < 0 || now[i] > now[best]))
            best = int32_t(i);
        if (best < 0)
          break;
        isOut[best] = true, ++kept;
        if (boxes.size() < 4 * x.capacity) {
          boxes.insert(boxes.end(), box + 4 * best, box + 4 * best + 4);
          scores.push_back(float(now[best]));
          indices.push_back(best);
        } else {
          --kept;
          break;
        }
        for (uint32_t i = 0; i < count; ++i) {
          double iou = iouOf(box + 4 * best, box + 4 * i, s.isCentred);
          if (s.method == NmsMethod::Hard)
            isOut[i] = isOut[i] || iou > x.iouThreshold;
          else if (s.method == NmsMethod::Linear)
            now[i] *= iou > x.iouThreshold ? 1 - iou : 1;
          else
            now[i] *= std::exp(-0.5 / x.sigma * iou * iou);
        }
      }
      y.perClass.push_back(int32_t(kept));
      begin += count;
    }
    boxes.resize(4 * x.capacity);
    scores.resize(x.capacity), indices.resize(x.capacity);
    y.boxes.insert(y.boxes.end(), boxes.begin(), boxes.end());
    y.scores.insert(y.scores.end(), scores.begin(), scores.end());
    y.indices.insert(y.indices.end(), indices.begin(), indices.end());
  }
  return y;
}

/// Coordinates of 32 steps: exact areas, many ties.
Problem<float> randomProblem(Random &random, bool isDegenerate) {
  Problem<float> x;
  NmsShape &s = x.shape;
  s.batch = random.between(1, 2);
  s.list.boxes = random.between(1, random.oneIn(4) ? 400 : 40);
  s.list.classes = random.between(1, 4);
  s.most = random.between(1, random.oneIn(2) ? 300 : 6);
  s.method =
      random.of({NmsMethod::Hard, NmsMethod::Gaussian, NmsMethod::Linear});
  s.isCentred = random.oneIn(3);
  x.capacity = random.between(1, s.list.boxes + 5);
  x.iouThreshold = (random.below(64) + 0.37) / 64;
  x.scoreThreshold = random.oneIn(3) ? -1 : double(0.2f);
  x.sigma = 0.1 + random.below(10) * 0.1;
  for (uint32_t i = 0; i < 4 * s.batch * s.list.boxes; ++i)
    x.boxes.push_back(float(random.below(33)) / 8);
  for (uint32_t i = 0; i < s.batch * s.list.boxes; ++i)
    x.scores.push_back(
        float(random.below(s.method == NmsMethod::Hard ? 50 : 1 << 24)) /
        float(s.method == NmsMethod::Hard ? 50 : 1 << 24));
  for (uint32_t i = 0; i < s.batch * s.list.classes; ++i)
    x.perClass.push_back(
        int32_t(random.below(2 * s.list.boxes / s.list.classes + 2)));
  for (uint32_t i = 0; i < s.batch; ++i)
    x.classCount.push_back(int32_t(random.between(1, s.list.classes)));
  if (!isDegenerate)
    return x;
  const float inf = INFINITY;
  for (uint32_t k = 0; k < x.boxes.size() / 8 + 1; ++k)
    x.boxes[random.below(uint32_t(x.boxes.size()))] =
        random.of({NAN, inf, -inf, 0.0f, -0.0f, 1e38f, -3e38f, 1e-40f});
  for (uint32_t k = 0; k < x.scores.size() / 8 + 1; ++k)
    x.scores[random.below(uint32_t(x.scores.size()))] =
        random.of({NAN, inf, -inf, 0.0f, -0.0f});
  x.perClass[0] = random.of({-1, INT32_MAX, INT32_MIN, 0});
  x.classCount[0] = random.of({-5, 1 << 30, 1});
  return x;
}

/// \p a and \p b are the same bits.
template <typename T>
bool isSame(const std::vector<T> &a, const std::vector<T> &b) {
  return a.size() == b.size() &&
         std::memcmp(a.data(), b.data(), a.size() * sizeof(T)) == 0;
}

TEST(Nms, floatsAreTheDefinitions) {
  Random random(1);
  for (int round = 0; round < 300; ++round) {
    Problem<float> x = randomProblem(random, /*isDegenerate=*/false);
    Answer<float> y = solve(x, random.between(1, 64), random.between(1, 5));
    Answer<float> right = expected(x);
    EXPECT_EQ(y.perClass, right.perClass) << round;
    EXPECT_EQ(y.indices, right.indices) << round;
    EXPECT_EQ(y.boxes, right.boxes) << round;
    for (size_t i = 0; i < y.scores.size(); ++i)
      EXPECT_NEAR(y.scores[i], right.scores[i], 1e-5) << round;
  }
}

TEST(Nms, degenerateBoxesGiveTheSameForAnyNumberOfTasks) {
  Random random(2);
  for (int round = 0; round < 300; ++round) {
    Problem<float> x = randomProblem(random, /*isDegenerate=*/true);
    Answer<float> one = solve(x, 512, 1);
    Answer<float> other = solve(x, random.between(1, 64), random.between(2, 9));
    EXPECT_EQ(one.perClass, other.perClass) << round;
    EXPECT_EQ(one.indices, other.indices) << round;
    EXPECT_TRUE(isSame(one.boxes, other.boxes)) << round;
    EXPECT_TRUE(isSame(one.scores, other.scores)) << round;
    for (int32_t count : one.perClass)
      EXPECT_LE(uint32_t(count), x.capacity);
    for (float score : one.scores)
      EXPECT_FALSE(std::isnan(score));
  }
}

/// Of a class, the boxes that an overlap in integers leaves (the definition of
/// the reference: areas shifted, then compared).
std::vector<int32_t> keptOf(const std::vector<int64_t> &boxes,
                            const std::vector<int32_t> &scores,
                            const NmsIntParams &p) {
  auto side = [&](size_t box, int k) {
    int64_t a = boxes[4 * box + k] + p.zp, b = boxes[4 * box + k + 2] + p.zp;
    return std::pair(std::min(a, b), std::max(a, b));
  };
  auto overlap = [&](size_t a, size_t b) {
    int64_t inter = 1;
    for (int k : {0, 1}) {
      auto [lowA, highA] = side(a, k);
      auto [lowB, highB] = side(b, k);
      inter *=
          std::max<int64_t>(std::min(highA, highB) - std::max(lowA, lowB), 0);
    }
    return inter >> p.areaShift;
  };
  std::vector<size_t> order;
  for (size_t i = 0; i < scores.size(); ++i)
    if (scores[i] > p.scoreThreshold)
      order.push_back(i);
  std::stable_sort(order.begin(), order.end(),
                   [&](size_t a, size_t b) { return scores[a] > scores[b]; });
  std::vector<int32_t> kept;
  for (size_t i : order) {
    bool isOut = kept.size() == p.shape.most;
    for (int32_t k : kept) {
      int64_t inter = overlap(i, size_t(k));
      int64_t uni = overlap(i, i) + overlap(size_t(k), size_t(k)) - inter;
      isOut |= inter > (uni * p.iouThreshold >> p.iouShift);
    }
    if (!isOut)
      kept.push_back(int32_t(i));
  }
  return kept;
}

template <typename T> void checkIntegers(DType type, uint64_t seed) {
  Random random(seed);
  for (int round = 0; round < 100; ++round) {
    NmsIntParams p{.shape = {.list = {.boxes = random.between(1, 300)},
                             .most = random.between(1, 100),
                             .boxType = type,
                             .scoreType = DType::I16},
                   .scoreThreshold = int32_t(random.below(20)),
                   .zp = int32_t(random.below(40)) - 20,
                   .areaShift = sizeof(T) == 1 ? int32_t(random.below(3)) : 13,
                   .iouThreshold = int32_t(random.below(257)),
                   .iouShift = 8};
    uint32_t boxes = p.shape.list.boxes;
    std::vector<T> q(4 * boxes);
    std::vector<int16_t> scores(boxes);
    for (T &value : q)
      value = T(random.next());
    for (int16_t &score : scores)
      score = int16_t(random.below(100));
    int32_t count = int32_t(boxes), classes = 1;
    uint32_t tasks = random.between(1, 4);
    auto entries = ranked({p.shape.list, 1, DType::I16, p.scoreThreshold},
                          scores.data(), &count, &classes, 16, tasks);
    Kept kept(p.shape);
    std::vector<int32_t> keptScores(boxes), corners(5 * boxes);
    runKernel("yk_nms_int", p,
              {entries.data(), q.data(), scores.data(), &count, &classes,
               nullptr, nullptr, kept.lists.data(), kept.kept.data(),
               keptScores.data(), corners.data(), kept.heap.data()},
              tasks);
    kept.kept.resize(size_t(kept.lists[1]));
    EXPECT_EQ(kept.kept,
              keptOf({q.begin(), q.end()}, {scores.begin(), scores.end()}, p))
        << round;
  }
}

TEST(Nms, integersAreTheReferences) {
  checkIntegers<int8_t>(DType::I8, 3);
  checkIntegers<uint8_t>(DType::U8, 4);
  checkIntegers<int16_t>(DType::I16, 5);
  checkIntegers<uint16_t>(DType::U16, 6);
}

TEST(Nms, entriesAreSortedInRunsOfAnyLength) {
  Random random(7);
  for (int round = 0; round < 60; ++round) {
    uint32_t rows = random.between(1, 3), count = random.between(1, 900);
    std::vector<RankEntry> entries(rows * count), next(entries.size());
    for (size_t i = 0; i < entries.size(); ++i)
      entries[i] = {int32_t(random.below(3)), int32_t(random.below(50)) - 25,
                    int32_t(i % count)};
    std::vector<RankEntry> right = entries;
    for (uint32_t row = 0; row < rows; ++row)
      std::sort(right.begin() + row * count, right.begin() + (row + 1) * count,
                isBefore);
    RankParams p{rows, count, random.between(1, 100)};
    uint32_t tasks = random.between(1, 7);
    runKernel("yk_rank_runs", p, {entries.data(), next.data()}, tasks);
    for (entries.swap(next); p.run < count; p.run *= 2) {
      runKernel("yk_rank_merge", p, {entries.data(), next.data()}, tasks);
      entries.swap(next);
    }
    EXPECT_EQ(0, std::memcmp(entries.data(), right.data(),
                             entries.size() * sizeof(RankEntry)))
        << round;
  }
}

} // namespace
