//===- Elementwise.h - What functions of elements share ---------*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// Some operators are others by a number: ElementWiseBinary with operation 0 is
// ElementWiseAdd.
//
//   return readAs(r, "ElementWiseAdd");
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_PARSER_QNN_OPERATORS_ELEMENTWISE_H
#define YARROW_PARSER_QNN_OPERATORS_ELEMENTWISE_H

#include "parser/qnn/OpReader.h"

namespace yarrow::qnn {

/// Input \p i as truth values: of numbers whatever is not 0.
graph::Tensor *truthOf(OpReader &r, std::size_t i);

/// Reads the node as one of operator \p op, with the same inputs, outputs and
/// parameters.
bool readAs(OpReader &r, std::string_view op);

/// What the parameter "operation" is called: "SQUARED_DIFFERENCE".
std::string operationOf(const OpReader &r);

} // namespace yarrow::qnn

#endif // YARROW_PARSER_QNN_OPERATORS_ELEMENTWISE_H
