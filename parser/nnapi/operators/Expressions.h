//===- Expressions.h - Nodes of one result as functions ---------*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// What formulas of many small nodes are written with: each function makes a
// node and gives its result, called after the place in the formula.
//
//   Expressions e(r, "forget");
//   Tensor *gate = e.of("Sigmoid", {e.of("Add", {x, bias})});
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_PARSER_NNAPI_OPERATORS_EXPRESSIONS_H
#define YARROW_PARSER_NNAPI_OPERATORS_EXPRESSIONS_H

#include "parser/nnapi/OperationReader.h"

namespace yarrow::nnapi {

class Expressions {
public:
  using Tensor = graph::Tensor;

  Expressions(OperationReader &r, std::string where)
      : r(r), where(std::move(where)) {}

  OperationReader &r;

  /// The result of a new node.
  Tensor *of(const std::string &op, std::vector<Tensor *> from);
  /// Rows times the transpose of weights [columns, elements of a row]; the bias
  /// may be null. Weights may be computed.
  Tensor *product(Tensor *rows, Tensor *weights, Tensor *bias = nullptr);
  Tensor *add(Tensor *a, Tensor *b) { return of("Add", {a, b}); }
  Tensor *multiply(Tensor *a, Tensor *b) { return of("Mul", {a, b}); }
  /// Between -limit and limit; a limit of 0 or less is none.
  Tensor *clipped(Tensor *x, double limit);
  Tensor *clipped(Tensor *x, double least, double most);
  /// The last axis with mean 0 and variance 1, times \p weights and plus a
  /// bias.
  Tensor *normalised(Tensor *x, Tensor *weights, Tensor *bias, float epsilon);
  Tensor *joined(const std::vector<Tensor *> &parts, std::int64_t axis);
  /// As many parts of equal length.
  std::vector<Tensor *> split(Tensor *x, std::size_t count, std::int64_t axis);
  Tensor *reshaped(Tensor *x, std::vector<std::int64_t> shape);
  /// The elements from \p begin to before \p end along an axis.
  Tensor *sliced(Tensor *x, std::int64_t axis, std::int64_t begin,
                 std::int64_t end);

private:
  Tensor *fresh(const std::string &what);

  std::string where;
  std::size_t count = 0;
};

/// The functions that codes of recurrent operations say. FuseCode ends at
/// Relu6.
enum class Activation : std::int64_t {
  None = 0,
  Relu = 1,
  Relu1 = 2,
  Relu6 = 3,
  Tanh = 4,
  Sigmoid = 6,
};

/// FuseCode, and those that only recurrent operations have.
inline constexpr Activation kAnyActivation[] = {
    Activation::None,  Activation::Relu, Activation::Relu1,
    Activation::Relu6, Activation::Tanh, Activation::Sigmoid};

/// Null if the code is not \p allowed, which is reported.
graph::Tensor *activated(Expressions &e, graph::Tensor *x, std::int64_t code,
                         std::span<const Activation> allowed);

} // namespace yarrow::nnapi

#endif // YARROW_PARSER_NNAPI_OPERATORS_EXPRESSIONS_H
