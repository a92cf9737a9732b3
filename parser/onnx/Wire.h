//===- Wire.h - The fields of a protobuf message ----------------*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// Walks the fields of one message without copying: strings, bytes and
// sub-messages are views of the file. Every length is checked against the span
// of the message; invalid data end the walk with an error and its offset.
//
//   WireReader wire(bytes);
//   while (std::optional<WireField> field = wire.next())
//     if (field->number == 7 && field->isBytes()) readGraph(field->bytes);
//   if (wire.error()) ... // what is wrong, at wire.offset()
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_PARSER_ONNX_WIRE_H
#define YARROW_PARSER_ONNX_WIRE_H

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

namespace yarrow::onnx {

using Bytes = std::span<const std::byte>;

enum class WireType : std::uint8_t {
  Varint = 0,
  Fixed64 = 1,
  Bytes = 2,
  Fixed32 = 5
};

struct WireField {
  std::uint32_t number = 0;
  WireType type = WireType::Varint;
  std::uint64_t value = 0; ///< Of all types but Bytes.
  Bytes bytes = {};        ///< Of type Bytes.

  bool isBytes() const { return type == WireType::Bytes; }
  std::string_view text() const {
    return {reinterpret_cast<const char *>(bytes.data()), bytes.size()};
  }
  std::int64_t asInt() const { return std::int64_t(value); }
  float asFloat() const {
    std::uint32_t bits = std::uint32_t(value);
    float f;
    std::memcpy(&f, &bits, sizeof f);
    return f;
  }
};

class WireReader {
public:
  explicit WireReader(Bytes bytes) : bytes(bytes) {}

  /// Null at the end of the message, and at what is no field.
  std::optional<WireField> next();

  /// What is wrong, or null.
  const char *error() const { return problem; }
  /// Where next() looks for a field, or found none; in the message.
  std::size_t offset() const { return position; }

private:
  std::optional<std::uint64_t> varint();
  std::optional<WireField> fail(const char *why);

  Bytes bytes;
  std::size_t position = 0;
  const char *problem = nullptr;
};

/// Appends the numbers of a repeated field, packed or not. False if they are
/// malformed.
bool appendVarints(const WireField &field, std::vector<std::int64_t> &out);
bool appendFloats(const WireField &field, std::vector<float> &out);
bool appendDoubles(const WireField &field, std::vector<double> &out);

} // namespace yarrow::onnx

#endif // YARROW_PARSER_ONNX_WIRE_H
