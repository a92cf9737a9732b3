//===- Container.h - Values and tensors of a GGUF file ----------*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// A GGUF file has a header, named values, a list of named tensors, and the
// bytes of the tensors, all little-endian. Strings and bytes are views of the
// file. Every length and offset is checked against the end of the file; reading
// ends at the first one that is wrong, which is reported with its byte, because
// nothing after it can be found.
//
//   auto container = gguf::parseContainer(bytes, "story.gguf", diags);
//   const Value *name = container->find("general.name");
//   for (const TensorEntry &tensor : container->tensors) ...
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_PARSER_GGUF_CONTAINER_H
#define YARROW_PARSER_GGUF_CONTAINER_H

#include "parser/graph/ImportGraph.h"
#include "support/Diagnostics.h"

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace yarrow::gguf {

using Bytes = std::span<const std::byte>;

/// As the files number them.
enum class ValueType : std::uint32_t {
  U8,
  I8,
  U16,
  I16,
  U32,
  I32,
  F32,
  Bool,
  String,
  Array,
  U64,
  I64,
  F64
};

/// "uint32", for messages.
std::string_view typeName(ValueType type);

/// One value, or the elements of an array; a list of lists has none.
struct Value {
  ValueType type = ValueType::U8; ///< Of the elements in an array.
  bool isArray = false;
  std::uint64_t count = 1;                  ///< Of elements.
  Bytes bytes = {};                         ///< Of numbers.
  std::vector<std::string_view> texts = {}; ///< Of strings.

  bool isInteger() const;
  bool isFloat() const {
    return type == ValueType::F32 || type == ValueType::F64;
  }
  /// Element \p i of numbers, which a double or an integer of 64 bits can hold.
  double numberAt(std::size_t i) const;
  std::int64_t integerAt(std::size_t i) const;
  /// "uint32 7", "an array of 512 string", for messages.
  std::string describe() const;
};

struct TensorEntry {
  std::string_view name;
  graph::Shape shape; ///< The last axis is the one that lies in a row.
  std::uint32_t type = 0;
  /// From the tensor's first byte to the end of the file.
  Bytes bytes = {};
};

struct Container {
  std::uint32_t version = 0;
  std::map<std::string_view, Value> values;
  std::vector<TensorEntry> tensors;

  const Value *find(std::string_view key) const;
};

/// Versions 2 and 3. Nullopt after an error.
std::optional<Container> parseContainer(Bytes bytes, const std::string &path,
                                        DiagnosticEngine &diags);

} // namespace yarrow::gguf

#endif // YARROW_PARSER_GGUF_CONTAINER_H
