//===- OperatorTable.h - The operators of TFLite ----------------*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// Operators.def as a table: each builtin operator with its options and the
// function that makes its nodes, or why it is refused.
//
//   const OperatorEntry *entry = findOperator(3);   // CONV_2D
//   if (!entry->read) ... entry->why ...
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_PARSER_TFLITE_OPERATORTABLE_H
#define YARROW_PARSER_TFLITE_OPERATORTABLE_H

#include "parser/tflite/Schema.h"
#include <span>

namespace yarrow::tflite {

class OperatorReader;

struct OperatorEntry {
  std::int32_t number; ///< kCustom of those that are known by their names.
  const char *name;    ///< "CONV_2D"
  OptionTable options;
  bool (*read)(OperatorReader &); ///< Null if it is refused.
  const char *node;               ///< In the import graph: "Conv2D".
  const char *why;                ///< It is refused.
};

std::span<const OperatorEntry> allOperatorEntries();
/// Null if the number is none of the format's.
const OperatorEntry *findOperator(std::int32_t number);
/// Null if the custom operator is not imported.
const OperatorEntry *findCustom(std::string_view name);

/// The number of all custom operators.
inline constexpr std::int32_t kCustom = 32;

/// An LSTM of int8 with a cell of int16, which computes in integers: its node,
/// or false and none, if it is no such. checkLstm has seen to its options.
bool readStoredLstm(OperatorReader &r, bool isOneStep);

#define BUILTIN(NUMBER, NAME, OPTIONS, FUNCTION, NODE, BECOMES)                \
  bool FUNCTION(OperatorReader &r);
#define CUSTOM(NAME, FUNCTION, NODE, BECOMES) bool FUNCTION(OperatorReader &r);
#include "parser/tflite/Operators.def"

} // namespace yarrow::tflite

#endif // YARROW_PARSER_TFLITE_OPERATORTABLE_H
