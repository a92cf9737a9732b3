//===- AddOperator.h - Operators that are not built in ----------*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// Adds a record to the table of Records.h while the program runs. The caller
// provides the operator's implementation (custom/PluginOperator.h).
//
//   const OperatorRecord *added = addOperator(record); // null if there are too
//   many
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_DIALECTS_COMPASS_ADDOPERATOR_H
#define YARROW_DIALECTS_COMPASS_ADDOPERATOR_H

namespace yarrow::compass {

struct OperatorRecord;

/// So many operators may be added.
constexpr unsigned kMostAddedOperators = 64;

/// Appends a copy of \p record, whose layer type is new, as an operator of
/// compass.custom, for the life of the process. Before modules are made, and
/// not while other threads read the table. Null if there are too many.
const OperatorRecord *addOperator(const OperatorRecord &record);

} // namespace yarrow::compass

#endif // YARROW_DIALECTS_COMPASS_ADDOPERATOR_H
