//===- StoredDifference.cpp - How stored values differ --------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "compiler/eval/StoredDifference.h"

#include "support/Half.h"

#include <algorithm>
#include <cmath>
#include <limits>

using namespace yarrow;

namespace {

template <typename T> const T *elementsOf(const StoredValues &values) {
  return reinterpret_cast<const T *>(values.bytes.data());
}

/// Unsigned, so that the difference of the extremes has no overflow.
template <typename T> double distance(T a, T b) {
  return double(a > b ? uint64_t(a) - uint64_t(b) : uint64_t(b) - uint64_t(a));
}

double distance(double a, double b) {
  if (a == b || (std::isnan(a) && std::isnan(b)))
    return 0;
  double d = std::abs(a - b);
  return std::isnan(d) ? std::numeric_limits<double>::infinity() : d;
}

double floatAt(const StoredValues &values, std::size_t i) {
  if (values.isBfloat)
    return bfloatToFloat(elementsOf<uint16_t>(values)[i]);
  switch (values.type) {
  case NpyType::Float16:
    return halfToFloat(elementsOf<uint16_t>(values)[i]);
  case NpyType::Float64:
    return elementsOf<double>(values)[i];
  default:
    return elementsOf<float>(values)[i];
  }
}

/// \p distanceAt of each element, in order.
template <typename DistanceAt>
void count(StoredDifference &difference, std::size_t sample,
           std::size_t elements, bool hasOne, DistanceAt distanceAt) {
  difference.elements += elements;
  for (std::size_t i = 0; i < elements; ++i) {
    double d = distanceAt(i);
    if (d == 0) {
      ++difference.equal;
      continue;
    }
    ++(hasOne && d == 1 ? difference.offByOne : difference.more);
    difference.worst = std::max(difference.worst, d);
    if (!difference.first)
      difference.first = {sample, i};
  }
}

} // namespace

void StoredDifference::add(std::size_t sample, const StoredValues &computed,
                           const StoredValues &recorded) {
  assert(computed.count() == recorded.count() && "tensors of one shape");
  if (computed.isFloat())
    return count(*this, sample, computed.count(), /*hasOne=*/false,
                 [&](std::size_t i) {
                   return distance(floatAt(computed, i), floatAt(recorded, i));
                 });
  assert(computed.type == recorded.type && "integers of one type");
  auto integers = [&]<typename T>(T) {
    const T *a = elementsOf<T>(computed), *b = elementsOf<T>(recorded);
    count(*this, sample, computed.count(), /*hasOne=*/true,
          [&](std::size_t i) { return distance(a[i], b[i]); });
  };
  switch (computed.type) {
  case NpyType::Int8:
    return integers(int8_t());
  case NpyType::Int16:
    return integers(int16_t());
  case NpyType::UInt16:
    return integers(uint16_t());
  case NpyType::Int32:
    return integers(int32_t());
  case NpyType::UInt32:
    return integers(uint32_t());
  case NpyType::Int64:
    return integers(int64_t());
  case NpyType::UInt64:
    return integers(uint64_t());
  default:
    return integers(uint8_t());
  }
}

StoredDifference &StoredDifference::operator+=(const StoredDifference &other) {
  elements += other.elements;
  equal += other.equal;
  offByOne += other.offByOne;
  more += other.more;
  worst = std::max(worst, other.worst);
  if (!first)
    first = other.first;
  return *this;
}
