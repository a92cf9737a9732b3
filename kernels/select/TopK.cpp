//===- TopK.cpp - The k greatest or least values --------------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "kernels/HeapSort.h"
#include "kernels/StripRuns.h"
#include "kernels/indexing/Indices.h"
#include "kernels/select/Select.h"

using namespace yarrow;
using namespace yarrow::kernels;

namespace {

/// What a column has found so far: a heap in the outputs, with the entry that
/// comes last in the result on top. An entry comes before another if its key is
/// greater, or equal and nearer to the end of the axis that is read first.
class Heap {
public:
  Heap(const TopKParams &p, uint32_t column, void *values, void *indices)
      : p(p), values(values), indices(indices),
        first(int64_t(column / p.inner) * p.k * p.inner + column % p.inner) {}

  int32_t key(uint32_t slot) const {
    return keyAt(p.type, values, at(slot), p.least);
  }

  /// Puts element \p index of the column, stored at \p element, into a slot.
  void set(uint32_t slot, const void *input, int64_t element, uint32_t index) {
    moveElement(input, element, slot);
    int32_t stored = int32_t(index);
    storeI32(p.indexType, indices, at(slot), 1, &stored);
  }

private:
  int64_t at(uint32_t slot) const { return first + int64_t(slot) * p.inner; }
  int32_t index(uint32_t slot) const {
    return int32_t(loadIndex(p.indexType, indices, at(slot)));
  }
  bool precedes(uint32_t a, uint32_t b) const {
    int32_t keyA = key(a), keyB = key(b);
    if (keyA != keyB)
      return keyA > keyB;
    return p.last ? index(a) > index(b) : index(a) < index(b);
  }
  void moveElement(const void *from, int64_t element, uint32_t slot) {
    uint32_t bytes = dtypeBytes(p.type);
    __builtin_memcpy(bytesAt(values, p.type, at(slot)),
                     bytesAt(from, p.type, element), bytes);
  }
  auto before() const {
    return [this](uint32_t a, uint32_t b) { return precedes(a, b); };
  }
  auto swapper() {
    return [this](uint32_t a, uint32_t b) { swap(a, b); };
  }
  void swap(uint32_t a, uint32_t b) {
    uint32_t held = 0, bytes = dtypeBytes(p.type);
    __builtin_memcpy(&held, bytesAt(values, p.type, at(a)), bytes);
    moveElement(values, at(b), a);
    __builtin_memcpy(bytesAt(values, p.type, at(b)), &held, bytes);
    int32_t indexA = index(a), indexB = index(b);
    storeI32(p.indexType, indices, at(a), 1, &indexB);
    storeI32(p.indexType, indices, at(b), 1, &indexA);
  }

public:
  /// Moves the entry on top down to its place.
  void sinkTop() { sinkInHeap(0, p.k, before(), swapper()); }
  void build() { makeHeap(p.k, before(), swapper()); }
  /// From a heap to the order of the result.
  void sort() { sortHeap(p.k, before(), swapper()); }

private:
  const TopKParams &p;
  void *values, *indices;
  int64_t first;
};

void searchColumn(const TopKParams &p, const void *input, uint32_t column,
                  void *values, void *indices) {
  Heap heap(p, column, values, indices);
  int64_t first =
      int64_t(column / p.inner) * p.axis * p.inner + column % p.inner;
  // Read from the end that wins among equals, only a greater key enters.
  auto place = [&](uint32_t step) { return p.last ? p.axis - 1 - step : step; };
  auto enter = [&](uint32_t slot, uint32_t step) {
    uint32_t index = place(step);
    heap.set(slot, input, first + int64_t(index) * p.inner, index);
  };
  for (uint32_t slot = 0; slot < p.k; ++slot)
    enter(slot, slot);
  heap.build();
  int64_t stride = p.last ? -int64_t(p.inner) : p.inner;
  int32_t keys[kChunk], worst = heap.key(0);
  forEachChunk(p.k, p.axis, [&](uint32_t step, uint32_t n) {
    loadKeys(p.type, input, first + int64_t(place(step)) * p.inner, n, p.least,
             keys, stride);
    int32_t top = keys[0];
    for (uint32_t i = 1; i < n; ++i)
      top = keys[i] > top ? keys[i] : top;
    for (uint32_t i = 0; top > worst && i < n; ++i)
      if (keys[i] > worst) {
        enter(0, step + i);
        heap.sinkTop();
        worst = heap.key(0);
      }
  });
  heap.sort();
}

/// The best entries of a row in the lanes of registers, best first.
class BestLanes {
public:
  /// Of equal keys, the later ones come behind.
  void enter(int32_t key, int32_t index) {
    Strip<int32_t> keyBefore, indexBefore;
    laneBefore(keys, keyBefore);
    laneBefore(indices, indexBefore);
    keyBefore[0] = INT32_MAX;
    // A lane stays, or takes the new entry or the one that it displaces.
    indexBefore = keyBefore >= key ? Strip<int32_t>{} + index : indexBefore;
    indices = keys >= key ? indices : indexBefore;
    keyBefore = __builtin_elementwise_min(keyBefore, Strip<int32_t>{} + key);
    keys = __builtin_elementwise_max(keyBefore, keys);
  }

