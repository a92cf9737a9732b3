//===- BusCalendar.cpp - A shared bus and when it is taken ----------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "isa/BusCalendar.h"

#include <algorithm>
#include <iterator>

using namespace yarrow::isa;

uint64_t BusCalendar::reserve(uint64_t from, uint64_t cycles) {
  taken += cycles;
  uint64_t time = from;
  // The first interval that ends after `time`.
  auto next = busy.upper_bound(time);
  if (next != busy.begin() && std::prev(next)->second >= time)
    --next;
  while (cycles != 0) {
    if (next != busy.end() && next->first <= time) {
      time = std::max(time, next->second);
      ++next;
      continue;
    }
    uint64_t limit = next == busy.end() ? UINT64_MAX : next->first;
    uint64_t end = std::min(limit, time + cycles);
    cycles -= end - time;
    // Join with the neighbours.
    uint64_t begin = time;
    if (next != busy.begin() && std::prev(next)->second == begin) {
      begin = std::prev(next)->first;
      busy.erase(std::prev(next));
    }
    uint64_t joinedEnd = end;
    if (next != busy.end() && next->first == end) {
      joinedEnd = next->second;
      next = busy.erase(next);
    }
    busy[begin] = joinedEnd;
    time = cycles == 0 ? end : joinedEnd;
  }
  return time;
}

void BusCalendar::forgetBefore(uint64_t cycle) {
  while (!busy.empty() && busy.begin()->second < cycle)
    busy.erase(busy.begin());
}
