//===- Execution.cpp - What one execution of a network computed -----------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "compiler/bisect/Execution.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <sstream>

using namespace yarrow;

const LayerResult *Execution::find(const std::string &name) const {
  auto it = std::find_if(results.begin(), results.end(),
                         [&](const LayerResult &r) { return r.name == name; });
  return it == results.end() ? nullptr : &*it;
}

static bool areCounterparts(const LayerResult &a, const LayerResult &b) {
  auto count = [](const LayerResult &r) {
    int64_t n = 1;
    for (int64_t d : r.shape)
      n *= d;
    return n;
  };
  bool areFloats = (a.isBfloat || a.type.starts_with("float")) &&
                   (b.isBfloat || b.type.starts_with("float"));
  return (a.type == b.type || areFloats) && count(a) == count(b);
}

static std::vector<float> valuesOf(const LayerResult &result) {
  NpyView view;
  view.type = result.npyType;
  view.numElements = result.values().count();
  view.data = result.bytes->data();
  return view.toFloats();
}

std::optional<ResultDifference>
yarrow::firstDifference(const Execution &expected, const Execution &found,
                        double mostFloats, std::size_t *compared) {
  std::size_t count = 0;
  std::optional<ResultDifference> first;
  for (const LayerResult &result : found.results) {
    const LayerResult *other =
        result.name.empty() ? nullptr : expected.find(result.name);
    if (!other || !other->bytes || !areCounterparts(*other, result))
      continue;
    ++count;
    if (first)
      continue;
    if (!result.bytes) {
      first = {other, &result, 0, {}};
      continue;
    }
    StoredDifference d;
    d.add(0, result.values(), other->values());
    if (d.isEqual() || (result.values().isFloat() && d.worst <= mostFloats))
      continue;
    std::size_t element = d.first->element;
    if (result.values().isFloat() && mostFloats > 0 && !result.isBfloat) {
      // The first that is too far off, not the first that is off.
      std::vector<float> a = valuesOf(*other), b = valuesOf(result);
      for (std::size_t i = element; i < a.size(); ++i)
        if (!(std::fabs(double(a[i]) - double(b[i])) <= mostFloats)) {
          element = i;
          break;
        }
    }
    first = {other, &result, element, d};
  }
  if (compared)
    *compared = count;
  return first;
}

static std::string floatText(float value) {
  std::ostringstream os;
  os << value;
  return os.str();
}

std::string yarrow::elementText(const LayerResult &result,
                                std::size_t element) {
  if (!result.bytes)
    return "nothing";
  std::size_t size = npyTypeBytes(result.npyType);
  NpyView view;
  view.type = result.npyType;
  view.numElements = 1;
  alignas(8) char bytes[8];
  std::memcpy(bytes, result.bytes->data() + element * size, size);
  view.data = bytes;
  if (result.isBfloat) {
    uint16_t half;
    std::memcpy(&half, bytes, sizeof half);
    uint32_t word = uint32_t(half) << 16;
    float value;
    std::memcpy(&value, &word, sizeof value);
    return floatText(value);
  }
  return view.isFloat() ? floatText(view.toFloats()[0])
                        : std::to_string(view.toIntegers()[0]);
}