  Strip<int32_t> keys = Strip<int32_t>{} + INT32_MIN, indices = {};

private:
  static void laneBefore(const Strip<int32_t> &v, Strip<int32_t> &before) {
    before = __builtin_shufflevector(v, v, 0, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10,
                                     11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21,
                                     22, 23, 24, 25, 26, 27, 28, 29, 30);
  }
};

/// Whether what a row has found fits lanes.
bool areLanes(const TopKParams &p) {
  uint32_t indexBytes = dtypeBytes(p.indexType);
  return p.inner == 1 && p.k <= kStrip && isSmallInt(p.type) &&
         (indexBytes == 2 || indexBytes == 4);
}

/// A key that k elements of a row of whole strips at least have: the k-th of
/// the greatest ones of each lane.
template <typename T, typename Load>
int32_t leastOfBest(uint32_t k, uint32_t whole, Load load) {
  Strip<T> x, most;
  load(0, WholeStrip(), most);
  for (uint32_t i = kStrip; i < whole; i += kStrip) {
    load(i, WholeStrip(), x);
    most = __builtin_elementwise_max(most, x);
  }
  for (uint32_t found = 0;;) {
    T top = __builtin_reduce_max(most);
    found += uint32_t(__builtin_popcount(lanesWhere(most == top)));
    if (found >= k || top == kLowest<T>)
      return top;
    most = most == top ? kLowest<T> : most;
  }
}

/// The same of a row of integers T. A strip without a better key costs a
/// comparison.
template <typename T>
void searchRow(const TopKParams &p, const void *input, uint32_t row,
               void *values, void *indices) {
  T flip = T(p.least ? -1 : 0);
  int64_t first = int64_t(row) * p.axis;
  auto load = [&](uint32_t at, auto size, Strip<T> &keys) {
    loadStrip<T>(input, first + at, size, keys);
    keys ^= flip;
  };
  uint32_t part = p.axis % kStrip, whole = p.axis - part;
  BestLanes best;
  // Keys below this one do not enter.
  int32_t least = whole ? leastOfBest<T>(p.k, whole, load) : INT32_MIN;
  auto strip = [&](uint32_t at, auto size) {
    Strip<T> keys;
    load(at, size, keys);
    uint32_t lanes = ~0u >> (kStrip - size.count);
    if (least > T(~kLowest<T>))
      return;
    if (least > kLowest<T>)
      lanes &= lanesWhere(keys >= T(least));
    while (lanes) {
      // Read from the end that wins among equals.
      uint32_t lane = p.last ? 31 - __builtin_clz(lanes) : __builtin_ctz(lanes);
      lanes &= ~(1u << lane);
      T key = static_cast<const T *>(input)[first + at + lane] ^ flip;
      if (key < least)
        continue;
      best.enter(key, int32_t(at + lane));
      int32_t worst = best.keys[p.k - 1];
      least = worst < least ? least : worst + 1;
    }
  };
  if (p.last && part)
    strip(whole, PartOfStrip{part});
  for (uint32_t i = 0; i < whole; i += kStrip)
    strip(p.last ? whole - kStrip - i : i, WholeStrip());
  if (!p.last && part)
    strip(whole, PartOfStrip{part});
  PartOfStrip k{p.k};
  int64_t to = int64_t(row) * p.k;
  storeStrip<T>(best.keys ^ int32_t(flip), k, values, to);
  if (dtypeBytes(p.indexType) == 2)
    storeStrip<int16_t>(best.indices, k, indices, to);
  else
    storeStrip<int32_t>(best.indices, k, indices, to);
}

} // namespace

YARROW_KERNEL(yk_top_k, TopK) {
  Share share = shareOf(p.outer * p.inner, task, taskCount);
  if (areLanes(p))
    return withSmallInt(p.type, [&](auto zero) {
      for (uint32_t row = share.begin; row < share.end; ++row)
        searchRow<decltype(zero)>(p, buffers.input(), row, buffers.values(),
                                  buffers.indices());
    });
  for (uint32_t column = share.begin; column < share.end; ++column)
    searchColumn(p, buffers.input(), column, buffers.values(),
                 buffers.indices());
}

YARROW_KERNEL(yk_in_top_k, InTopK) {
  Share share = shareOf(p.rows, task, taskCount);
  for (uint32_t row = share.begin; row < share.end; ++row) {
    int64_t target = loadIndex(p.targetType, buffers.targets(), row);
    int64_t first = int64_t(row) * p.classes;
    int32_t hit = 0;
    if (target >= 0 && target < p.classes) {
      int32_t key = keyAt(p.type, buffers.predictions(), first + target, false);
      uint32_t greater = 0;
      forEachChunk(0, p.classes, [&](uint32_t i, uint32_t n) {
        int32_t keys[kChunk];
        loadKeys(p.type, buffers.predictions(), first + i, n, false, keys);
        for (uint32_t lane = 0; lane < n; ++lane)
          greater += keys[lane] > key;
      });
      hit = greater < p.k;
    }
    storeI32(p.outType, buffers.output(), row, 1, &hit);
  }
}
