//===- KnownBytes.cpp - What of the SRAM is constant ----------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "prove/KnownBytes.h"

#include "isa/ElfLayout.h"
#include "isa/WeightStream.h"
#include <algorithm>
#include <cstring>

using namespace yarrow;
using namespace yarrow::prove;
using namespace yarrow::isa;

KnownBytes::KnownBytes(const runtime::Executable &e)
    : constants(reinterpret_cast<const uint8_t *>(e.weights().data()),
                e.weights().size()),
      bytes(e.machine().sramBytes), known(e.machine().sramBytes) {}

std::optional<std::span<const uint8_t>>
KnownBytes::read(uint64_t offset, uint64_t sizeBytes) const {
  if (offset > bytes.size() || sizeBytes > bytes.size() - offset)
    return std::nullopt;
  auto first = known.begin() + ptrdiff_t(offset);
  if (std::find(first, first + ptrdiff_t(sizeBytes), 0) !=
      first + ptrdiff_t(sizeBytes))
    return std::nullopt;
  return std::span(bytes).subspan(offset, sizeBytes);
}

void KnownBytes::forgetAll() { std::fill(known.begin(), known.end(), 0); }

void KnownBytes::forget(const ByteSet &set) {
  if (set.region != kSramRegion)
    return;
  set.forEachRun([&](int64_t begin, int64_t end) {
    std::fill(known.begin() + begin, known.begin() + end, 0);
  });
}

std::string_view KnownBytes::decode(const Copy &copy) {
  if (copy.srcRegion != kWeightRegion)
    return "it does not come from the constants";
  std::span<uint8_t> to = std::span(bytes).subspan(copy.dst, copy.size0);
  std::string_view problem =
      decodeWeights(constants.subspan(copy.src, copy.streamBytes), to);
  std::fill_n(known.begin() + copy.dst, copy.size0, problem.empty() ? 1 : 0);
  return problem;
}

std::string_view KnownBytes::apply(const Copy &c) {
  if (c.dstRegion != kSramRegion)
    return {};
  if (c.streamBytes != 0)
    return decode(c);
  const int64_t sizes[] = {c.size0, c.size1, c.size2, c.size3, c.size4};
  const int64_t from[] = {c.srcStride0, c.srcStride1, c.srcStride2,
                          c.srcStride3, c.srcStride4};
  const int64_t to[] = {c.dstStride0, c.dstStride1, c.dstStride2, c.dstStride3,
                        c.dstStride4};
  size_t unit = c.elementBytes;
  uint64_t pattern = c.fillValue;
  uint8_t fill[sizeof pattern];
  std::memcpy(fill, &pattern, sizeof pattern);
  // A row of consecutive bytes at a time, if the axis is one.
  bool isRow = !c.fill && from[0] == int64_t(unit) && to[0] == int64_t(unit);
  size_t rowBytes = isRow ? unit * size_t(sizes[0]) : unit;
  std::vector<uint8_t> row(rowBytes), rowKnown(rowBytes);
  std::array<int64_t, 5> index = {};
  for (;;) {
    int64_t source = c.src, target = c.dst;
    for (unsigned axis = 0; axis < 5; ++axis) {
      source += index[axis] * from[axis];
      target += index[axis] * to[axis];
    }
    if (c.fill) {
      std::memcpy(row.data(), fill, unit);
      std::fill(rowKnown.begin(), rowKnown.end(), 1);
    } else if (c.srcRegion == kWeightRegion) {
      std::memcpy(row.data(), &constants[size_t(source)], rowBytes);
      std::fill(rowKnown.begin(), rowKnown.end(), 1);
    } else if (c.srcRegion == kSramRegion) {
      std::memcpy(row.data(), &bytes[size_t(source)], rowBytes);
      std::memcpy(rowKnown.data(), &known[size_t(source)], rowBytes);
    } else {
      std::fill(rowKnown.begin(), rowKnown.end(), 0);
    }
    std::memcpy(&bytes[size_t(target)], row.data(), rowBytes);
    std::memcpy(&known[size_t(target)], rowKnown.data(), rowBytes);
    unsigned axis = isRow ? 1 : 0;
    while (axis < 5 && ++index[axis] == sizes[axis])
      index[axis++] = 0;
    if (axis == 5)
      return {};
  }
}
