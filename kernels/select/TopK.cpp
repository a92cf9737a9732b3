//===- TopK.cpp - The k greatest or least values --------------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "kernels/HeapSort.h"
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

} // namespace

YARROW_KERNEL(yk_top_k, TopK) {
  Share share = shareOf(p.outer * p.inner, task, taskCount);
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
