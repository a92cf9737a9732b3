//===- Flat.h - Tables of a flatbuffer --------------------------*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// Reads a flatbuffer in place: strings, numbers and lists are views of the
// file. A table points to a list of offsets, its vtable, that says where each
// field is; a field that is absent has its default. Every offset is checked
// against the end of the file. The first invalid offset is recorded with its
// byte and reads as absent; a reader checks for the error after each part.
//
//   FlatFile file(bytes);
//   FlatTable model = file.root("TFL3");
//   auto version = model.number<std::uint32_t>(0, 0);
//   for (FlatTable graph : model.tables(2)) ...
//   if (file.error()) ... // what is wrong, at file.errorOffset()
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_PARSER_TFLITE_FLAT_H
#define YARROW_PARSER_TFLITE_FLAT_H

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

namespace yarrow::tflite {

using Bytes = std::span<const std::byte>;

class FlatFile;

/// Of numbers, perhaps unaligned.
template <typename T> class FlatList {
public:
  FlatList() = default;
  explicit FlatList(Bytes bytes) : bytes(bytes) {}

  std::size_t size() const { return bytes.size() / sizeof(T); }
  bool empty() const { return bytes.empty(); }
  T operator[](std::size_t i) const {
    T value;
    std::memcpy(&value, bytes.data() + i * sizeof(T), sizeof(T));
    return value;
  }
  template <typename U = T> std::vector<U> copy() const {
    std::vector<U> values;
    for (std::size_t i = 0; i < size(); ++i)
      values.push_back(U((*this)[i]));
    return values;
  }
  Bytes raw() const { return bytes; }

private:
  Bytes bytes = {};
};

/// One that is absent has no fields.
class FlatTable {
public:
  FlatTable() = default;

  bool isPresent() const { return file != nullptr; }
  /// Of its first byte in the file.
  std::size_t offset() const { return position; }

  bool has(unsigned field) const;
  template <typename T> T number(unsigned field, T fallback) const;
  FlatTable table(unsigned field) const;
  std::string_view text(unsigned field) const;
  template <typename T> FlatList<T> list(unsigned field) const;
  std::vector<FlatTable> tables(unsigned field) const;

private:
  friend class FlatFile;
  FlatTable(FlatFile *file, std::size_t position, Bytes fields)
      : file(file), position(position), fields(fields) {}
  /// Where a field of \p width bytes begins; null if it is absent.
  std::optional<std::size_t> find(unsigned field, std::size_t width) const;
  /// Elements of \p width bytes behind the length that the field points to.
  Bytes elements(unsigned field, std::size_t width) const;

  FlatFile *file = nullptr;
  std::size_t position = 0;
  Bytes fields = {}; ///< The vtable behind its two lengths.
};

class FlatFile {
public:
  explicit FlatFile(Bytes bytes) : bytes(bytes) {}

  /// The outermost table of a file with these four letters.
  FlatTable root(std::string_view identifier);

  /// What is wrong first, or null.
  const char *error() const { return problem; }
  std::size_t errorOffset() const { return problemOffset; }
  Bytes all() const { return bytes; }

private:
  friend class FlatTable;
  template <typename T> std::optional<T> at(std::size_t offset) {
    if (offset > bytes.size() || bytes.size() - offset < sizeof(T)) {
      fail("a number beyond the end of the file", offset);
      return std::nullopt;
    }
    T value;
    std::memcpy(&value, bytes.data() + offset, sizeof(T));
    return value;
  }
  void fail(const char *why, std::size_t offset) {
    if (problem)
      return;
    problem = why;
    problemOffset = offset;
  }
  /// Where the offset that lies at \p offset leads.
  std::optional<std::size_t> follow(std::size_t offset);
  FlatTable tableAt(std::size_t offset);

  Bytes bytes;
  const char *problem = nullptr;
  std::size_t problemOffset = 0;
};

template <typename T> T FlatTable::number(unsigned field, T fallback) const {
  auto at = find(field, sizeof(T));
  return at ? file->at<T>(*at).value_or(fallback) : fallback;
}

template <typename T> FlatList<T> FlatTable::list(unsigned field) const {
  return FlatList<T>(elements(field, sizeof(T)));
}

} // namespace yarrow::tflite

#endif // YARROW_PARSER_TFLITE_FLAT_H
