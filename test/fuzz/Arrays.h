//===- Arrays.h - Arrays in the inputs of harnesses -------------*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// For harnesses of what is done with an array, not of its file: a line with
// the element type and the shape, then the elements, of which those that are
// missing are 0. So nearly every mutation is an array, of other values or of
// another shape; FuzzNpy has the broken files.
//
//   // "float32 3,2,2,3\n", then 144 bytes
//   std::optional<NpyView> samples = fuzz::takeArray(input, "x.npy");
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_TEST_FUZZ_ARRAYS_H
#define YARROW_TEST_FUZZ_ARRAYS_H

#include "support/Npy.h"
#include "test/fuzz/Fuzz.h"

#include <algorithm>
#include <charconv>
#include <cstring>
#include <string_view>

namespace yarrow::fuzz {

inline constexpr std::size_t kMostElements = 1 << 12;

inline std::string_view takeLine(std::string_view &input) {
  std::size_t end = std::min(input.find('\n'), input.size());
  std::string_view line = input.substr(0, end);
  input.remove_prefix(std::min(end + 1, input.size()));
  return line;
}

/// Takes an array off \p input; nullopt if its line is none or it is large.
inline std::optional<NpyView> takeArray(std::string_view &input,
                                        const char *name) {
  std::string_view line = takeLine(input);
  std::string_view typeName = line.substr(0, line.find(' '));
  std::optional<NpyType> type;
  for (int t = int(NpyType::Bool); t <= int(NpyType::Float64); ++t)
    if (npyTypeName(NpyType(t)) == typeName)
      type = NpyType(t);
  if (!type)
    return std::nullopt;
  std::vector<int64_t> shape;
  std::size_t count = 1;
  line.remove_prefix(std::min(typeName.size() + 1, line.size()));
  for (const char *at = line.data(), *end = at + line.size(); at < end;) {
    int64_t size = 0;
    auto [next, error] = std::from_chars(at, end, size);
    if (error != std::errc() || size < 0 || size > int64_t(kMostElements) ||
        shape.size() == 32)
      return std::nullopt;
    shape.push_back(size);
    count *= std::size_t(size);
    if (count > kMostElements)
      return std::nullopt;
    at = next + 1;
  }
  std::string file = npyHeader(*type, shape);
  std::size_t headerBytes = file.size(), bytes = count * npyTypeBytes(*type);
  file.append(input.substr(0, bytes));
  file.resize(headerBytes + bytes);
  input.remove_prefix(std::min(bytes, input.size()));
  // A block of its own size, so that a read beyond it is seen.
  std::shared_ptr<std::byte[]> block(new std::byte[file.size()]);
  std::memcpy(block.get(), file.data(), file.size());
  DiagnosticEngine diags;
  std::optional<NpyView> view =
      parseNpy({block.get(), file.size()}, block, name, diags);
  require(view.has_value(), "what is written can be read", &diags);
  return view;
}

} // namespace yarrow::fuzz

#endif // YARROW_TEST_FUZZ_ARRAYS_H
