//===- Choose.cpp - Boxes chosen by score ---------------------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "kernels/detection/Choose.h"
#include "kernels/detection/MinMax.h"

using namespace yarrow;
using namespace yarrow::kernels;

namespace {

/// Scores of an image.
class Scores {
public:
  Scores(const ScoreMatrix &matrix, const void *src, uint32_t image)
      : matrix(matrix), src(src),
        first(int64_t(image) * matrix.imageStride + matrix.first) {}

  /// Of \p n boxes from \p box on; those of NaN are the least there are.
  void load(uint32_t box, uint32_t c, uint32_t n, int32_t *keys) const {
    loadKeys(matrix.type, src,
             first + int64_t(box) * matrix.boxStride +
                 int64_t(c) * matrix.classStride,
             n, false, keys, matrix.boxStride);
    for (uint32_t i = 0; isFloatType(matrix.type) && i < n; ++i)
      keys[i] = keys[i] == INT32_MAX ? INT32_MIN : keys[i];
  }
  /// flags[i] = 1 if box + i is chosen in class c.
  void choose(const ScoreCut &cut, uint32_t box, uint32_t c, uint32_t n,
              int32_t *flags) const {
    load(box, c, n, flags);
    int32_t number = int32_t(box * matrix.classes + c);
    int32_t step = int32_t(matrix.classes);
    for (uint32_t i = 0; i < n; ++i) {
      int32_t key = flags[i];
      bool isBetween = key >= cut.least && key <= cut.most;
      bool isTie = key == cut.tie && number + int32_t(i) * step <= cut.lastTie;
      flags[i] = isBetween || isTie;
    }
  }

  const ScoreMatrix &matrix;

private:
  const void *src;
  int64_t first;
};

ScoreCut cutOf(const ChooseParams &p, const void *cuts, uint32_t image) {
  if (cuts)
    return static_cast<const ScoreCut *>(cuts)[image];
  // No key is greater than the greatest.
  bool isNone = p.threshold == INT32_MAX;
  return {isNone ? INT32_MAX : p.threshold + 1, isNone ? INT32_MIN : INT32_MAX};
}

uint32_t sumOf(const int32_t *flags, uint32_t n) {
  uint32_t sum = 0;
  for (uint32_t i = 0; i < n; ++i)
    sum += uint32_t(flags[i]);
  return sum;
}

/// Calls fn(image, block, first box, boxes) for the blocks of a task.
template <typename Fn>
void forEachBlock(const ScoreMatrix &m, uint32_t task, uint32_t taskCount,
                  Fn fn) {
  uint32_t blocks = boxBlocks(m.boxes);
  Share share = shareOf(m.batch * blocks, task, taskCount);
  for (uint32_t i = share.begin; i < share.end; ++i) {
    uint32_t box = i % blocks * kBoxBlock;
    fn(i / blocks, i % blocks, box, lesser(kBoxBlock, m.boxes - box));
  }
}

/// The scores above the threshold of an image that has too many of them.
class Excess {
public:
  Excess(const ChooseCutParams &p, Scores scores) : p(p), scores(scores) {}

  ScoreCut cut() const {
    // The key of the last one that is taken, by bisection: as many scores as
    // the capacity are on its side, itself included.
    int64_t low = int64_t(p.choose.threshold) + 1, high = INT32_MAX;
    while (low < high) {
      int64_t middle = (low + high + !p.least) >> 1;
      bool isEnough = countOf(middle, true) >= p.choose.capacity;
      if (p.least)
        (isEnough ? high : low) = isEnough ? middle : middle + 1;
      else
        (isEnough ? low : high) = isEnough ? middle : middle - 1;
    }
    auto tie = int32_t(low);
    ScoreCut cut = cutOf(p.choose, nullptr, 0);
    cut.tie = tie;
    cut.lastTie = lastTie(tie, p.choose.capacity - countOf(low, false));
    // The tie itself is never the end of what is between: it is above the
    // threshold, and an interval may be empty.
    if (p.least)
      cut.most = tie - 1;
    else if (tie == INT32_MAX)
      cut.most = INT32_MIN;
    else
      cut.least = tie + 1;
    return cut;
  }

private:
  template <typename Fn> void forEachScore(Fn fn) const {
    const ScoreMatrix &m = scores.matrix;
    for (uint32_t c = 0; c < m.classes; ++c)
      forEachChunk(0, m.boxes, [&](uint32_t box, uint32_t n) {
        int32_t keys[kChunk];
        scores.load(box, c, n, keys);
        fn(keys, n);
      });
  }
  /// Scores above the threshold up to (from) a key, with it or without.
  uint32_t countOf(int64_t key, bool isClosed) const {
    int64_t least = int64_t(p.choose.threshold) + 1, most = INT32_MAX;
    if (p.least)
      most = isClosed ? key : key - 1;
    else
      least = isClosed ? key : key + 1;
    uint32_t sum = 0;
    if (least > most)
      return sum;
    auto low = int32_t(least), high = int32_t(most);
    forEachScore([&](const int32_t *keys, uint32_t n) {
      for (uint32_t i = 0; i < n; ++i)
        sum += keys[i] >= low && keys[i] <= high;
    });
    return sum;
  }
  /// The number of the \p rest-th score of this key, box by box.
  int32_t lastTie(int32_t key, uint32_t rest) const {
    const ScoreMatrix &m = scores.matrix;
    for (uint32_t box = 0; rest > 0 && box < m.boxes; ++box)
      for (uint32_t c = 0; c < m.classes; ++c) {
        int32_t other;
        scores.load(box, c, 1, &other);
        if (other == key && --rest == 0)
          return int32_t(box * m.classes + c);
      }
    return -1;
  }

