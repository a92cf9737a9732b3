//===- DataTypes.h - The types of QNN's tensors -----------------*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// DataTypes.def as an enumeration and a table.
//
//   const DataTypeEntry *type = findDataType(1032);
//   type->name;        // "UFIXED_POINT_8"
//   type->isFixed();   // true: an encoding says what the integers mean
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_PARSER_QNN_DATATYPES_H
#define YARROW_PARSER_QNN_DATATYPES_H

#include "support/ElementType.h"
#include <cstdint>
#include <span>
#include <string_view>

namespace yarrow::qnn {

enum class DataType : std::uint32_t {
#define DATA_TYPE(NUMBER, NAME, ELEMENT, STORAGE) NAME = NUMBER,
#include "parser/qnn/DataTypes.def"
};

/// What the elements of a tensor mean.
enum class Storage { Plain, Fixed, Text };

struct DataTypeEntry {
  DataType type;
  const char *name; ///< "UFIXED_POINT_8"
  ElementType element;
  Storage storage;

  bool isFixed() const { return storage == Storage::Fixed; }
  bool isFloat() const;
  /// 4 of those that have a byte for each value of 4 bits.
  unsigned numBits() const;
};

std::span<const DataTypeEntry> allDataTypes();
/// Null if the number, or the name, is none of the format's.
const DataTypeEntry *findDataType(std::uint64_t number);
const DataTypeEntry *findDataType(std::string_view name);
/// Of a type that is known.
const DataTypeEntry &entryOf(DataType type);

} // namespace yarrow::qnn

#endif // YARROW_PARSER_QNN_DATATYPES_H
