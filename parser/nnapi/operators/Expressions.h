//===- Expressions.h - Formulas of NNAPI's operations -----------*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// Helpers to write formulas of many small nodes (parser/graph), and the
// activations of operations by their codes.
//
//   Expressions e(r, "forget");
//   Tensor *gate = activated(e, e.add(x, bias), code, kAnyActivation);
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_PARSER_NNAPI_OPERATORS_EXPRESSIONS_H
#define YARROW_PARSER_NNAPI_OPERATORS_EXPRESSIONS_H

#include "parser/graph/Expressions.h"
#include "parser/nnapi/OperationReader.h"

namespace yarrow::nnapi {

/// Of an operation, which problems are reported of.
class Expressions : public graph::Expressions {
public:
  Expressions(OperationReader &r, std::string where)
      : graph::Expressions(r, std::move(where)), r(r) {}

  OperationReader &r;
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

/// Reports a code that is not \p allowed.
std::optional<Activation> activationOf(OperationReader &r, std::int64_t code,
                                       std::span<const Activation> allowed);
graph::Tensor *activated(graph::Expressions &e, graph::Tensor *x,
                         Activation activation);
/// Null if the code is not \p allowed, which is reported.
graph::Tensor *activated(Expressions &e, graph::Tensor *x, std::int64_t code,
                         std::span<const Activation> allowed);

} // namespace yarrow::nnapi

#endif // YARROW_PARSER_NNAPI_OPERATORS_EXPRESSIONS_H
