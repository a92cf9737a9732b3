//===- ImportGraph.h - A network of a foreign format ------------*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// Every format except Compass IR is read into this: named tensors, nodes with
// attributes, constants as views of the file. The operators and the order of
// axes are ONNX's, in their newest form once the graph is normalised. Shapes
// and constants that the model does not state are found by folding (Import.h).
//
//   Graph graph;
//   Tensor *x = graph.addTensor("x");
//   x->setType(ElementType::F32, {1, 3, 8, 8});
//   graph.inputs.push_back(x);
//   Node &relu = graph.addNode("Relu", {x}, {graph.addTensor("y")});
//   graph.outputs.push_back(relu.outputs[0]);
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_PARSER_GRAPH_IMPORTGRAPH_H
#define YARROW_PARSER_GRAPH_IMPORTGRAPH_H

#include "parser/graph/Quantization.h"
#include "support/ElementType.h"
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace yarrow::graph {

struct Graph;
struct Node;

using Shape = std::vector<std::int64_t>;

/// Elements as little-endian bytes, perhaps unaligned.
struct Constant {
  ElementType type = ElementType::F32;
  Shape shape = {};
  std::span<const std::byte> bytes = {};
  std::shared_ptr<const void> owner = {}; ///< Of the bytes.
  /// 4 of integers that were unpacked into bytes; 0: all bits count.
  unsigned narrowBits = 0;

  std::int64_t numElements() const;
  /// An element as a number, whatever the type.
  double numberAt(std::int64_t i) const;
  std::int64_t integerAt(std::int64_t i) const;
  /// All elements; meant for small tensors.
  std::vector<std::int64_t> integers() const;
  std::vector<double> numbers() const;

  /// Ones that own their bytes.
  static Constant ofBytes(ElementType type, Shape shape,
                          std::vector<std::byte> bytes);
  static Constant ofIntegers(Shape shape,
                             const std::vector<std::int64_t> &values);
  static Constant ofFloats(Shape shape, const std::vector<float> &values);
};

/// The real numbers, in float32, of a constant that a model stores in integers.
Constant realConstant(const Constant &stored, const Quantization &quantization);
/// The integers nearest to real numbers. Undoes realConstant for integers of up
/// to 16 bits.
Constant storedConstant(const Constant &real, const Quantization &quantization);
/// The integers that QuantizeLinear makes of real numbers: x / scale in float32
/// as ONNX has it, half to even, within the type.
Constant quantizedConstant(const Constant &real,
                           const Quantization &quantization);

/// What tells one quantization from another.
std::string quantizationText(const Quantization &quantization);

/// The product of the lengths; 0 and 1 included.
std::int64_t numElements(const Shape &shape);

/// That a tensor of IR has.
inline constexpr std::size_t kMostAxes = 8;

/// Up to 8 axes and 2^40 elements: what IR has.
bool isPossible(const Shape &shape);

struct Attribute {
  enum class Kind {
    Int,
    Float,
    String,
    Tensor,
    Graph,
    Ints,
    Floats,
    Strings,
    Other ///< Sparse tensors, types and lists of tensors or graphs.
  } kind = Kind::Other;
  std::int64_t integer = 0;
  float number = 0;
  std::string text = {};
  std::vector<std::int64_t> integers = {};
  std::vector<float> numbers = {};
  std::vector<std::string> texts = {};
  std::optional<Constant> tensor = {};
  std::shared_ptr<Graph> graph = {};

  static Attribute of(std::int64_t value);
  static Attribute of(float value);
  static Attribute of(std::string value);
  static Attribute of(std::vector<std::int64_t> values);
};

struct Tensor {
  std::string name;
  /// Null where it is not known yet, or one that Yarrow has not (isForeign).
  std::optional<ElementType> type = {};
  /// -1: a length that is not known; its symbol is in `symbols`.
  std::optional<Shape> shape = {};
  std::vector<std::string> symbols = {};
  /// What the file states of a tensor that a node writes. Nodes tell better;
  /// -1 in the shape is a length that is left open, no shape an unknown one.
  Shape declaredShape = {};
  std::optional<ElementType> declaredType = {};
  /// The type that the file states and nothing computes: "string".
  std::string foreignType = {};
  std::optional<Constant> constant = {};
  /// Of a model that is quantized already.
  std::optional<Quantization> quantization = {};

  void setType(ElementType t, Shape s) {
    type = t;
    shape = std::move(s);
  }
  bool isStatic() const;
};

struct Node {
  std::string op;               ///< "Conv"
  std::string domain;           ///< "" is ONNX's own.
  std::string name;             ///< As the file calls it; may be empty.
  std::int64_t version = 0;     ///< Of the operator set that it is written for.
  std::vector<Tensor *> inputs; ///< Null where one is left out.
  std::vector<Tensor *> outputs;
  std::map<std::string, Attribute, std::less<>> attributes = {};
  /// Whether it computes with channels last (Layout.h).
  bool channelsLast = false;

  Tensor *input(std::size_t i) const {
    return i < inputs.size() ? inputs[i] : nullptr;
  }
  Tensor *output(std::size_t i) const {
    return i < outputs.size() ? outputs[i] : nullptr;
  }
  const Attribute *attribute(std::string_view key) const;
  std::int64_t integer(std::string_view key, std::int64_t fallback) const;
  float number(std::string_view key, float fallback) const;
  std::string text(std::string_view key, std::string_view fallback) const;
  std::vector<std::int64_t> integers(std::string_view key) const;
  /// "node Conv_3", or by its first output: "node of tensor y".
  std::string describe() const;
};

/// An input and an output that belong together: the output is what the input is
/// in the next run.
struct State {
  Tensor *past = nullptr;  ///< One of the inputs.
  std::size_t output = 0;  ///< Which of the outputs: others may take its place.
  Tensor *first = nullptr; ///< A constant, before the first run; null: zeros.
  bool isGuessed = false;  ///< By its name (States.h).
};

struct Graph {
  std::string name;
  std::string file;                         ///< For messages.
  std::vector<std::unique_ptr<Node>> nodes; ///< In an order that computes.
  std::vector<Tensor *> inputs, outputs;
  std::vector<State> states;
  /// The file means the shapes that it states: one that the nodes compute
  /// otherwise is an error (StatedShapes.h).
  bool statesShapes = false;
  /// Stored results are the exact ones rounded once, half to even (ONNX);
  /// otherwise as TFLite's kernels round.
  bool roundsExactly = false;

  /// Tensors live as long as the graph; names of outer graphs are theirs.
  Tensor *addTensor(std::string tensorName);
  Node &addNode(std::string op, std::vector<Tensor *> inputs,
                std::vector<Tensor *> outputs);
  bool isOutput(const Tensor *tensor) const;
  /// The first tensor of that name; null if there is none.
  const Tensor *find(std::string_view tensorName) const;
  /// Keeps the tensors of a sub-graph whose nodes have moved here.
  void adopt(std::shared_ptr<Graph> inner) {
    adopted.push_back(std::move(inner));
  }

private:
  std::vector<std::unique_ptr<Tensor>> tensors;
  std::vector<std::shared_ptr<Graph>> adopted;
};

/// Which nodes read and which write each tensor, sub-graphs included; of a
/// graph as it is now.
struct Uses {
  explicit Uses(const Graph &graph);
  std::map<const Tensor *, Node *> writer;
  /// Of the graph's own nodes. A node that holds a sub-graph reads what that
  /// reads from outside.
  std::map<const Tensor *, std::vector<Node *>> readers;
  /// The only reader of a tensor that is no output; else null.
  Node *onlyReader(const Tensor *tensor) const;

private:
  const Graph &graph;
};

/// What a node reads: its inputs, and what its sub-graphs read from outside.
std::vector<Tensor *> readBy(const Node &node);

} // namespace yarrow::graph

#endif // YARROW_PARSER_GRAPH_IMPORTGRAPH_H
