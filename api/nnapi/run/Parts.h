//===- Parts.h - A model in parts that can be compiled ----------*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// Divides the operations of a model, in their order, into steps: operations
// that are compiled together, and operations that the host decides (IF, WHILE)
// or whose results have a number of rows that depends on values. A part ends
// where an operation needs a value or a length that the part itself computes.
//
//   for (const NnStep &step : stepsOf(model, order))
//     step.kind; step.operations; step.inputs; step.outputs;
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_API_NNAPI_RUN_PARTS_H
#define YARROW_API_NNAPI_RUN_PARTS_H

#include "parser/nnapi/NnModel.h"
#include <set>

namespace yarrow::nnapi {

struct NnStep {
  enum class Kind {
    Part,    ///< Compiled.
    Counted, ///< The same; its results are cut to the rows that count.
    If,
    While
  } kind = Kind::Part;
  std::vector<std::size_t> operations = {}; ///< By number in the model.
  /// Operands that are neither constants nor written in the step, in the order
  /// in which they are read first.
  std::vector<std::uint32_t> inputs = {};
  /// Inputs whose values become part of layers.
  std::set<std::uint32_t> frozen = {};
  /// Inputs that an operation needs; other inputs without elements are left
  /// out.
  std::set<std::uint32_t> required = {};
  /// Operands that it writes and that are read after it, or are outputs of the
  /// model.
  std::vector<std::uint32_t> outputs = {};
};

/// \p order has every operation's number once, writers before readers.
std::vector<NnStep> stepsOf(const NnModel &model,
                            const std::vector<std::size_t> &order);

/// One operation alone, with all its results.
NnStep stepOf(const NnModel &model, std::size_t operation);

/// The model of \p step alone: its inputs and outputs are the step's. Lengths
/// and values are those of \p model.
NnModel partOf(const NnModel &model, const NnStep &step);

} // namespace yarrow::nnapi

#endif // YARROW_API_NNAPI_RUN_PARTS_H
