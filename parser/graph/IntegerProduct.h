//===- IntegerProduct.h - Products of matrices of integers ------*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// No layer multiplies matrices of 32-bit integers: rows are multiplied by
// columns and added up, as further axes.
//
//   addIntegerProduct(make, {a, 2}, {b, 2}, y);
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_PARSER_GRAPH_INTEGERPRODUCT_H
#define YARROW_PARSER_GRAPH_INTEGERPRODUCT_H

#include "parser/graph/NodeMaker.h"

namespace yarrow::graph {

/// A factor and how many axes it has: two or more.
struct MatrixFactor {
  Tensor *tensor;
  std::int64_t rank;
};

/// [..., rows, inner] times [..., inner, columns].
void addIntegerProduct(NodeMaker &make, MatrixFactor a, MatrixFactor b,
                       Tensor *to);

} // namespace yarrow::graph

#endif // YARROW_PARSER_GRAPH_INTEGERPRODUCT_H
