//===- Flat.cpp - Tables of a flatbuffer ----------------------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// The format: the root's offset and four letters; a table begins with the
// distance back to its vtable; a vtable has its own length, the table's, and an
// offset into the table for each field, 0 of one that is absent; lists and
// strings begin with their length. All numbers are little-endian.
//
//===----------------------------------------------------------------------===//
#include "parser/tflite/Flat.h"

using namespace yarrow::tflite;

std::optional<std::size_t> FlatFile::follow(std::size_t offset) {
  auto distance = at<std::uint32_t>(offset);
  if (!distance)
    return std::nullopt;
  // Offsets lead forward: no two tables can hold one another.
  if (*distance == 0 || *distance > bytes.size() - offset) {
    fail("an offset beyond the end of the file", offset);
    return std::nullopt;
  }
  return offset + *distance;
}

FlatTable FlatFile::tableAt(std::size_t offset) {
  auto distance = at<std::int32_t>(offset);
  if (!distance)
    return {};
  constexpr std::size_t kLengthsBytes = 4;
  // The file is below 2^63 bytes: the sum is no overflow.
  std::int64_t start = std::int64_t(offset) - *distance;
  if (start < 0 || std::size_t(start) > bytes.size() ||
      bytes.size() - std::size_t(start) < kLengthsBytes) {
    fail("a table whose list of fields is not in the file", offset);
    return {};
  }
  auto from = std::size_t(start);
  std::size_t length = *at<std::uint16_t>(from),
              tableLength = *at<std::uint16_t>(from + 2);
  if (length < kLengthsBytes || length % 2 != 0 ||
      length > bytes.size() - from || tableLength < 4 ||
      tableLength > bytes.size() - offset) {
    fail("a table that extends beyond the end of the file", offset);
    return {};
  }
  return FlatTable(this, offset,
                   bytes.subspan(from + kLengthsBytes, length - kLengthsBytes));
}

FlatTable FlatFile::root(std::string_view identifier) {
  constexpr std::size_t kIdentifierAt = 4;
  auto start = follow(0);
  if (!start)
    return {};
  std::string_view text(reinterpret_cast<const char *>(bytes.data()),
                        bytes.size());
  if (!text.substr(kIdentifierAt).starts_with(identifier)) {
    fail("a wrong file identifier", kIdentifierAt);
    return {};
  }
  return tableAt(*start);
}

std::optional<std::size_t> FlatTable::find(unsigned field,
                                           std::size_t width) const {
  std::size_t at = std::size_t(field) * 2;
  if (!file || at + 2 > fields.size())
    return std::nullopt;
  std::uint16_t offset;
  std::memcpy(&offset, fields.data() + at, sizeof offset);
  if (offset == 0)
    return std::nullopt;
  std::size_t size = file->bytes.size();
  if (offset > size - position || width > size - position - offset) {
    file->fail("a field beyond the end of the file", position);
    return std::nullopt;
  }
  return position + offset;
}

bool FlatTable::has(unsigned field) const { return find(field, 0).has_value(); }

FlatTable FlatTable::table(unsigned field) const {
  auto at = find(field, 4);
  auto target = at ? file->follow(*at) : std::nullopt;
  return target ? file->tableAt(*target) : FlatTable();
}

Bytes FlatTable::elements(unsigned field, std::size_t width) const {
  auto at = find(field, 4);
  auto target = at ? file->follow(*at) : std::nullopt;
  auto count = target ? file->at<std::uint32_t>(*target) : std::nullopt;
  if (!count)
    return {};
  std::size_t start = *target + 4, left = file->bytes.size() - start;
  // 2^32 elements of 8 bytes: no overflow in 64 bits.
  std::uint64_t length = std::uint64_t(*count) * width;
  if (length > left) {
    file->fail("a list that is longer than the file", *target);
    return {};
  }
  return file->bytes.subspan(start, length);
}

std::string_view FlatTable::text(unsigned field) const {
  Bytes bytes = elements(field, 1);
  return {reinterpret_cast<const char *>(bytes.data()), bytes.size()};
}

std::vector<FlatTable> FlatTable::tables(unsigned field) const {
  Bytes offsets = elements(field, 4);
  std::vector<FlatTable> result;
  for (std::size_t i = 0; i < offsets.size(); i += 4) {
    auto target = file->follow(std::size_t(&offsets[i] - file->bytes.data()));
    FlatTable one = target ? file->tableAt(*target) : FlatTable();
    if (!one.isPresent())
      return {};
    result.push_back(one);
  }
  return result;
}
