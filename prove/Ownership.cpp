//===- Ownership.cpp - Who wrote which bytes ------------------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "prove/Ownership.h"

#include <algorithm>

using namespace yarrow::prove;

/// An interval begins at \p at, if there was one around it.
Ownership::Region::iterator Ownership::split(Region &region, int64_t at) {
  auto next = region.lower_bound(at);
  if (next != region.end() && next->first == at)
    return next;
  if (next == region.begin())
    return next;
  auto around = std::prev(next);
  if (around->second.end <= at)
    return next;
  Interval rest = around->second;
  around->second.end = at;
  return region.emplace_hint(next, at, std::move(rest));
}

void Ownership::hostWrites(uint32_t number, int64_t begin, int64_t end) {
  if (begin < end)
    regions[number][begin] = {end, kHost, {}};
}

/// Of a unit in a group the last reader stands for those before; those of
/// earlier epochs are over.
void Ownership::addReader(std::vector<int32_t> &readers,
                          int32_t command) const {
  const StreamCommand &c = commands[size_t(command)];
  std::erase_if(readers, [&](int32_t other) {
    const StreamCommand &o = commands[size_t(other)];
    return o.epoch < c.epoch || (o.group == c.group && o.unit == c.unit);
  });
  readers.push_back(command);
}

void Ownership::read(int32_t command, uint32_t number, int64_t begin,
                     int64_t end, const Visit &visit) {
  Region &region = regions[number];
  auto at = split(region, begin);
  split(region, end);
  int64_t known = begin;
  for (; at != region.end() && at->first < end; ++at) {
    if (at->first > known)
      visit({known, at->first, kNoWriter});
    Interval &interval = at->second;
    known = interval.end;
    addReader(interval.readers, command);
    visit({at->first, interval.end, interval.writer,
           isAfter(command, interval.writer) ? kNoWriter : interval.writer});
  }
  if (known < end)
    visit({known, end, kNoWriter});
}

void Ownership::write(int32_t command, uint32_t number, int64_t begin,
                      int64_t end, const Visit &visit) {
  Region &region = regions[number];
  auto first = split(region, begin);
  split(region, end);
  auto at = first;
  for (; at != region.end() && at->first < end; ++at) {
    const Interval &interval = at->second;
    int32_t rival =
        isAfter(command, interval.writer) ? kNoWriter : interval.writer;
    for (int32_t reader : interval.readers)
      if (!isAfter(command, reader))
        rival = reader;
    if (rival != kNoWriter)
      visit({at->first, interval.end, interval.writer, rival});
  }
  region.erase(first, at);
  region[begin] = {end, command, {}};
}

void Ownership::look(uint32_t number, int64_t begin, int64_t end,
                     const Visit &visit) const {
  int64_t known = begin;
  auto region = regions.find(number);
  if (region != regions.end()) {
    auto at = region->second.upper_bound(begin);
    if (at != region->second.begin() && std::prev(at)->second.end > begin)
      --at;
    for (; at != region->second.end() && at->first < end; ++at) {
      if (at->first > known)
        visit({known, at->first, kNoWriter});
      known = std::min(at->second.end, end);
      visit({std::max(at->first, begin), known, at->second.writer});
    }
  }
  if (known < end)
    visit({known, end, kNoWriter});
}
