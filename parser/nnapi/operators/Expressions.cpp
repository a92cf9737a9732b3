//===- Expressions.cpp - Formulas of NNAPI's operations -------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "parser/nnapi/operators/Expressions.h"

using namespace yarrow;
using namespace yarrow::nnapi;
using graph::Tensor;

std::optional<Activation>
nnapi::activationOf(OperationReader &r, std::int64_t code,
                    std::span<const Activation> allowed) {
  std::string known;
  for (Activation one : allowed) {
    if (std::int64_t(one) == code)
      return one;
    known += (known.empty() ? "" : ", ") + std::to_string(std::int64_t(one));
  }
  r.bad("unknown activation function", std::to_string(code), known);
  return std::nullopt;
}

Tensor *nnapi::activated(graph::Expressions &e, Tensor *x,
                         Activation activation) {
  switch (activation) {
  case Activation::None:
    return x;
  case Activation::Relu:
    return e.of("Relu", {x});
  case Activation::Relu1:
    return e.clipped(x, -1, 1);
  case Activation::Relu6:
    return e.clipped(x, 0, 6);
  case Activation::Tanh:
    return e.of("Tanh", {x});
  case Activation::Sigmoid:
    return e.of("Sigmoid", {x});
  }
  return nullptr;
}

Tensor *nnapi::activated(Expressions &e, Tensor *x, std::int64_t code,
                         std::span<const Activation> allowed) {
  auto activation = activationOf(e.r, code, allowed);
  return activation ? activated(e, x, *activation) : nullptr;
}
