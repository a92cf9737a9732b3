//===- MemoryText.cpp - Tensors and bytes as a debugger shows them --------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "compiler/debug/MemoryText.h"

#include "compiler/debug/Places.h"
#include "isa/TecInsts.h"
#include "support/Format.h"

#include <algorithm>
#include <bit>
#include <cstdio>
#include <cstring>

using namespace yarrow;
using namespace yarrow::runtime;

/// As gdb's `print elements`: more are for a file.
static constexpr std::size_t kMostElements = 200;
static constexpr std::size_t kElementsPerLine = 8;

NpyType yarrow::storedType(const RunTensor &tensor) {
  for (unsigned t = 0; t <= unsigned(NpyType::Float64); ++t)
    if (npyTypeName(NpyType(t)) == tensor.type)
      return NpyType(t);
  return tensor.type == "bfloat16" ? NpyType::UInt16 : NpyType::UInt8;
}

std::string yarrow::typeText(const RunTensor &tensor) {
  return tensor.type + shapeText(tensor.shape);
}

std::string_view yarrow::stateText(RunTensors::State state) {
  switch (state) {
  case RunTensors::State::NoPlace:
    return "not placed yet";
  case RunTensors::State::NotYet:
    return "not computed yet";
  case RunTensors::State::Whole:
    return "whole";
  case RunTensors::State::Replaced:
    return "replaced since";
  }
  return "";
}

namespace {
/// The elements of a tensor as numbers and as text.
class Elements {
public:
  Elements(const RunTensor &tensor, std::span<const std::byte> memory)
      : tensor(tensor), type(storedType(tensor)) {
    bytes.assign(memory.begin(), memory.end());
    NpyView view{.type = type,
                 .shape = tensor.shape,
                 .numElements = bytes.size() / npyTypeBytes(type),
                 .data = bytes.data()};
    if (isFloat())
      floats = tensor.type == "bfloat16" ? widened(view) : view.toFloats();
    else
      integers = view.toIntegers();
  }
  bool isFloat() const {
    return tensor.type == "bfloat16" || type == NpyType::Float16 ||
           type == NpyType::Float32 || type == NpyType::Float64;
  }
  std::size_t size() const {
    return isFloat() ? floats.size() : integers.size();
  }
  /// Integers that mean other numbers.
  bool hasMeaning() const {
    return !isFloat() && (tensor.scale != 1 || tensor.zeroPoint != 0);
  }
  std::string stored(std::size_t i) const {
    return isFloat() ? number(floats[i]) : std::to_string(integers[i]);
  }
  std::string real(std::size_t i) const {
    return number((double(integers[i]) + double(tensor.zeroPoint)) /
                  tensor.scale);
  }
  std::string bounds() const {
    if (size() == 0)
      return "empty";
    auto text = [&](const auto &values) {
      auto [low, high] = std::minmax_element(values.begin(), values.end());
      return stored(std::size_t(low - values.begin())) + " to " +
             stored(std::size_t(high - values.begin()));
    };
    return isFloat() ? text(floats) : text(integers);
  }
  static std::string number(double value) {
    char text[32];
    std::snprintf(text, sizeof text, "%.6g", value);
    return text;
  }

private:
  static std::vector<float> widened(const NpyView &view) {
    std::vector<float> values;
    values.reserve(view.numElements);
    for (uint16_t bits : view.elements<uint16_t>())
      values.push_back(std::bit_cast<float>(uint32_t(bits) << 16));
    return values;
  }

  const RunTensor &tensor;
  NpyType type;
  std::vector<std::byte> bytes;
  std::vector<int64_t> integers;
  std::vector<float> floats;
};
} // namespace

static std::string meaningText(const RunTensor &tensor) {
  std::string scale = Elements::number(tensor.scale);
  return "real = " +
         (tensor.zeroPoint == 0
              ? "stored / " + scale
              : "(stored " + std::string(tensor.zeroPoint < 0 ? "- " : "+ ") +
                    std::to_string(std::abs(tensor.zeroPoint)) + ") / " +
                    scale);
}

/// "SRAM 0xe0000400"
static std::string placeText(const RunTensors::Contents &contents) {
  bool isSram = sim::Memory::isSram(contents.address);
  return (isSram ? "SRAM " : "DDR ") + addressText(contents.address) +
         (isSram && contents.core ? " of core " + std::to_string(contents.core)
                                  : "");
}

namespace {
/// Elements of one line, from the position in `head` on.
struct Row {
  std::string head;
  std::vector<std::string> stored, real;
};
} // namespace

