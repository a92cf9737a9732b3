//===- Products.h - Operations that multiply by weights ---------*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//   r.result("FullyConnected", {x, w, productBias(r, *x, *w)});
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_PARSER_NNAPI_OPERATORS_PRODUCTS_H
#define YARROW_PARSER_NNAPI_OPERATORS_PRODUCTS_H

#include "parser/nnapi/OperationReader.h"

namespace yarrow::nnapi {

/// The input `bias`. Beside 8 bits it is stored in the scales of the products
/// of \p x and \p weights, whether the operand says so or has none, as beside a
/// scale for each channel. Null after a message.
graph::Tensor *productBias(OperationReader &r, const graph::Tensor &x,
                           const graph::Tensor &weights);

} // namespace yarrow::nnapi

#endif // YARROW_PARSER_NNAPI_OPERATORS_PRODUCTS_H
