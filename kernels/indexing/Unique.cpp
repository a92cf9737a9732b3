//===- Unique.cpp - The distinct slices of a tensor -----------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "kernels/HeapSort.h"
#include "kernels/indexing/Indexing.h"

using namespace yarrow;
using namespace yarrow::kernels;

namespace {

/// The slices of x and their order.
class Slices {
public:
  Slices(const UniqueParams &p, const void *x, int32_t *order)
      : p(p), x(x), order(order) {}

  /// Heap sort: by value, equal ones by index.
  void sort() {
    for (uint32_t i = 0; i < p.axis; ++i)
      order[i] = int32_t(i);
    auto before = [this](uint32_t a, uint32_t b) { return isBefore(a, b); };
    auto swap = [this](uint32_t a, uint32_t b) {
      int32_t held = order[a];
      order[a] = order[b], order[b] = held;
    };
    makeHeap(p.axis, before, swap);
    sortHeap(p.axis, before, swap);
  }

  bool isEqual(int32_t a, int32_t b) const { return compare(a, b) == 0; }

private:
  int64_t elementOf(uint32_t o, int32_t slice) const {
    return (int64_t(o) * p.axis + slice) * p.inner;
  }
  /// Negative, 0 or positive as slice a is less than b, equal or greater.
  int32_t compare(int32_t a, int32_t b) const {
    for (uint32_t o = 0; o < p.outer; ++o) {
      int64_t atA = elementOf(o, a), atB = elementOf(o, b);
      for (uint32_t i = 0; i < p.inner; ++i) {
        int32_t keyA = keyAt(p.type, x, atA + i, false),
                keyB = keyAt(p.type, x, atB + i, false);
        if (keyA != keyB)
          return keyA < keyB ? -1 : 1;
      }
    }
    return 0;
  }
  bool isBefore(uint32_t a, uint32_t b) const {
    int32_t order3 = compare(order[a], order[b]);
    return order3 != 0 ? order3 < 0 : order[a] < order[b];
  }

  const UniqueParams &p;
  const void *x;
  int32_t *order;
};

void storeNumber(DType type, void *to, uint32_t at, uint32_t number,
                 int32_t most) {
  int32_t value = int32_t(number) < most ? int32_t(number) : most;
  storeI32(type, to, at, 1, &value);
}

/// Slice \p slice of x, or the filler, to place \p k of y.
void storeSlice(const UniqueParams &p, const void *x, int64_t slice, bool fills,
                uint32_t k, void *y) {
  uint32_t bytes = dtypeBytes(p.type);
  for (uint32_t o = 0; o < p.outer; ++o) {
    int64_t from = (int64_t(o) * p.axis + slice) * p.inner,
            to = (int64_t(o) * p.capacity + k) * p.inner;
    for (uint32_t i = 0; i < p.inner; ++i)
      __builtin_memcpy(bytesAt(y, p.type, to + i),
                       fills ? static_cast<const void *>(&p.fill)
                             : bytesAt(x, p.type, from + i),
                       bytes);
  }
}

} // namespace

YARROW_KERNEL(yk_unique, Unique) {
  if (task != 0)
    return;
  const void *x = buffers.input();
  auto *order = static_cast<int32_t *>(buffers.order());
  Slices slices(p, x, order);
  slices.sort();

  uint32_t distinct = 0;
  auto emit = [&](uint32_t first, uint32_t count) {
    if (distinct < p.capacity) {
      storeSlice(p, x, first, false, distinct, buffers.output());
      storeNumber(p.indexType, buffers.indices(), distinct, first, p.mostIndex);
      storeNumber(p.countType, buffers.counts(), distinct, count, p.mostCount);
    }
    return distinct++;
  };
  auto number = [&](int32_t slice, uint32_t k) {
    storeNumber(p.inverseType, buffers.inverse(), uint32_t(slice), k,
                p.mostInverse);
  };
  // Runs of equal slices; the first of a run has the lowest index. In the order
  // of occurrence, a run waits at its first slice: link[slice] is where in
  // `order` its run begins, and of other slices -1.
  int32_t *link = order + p.axis;
  for (uint32_t i = 0; i < p.axis; ++i)
    link[i] = -1;
  auto runEnd = [&](uint32_t begin) {
    uint32_t end = begin + 1;
    while (end < p.axis && slices.isEqual(order[begin], order[end]))
      ++end;
    return end;
  };
  auto emitRun = [&](uint32_t begin, uint32_t end) {
    uint32_t k = emit(uint32_t(order[begin]), end - begin);
    for (uint32_t i = begin; i < end; ++i)
      number(order[i], k);
  };
  for (uint32_t begin = 0, end; begin < p.axis; begin = end) {
    end = runEnd(begin);
    if (p.sorted)
      emitRun(begin, end);
    else
      link[order[begin]] = int32_t(begin);
  }
  for (uint32_t slice = 0; !p.sorted && slice < p.axis; ++slice)
    if (link[slice] >= 0)
      emitRun(uint32_t(link[slice]), runEnd(uint32_t(link[slice])));
  for (uint32_t k = distinct; k < p.capacity; ++k) {
    storeSlice(p, x, 0, true, k, buffers.output());
    storeNumber(p.indexType, buffers.indices(), k, 0, 0);
    storeNumber(p.countType, buffers.counts(), k, 0, 0);
  }
}
