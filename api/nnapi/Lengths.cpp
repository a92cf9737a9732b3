//===- Lengths.cpp - Lengths of which some are open -----------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "api/nnapi/Lengths.h"
#include <algorithm>

using namespace yarrow;

bool nnapi::combineLengths(std::vector<std::uint32_t> &lengths,
                           std::span<const std::uint32_t> other) {
  if (other.empty())
    return true;
  if (lengths.empty()) {
    lengths.assign(other.begin(), other.end());
    return true;
  }
  if (lengths.size() != other.size())
    return false;
  std::vector<std::uint32_t> combined = lengths;
  for (std::size_t i = 0; i < other.size(); ++i) {
    if (combined[i] == 0)
      combined[i] = other[i];
    else if (other[i] != 0 && other[i] != combined[i])
      return false;
  }
  lengths = std::move(combined);
  return true;
}

bool nnapi::areKnown(std::span<const std::uint32_t> lengths) {
  return !lengths.empty() && std::ranges::find(lengths, 0u) == lengths.end();
}