  const ChooseCutParams &p;
  Scores scores;
};

} // namespace

YARROW_KERNEL(yk_choose_counts, ChooseCounts) {
  const ScoreMatrix &m = p.scores;
  auto *counts = static_cast<int32_t *>(buffers.counts());
  forEachBlock(m, task, taskCount,
               [&](uint32_t image, uint32_t block, uint32_t box, uint32_t n) {
                 Scores scores(m, buffers.scores(), image);
                 ScoreCut cut = cutOf(p, buffers.cut(), image);
                 int32_t *to =
                     counts +
                     (int64_t(image) * boxBlocks(m.boxes) + block) * m.classes;
                 for (uint32_t c = 0; c < m.classes; ++c) {
                   int32_t flags[kChunk];
                   scores.choose(cut, box, c, n, flags);
                   to[c] = int32_t(sumOf(flags, n));
                 }
               });
}

YARROW_KERNEL(yk_choose_cut, ChooseCut) {
  const ScoreMatrix &m = p.choose.scores;
  auto *counts = static_cast<const int32_t *>(buffers.counts());
  auto *cuts = static_cast<ScoreCut *>(buffers.cut());
  uint32_t perImage = boxBlocks(m.boxes) * m.classes;
  Share share = shareOf(m.batch, task, taskCount);
  for (uint32_t image = share.begin; image < share.end; ++image) {
    uint32_t sum = sumOf(counts + int64_t(image) * perImage, perImage);
    cuts[image] = cutOf(p.choose, nullptr, image);
    if (sum > p.choose.capacity)
      cuts[image] = Excess(p, Scores(m, buffers.scores(), image)).cut();
  }
}

YARROW_KERNEL(yk_choose_starts, ChooseStarts) {
  Share share = shareOf(p.batch, task, taskCount);
  for (uint32_t image = share.begin; image < share.end; ++image) {
    uint32_t cells = p.blocks * p.classes;
    auto *counts =
        static_cast<const int32_t *>(buffers.counts()) + int64_t(image) * cells;
    auto *starts =
        static_cast<int32_t *>(buffers.starts()) + int64_t(image) * (cells + 1);
    int64_t perClass = int64_t(image) * p.perClassSlots,
            labels = int64_t(image) * p.labelSlots;
    uint32_t next = 0, present = 0;
    for (uint32_t c = 0; c < p.classes; ++c) {
      uint32_t begin = next;
      for (uint32_t block = 0; block < p.blocks; ++block) {
        uint32_t cell = block * p.classes + c;
        starts[cell] = int32_t(next);
        next += lesser(uint32_t(counts[cell]), p.capacity - next);
      }
      if (next == begin)
        continue;
      if (present < p.perClassSlots)
        storeCount(p.perClassType, buffers.perClass(), perClass + present,
                   int32_t(next - begin));
      if (present < p.labelSlots)
        storeCount(p.labelType, buffers.labels(), labels + present, int32_t(c));
      ++present;
    }
    starts[cells] = int32_t(next);
    storeCount(p.classCountType, buffers.classCount(), image, int32_t(present));
    for (uint32_t k = present; k < p.perClassSlots; ++k)
      storeCount(p.perClassType, buffers.perClass(), perClass + k, 0);
    for (uint32_t k = present; k < p.labelSlots; ++k)
      storeCount(p.labelType, buffers.labels(), labels + k, 0);
  }
}

YARROW_KERNEL(yk_choose_places, ChoosePlaces) {
  const ScoreMatrix &m = p.scores;
  uint32_t cells = boxBlocks(m.boxes) * m.classes;
  auto startsOf = [&](uint32_t image) {
    return static_cast<const int32_t *>(buffers.starts()) +
           int64_t(image) * (cells + 1);
  };
  auto placesOf = [&](uint32_t image) {
    return static_cast<int32_t *>(buffers.places()) +
           int64_t(image) * p.capacity;
  };
  auto usedOf = [&](uint32_t image) {
    return lesser(uint32_t(startsOf(image)[cells]), p.capacity);
  };
  forEachBlock(m, task, taskCount,
               [&](uint32_t image, uint32_t block, uint32_t box, uint32_t n) {
                 Scores scores(m, buffers.scores(), image);
                 ScoreCut cut = cutOf(p, buffers.cut(), image);
                 uint32_t used = usedOf(image);
                 for (uint32_t c = 0; c < m.classes; ++c) {
                   int32_t flags[kChunk];
                   scores.choose(cut, box, c, n, flags);
                   if (sumOf(flags, n) == 0)
                     continue;
                   auto at = uint32_t(startsOf(image)[block * m.classes + c]);
                   for (uint32_t i = 0; i < n && at < used; ++i)
                     if (flags[i])
                       placesOf(image)[at++] =
                           int32_t((box + i) * m.classes + c);
                 }
               });
  Share share = shareOf(m.batch * p.capacity, task, taskCount);
  for (uint32_t i = share.begin; i < share.end; ++i)
    if (i % p.capacity >= usedOf(i / p.capacity))
      placesOf(i / p.capacity)[i % p.capacity] = -1;
}
