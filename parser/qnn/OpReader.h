//===- OpReader.h - An operator of QNN as nodes -----------------*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// The operators' functions use it to make nodes of the import graph.
// CheckNode.h has already compared the node with its record: mandatory inputs
// and parameters exist, with types, lengths and values within their bounds, and
// a parameter that the file leaves out has its default. Lengths of all tensors
// are known; those of results are compared with the layers' (QnnGraph.h).
//
//   bool readElu(OpReader &r) {
//     r.result("Elu", {r.input(0)}).attributes["alpha"] =
//         Attribute::of(float(r.real("alpha")));
//     return true;
//   }
//
// Tensors are real numbers or integers as in ImportGraph.h: fixed point is F32
// with a Quantization; float16 and float64 are computed in float32.
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_PARSER_QNN_OPREADER_H
#define YARROW_PARSER_QNN_OPREADER_H

#include "parser/graph/NodeMaker.h"
#include "parser/qnn/OpTable.h"
#include "support/Diagnostics.h"

namespace yarrow::qnn {

/// The domain of nodes that only QNN has, and those of nodes that it shares:
/// channels are last in both.
inline constexpr const char *kDomain = "qnn";
inline constexpr const char *kNnapiDomain = "nnapi";
inline constexpr const char *kTfliteDomain = "tflite";

class OpReader : public graph::NodeMaker {
public:
  using Tensor = graph::Tensor;

  OpReader(graph::Graph &graph, const QnnModel &model, const QnnNode &node,
           const OpEntry &entry, std::vector<Tensor *> inputs,
           std::vector<Tensor *> outputs, DiagnosticEngine &diags);

  const QnnModel &model;
  const QnnNode &node;
  const OpEntry &entry;
  std::vector<Tensor *> inputs, outputs; ///< Null where one is left out.
  DiagnosticEngine &diags;

  bool has(std::size_t i) const { return i < inputs.size() && inputs[i]; }
  Tensor *input(std::size_t i) const { return has(i) ? inputs[i] : nullptr; }
  Tensor *output(std::size_t i) const {
    return i < outputs.size() ? outputs[i] : nullptr;
  }
  /// What the file says of one that is there.
  const QnnTensor &inputOf(std::size_t i) const {
    return *model.find(node.inputs[i]);
  }
  const QnnTensor &outputOf(std::size_t i) const {
    return *model.find(node.outputs[i]);
  }
  const std::vector<std::int64_t> &dims(std::size_t i) const {
    return inputOf(i).dims;
  }
  const std::vector<std::int64_t> &outputDims(std::size_t i = 0) const {
    return outputOf(i).dims;
  }
  std::int64_t rank(std::size_t i) const {
    return std::int64_t(dims(i).size());
  }
  /// Whether an input is of fixed point.
  bool isFixed(std::size_t i) const { return inputOf(i).entry().isFixed(); }

  //===--- Parameters ---===//
  /// Whether the file states one.
  bool states(std::string_view param) const { return node.param(param); }
  /// The value that the file states, or the default; \p fallback where the
  /// record has none.
  std::int64_t scalar(std::string_view param, std::int64_t fallback = 0) const;
  double real(std::string_view param, double fallback = 0) const;
  bool flag(std::string_view param) const { return scalar(param) != 0; }
  /// The elements of a tensor, row by row.
  std::vector<std::int64_t> integers(std::string_view param) const;
  std::vector<double> reals(std::string_view param) const;
  /// The integers of a constant input; reports one that is not constant.
  std::optional<std::vector<std::int64_t>> integersOf(std::size_t i);

  //===--- Nodes ---===//
  using NodeMaker::integers;
  /// The node that writes the outputs.
  graph::Node &result(std::string op, std::vector<Tensor *> from);
  /// The same of the domain \p domain.
  graph::Node &resultOf(const char *domain, std::string op,
                        std::vector<Tensor *> from);
  /// The same of an operator that only moves what \p source has.
  graph::Node &movedResult(std::string op, std::vector<Tensor *> from,
                           const Tensor *source);
  /// \p x with the lengths \p dims, stored as it is.
  Tensor *reshaped(Tensor *x, const std::vector<std::int64_t> &dims,
                   const std::string &what);
  /// A node Reshape from \p x to output \p i.
  void reshapeTo(Tensor *x, std::size_t i);

  //===--- Problems ---===//
  /// A form that is not imported.
  bool refuse(const std::string &what, const std::string &found,
              const std::string &expected);
  /// What is no node of the definition.
  bool bad(const std::string &what, const std::string &found,
           const std::string &expected);

private:
  std::vector<double> valuesOf(std::string_view param) const;
};

/// A static tensor as the graph has constants; float16 and float64 as float32.
graph::Constant constantOf(const QnnTensor &tensor);

} // namespace yarrow::qnn

#endif // YARROW_PARSER_QNN_OPREADER_H
