//===- NmsLoop.h - Suppression over any arithmetic --------------*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// What floats and integers have in common. The arithmetic A has
//   A::Value                    float or int32_t
//   Corners<Value> load(box)    of the image in hand
//   Value score(box)
//   bool isSmall(corners), exceeds(score), overlapsAny(corners, planes, begin,
//   n) and Value decayed(score, corners, planes, begin, n)
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_KERNELS_DETECTION_NMSLOOP_H
#define YARROW_KERNELS_DETECTION_NMSLOOP_H

#include "kernels/HeapSort.h"
#include "kernels/detection/MinMax.h"
#include "kernels/detection/Nms.h"
#include "kernels/detection/Rank.h"

namespace yarrow::kernels {

/// A box with ordered corners.
template <typename T> struct Corners {
  T y1, x1, y2, x2, area;
};

/// Boxes that are kept, one array for each of their numbers.
template <typename T> struct CornerPlanes {
  T *y1, *x1, *y2, *x2, *area;

  CornerPlanes(T *first, uint32_t boxes)
      : y1(first), x1(first + boxes), y2(first + 2 * int64_t(boxes)),
        x2(first + 3 * int64_t(boxes)), area(first + 4 * int64_t(boxes)) {}

  void set(uint32_t i, const Corners<T> &box) {
    y1[i] = box.y1, x1[i] = box.x1, y2[i] = box.y2, x2[i] = box.x2;
    area[i] = box.area;
  }
};

/// The outputs of an image, and what a class of it keeps.
template <typename Arithmetic> class Suppression {
  using Value = typename Arithmetic::Value;
  struct SoftEntry {
    int32_t next; // kept box to compare with
    Value score;
    int32_t box;
  };

public:
  struct Outputs {
    int32_t *lists, *kept;
    Value *keptScores, *corners;
    void *heap;
  };

  Suppression(const NmsShape &shape, Arithmetic arithmetic,
              const RankEntry *entries, const Outputs &out, uint32_t image)
      : shape(shape), arithmetic(arithmetic),
        entries(entries + int64_t(image) * shape.list.boxes),
        kept(out.kept + int64_t(image) * shape.list.boxes),
        keptScores(out.keptScores + int64_t(image) * shape.list.boxes),
        planes(out.corners + 5 * int64_t(image) * shape.list.boxes,
               shape.list.boxes),
        heap(static_cast<SoftEntry *>(out.heap)),
        lists(out.lists + 3 * int64_t(image) * shape.list.classes) {
    if (shape.method != NmsMethod::Hard)
      heap += int64_t(image) * shape.list.boxes;
  }

  void keepOf(uint32_t c, uint32_t firstBox) {
    begin = lowerBound(int32_t(c));
    uint32_t end = lowerBound(int32_t(c) + 1), next = end;
    uint32_t most = begin + lesser(shape.considered, shape.list.boxes - begin);
    end = end < most ? end : most;
    count = 0;
    if (shape.method == NmsMethod::Hard)
      keepHard(end);
    else
      keepSoft(end);
    clear(begin + count, next);
    int32_t *list = lists + 3 * c;
    list[0] = int32_t(begin), list[1] = int32_t(count);
    list[2] = int32_t(firstBox);
  }

  /// What no class has: calibration looks at all that a kernel writes.
  void clearRest() {
    clear(lowerBound(int32_t(shape.list.classes)), shape.list.boxes);
  }

private:
  void clear(uint32_t from, uint32_t to) {
    for (uint32_t i = from; i < to; ++i) {
      kept[i] = 0, keptScores[i] = 0;
      planes.set(i, {});
    }
  }
  /// The first entry whose group is \p group or a later one.
  uint32_t lowerBound(int32_t group) const {
    uint32_t low = 0, high = shape.list.boxes;
    while (low < high) {
      uint32_t middle = (low + high) / 2;
      if (entries[middle].group < group)
        low = middle + 1;
      else
        high = middle;
    }
    return low;
  }

  /// Entries are made by other kernels; none is outside of the image.
  uint32_t boxOf(uint32_t entry) const {
    return lesser(uint32_t(entries[entry].index), shape.list.boxes - 1);
  }

  void keep(uint32_t box, Value score, const Corners<Value> &corners) {
    kept[begin + count] = int32_t(box);
    keptScores[begin + count] = score;
    planes.set(begin + count, corners);
    ++count;
  }

  void keepHard(uint32_t end) {
    for (uint32_t i = begin; i < end && count < shape.most; ++i) {
      uint32_t box = boxOf(i);
      Corners<Value> corners = arithmetic.load(box);
      if (arithmetic.isSmall(corners))
        continue;
      bool overlaps = false;
      for (uint32_t k = 0; k < count && !overlaps; k += kChunk)
        overlaps = arithmetic.overlapsAny(corners, planes, begin + k,
                                          lesser(kChunk, count - k));
      if (!overlaps)
        keep(box, arithmetic.score(box), corners);
    }
  }

  /// The candidate of the greatest score is compared with those that were kept
  /// since it was looked at last; if its score falls, it waits for its turn
  /// again. Of equal scores the lower box is first.
  void keepSoft(uint32_t end) {
    SoftEntry *entry = heap + begin;
    uint32_t waiting = 0;
    for (uint32_t i = begin; i < end; ++i) {
      uint32_t box = boxOf(i);
      if (!arithmetic.isSmall(arithmetic.load(box)))
        entry[waiting++] = {0, arithmetic.score(box), int32_t(box)};
    }
    // The top of the heap is what is last before all others.
    auto before = [entry](uint32_t a, uint32_t b) {
      return entry[a].score != entry[b].score ? entry[a].score < entry[b].score
                                              : entry[a].box > entry[b].box;
    };
    auto swap = [entry](uint32_t a, uint32_t b) {
      SoftEntry held = entry[a];
      entry[a] = entry[b], entry[b] = held;
    };
    makeHeap(waiting, before, swap);
    while (waiting > 0 && count < shape.most) {
      SoftEntry top = entry[0];
      Corners<Value> corners = arithmetic.load(uint32_t(top.box));
      Value score = top.score;
      for (uint32_t k = uint32_t(top.next);
           k < count && arithmetic.exceeds(score); k += kChunk)
        score = arithmetic.decayed(score, corners, planes, begin + k,
                                   lesser(kChunk, count - k));
      // What is too small already counts only as the best of all.
      bool isKept =
          score == top.score && (count == 0 || arithmetic.exceeds(score));
      if (isKept)
        keep(uint32_t(top.box), score, corners);
      if (isKept || !arithmetic.exceeds(score))
        entry[0] = entry[--waiting];
      else
        entry[0].next = int32_t(count), entry[0].score = score;
      sinkInHeap(0, waiting, before, swap);
    }
  }

  const NmsShape &shape;
  Arithmetic arithmetic;
  const RankEntry *entries;
  int32_t *kept;
  Value *keptScores;
  CornerPlanes<Value> planes;
  SoftEntry *heap;
  int32_t *lists;
  uint32_t begin = 0, count = 0; // of the class in hand
};

/// The classes that a task has. makeArithmetic(image) gives the arithmetic.
template <typename Arithmetic, typename Make>
inline void suppress(const NmsShape &shape, const RankEntry *entries,
                     const void *perClass, const void *classCount,
                     const typename Suppression<Arithmetic>::Outputs &out,
                     uint32_t task, uint32_t taskCount, Make makeArithmetic) {
  uint32_t classes = shape.list.classes;
  Share share = shareOf(shape.batch * classes, task, taskCount);
  for (uint32_t image = share.begin / classes; image * classes < share.end;
       ++image) {
    auto isOwn = [&](uint32_t c) {
      uint32_t item = image * classes + c;
      return item >= share.begin && item < share.end;
    };
    Suppression<Arithmetic> suppression(shape, makeArithmetic(image), entries,
                                        out, image);
    uint32_t done = 0;
    forEachClass(shape.list, perClass, classCount, image,
                 [&](uint32_t c, uint32_t from, uint32_t) {
                   done = c + 1;
                   if (isOwn(c))
                     suppression.keepOf(c, from);
                 });
    if (isOwn(classes - 1))
      suppression.clearRest();
    for (uint32_t c = done; c < classes; ++c)
      for (uint32_t k = 0; isOwn(c) && k < 3; ++k)
        out.lists[3 * (int64_t(image) * classes + c) + k] = 0;
  }
}

} // namespace yarrow::kernels

#endif // YARROW_KERNELS_DETECTION_NMSLOOP_H
