//===- LastAccesses.cpp - Who touched which bytes last --------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "passes/schedule/LastAccesses.h"

#include <algorithm>
#include <iterator>

using namespace yarrow;
using namespace yarrow::npu;

void LastAccesses::forEachBefore(
    ByteRange range, bool isWrite,
    llvm::function_ref<void(unsigned, uint64_t)> visit) const {
  auto visitAll = [&](const Ordinals &ordinals) {
    for (unsigned unit = 0; unit < isa::kNumCounters; ++unit)
      if (ordinals[unit] != 0)
        visit(unit, ordinals[unit] - 1);
  };
  auto it = segments.upper_bound(range.begin);
  if (it != segments.begin() && std::prev(it)->second.end > range.begin)
    --it;
  for (; it != segments.end() && it->first < range.end; ++it) {
    visitAll(it->second.writes);
    if (isWrite)
      visitAll(it->second.reads);
  }
}

void LastAccesses::splitAt(uint64_t address) {
  auto it = segments.upper_bound(address);
  if (it == segments.begin())
    return;
  --it;
  if (it->first == address || it->second.end <= address)
    return;
  Segment after = it->second;
  it->second.end = address;
  segments.emplace_hint(std::next(it), address, after);
}

void LastAccesses::addWrite(ByteRange range, unsigned unit, uint64_t ordinal) {
  auto next = segments.erase(segments.lower_bound(range.begin),
                             segments.lower_bound(range.end));
  Segment written{range.end};
  written.writes[unit] = ordinal + 1;
  segments.emplace_hint(next, range.begin, written);
}

void LastAccesses::addRead(ByteRange range, unsigned unit, uint64_t ordinal) {
  uint64_t address = range.begin;
  auto it = segments.lower_bound(address);
  while (address < range.end) {
    bool isGap = it == segments.end() || it->first > address;
    if (isGap) {
      uint64_t end =
          it == segments.end() ? range.end : std::min(range.end, it->first);
      it = segments.emplace_hint(it, address, Segment{end});
    }
    it->second.reads[unit] = ordinal + 1;
    address = it->second.end;
    ++it;
  }
}

void LastAccesses::add(ByteRange range, bool isWrite, unsigned unit,
                       uint64_t ordinal) {
  if (range.begin == range.end)
    return;
  splitAt(range.begin);
  splitAt(range.end);
  if (isWrite)
    addWrite(range, unit, ordinal);
  else
    addRead(range, unit, ordinal);
}
