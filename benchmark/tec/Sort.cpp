//===- Sort.cpp - A branchy integer loop for a TEC ------------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// Sorts the same random numbers again and again: comparisons whose outcome
// nobody can predict, loads, stores and calls. Exits with 0 if they are sorted.
//
//===----------------------------------------------------------------------===//
#include "benchmark/tec/Start.h"

constexpr int kCount = 1 << 16, kRepeats = 100;
static uint32_t values[kCount];

static void sort(uint32_t *first, uint32_t *last) {
  while (last - first > 16) {
    uint32_t pivot = first[(last - first) / 2], *low = first, *high = last - 1;
    while (low <= high) {
      while (*low < pivot)
        ++low;
      while (*high > pivot)
        --high;
      if (low <= high) {
        uint32_t swapped = *low;
        *low++ = *high;
        *high-- = swapped;
      }
    }
    sort(first, high + 1);
    first = low;
  }
  for (uint32_t *next = first + 1; next < last; ++next) {
    uint32_t value = *next, *to = next;
    for (; to > first && to[-1] > value; --to)
      *to = to[-1];
    *to = value;
  }
}

int main() {
  uint32_t state = 1;
  for (int repeat = 0; repeat < kRepeats; ++repeat) {
    for (int i = 0; i < kCount; ++i)
      values[i] = state = state * 1664525 + 1013904223;
    sort(values, values + kCount);
    for (int i = 1; i < kCount; ++i)
      if (values[i - 1] > values[i])
        return 1;
  }
  return 0;
}
