//===- QdqGraph.h - Small quantized graphs for tests ------------*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//   QdqGraph g;
//   Tensor *q = g.quantize(g.input("x"), {ElementType::I8, {0.5f}, {3}});
//   g.output(g.node("Relu", {g.dequantize(q, ...)}));
//   g.absorb();
//   EXPECT_EQ(g.text(), ...);
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_TEST_UNIT_ONNX_QDQGRAPH_H
#define YARROW_TEST_UNIT_ONNX_QDQGRAPH_H

#include "parser/graph/AbsorbQuantization.h"
#include <sstream>

namespace yarrow::test {

using graph::Attribute;
using graph::Constant;
using graph::Graph;
using graph::Node;
using graph::Quantization;
using graph::Shape;
using graph::Tensor;

struct QdqGraph {
  Graph graph;

  Tensor *input(const std::string &name, ElementType type = ElementType::F32) {
    Tensor *x = graph.addTensor(name);
    x->setType(type, {1, 2, 2, 2});
    graph.inputs.push_back(x);
    return x;
  }
  void output(Tensor *tensor) { graph.outputs.push_back(tensor); }

  Tensor *constant(const std::string &name, Constant value) {
    Tensor *c = graph.addTensor(name);
    c->setType(value.type, value.shape);
    c->constant = std::move(value);
    return c;
  }
  /// Integers of up to 32 bits.
  Tensor *integers(const std::string &name, ElementType type, Shape shape,
                   const std::vector<std::int64_t> &values) {
    std::vector<std::byte> bytes;
    for (std::int64_t value : values)
      for (unsigned i = 0; i < elementBytes(type); ++i)
        bytes.push_back(std::byte(value >> (8 * i)));
    return constant(
        name, Constant::ofBytes(type, std::move(shape), std::move(bytes)));
  }

  /// A node that writes \p output.
  Tensor *node(const std::string &op, std::vector<Tensor *> inputs,
               const std::string &output) {
    Tensor *y = graph.addTensor(output);
    last = &graph.addNode(op, std::move(inputs), {y});
    return y;
  }
  Tensor *quantize(Tensor *x, const Quantization &q,
                   const std::string &output) {
    return node("QuantizeLinear", {x, scales(q), zeroPoints(q)}, output);
  }
  Tensor *dequantize(Tensor *x, const Quantization &q,
                     const std::string &output) {
    Tensor *d = node("DequantizeLinear", {x, scales(q), zeroPoints(q)}, output);
    last->attributes["axis"] = Attribute::of(q.axis);
    return d;
  }
  /// Both: what most tools put behind every layer.
  Tensor *pair(Tensor *x, const Quantization &q, const std::string &name) {
    return dequantize(quantize(x, q, name + "_q"), q, name + "_d");
  }

  Tensor *scales(const Quantization &q) {
    Shape shape;
    if (!q.isPerTensor())
      shape.push_back(std::int64_t(q.scales.size()));
    return constant("scale", Constant::ofFloats(shape, q.scales));
  }
  Tensor *zeroPoints(const Quantization &q) {
    Shape shape;
    if (!q.isPerTensor())
      shape.push_back(std::int64_t(q.zeroPoints.size()));
    return integers("zero", q.stored, shape, q.zeroPoints);
  }

  void absorb() { graph::absorbQuantization(graph); }

  /// "q:i8*0.5+3 = Conv(x, w:i8*0.1+0)", a line for each node; then outputs.
  std::string text() const {
    std::ostringstream out;
    for (const auto &node : graph.nodes) {
      for (const Tensor *output : node->outputs)
        out << formOf(output) << ' ';
      out << "= " << node->op << '(';
      const char *comma = "";
      for (const Tensor *input : node->inputs) {
        out << comma << formOf(input);
        comma = ", ";
      }
      out << ")\n";
    }
    out << "->";
    for (const Tensor *output : graph.outputs)
      out << ' ' << formOf(output);
    return out.str();
  }

  static std::string formOf(const Tensor *tensor) {
    static const char *const kNames[] = {"i8", "u8", "i16", "u16", "i32"};
    std::ostringstream out;
    out << tensor->name;
    if (!tensor->quantization)
      return out.str();
    const Quantization &q = *tensor->quantization;
    out << ':' << kNames[unsigned(q.stored)];
    for (std::size_t i = 0; i < q.scales.size(); ++i)
      out << (i ? "," : "*") << q.scales[i] << (q.zeroPoints[i] < 0 ? "" : "+")
          << q.zeroPoints[i];
    if (!q.isPerTensor())
      out << '@' << q.axis;
    return out.str();
  }

  Node *last = nullptr; ///< That was added.
};

} // namespace yarrow::test

#endif // YARROW_TEST_UNIT_ONNX_QDQGRAPH_H
