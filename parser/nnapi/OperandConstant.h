//===- OperandConstant.h - Constant operands in the graph -------*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//   constantOf(operand).integers();
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_PARSER_NNAPI_OPERANDCONSTANT_H
#define YARROW_PARSER_NNAPI_OPERANDCONSTANT_H

#include "parser/graph/ImportGraph.h"
#include "parser/nnapi/NnModel.h"

namespace yarrow::nnapi {

/// A constant operand as the graph has constants, its axes and type as the
/// model states them.
inline graph::Constant constantOf(const Operand &operand) {
  return {operand.entry().element,
          {operand.dims.begin(), operand.dims.end()},
          operand.value,
          operand.owner};
}

} // namespace yarrow::nnapi

#endif // YARROW_PARSER_NNAPI_OPERANDCONSTANT_H
