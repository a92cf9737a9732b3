//===- Wire.cpp - The fields of a protobuf message ------------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "parser/onnx/Wire.h"

using namespace yarrow::onnx;

std::optional<std::uint64_t> WireReader::varint() {
  std::uint64_t value = 0;
  for (unsigned shift = 0; shift < 64; shift += 7) {
    if (position == bytes.size())
      return std::nullopt;
    auto byte = std::uint64_t(bytes[position++]);
    // The tenth byte holds one bit.
    if (shift == 63 && byte > 1)
      return std::nullopt;
    value |= (byte & 0x7f) << shift;
    if (!(byte & 0x80))
      return value;
  }
  return std::nullopt;
}

std::optional<WireField> WireReader::fail(const char *why) {
  problem = why;
  return std::nullopt;
}

template <typename T> static T readAs(const std::byte *from) {
  T value;
  std::memcpy(&value, from, sizeof value);
  return value;
}

std::optional<WireField> WireReader::next() {
  if (problem || position == bytes.size())
    return std::nullopt;
  auto tag = varint();
  constexpr std::uint64_t kMostNumber = (std::uint64_t(1) << 29) - 1;
  if (!tag || *tag >> 3 == 0 || *tag >> 3 > kMostNumber)
    return fail("an invalid tag");
  WireField field;
  field.number = std::uint32_t(*tag >> 3);
  std::size_t left = bytes.size() - position;
  switch (*tag & 7) {
  case 0: {
    auto value = varint();
    if (!value)
      return fail("a number that does not end");
    field.value = *value;
    return field;
  }
  case 1:
    if (left < 8)
      return fail("a number that extends beyond the end of its message");
    field.type = WireType::Fixed64;
    field.value = readAs<std::uint64_t>(&bytes[position]);
    position += 8;
    return field;
  case 2: {
    auto length = varint();
    if (!length || *length > bytes.size() - position)
      return fail("a length that extends beyond the end of its message");
    field.type = WireType::Bytes;
    field.bytes = bytes.subspan(position, *length);
    position += *length;
    return field;
  }
  case 5:
    if (left < 4)
      return fail("a number that extends beyond the end of its message");
    field.type = WireType::Fixed32;
    field.value = readAs<std::uint32_t>(&bytes[position]);
    position += 4;
    return field;
  default: // Groups, which ONNX has never had.
    return fail("a field of an unknown wire type");
  }
}

bool yarrow::onnx::appendVarints(const WireField &field,
                                 std::vector<std::int64_t> &out) {
  if (field.type == WireType::Varint) {
    out.push_back(field.asInt());
    return true;
  }
  if (!field.isBytes())
    return false;
  // One varint after the other, without tags.
  for (std::size_t i = 0; i < field.bytes.size();) {
    std::uint64_t value = 0;
    unsigned shift = 0;
    for (;; shift += 7) {
      if (i == field.bytes.size() || shift > 63)
        return false;
      auto byte = std::uint64_t(field.bytes[i++]);
      value |= (byte & 0x7f) << shift;
      if (!(byte & 0x80))
        break;
    }
    out.push_back(std::int64_t(value));
  }
  return true;
}

template <typename T>
static bool appendFixed(const WireField &field, WireType single,
                        std::vector<T> &out) {
  if (field.type == single) {
    T value;
    std::memcpy(&value, &field.value, sizeof value);
    out.push_back(value);
    return true;
  }
  if (!field.isBytes() || field.bytes.size() % sizeof(T) != 0)
    return false;
  std::size_t count = field.bytes.size() / sizeof(T), old = out.size();
  out.resize(old + count);
  if (count)
    std::memcpy(out.data() + old, field.bytes.data(), field.bytes.size());
  return true;
}

bool yarrow::onnx::appendFloats(const WireField &field,
                                std::vector<float> &out) {
  return appendFixed(field, WireType::Fixed32, out);
}

bool yarrow::onnx::appendDoubles(const WireField &field,
                                 std::vector<double> &out) {
  return appendFixed(field, WireType::Fixed64, out);
}
