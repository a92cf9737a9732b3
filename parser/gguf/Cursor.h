//===- Cursor.h - Little-endian numbers, one after the other ----*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// Reads a file from its beginning. Bytes beyond its end read as 0 or empty;
// the first problem is kept with its byte, and nothing is read after it.
//
//   Cursor cursor(bytes);
//   auto count = cursor.number<std::uint64_t>("the number of tensors");
//   std::string_view name = cursor.text("the name of a tensor");
//   if (cursor.problem()) ... // cursor.problemText()
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_PARSER_GGUF_CURSOR_H
#define YARROW_PARSER_GGUF_CURSOR_H

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <string_view>

namespace yarrow::gguf {

class Cursor {
public:
  using Bytes = std::span<const std::byte>;

  explicit Cursor(Bytes bytes) : bytes(bytes) {}

  /// Element \p i of \p bytes, which need not be aligned.
  template <typename T> static T at(Bytes bytes, std::size_t i) {
    T value;
    std::memcpy(&value, bytes.data() + i * sizeof(T), sizeof(T));
    return value;
  }

  template <typename T> T number(const char *what) {
    Bytes part = take(1, what, sizeof(T));
    return part.empty() ? T() : at<T>(part, 0);
  }

  /// \p count elements of \p width bytes.
  Bytes take(std::uint64_t count, const char *what, std::size_t width = 1) {
    if (isBad)
      return {};
    std::size_t left = bytes.size() - position;
    if (count > left / width) {
      fail(std::string(what) + " beyond the end of the file", position);
      return {};
    }
    Bytes part = bytes.subspan(position, std::size_t(count) * width);
    position += part.size();
    return part;
  }

  /// A length of 64 bits, then the letters.
  std::string_view text(const char *what) {
    auto length = number<std::uint64_t>(what);
    Bytes part = take(length, what);
    return {reinterpret_cast<const char *>(part.data()), part.size()};
  }

  void fail(std::string what, std::size_t where) {
    if (isBad)
      return;
    isBad = true;
    problemWords = std::move(what) + ", at byte " + std::to_string(where);
  }
  bool problem() const { return isBad; }
  const std::string &problemText() const { return problemWords; }
  std::size_t offset() const { return position; }
  Bytes all() const { return bytes; }

private:
  Bytes bytes;
  std::size_t position = 0;
  bool isBad = false;
  std::string problemWords;
};

} // namespace yarrow::gguf

#endif // YARROW_PARSER_GGUF_CURSOR_H
