//===- Sequence.h - Sequences of recurrent operators ------------*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// An input of many steps as rows, time first, so that the products of all steps
// are one; and the output of the rows that the steps give.
//
//   auto x = readSequence(f, false);
//   Tensor *products = f.product(x->rows, weights);  // [steps * batch, ..]
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_PARSER_QNN_OPERATORS_SEQUENCE_H
#define YARROW_PARSER_QNN_OPERATORS_SEQUENCE_H

#include "parser/qnn/operators/Formulas.h"

namespace yarrow::qnn {

/// Of the axes of a sequence.
enum class SequenceOrder {
  OneStep, ///< [batch, size]
  TimeFirst,
  BatchFirst,
};

struct Sequence {
  graph::Tensor *rows = nullptr; ///< [steps * batch, size], time first.
  std::int64_t steps = 1, batch = 0, size = 0;
  SequenceOrder order = SequenceOrder::OneStep;
};

/// in[0], by the parameter time_major; reports one that no sequence can be.
std::optional<Sequence> readSequence(Formula &f, bool isOneStep);

/// Rows of each step, [batch, size], as out[0].
void writeSequence(Formula &f, const std::vector<graph::Tensor *> &rows,
                   const Sequence &like, std::int64_t size);

} // namespace yarrow::qnn

#endif // YARROW_PARSER_QNN_OPERATORS_SEQUENCE_H
