//===- Expressions.cpp - Nodes of one result as functions -----------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "parser/nnapi/operators/Expressions.h"
#include <cctype>

using namespace yarrow;
using namespace yarrow::nnapi;
using graph::Attribute;
using graph::Tensor;

/// "forget_add_2": names are told apart by a number.
Tensor *Expressions::fresh(const std::string &what) {
  std::string name = where + "_" + what + "_" + std::to_string(count++);
  for (char &c : name)
    c = char(std::tolower(static_cast<unsigned char>(c)));
  return r.between(name);
}

Tensor *Expressions::of(const std::string &op, std::vector<Tensor *> from) {
  Tensor *result = fresh(op);
  r.add(op, std::move(from), {result});
  return result;
}

Tensor *Expressions::product(Tensor *rows, Tensor *weights, Tensor *bias) {
  std::vector<Tensor *> from = {rows, weights};
  if (bias)
    from.push_back(bias);
  Tensor *result = fresh("product");
  r.add("FullyConnected", std::move(from), {result}).domain = kTfliteDomain;
  return result;
}

Tensor *Expressions::clipped(Tensor *x, double least, double most) {
  Tensor *result = fresh("clip");
  r.add("Clip",
        {x, r.number(where + "_least_" + std::to_string(count), float(least)),
         r.number(where + "_most_" + std::to_string(count), float(most))},
        {result});
  return result;
}

Tensor *Expressions::clipped(Tensor *x, double limit) {
  return limit > 0 ? clipped(x, -limit, limit) : x;
}

Tensor *Expressions::normalised(Tensor *x, Tensor *weights, Tensor *bias,
                                float epsilon) {
  Tensor *result = fresh("normalised");
  r.add("LayerNormalization", {x, weights, bias}, {result})
      .attributes["epsilon"] = Attribute::of(epsilon);
  return result;
}

Tensor *Expressions::joined(const std::vector<Tensor *> &parts,
                            std::int64_t axis) {
  if (parts.size() == 1)
    return parts.front();
  Tensor *result = fresh("joined");
  r.add("Concat", parts, {result}).attributes["axis"] = Attribute::of(axis);
  return result;
}

std::vector<Tensor *> Expressions::split(Tensor *x, std::size_t parts,
                                         std::int64_t axis) {
  if (parts == 1)
    return {x};
  std::vector<Tensor *> results;
  for (std::size_t i = 0; i < parts; ++i)
    results.push_back(fresh("part"));
  r.add("Split", {x}, results).attributes["axis"] = Attribute::of(axis);
  return results;
}

Tensor *Expressions::reshaped(Tensor *x, std::vector<std::int64_t> shape) {
  Tensor *to =
      r.integers(where + "_shape_" + std::to_string(count), std::move(shape));
  return of("Reshape", {x, to});
}

Tensor *Expressions::sliced(Tensor *x, std::int64_t axis, std::int64_t begin,
                            std::int64_t end) {
  std::string at = where + "_slice_" + std::to_string(count) + "_";
  return of("Slice",
            {x, r.integers(at + "begin", {begin}),
             r.integers(at + "end", {end}), r.integers(at + "axis", {axis})});
}

Tensor *nnapi::activated(Expressions &e, Tensor *x, std::int64_t code,
                         std::span<const Activation> allowed) {
  std::string known;
  bool isAllowed = false;
  for (Activation one : allowed) {
    known += (known.empty() ? "" : ", ") + std::to_string(std::int64_t(one));
    isAllowed |= std::int64_t(one) == code;
  }
  if (!isAllowed) {
    e.r.bad("the activation function is none", std::to_string(code), known);
    return nullptr;
  }
  switch (Activation(code)) {
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
