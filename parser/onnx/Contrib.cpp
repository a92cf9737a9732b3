//===- Contrib.cpp - Operators of com.microsoft by ONNX's own -------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "parser/onnx/Contrib.h"
#include <algorithm>
#include <iterator>
#include <string_view>
#include <utility>

using namespace yarrow;
using graph::Attribute;
using graph::Constant;
using graph::Graph;
using graph::Node;
using graph::Shape;
using graph::Tensor;

namespace {

/// Puts nodes before one that becomes the last of them.
class Splitter {
public:
  Splitter(Graph &graph, Node &node, std::vector<std::unique_ptr<Node>> &before)
      : graph(graph), node(node), before(before),
        base(node.name.empty() ? node.op : node.name) {}

  Node *add(const char *op, std::vector<Tensor *> inputs, const char *suffix) {
    auto made = std::make_unique<Node>();
    made->op = op;
    made->version = node.version;
    made->name = base + suffix;
    made->inputs = std::move(inputs);
    made->outputs = {graph.addTensor(base + suffix)};
    before.push_back(std::move(made));
    return before.back().get();
  }
  Tensor *result(const char *op, std::vector<Tensor *> inputs,
                 const char *suffix) {
    return add(op, std::move(inputs), suffix)->outputs[0];
  }
  Tensor *constant(const char *suffix, Constant value) {
    Tensor *tensor = graph.addTensor(base + suffix);
    tensor->setType(value.type, value.shape);
    tensor->constant = std::move(value);
    return tensor;
  }
  /// From [x, scale, zero].
  Tensor *real(std::size_t i, const char *suffix) {
    return result("DequantizeLinear",
                  {node.input(i), node.input(i + 1), node.input(i + 2)},
                  suffix);
  }
  /// The node itself, which makes integers of \p x.
  void quantizes(Tensor *x, Tensor *scale, Tensor *zero) {
    become("QuantizeLinear", {x, scale, zero});
    node.attributes.clear();
  }
  void become(const char *op, std::vector<Tensor *> inputs) {
    node.op = op;
    node.domain.clear();
    node.inputs = std::move(inputs);
  }

