//===- WireWriter.cpp - Fields of a protobuf message, written -------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "parser/onnx/WireWriter.h"
#include "parser/onnx/Wire.h"

using namespace yarrow;
using namespace yarrow::onnx;

void WireWriter::varint(std::uint64_t value) {
  for (; value > 127; value >>= 7)
    buffer += char((value & 127) | 128);
  buffer += char(value);
}

static std::uint64_t tagOf(std::uint32_t field, WireType type) {
  return std::uint64_t(field) << 3 | std::uint64_t(type);
}

void WireWriter::integer(std::uint32_t field, std::int64_t value) {
  varint(tagOf(field, WireType::Varint));
  varint(std::uint64_t(value));
}

void WireWriter::number(std::uint32_t field, float value) {
  varint(tagOf(field, WireType::Fixed32));
  appendFloats({&value, 1});
}

void WireWriter::header(std::uint32_t field, std::uint64_t sizeBytes) {
  varint(tagOf(field, WireType::Bytes));
  varint(sizeBytes);
}

void WireWriter::text(std::uint32_t field, std::string_view value) {
  header(field, value.size());
  buffer += value;
}

void WireWriter::integers(std::uint32_t field,
                          std::span<const std::int64_t> values) {
  WireWriter packed;
  for (std::int64_t value : values)
    packed.varint(std::uint64_t(value));
  message(field, packed);
}

void WireWriter::numbers(std::uint32_t field, std::span<const float> values) {
  header(field, values.size() * sizeof(float));
  appendFloats(values);
}

void WireWriter::appendFloats(std::span<const float> values) {
  // Little-endian, as hosts and the format are.
  buffer.append(reinterpret_cast<const char *>(values.data()),
                values.size() * sizeof(float));
}
