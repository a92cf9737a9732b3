//===- StoredDifference.h - How stored values differ ------------*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// Compares two tensors of one type, element by element, over any number of
// samples. Stored integers are equal, off by one, or further apart. Floats are
// equal or differ by the absolute difference. Two NaNs are equal; one NaN is
// infinitely far off.
//
//   StoredDifference d;
//   d.add(0, {NpyType::Int8, computed}, {NpyType::Int8, recorded});
//   d.offByOne; d.worst; d.first->element;
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_COMPILER_EVAL_STOREDDIFFERENCE_H
#define YARROW_COMPILER_EVAL_STOREDDIFFERENCE_H

#include "support/Npy.h"

#include <optional>
#include <span>

namespace yarrow {

/// Elements of a tensor of one sample, aligned for their type.
struct StoredValues {
  NpyType type = NpyType::Int8;
  std::span<const std::byte> bytes;
  bool isBfloat = false; ///< UInt16 holds bfloat16.

  bool isFloat() const {
    return isBfloat || type == NpyType::Float16 || type == NpyType::Float32 ||
           type == NpyType::Float64;
  }
  std::size_t count() const { return bytes.size() / npyTypeBytes(type); }
};

struct StoredDifference {
  uint64_t elements = 0, equal = 0, offByOne = 0, more = 0;
  double worst = 0;
  struct Place {
    std::size_t sample, element;
  };
  std::optional<Place> first; ///< That differs.

  /// Counts a sample. Both have as many elements; integers have one type,
  /// floats may have any.
  void add(std::size_t sample, const StoredValues &computed,
           const StoredValues &recorded);
  /// Adds up; \ref first stays.
  StoredDifference &operator+=(const StoredDifference &other);
  bool isEqual() const { return equal == elements; }
};

} // namespace yarrow

#endif // YARROW_COMPILER_EVAL_STOREDDIFFERENCE_H
