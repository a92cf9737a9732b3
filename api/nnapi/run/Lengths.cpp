//===- Lengths.cpp - Lengths of which some are open -----------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "api/nnapi/run/Lengths.h"
#include <algorithm>

using namespace yarrow;

bool nnapi::combineLengths(std::vector<std::uint32_t> &lengths,
                           std::span<const std::uint32_t> other) {
  if (other.size() > kMostAxes)
    return false;
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

bool nnapi::agree(std::span<const std::uint32_t> stated,
                  std::span<const std::uint32_t> actual) {
  auto mayBe = [](std::uint32_t length, std::uint32_t actualLength) {
    return length == 0 || length == actualLength;
  };
  return stated.empty() || std::ranges::equal(stated, actual, mayBe);
}

bool nnapi::areKnown(std::span<const std::uint32_t> lengths) {
  return !lengths.empty() && std::ranges::find(lengths, 0u) == lengths.end();
}

std::uint64_t nnapi::sizeBytesOf(const Operand &operand,
                                 std::span<const std::uint32_t> lengths) {
  if (std::ranges::find(lengths, 0u) != lengths.end())
    return 0;
  constexpr std::uint64_t kMost = std::uint64_t(1) << 60;
  std::uint64_t bytes = elementBytes(operand.entry().element);
  for (std::uint32_t length : lengths)
    bytes = bytes > kMost / length ? kMost : bytes * length;
  return bytes;
}