static std::string alignedRows(const std::vector<Row> &rows) {
  std::size_t headWidth = 4, width = 1; // "real"
  for (const Row &row : rows) {
    headWidth = std::max(headWidth, row.head.size());
    for (const auto *texts : {&row.stored, &row.real})
      for (const std::string &each : *texts)
        width = std::max(width, each.size());
  }
  std::string text;
  auto line = [&](const std::string &head,
                  const std::vector<std::string> &texts) {
    text += "  " + head + std::string(headWidth - head.size(), ' ');
    for (const std::string &each : texts)
      text += std::string(2 + width - each.size(), ' ') + each;
    text += "\n";
  };
  for (const Row &row : rows) {
    line(row.head, row.stored);
    if (!row.real.empty())
      line("real", row.real);
  }
  return text;
}

/// The positions of all that is chosen, in the order of memory.
static std::vector<std::vector<int64_t>>
chosenIndices(const IndexRanges &ranges, std::size_t most) {
  std::vector<std::vector<int64_t>> all;
  std::vector<int64_t> at;
  for (const auto &range : ranges)
    at.push_back(range.first);
  while (all.size() < most) {
    all.push_back(at);
    std::size_t axis = ranges.size();
    while (axis > 0 && ++at[axis - 1] == ranges[axis - 1].second) {
      --axis;
      at[axis] = ranges[axis].first;
    }
    if (axis == 0)
      break;
  }
  return all;
}

std::string yarrow::tensorText(const RunTensor &tensor,
                               const RunTensors::Contents &contents,
                               const IndexRanges &ranges) {
  std::string text = tensor.name + ": " + typeText(tensor);
  Elements elements(tensor, contents.bytes);
  if (elements.hasMeaning())
    text += ", " + meaningText(tensor);
  text += ", " + std::string(stateText(contents.state));
  if (contents.state == RunTensors::State::NoPlace || elements.size() == 0)
    return text + "\n";
  if (contents.state == RunTensors::State::NotYet && tensor.completedBy)
    text += " (" + commandName(*tensor.completedBy) + " completes it)";
  text += ", " + placeText(contents) + "\n";
  std::size_t count = 1;
  for (auto [first, end] : ranges)
    count *= std::size_t(end - first);
  std::vector<std::vector<int64_t>> indices =
      chosenIndices(ranges, kMostElements);
  std::vector<Row> rows;
  bool beginsRow = true;
  for (const std::vector<int64_t> &index : indices) {
    std::size_t element = 0;
    for (std::size_t axis = 0; axis < ranges.size(); ++axis)
      element =
          element * std::size_t(tensor.shape[axis]) + std::size_t(index[axis]);
    if (beginsRow)
      rows.push_back({shapeText(index), {}, {}});
    Row &row = rows.back();
    row.stored.push_back(elements.stored(element));
    if (elements.hasMeaning())
      row.real.push_back(elements.real(element));
    beginsRow = row.stored.size() == kElementsPerLine ||
                (!ranges.empty() && index.back() + 1 == ranges.back().second);
  }
  text += alignedRows(rows);
  if (count > indices.size())
    text += "  " + formatCount(count - indices.size()) + " more: `write " +
            tensor.name + " FILE.npy` has all\n";
  return text;
}

std::string yarrow::tensorSummary(const RunTensor &tensor,
                                  const RunTensors::Contents &contents) {
  std::string text = tensor.name + ": " + typeText(tensor);
  bool isThere = contents.state == RunTensors::State::Whole ||
                 contents.state == RunTensors::State::Replaced;
  if (contents.state != RunTensors::State::Whole)
    text += ", " + std::string(stateText(contents.state));
  if (!isThere)
    return text;
  Elements elements(tensor, contents.bytes);
  text += ", " + elements.bounds() + ":";
  for (std::size_t i = 0; i < std::min(elements.size(), kElementsPerLine); ++i)
    text += " " + elements.stored(i);
  return text + (elements.size() > kElementsPerLine ? " ..." : "");
}

static std::string wordText(const std::byte *bytes, const ExamineFormat &how) {
  uint64_t value = 0;
  std::memcpy(&value, bytes, how.sizeBytes);
  char text[40];
  switch (how.format) {
  case 'f':
    return Elements::number(how.sizeBytes == 8
                                ? std::bit_cast<double>(value)
                                : std::bit_cast<float>(uint32_t(value)));
  case 'u':
    return std::to_string(value);
  case 'd': {
    unsigned unused = 64 - 8 * how.sizeBytes;
    return std::to_string(int64_t(value << unused) >> unused);
  }
  default:
    std::snprintf(text, sizeof text, "0x%0*llx", int(2 * how.sizeBytes),
                  (unsigned long long)value);
    return text;
  }
}

std::string yarrow::memoryText(std::span<const std::byte> bytes,
                               uint32_t address, const ExamineFormat &how) {
  std::size_t perLine = std::max(1u, 16 / how.sizeBytes);
  if (how.sizeBytes == 1)
    perLine = 8;
  std::string text;
  for (uint64_t i = 0; i < how.count; ++i) {
    if (i % perLine == 0)
      text += (i ? "\n" : "") + addressText(address + i * how.sizeBytes) + ":";
    text += "  " + wordText(bytes.data() + i * how.sizeBytes, how);
  }
  return text + "\n";
}
