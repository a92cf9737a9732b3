//===- RecurrentSequence.h - Sequences of recurrent operations --*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// What the recurrent operations share: an input of many steps as rows, time
// first, so that the products of all steps are one; and outputs of the rows
// that the steps give.
//
//   auto x = readSequence(r, "input", Order::BatchFirst);
//   // [steps * batch, units], and a tensor of [batch, units] for each step
//   Tensor *products = e.product(x->rows, weights, bias);
//   std::vector<Tensor *> ofStep = e.split(products, x->steps, 0);
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_PARSER_NNAPI_OPERATORS_RECURRENTSEQUENCE_H
#define YARROW_PARSER_NNAPI_OPERATORS_RECURRENTSEQUENCE_H

#include "parser/nnapi/operators/Expressions.h"

namespace yarrow::nnapi {

/// Of the axes of a sequence.
enum class Order {
  OneStep, ///< [batch, size]
  TimeFirst,
  BatchFirst,
};

struct Sequence {
  graph::Tensor *rows = nullptr; ///< [steps * batch, size], time first.
  std::int64_t steps = 0, batch = 0, size = 0;
  Order order = Order::OneStep;
};

/// What an input holds; reports one that no sequence can be.
std::optional<Sequence> readSequence(OperationReader &r, std::string_view input,
                                     Order order);

/// Rows of each step, [batch, size], as output \p i of the operation. Outputs
/// that are left out stay so.
void writeSequence(OperationReader &r, const std::vector<graph::Tensor *> &rows,
                   const Sequence &like, std::int64_t size, std::size_t output);
/// One tensor as output \p i.
void writeOutput(OperationReader &r, graph::Tensor *from, std::size_t output);

/// Whether an optional input is there. Clients leave one out also by a tensor
/// without elements.
bool isPresent(const OperationReader &r, std::string_view input);
/// Null if it is left out.
graph::Tensor *givenInput(const OperationReader &r, std::string_view input);
/// Reports an input that has other lengths.
bool checkDims(OperationReader &r, std::string_view input,
               const std::vector<std::int64_t> &expected);
/// What a cell has before the first step, [batch, size]: an input; zeros where
/// the form has none of the name (HAL 1.0). Null if its lengths are wrong,
/// which are reported, or too much for a tensor.
graph::Tensor *firstState(OperationReader &r, std::string_view input,
                          std::int64_t batch, std::int64_t size);
/// Of inputs of which either all or none may be left out; the others are
/// reported.
std::optional<bool> allOrNone(OperationReader &r,
                              const std::vector<std::string> &inputs);

/// The steps in the order in which they are computed.
std::vector<std::int64_t> stepsInOrder(std::int64_t steps, bool isReverse);

} // namespace yarrow::nnapi

#endif // YARROW_PARSER_NNAPI_OPERATORS_RECURRENTSEQUENCE_H
