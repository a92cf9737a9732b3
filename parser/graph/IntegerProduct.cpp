//===- IntegerProduct.cpp - Products of matrices of integers --------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "parser/graph/IntegerProduct.h"

using namespace yarrow;
using namespace yarrow::graph;

void graph::addIntegerProduct(NodeMaker &make, MatrixFactor a, MatrixFactor b,
                              Tensor *to) {
  Tensor *rows = make.between("rows"), *columns = make.between("columns"),
         *products = make.between("products");
  make.add("Unsqueeze", {a.tensor, make.integers("row_axis", {a.rank})},
           {rows});
  make.add("Unsqueeze", {b.tensor, make.integers("column_axis", {b.rank - 2})},
           {columns});
  make.add("Mul", {rows, columns}, {products});
  make.add("ReduceSum", {products, make.integers("inner_axis", {-2})}, {to})
      .attributes["keepdims"] = Attribute::of(std::int64_t(0));
}
