//===- Draws.cpp - Further samples like a recorded one --------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "test/irs/Draws.h"

#include <algorithm>
#include <cmath>
#include <cstring>

using namespace yarrow;
using namespace yarrow::testing;

Draws::Draws(const std::vector<NpyView> &recorded, uint32_t seed)
    : recorded(recorded), engine(seed) {
  for (const NpyView &array : recorded) {
    sorted.push_back(array.isFloat() ? array.toFloats() : std::vector<float>());
    std::ranges::sort(sorted.back());
  }
}

/// A number from 0 to \p below - 1; the library's distributions differ between
/// libraries.
static size_t pick(std::mt19937 &engine, size_t below) {
  return size_t(engine() * uint64_t(below) >> 32);
}

static NpyView owned(NpyType type, std::vector<int64_t> shape,
                     std::vector<char> bytes) {
  auto owner = std::make_shared<std::vector<char>>(std::move(bytes));
  NpyView view;
  view.type = type;
  view.shape = std::move(shape);
  view.data = owner->data();
  view.numElements = owner->size() / npyTypeBytes(type);
  view.owner = owner;
  return view;
}

NpyView Draws::draw(size_t input, size_t count) {
  const NpyView &array = recorded[input];
  std::vector<int64_t> shape = array.shape;
  if (shape.empty())
    shape.push_back(1);
  shape[0] *= int64_t(count);
  std::vector<char> bytes;
  if (!array.isFloat()) { // indices have a meaning where they are
    for (size_t i = 0; i < count; ++i) {
      auto same = std::as_bytes(array.bytes());
      const auto *data = reinterpret_cast<const char *>(same.data());
      bytes.insert(bytes.end(), data, data + same.size());
    }
    return owned(array.type, shape, std::move(bytes));
  }
  const std::vector<float> &values = sorted[input];
  bool isWhole = std::ranges::all_of(
      values, [](float v) { return v == std::nearbyint(v); });
  std::vector<float> drawn(values.size() * count);
  for (float &v : drawn) {
    size_t i = pick(engine, values.size());
    float next = values[std::min(i + 1, values.size() - 1)];
    float part = float(pick(engine, 1 << 20)) / float(1 << 20);
    v = isWhole ? values[i] : values[i] + part * (next - values[i]);
  }
  bytes.resize(drawn.size() * sizeof(float));
  std::memcpy(bytes.data(), drawn.data(), bytes.size());
  return owned(NpyType::Float32, shape, std::move(bytes));
}

std::vector<NpyView> Draws::next(size_t count) {
  std::vector<NpyView> arrays;
  for (size_t i = 0; i < recorded.size(); ++i)
    arrays.push_back(draw(i, count));
  return arrays;
}