  Graph &graph;
  Node &node;

private:
  std::vector<std::unique_ptr<Node>> &before;
  std::string base;
};

//===----------------------------------------------------------------------===//
// Quantized
//===----------------------------------------------------------------------===//

/// [x, scale, zero, w, scale, zero, y's scale, zero, bias]
void splitProduct(Splitter &s) {
  Node &node = s.node;
  if (node.inputs.size() < 8)
    return;
  bool isConv = node.op == "QLinearConv";
  std::vector<Tensor *> in = node.inputs;
  Tensor *x = s.real(0, "_x");
  Node *w = s.add("DequantizeLinear", {in[3], in[4], in[5]}, "_w");
  // Scales of filters, or of the columns of a matrix.
  w->attributes["axis"] = Attribute::of(std::int64_t(isConv ? 0 : -1));
  std::vector<Tensor *> operands = {x, w->outputs[0]};
  if (isConv && node.input(8)) {
    // The bias has the scale of the products.
    Tensor *scale = s.result("Mul", {in[1], in[4]}, "_scale");
    Node *bias = s.add("DequantizeLinear", {in[8], scale}, "_bias");
    bias->attributes["axis"] = Attribute::of(std::int64_t(0));
    operands.push_back(bias->outputs[0]);
  }
  Node *product = s.add(isConv ? "Conv" : "MatMul", operands, "_product");
  product->attributes = node.attributes;
  s.quantizes(product->outputs[0], in[6], in[7]);
}

/// The product of real numbers \p a and the integers \p b, and a bias. Scales
/// of b are those of its columns.
void multiply(Splitter &s, Tensor *a, std::vector<Tensor *> b, Tensor *bias) {
  while (!b.back())
    b.pop_back();
  Node *real = s.add("DequantizeLinear", std::move(b), "_b");
  real->attributes["axis"] = Attribute::of(std::int64_t(-1));
  s.node.attributes.clear();
  if (!bias)
    return s.become("MatMul", {a, real->outputs[0]});
  Tensor *product = s.result("MatMul", {a, real->outputs[0]}, "_product");
  s.become("Add", {product, bias});
}

/// [a, b, a's scale, b's, a's zero, b's, bias]: the result is real.
void splitToFloat(Splitter &s) {
  Node &node = s.node;
  if (node.inputs.size() < 4)
    return;
  std::vector<Tensor *> a = {node.input(0), node.input(2)};
  if (node.input(4))
    a.push_back(node.input(4));
  multiply(s, s.result("DequantizeLinear", a, "_a"),
           {node.input(1), node.input(3), node.input(5)}, node.input(6));
}

/// [a, b, b's scale, zero, bias]: a is rounded to 8 bits at run time.
void splitDynamic(Splitter &s) {
  Node &node = s.node;
  if (node.inputs.size() < 3)
    return;
  Node *stored = s.add("DynamicQuantizeLinear", {node.input(0)}, "_a");
  for (const char *name : {"_a_scale", "_a_zero"})
    stored->outputs.push_back(s.graph.addTensor(stored->name + name));
  multiply(s, s.result("DequantizeLinear", stored->outputs, "_a_real"),
           {node.input(1), node.input(2), node.input(3)}, node.input(4));
}

/// [a, scale, zero, b, scale, zero, y's scale, zero]
void splitBinary(Splitter &s, const char *op) {
  if (s.node.inputs.size() < 7)
    return;
  Tensor *scale = s.node.input(6), *zero = s.node.input(7);
  Tensor *a = s.real(0, "_a"), *b = s.real(3, "_b");
  s.quantizes(s.result(op, {a, b}, "_real"), scale, zero);
}

/// [x, scale, zero, y's scale, zero]
void splitUnary(Splitter &s, const char *op) {
  if (s.node.inputs.size() < 4)
    return;
  Tensor *scale = s.node.input(3), *zero = s.node.input(4);
  Node *real = s.add(op, {s.real(0, "_x")}, "_real");
  real->attributes = s.node.attributes;
  s.quantizes(real->outputs[0], scale, zero);
}

/// [x, scale, zero, y's scale, zero]; until version 13 of Softmax the axes from
/// `axis` on were one.
void splitSoftmax(Splitter &s) {
  if (s.node.integer("opset", 13) < 13)
    s.node.attributes["flatten"] = Attribute::of(std::int64_t(1));
  s.node.attributes.erase("opset");
  splitUnary(s, "Softmax");
}

/// [condition, x, scale, zero, y, scale, zero, z's scale, zero]
void splitWhere(Splitter &s) {
  if (s.node.inputs.size() < 9)
    return;
  Tensor *condition = s.node.input(0), *scale = s.node.input(7),
         *zero = s.node.input(8);
  Tensor *x = s.real(1, "_x"), *y = s.real(4, "_y");
  s.quantizes(s.result("Where", {condition, x, y}, "_real"), scale, zero);
}

/// [y's scale, zero, then x, scale and zero of each operand]
void splitConcat(Splitter &s) {
  Node &node = s.node;
  if (node.inputs.size() < 5 || (node.inputs.size() - 2) % 3)
    return;
  Tensor *scale = node.input(0), *zero = node.input(1);
  std::vector<Tensor *> parts;
  for (std::size_t i = 2; i < node.inputs.size(); i += 3)
    parts.push_back(s.real(i, ("_x" + std::to_string(i / 3)).c_str()));
  Node *concat = s.add("Concat", parts, "_real");
  concat->attributes = node.attributes;
  s.quantizes(concat->outputs[0], scale, zero);
}

/// [a, scale, zero, b, scale, zero, c, y's scale, zero]: integers c have the
/// scale of the products; without a scale of its own y is real.
void splitGemm(Splitter &s) {
  Node &node = s.node;
  if (node.inputs.size() < 6)
    return;
  std::vector<Tensor *> in = node.inputs;
  Node *b = s.add("DequantizeLinear", {in[3], in[4], in[5]}, "_b");
  b->attributes["axis"] =
      Attribute::of(std::int64_t(node.integer("transB", 0) ? 0 : 1));
  std::vector<Tensor *> operands = {s.real(0, "_a"), b->outputs[0]};
  float alpha = node.number("alpha", 1);
  if (node.input(6)) {
    Tensor *scale = s.result("Mul", {in[1], in[4]}, "_scale");
    Node *c = s.add("DequantizeLinear", {in[6], scale}, "_c");
    c->attributes["axis"] = Attribute::of(std::int64_t(-1));
    operands.push_back(c->outputs[0]);
  }
  auto setKeys = [&](Node &gemm) {
    std::int64_t transA = node.integer("transA", 0),
                 transB = node.integer("transB", 0);
    gemm.attributes.clear();
    gemm.attributes["transA"] = Attribute::of(transA);
    gemm.attributes["transB"] = Attribute::of(transB);
    // The factor is that of the accumulator, bias included.
    gemm.attributes["alpha"] = gemm.attributes["beta"] = Attribute::of(alpha);
  };
  if (!node.input(7)) {
    setKeys(node);
    s.become("Gemm", operands);
    return;
  }
  Node *gemm = s.add("Gemm", operands, "_product");
  setKeys(*gemm);
  s.quantizes(gemm->outputs[0], in[7], node.input(8));
}

//===----------------------------------------------------------------------===//
// Fused
//===----------------------------------------------------------------------===//

/// A product and its activation: [x, w, bias, sum].
void splitFusedConv(Splitter &s) {
  Node &node = s.node;
  std::string activation = node.text("activation", "");
  static constexpr std::string_view kKnown[] = {
      "", "Relu", "Sigmoid", "Tanh", "LeakyRelu", "Clip", "HardSigmoid"};
  if (std::ranges::find(kKnown, activation) == std::end(kKnown))
    return; // told as an operator that is not imported
  std::vector<float> numbers;
  if (const Attribute *a = node.attribute("activation_params"))
    numbers = a->numbers;
  Tensor *sum = node.input(3);
  node.attributes.erase("activation");
  node.attributes.erase("activation_params");
  if (node.inputs.size() > 3)
    node.inputs.resize(3);
  while (!node.inputs.empty() && !node.inputs.back())
    node.inputs.pop_back();
  if (activation.empty() && !sum) {
    s.become("Conv", node.inputs);
    return;
  }
  Node *conv = s.add("Conv", node.inputs, "_conv");
  conv->attributes = std::move(node.attributes);
  node.attributes.clear();
  if (activation.empty()) {
    s.become("Add", {conv->outputs[0], sum});
    return;
  }
  Tensor *x = conv->outputs[0];
  if (sum)
    x = s.result("Add", {x, sum}, "_sum");
  std::vector<Tensor *> inputs = {x};
  auto number = [&](std::size_t i, float fallback) {
    return i < numbers.size() ? numbers[i] : fallback;
  };
  if (activation == "Clip") {
    inputs.push_back(
        s.constant("_min", Constant::ofFloats({}, {number(0, -3.4e38f)})));
    inputs.push_back(
        s.constant("_max", Constant::ofFloats({}, {number(1, 3.4e38f)})));
  } else if (activation == "LeakyRelu") {
    node.attributes["alpha"] = Attribute::of(number(0, 0.01f));
  } else if (activation == "HardSigmoid") {
    node.attributes["alpha"] = Attribute::of(number(0, 0.2f));
    node.attributes["beta"] = Attribute::of(number(1, 0.5f));
  }
  s.become(activation.c_str(), inputs);
}

} // namespace

