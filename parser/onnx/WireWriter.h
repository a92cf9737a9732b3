//===- WireWriter.h - Fields of a protobuf message, written -----*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// The counterpart of Wire.h: appends fields to a message. Long data, such as
// the weights of a tensor, need not be part of a message in memory: a header
// announces how many bytes follow it.
//
//   WireWriter dimension, shape;
//   dimension.integer(1, 224);
//   shape.message(1, dimension);
//   file.append(shape.bytes());
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_PARSER_ONNX_WIREWRITER_H
#define YARROW_PARSER_ONNX_WIREWRITER_H

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace yarrow::onnx {

class WireWriter {
public:
  void integer(std::uint32_t field, std::int64_t value);
  void number(std::uint32_t field, float value);
  void text(std::uint32_t field, std::string_view value);
  void message(std::uint32_t field, const WireWriter &value) {
    text(field, value.bytes());
  }
  /// Repeated numbers, packed.
  void integers(std::uint32_t field, std::span<const std::int64_t> values);
  void numbers(std::uint32_t field, std::span<const float> values);
  /// The beginning of a field of \p sizeBytes that the caller writes itself.
  void header(std::uint32_t field, std::uint64_t sizeBytes);

  /// The fields of another message behind those of this one.
  void append(const WireWriter &other) { buffer += other.bytes(); }

  std::string_view bytes() const { return buffer; }

private:
  void varint(std::uint64_t value);
  void appendFloats(std::span<const float> values);

  std::string buffer;
};

} // namespace yarrow::onnx

#endif // YARROW_PARSER_ONNX_WIREWRITER_H
