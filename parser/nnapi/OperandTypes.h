//===- OperandTypes.h - The types of NNAPI's operands -----------*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// OperandTypes.def as an enumeration and a table.
//
//   const OperandTypeEntry *type = findOperandType(5);
//   type->element;   // U8
//   type->storage;   // Asymmetric
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_PARSER_NNAPI_OPERANDTYPES_H
#define YARROW_PARSER_NNAPI_OPERANDTYPES_H

#include "support/ElementType.h"
#include <cstdint>
#include <span>
#include <string_view>

namespace yarrow::nnapi {

enum class OperandType : std::int32_t {
#define SCALAR(CODE, NAME, ELEMENT, LEVEL) NAME = CODE,
#define TENSOR(CODE, NAME, ELEMENT, STORAGE, LEVEL) NAME = CODE,
#include "parser/nnapi/OperandTypes.def"
};

/// What the numbers of a tensor mean.
enum class Storage { Plain, Asymmetric, Symmetric, PerChannel };

struct OperandTypeEntry {
  OperandType type;
  const char *name; ///< "TENSOR_FLOAT32"
  ElementType element;
  bool isTensor;
  Storage storage;
  int level;
};

std::span<const OperandTypeEntry> allOperandTypes();
/// Null if the number is none of the definition's.
const OperandTypeEntry *findOperandType(std::int32_t code);
const OperandTypeEntry *findOperandType(std::string_view name);
/// Of a type that is known.
const OperandTypeEntry &entryOf(OperandType type);

} // namespace yarrow::nnapi

#endif // YARROW_PARSER_NNAPI_OPERANDTYPES_H
