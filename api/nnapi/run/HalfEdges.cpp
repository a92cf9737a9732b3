//===- HalfEdges.cpp - float16 where programs begin and end ---------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "api/nnapi/run/HalfEdges.h"
#include "support/Half.h"
#include <cstring>

using namespace yarrow;
using namespace yarrow::nnapi;

static std::vector<bool> halvesAmong(const NnModel &part,
                                     const std::vector<std::uint32_t> &list) {
  std::vector<bool> result;
  for (std::uint32_t operand : list)
    result.push_back(part.operands[operand].entry().element ==
                     ElementType::F16);
  return result;
}

HalfEdges::HalfEdges(const NnModel &part)
    : isHalfInput(halvesAmong(part, part.inputs)),
      isHalfOutput(halvesAmong(part, part.outputs)) {}

/// Each element of type From as one of type To.
template <typename From, typename To, typename F>
static Value converted(const Value &value, F convert) {
  std::size_t count = value.bytes.size() / sizeof(From);
  std::vector<std::byte> bytes(count * sizeof(To));
  for (std::size_t i = 0; i < count; ++i) {
    From from;
    std::memcpy(&from, value.bytes.data() + i * sizeof(From), sizeof(From));
    To to = convert(from);
    std::memcpy(bytes.data() + i * sizeof(To), &to, sizeof(To));
  }
  return Value::of(value.dims, std::move(bytes));
}

std::vector<Value> HalfEdges::load(std::span<const Value> inputs) const {
  std::vector<Value> loaded(inputs.begin(), inputs.end());
  for (std::size_t i = 0; i < loaded.size(); ++i)
    if (isHalfInput[i])
      loaded[i] = converted<std::uint16_t, float>(loaded[i], halfToFloat);
  return loaded;
}

void HalfEdges::store(std::vector<Value> &outputs) const {
  for (std::size_t i = 0; i < isHalfOutput.size(); ++i)
    if (isHalfOutput[i])
      outputs[i] = converted<float, std::uint16_t>(outputs[i], floatToHalf);
}
