//===- SramLoads.cpp - Constants on their way into SRAM -------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "simulator/engine/SramLoads.h"

#include <algorithm>
#include <cstring>

using namespace yarrow::sim;

/// To copy less takes no longer than to remember that it is not done.
static constexpr uint64_t kFewBytes = 2048;

template <typename Fn>
void SramLoads::cut(Pieces &pieces, uint64_t begin, uint64_t end, Fn fn) {
  auto it = pieces.lower_bound(begin);
  if (it != pieces.begin() && std::prev(it)->second.end > begin)
    --it;
  while (it != pieces.end() && it->first < end) {
    auto [pieceBegin, piece] = *it;
    it = pieces.erase(it);
    uint64_t from = std::max(pieceBegin, begin), to = std::min(piece.end, end);
    fn(from, to, uint32_t(piece.source + (from - pieceBegin)));
    if (pieceBegin < from)
      pieces.insert({pieceBegin, {from, piece.source}});
    if (to < piece.end)
      it = pieces.insert(
          it, {to, {piece.end, uint32_t(piece.source + (to - pieceBegin))}});
  }
}

void SramLoads::copy(uint64_t begin, uint64_t end, uint32_t source) {
  uint8_t *host = memory.hostBase();
  std::memcpy(host + Memory::kSramBase + begin, host + source, end - begin);
}

void SramLoads::load(uint64_t begin, uint64_t sizeBytes, uint32_t source) {
  uint64_t end = begin + sizeBytes;
  write(int64_t(begin), int64_t(end), /*isWhole=*/true);
  if (end > limit || sizeBytes <= kFewBytes)
    copy(begin, end, source);
  else
    waiting.insert({begin, {end, source}});
  if (end <= limit)
    sources.insert({begin, {end, source}});
}

void SramLoads::read(int64_t begin, int64_t end) {
  if (waiting.empty() || end <= 0)
    return;
  cut(waiting, uint64_t(std::max<int64_t>(begin, 0)), uint64_t(end),
      [&](uint64_t from, uint64_t to, uint32_t source) {
        copy(from, to, source);
      });
}

void SramLoads::write(int64_t begin, int64_t end, bool isWhole) {
  if (sources.empty() || end <= 0)
    return;
  if (!isWhole)
    read(begin, end);
  auto first = uint64_t(std::max<int64_t>(begin, 0));
  auto forget = [](uint64_t, uint64_t, uint32_t) {};
  cut(waiting, first, uint64_t(end), forget);
  cut(sources, first, uint64_t(end), forget);
}

void SramLoads::readAll() {
  for (const auto &[begin, piece] : waiting)
    copy(begin, piece.end, piece.source);
  waiting.clear();
}

void SramLoads::forgetAll() {
  readAll();
  sources.clear();
}

std::optional<uint32_t> SramLoads::sourceOf(uint64_t begin,
                                            uint64_t sizeBytes) const {
  auto it = sources.upper_bound(begin);
  if (it == sources.begin() || (--it)->second.end < begin + sizeBytes)
    return std::nullopt;
  return uint32_t(it->second.source + (begin - it->first));
}
