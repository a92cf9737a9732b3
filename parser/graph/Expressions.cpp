//===- Expressions.cpp - Nodes of one result as functions -----------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "parser/graph/Expressions.h"
#include "parser/graph/OnnxTypes.h"
#include <cctype>
#include <numeric>

using namespace yarrow;
using namespace yarrow::graph;

/// "forget_add_2": names are told apart by a number.
Tensor *Expressions::fresh(const std::string &what) {
  std::string name = called(what);
  for (char &c : name)
    c = char(std::tolower(static_cast<unsigned char>(c)));
  return make.between(name);
}

Tensor *Expressions::of(const std::string &op, std::vector<Tensor *> from,
                        Attributes attributes) {
  return severalOf("", op, std::move(from), 1, std::move(attributes)).front();
}

std::vector<Tensor *> Expressions::severalOf(const char *domain,
                                             const std::string &op,
                                             std::vector<Tensor *> from,
                                             std::size_t results,
                                             Attributes attributes) {
  std::vector<Tensor *> to;
  for (std::size_t i = 0; i < results; ++i)
    to.push_back(fresh(op));
  Node &node = make.add(op, std::move(from), to);
  node.domain = domain;
  node.attributes = std::move(attributes);
  return to;
}

Tensor *Expressions::number(double value) {
  return make.number(called("number"), float(value));
}

Tensor *Expressions::integer(std::int64_t value) {
  return make.integer(called("integer"), value);
}

Tensor *Expressions::numbers(Shape shape, const std::vector<float> &values) {
  return make.constant(called("numbers"),
                       Constant::ofFloats(std::move(shape), values));
}

Tensor *Expressions::integers(Shape shape,
                              const std::vector<std::int64_t> &values) {
  return make.constant(called("integers"),
                       Constant::ofIntegers(std::move(shape), values));
}

Tensor *Expressions::counting(std::int64_t length, std::size_t rank,
                              std::size_t axis) {
  std::vector<std::int64_t> values(static_cast<std::size_t>(length));
  std::iota(values.begin(), values.end(), 0);
  Shape shape(rank, 1);
  shape[axis] = length;
  return integers(std::move(shape), values);
}

Tensor *Expressions::product(Tensor *rows, Tensor *weights, Tensor *bias) {
  std::vector<Tensor *> from = {rows, weights};
  if (bias)
    from.push_back(bias);
  return severalOf("tflite", "FullyConnected", std::move(from), 1).front();
}

Tensor *Expressions::clipped(Tensor *x, double least, double most) {
  return of("Clip", {x, number(least), number(most)});
}

Tensor *Expressions::clipped(Tensor *x, double limit) {
  return limit > 0 ? clipped(x, -limit, limit) : x;
}

Tensor *Expressions::normalised(Tensor *x, Tensor *weights, Tensor *bias,
                                float epsilon) {
  return of("LayerNormalization", {x, weights, bias},
            {{"epsilon", Attribute::of(epsilon)}});
}

Tensor *Expressions::cast(Tensor *x, ElementType type) {
  return of("Cast", {x}, {{"to", Attribute::of(onnxTypeNumber(type))}});
}

Tensor *Expressions::sum(Tensor *x, std::vector<std::int64_t> axes,
                         bool keepsAxes) {
  return of("ReduceSum", {x, make.integers(called("axes"), std::move(axes))},
            {{"keepdims", Attribute::of(std::int64_t(keepsAxes))}});
}

Tensor *Expressions::joined(const std::vector<Tensor *> &parts,
                            std::int64_t axis) {
  return parts.size() == 1
             ? parts.front()
             : of("Concat", parts, {{"axis", Attribute::of(axis)}});
}

std::vector<Tensor *> Expressions::split(Tensor *x, std::size_t parts,
                                         std::int64_t axis) {
  return parts == 1 ? std::vector<Tensor *>{x}
                    : severalOf("", "Split", {x}, parts,
                                {{"axis", Attribute::of(axis)}});
}

Tensor *Expressions::reshaped(Tensor *x, Shape shape) {
  return of("Reshape", {x, make.integers(called("shape"), std::move(shape))});
}

Tensor *Expressions::transposed(Tensor *x, std::vector<std::int64_t> perm) {
  return of("Transpose", {x}, {{"perm", Attribute::of(std::move(perm))}});
}

Tensor *Expressions::sliced(Tensor *x, std::int64_t axis, std::int64_t begin,
                            std::int64_t end) {
  return of("Slice", {x, make.integers(called("begin"), {begin}),
                      make.integers(called("end"), {end}),
                      make.integers(called("axis"), {axis})});
}

Tensor *Expressions::gathered(Tensor *x, Tensor *indices, std::int64_t axis) {
  return of("Gather", {x, indices}, {{"axis", Attribute::of(axis)}});
}
