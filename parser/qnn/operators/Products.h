//===- Products.h - Operators that multiply by weights ----------*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//   auto bias = productBias(r, *x, *filter, /*outputAxis=*/3);
//   if (!bias) return false;
//   r.resultOf(kDomain, "Conv", {x, filter, *bias});
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_PARSER_QNN_OPERATORS_PRODUCTS_H
#define YARROW_PARSER_QNN_OPERATORS_PRODUCTS_H

#include "parser/qnn/OpReader.h"

namespace yarrow::qnn {

/// in[2], the biases of the products of \p x and \p weights, whose axis
/// \p outputAxis is that of the results; null if they are left out, nullopt
/// after a message.
///
/// Biases have an encoding of their own. Where the products are of integers
/// they are stored in the scale of these, sx * sw[c], rounded to the nearest,
/// ties to even. What that changes is told (W1045).
std::optional<graph::Tensor *> productBias(OpReader &r, const graph::Tensor &x,
                                           const graph::Tensor &weights,
                                           std::int64_t outputAxis);

/// A constant with the same elements in the lengths \p dims, whose axis
/// \p scaleAxis is that of the scales.
graph::Tensor *reshapedConstant(OpReader &r, const graph::Tensor &constant,
                                std::vector<std::int64_t> dims,
                                std::int64_t scaleAxis,
                                const std::string &what);

} // namespace yarrow::qnn

#endif // YARROW_PARSER_QNN_OPERATORS_PRODUCTS_H
