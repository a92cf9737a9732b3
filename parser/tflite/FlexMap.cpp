//===- FlexMap.cpp - Options of custom operators --------------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "parser/tflite/FlexMap.h"

using namespace yarrow::tflite;

namespace {

/// Kinds of values, as the format numbers them.
enum Kind : unsigned {
  Int = 1,
  UInt = 2,
  Float = 3,
  IndirectInt = 6,
  IndirectUInt = 7,
  IndirectFloat = 8,
  Map = 9,
  Bool = 26
};

class Reader {
public:
  explicit Reader(Bytes bytes) : bytes(bytes) {}

  /// Unsigned, of 1, 2, 4 or 8 bytes.
  std::optional<std::uint64_t> whole(std::size_t at, unsigned width) const {
    if (at > bytes.size() || bytes.size() - at < width || width > 8)
      return std::nullopt;
    std::uint64_t value = 0;
    std::memcpy(&value, bytes.data() + at, width);
    return value;
  }
  /// Where the distance that lies at \p at leads, which is in front of it.
  std::optional<std::size_t> follow(std::size_t at, unsigned width) const {
    auto distance = whole(at, width);
    if (!distance || *distance == 0 || *distance > at)
      return std::nullopt;
    return at - std::size_t(*distance);
  }
  /// Up to its 0.
  std::optional<std::string> text(std::size_t at) const {
    std::string key;
    for (; at < bytes.size(); ++at) {
      if (bytes[at] == std::byte(0))
        return key;
      key += char(bytes[at]);
    }
    return std::nullopt;
  }
  /// The number of a packed type at \p at, in the width of what holds it.
  std::optional<double> number(std::size_t at, unsigned width,
                               unsigned packed) const {
    unsigned kind = packed >> 2;
    if (kind >= IndirectInt && kind <= IndirectFloat) {
      auto target = follow(at, width);
      return target
                 ? plain(*target, 1u << (packed & 3), kind - IndirectInt + Int)
                 : std::nullopt;
    }
    return plain(at, width, kind);
  }

private:
  std::optional<double> plain(std::size_t at, unsigned width,
                              unsigned kind) const {
    auto bits = whole(at, width);
    if (!bits)
      return std::nullopt;
    switch (kind) {
    case Int:
      return double(std::int64_t(*bits << (64 - 8 * width)) >>
                    (64 - 8 * width));
    case UInt:
    case Bool:
      return double(*bits);
    case Float:
      return real(*bits, width);
    default:
      return std::nullopt;
    }
  }
  static std::optional<double> real(std::uint64_t bits, unsigned width) {
    if (width == 8) {
      double value;
      std::memcpy(&value, &bits, sizeof(value));
      return value;
    }
    if (width != 4)
      return std::nullopt;
    float value;
    std::memcpy(&value, &bits, sizeof(value));
    return double(value);
  }

  Bytes bytes;
};

/// Longer ones are no options.
constexpr std::uint64_t kMostEntries = 1024;

} // namespace

FlexMap::FlexMap(Bytes bytes) {
  Reader read(bytes);
  if (bytes.size() < 3)
    return;
  auto rootWidth = unsigned(bytes.back());
  auto packed = unsigned(bytes[bytes.size() - 2]);
  if ((packed >> 2) != Map || rootWidth > 8 || bytes.size() < rootWidth + 2)
    return;
  auto values = read.follow(bytes.size() - 2 - rootWidth, rootWidth);
  // In front of the values: where the keys are, their width, how many.
  unsigned width = 1u << (packed & 3);
  if (!values || *values < 3 * width)
    return;
  auto keys = read.follow(*values - 3 * width, width);
  auto keyWidth = read.whole(*values - 2 * width, width);
  auto count = read.whole(*values - width, width);
  if (!keys || !keyWidth || *keyWidth > 8 || !count || *count > kMostEntries)
    return;
  for (std::size_t i = 0; i < *count; ++i) {
    auto key = read.follow(*keys + i * *keyWidth, unsigned(*keyWidth));
    auto name = key ? read.text(*key) : std::nullopt;
    auto type = read.whole(*values + *count * width + i, 1);
    auto value = type ? read.number(*values + i * width, width, unsigned(*type))
                      : std::nullopt;
    if (name && value)
      numbers[*name] = *value;
  }
}

std::optional<double> FlexMap::number(std::string_view key) const {
  auto it = numbers.find(key);
  return it == numbers.end() ? std::nullopt : std::optional(it->second);
}

std::vector<std::string> FlexMap::keys() const {
  std::vector<std::string> result;
  for (const auto &[key, value] : numbers)
    result.push_back(key);
  return result;
}