void onnx::splitQuantized(Graph &graph, Node &node,
                          std::vector<std::unique_ptr<Node>> &before) {
  Splitter splitter(graph, node, before);
  splitProduct(splitter);
}

void onnx::splitContrib(Graph &graph, Node &node,
                        std::vector<std::unique_ptr<Node>> &before) {
  Splitter s(graph, node, before);
  if (node.op == "Gelu") {
    node.domain.clear();
  } else if (node.op == "FastGelu" && !node.input(1)) {
    s.become("Gelu", {node.input(0)});
    node.attributes["approximate"] = Attribute::of(std::string("tanh"));
  } else if (node.op == "QuickGelu") {
    s.become("Swish", node.inputs);
    node.attributes["alpha"] = Attribute::of(node.number("alpha", 1.702f));
  } else if (node.op == "RotaryEmbedding") {
    // ONNX has the positions last.
    if (node.inputs.size() == 4)
      s.become("RotaryEmbedding",
               {node.input(0), node.input(2), node.input(3), node.input(1)});
  } else if (node.op == "FusedConv") {
    splitFusedConv(s);
  } else if (node.op == "QLinearAdd") {
    splitBinary(s, "Add");
  } else if (node.op == "QLinearMul") {
    splitBinary(s, "Mul");
  } else if (node.op == "QGemm") {
    splitGemm(s);
  } else if (node.op == "QLinearConcat") {
    splitConcat(s);
  } else if (node.op == "QuantizeLinear" || node.op == "DequantizeLinear") {
    node.domain.clear(); // of 16 bits before ONNX had them
  } else if (node.op == "MatMulIntegerToFloat") {
    splitToFloat(s);
  } else if (node.op == "DynamicQuantizeMatMul") {
    splitDynamic(s);
  } else if (node.op == "QLinearSoftmax") {
    splitSoftmax(s);
  } else if (node.op == "QLinearWhere") {
    splitWhere(s);
  } else if (node.op == "QLinearSigmoid") {
    splitUnary(s, "Sigmoid");
  } else if (node.op == "QLinearLeakyRelu") {
    splitUnary(s, "LeakyRelu");
  } else if (node.op == "QLinearAveragePool" &&
             !node.integer("channels_last", 0)) {
    splitUnary(s, "AveragePool");
  } else if (node.op == "QLinearGlobalAveragePool" &&
             !node.integer("channels_last", 0)) {
    splitUnary(s, "GlobalAveragePool");
  }
}
