//===- Expressions.h - Nodes of one result as functions ---------*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// Helpers to write formulas of many small nodes: each function makes a node and
// returns its result, named after its place in the formula.
//
//   Expressions e(maker, "forget");
//   Tensor *gate = e.of("Sigmoid", {e.of("Add", {x, bias})});
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_PARSER_GRAPH_EXPRESSIONS_H
#define YARROW_PARSER_GRAPH_EXPRESSIONS_H

#include "parser/graph/NodeMaker.h"

namespace yarrow::graph {

class Expressions {
public:
  Expressions(NodeMaker &make, std::string where)
      : make(make), where(std::move(where)) {}

  NodeMaker &make;

  using Attributes = std::map<std::string, Attribute, std::less<>>;

  /// The result of a new node.
  Tensor *of(const std::string &op, std::vector<Tensor *> from,
             Attributes attributes = {});
  /// All results of a new node, which is of \p domain.
  std::vector<Tensor *> severalOf(const char *domain, const std::string &op,
                                  std::vector<Tensor *> from,
                                  std::size_t results,
                                  Attributes attributes = {});

  //===--- Constants ---===//
  Tensor *number(double value);
  Tensor *integer(std::int64_t value);
  Tensor *numbers(Shape shape, const std::vector<float> &values);
  Tensor *integers(Shape shape, const std::vector<std::int64_t> &values);
  /// 0, 1, ... along axis \p axis of \p rank axes; the others have length 1.
  Tensor *counting(std::int64_t length, std::size_t rank, std::size_t axis);

  //===--- Arithmetic ---===//
  /// Rows times the transpose of weights [columns, elements of a row]; the bias
  /// may be null. Weights may be computed.
  Tensor *product(Tensor *rows, Tensor *weights, Tensor *bias = nullptr);
  Tensor *add(Tensor *a, Tensor *b) { return of("Add", {a, b}); }
  Tensor *subtract(Tensor *a, Tensor *b) { return of("Sub", {a, b}); }
  Tensor *multiply(Tensor *a, Tensor *b) { return of("Mul", {a, b}); }
  /// Between -limit and limit; a limit of 0 or less is none.
  Tensor *clipped(Tensor *x, double limit);
  Tensor *clipped(Tensor *x, double least, double most);
  /// The last axis with mean 0 and variance 1, times \p weights and plus a
  /// bias.
  Tensor *normalised(Tensor *x, Tensor *weights, Tensor *bias, float epsilon);
  Tensor *cast(Tensor *x, ElementType type);
  Tensor *chosen(Tensor *condition, Tensor *yes, Tensor *no) {
    return of("Where", {condition, yes, no});
  }
  /// The sum along axes, which keep a length of 1 or go.
  Tensor *sum(Tensor *x, std::vector<std::int64_t> axes, bool keepsAxes);

  //===--- Movement ---===//
  Tensor *joined(const std::vector<Tensor *> &parts, std::int64_t axis);
  /// As many parts of equal length.
  std::vector<Tensor *> split(Tensor *x, std::size_t count, std::int64_t axis);
  Tensor *reshaped(Tensor *x, Shape shape);
  Tensor *transposed(Tensor *x, std::vector<std::int64_t> perm);
  /// The elements from \p begin to before \p end along an axis.
  Tensor *sliced(Tensor *x, std::int64_t axis, std::int64_t begin,
                 std::int64_t end);
  Tensor *gathered(Tensor *x, Tensor *indices, std::int64_t axis);

private:
  Tensor *fresh(const std::string &what);
  /// "forget_shape_2": constants are told apart by the node that follows.
  std::string called(const std::string &what) {
    return where + "_" + what + "_" + std::to_string(count++);
  }

  std::string where;
  std::size_t count = 0;
};

} // namespace yarrow::graph

#endif // YARROW_PARSER_GRAPH_EXPRESSIONS_H
