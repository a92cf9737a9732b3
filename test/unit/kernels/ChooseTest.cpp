//===- ChooseTest.cpp - Boxes chosen by score, against plain loops --------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// Few different scores, so that there are ties; NaN and infinities; more boxes
// than there is room for.
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

/// What the steps of a layer give.
struct Chosen {
  std::vector<int32_t> places, perClass, labels, classCount;
  bool operator==(const Chosen &) const = default;
};

enum class Keeps { First, Greatest, Least };

Chosen choose(const ChooseParams &p, const void *scores, Keeps keeps,
              uint32_t slots, uint32_t tasks) {
  const ScoreMatrix &m = p.scores;
  uint32_t blocks = boxBlocks(m.boxes), cells = blocks * m.classes;
  std::vector<int32_t> counts(m.batch * cells), starts(m.batch * (cells + 1));
  std::vector<ScoreCut> cuts(m.batch);
  runKernel("yk_choose_counts", p, {scores, nullptr, counts.data()}, tasks);
  const void *cut = nullptr;
  if (keeps != Keeps::First) {
    ChooseCutParams c{p, keeps == Keeps::Least};
    runKernel("yk_choose_cut", c, {scores, counts.data(), cuts.data()}, tasks);
    cut = cuts.data();
    runKernel("yk_choose_counts", p, {scores, cut, counts.data()}, tasks);
  }
  ChooseStartsParams s{.batch = m.batch,
                       .blocks = blocks,
                       .classes = m.classes,
                       .capacity = p.capacity,
                       .perClassSlots = slots,
                       .labelSlots = slots};
  Chosen y;
  y.places.resize(m.batch * p.capacity), y.classCount.resize(m.batch);
  y.perClass.resize(m.batch * slots), y.labels.resize(m.batch * slots);
  runKernel("yk_choose_starts", s,
            {counts.data(), starts.data(), y.perClass.data(), y.labels.data(),
             y.classCount.data()},
            tasks);
  runKernel("yk_choose_places", p,
            {scores, cut, starts.data(), y.places.data()}, tasks);
  return y;
}

Chosen expected(const ChooseParams &p, const std::vector<float> &scores,
                float threshold, Keeps keeps, uint32_t slots) {
  const ScoreMatrix &m = p.scores;
  Chosen y;
  for (uint32_t image = 0; image < m.batch; ++image) {
    auto score = [&](int32_t place) {
      return scores[(image * m.boxes + place / m.classes) * m.boxStride +
                    m.first + place % m.classes];
    };
    std::vector<int32_t> all; // box by box
    for (uint32_t place = 0; place < m.boxes * m.classes; ++place)
      if (score(int32_t(place)) > threshold)
        all.push_back(int32_t(place));
    if (keeps != Keeps::First && all.size() > p.capacity) {
      std::stable_sort(all.begin(), all.end(), [&](int32_t a, int32_t b) {
        return keeps == Keeps::Least ? score(a) < score(b)
                                     : score(a) > score(b);
      });
      all.resize(p.capacity);
      std::sort(all.begin(), all.end());
    }
    std::stable_sort(all.begin(), all.end(), [&](int32_t a, int32_t b) {
      return a % int32_t(m.classes) < b % int32_t(m.classes);
    });
    all.resize(std::min<size_t>(all.size(), p.capacity));
    std::vector<int32_t> perClass, labels;
    for (uint32_t c = 0; c < m.classes; ++c) {
      auto count = std::count_if(all.begin(), all.end(), [&](int32_t place) {
        return uint32_t(place) % m.classes == c;
      });
      if (count)
        perClass.push_back(int32_t(count)), labels.push_back(int32_t(c));
    }
    y.classCount.push_back(int32_t(labels.size()));
    all.resize(p.capacity, -1);
    perClass.resize(slots), labels.resize(slots);
    y.places.insert(y.places.end(), all.begin(), all.end());
    y.perClass.insert(y.perClass.end(), perClass.begin(), perClass.end());
    y.labels.insert(y.labels.end(), labels.begin(), labels.end());
  }
  return y;
}

TEST(Choose, isClassByClassAsFarAsThereIsRoom) {
  Random random(1);
  for (int round = 0; round < 400; ++round) {
    uint32_t skipped = random.below(2);
    ChooseParams p;
    ScoreMatrix &m = p.scores;
    m.batch = random.between(1, 3), m.boxes = random.between(1, 300);
    m.classes = random.between(1, 5), m.first = skipped;
    m.boxStride = m.classes + skipped, m.imageStride = m.boxes * m.boxStride;
    p.capacity = random.between(1, m.boxes * m.classes);
    std::vector<float> scores(m.batch * m.imageStride);
    for (float &score : scores)
      score = random.oneIn(20)
                  ? random.of({NAN, INFINITY, -INFINITY, 0.0f, -0.0f})
                  : float(int32_t(random.below(20)) - 5) / 10;
    float threshold = random.of({0.0f, 0.3f, -1.0f, -INFINITY, NAN});
    p.threshold = keyAt(DType::F32, &threshold, 0, false);
    Keeps keeps = random.of({Keeps::First, Keeps::Greatest, Keeps::Least});
    uint32_t slots = random.between(m.classes, m.classes + 3);
    EXPECT_EQ(choose(p, scores.data(), keeps, slots, random.between(1, 6)),
              expected(p, scores, threshold, keeps, slots))
        << round;
  }
}

TEST(Choose, takesTheExtremesOfIntegers) {
  // The greatest key of floats is that of NaN, of integers it is a score.
  std::vector<int32_t> scores = {INT32_MAX, 0, INT32_MIN, INT32_MAX, 5};
  ChooseParams p;
  p.scores.boxes = 5, p.scores.type = DType::I32;
  p.capacity = 2, p.threshold = 0;
  auto places = [&](Keeps keeps) {
    return choose(p, scores.data(), keeps, 1, 2).places;
  };
  EXPECT_EQ(places(Keeps::First), (std::vector<int32_t>{0, 3}));
  EXPECT_EQ(places(Keeps::Greatest), (std::vector<int32_t>{0, 3}));
  EXPECT_EQ(places(Keeps::Least), (std::vector<int32_t>{0, 4}));
  p.threshold = INT32_MAX;
  EXPECT_EQ(places(Keeps::First), (std::vector<int32_t>{-1, -1}));
}

} // namespace
