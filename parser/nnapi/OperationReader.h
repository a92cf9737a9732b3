//===- OperationReader.h - An operation of NNAPI as nodes -------*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// The operations' functions use it to make nodes of the import graph. Inputs
// have the names of Operations.def, whatever the form of the operation. Lengths
// of all inputs are known; layers infer those of results, which are compared
// with the model's afterwards.
//
//   bool readElu(OperationReader &r) {
//     r.result(r.entry.node, {r.input("input")}).attributes["alpha"] =
//         Attribute::of(float(r.real("alpha", 1)));
//     return true;
//   }
//
// Tensors are real numbers or integers as in ImportGraph.h: a quantized operand
// is an F32 tensor with a Quantization; float16 is computed in float32.
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_PARSER_NNAPI_OPERATIONREADER_H
#define YARROW_PARSER_NNAPI_OPERATIONREADER_H

#include "parser/graph/NodeMaker.h"
#include "parser/nnapi/OperationTable.h"
#include "support/Diagnostics.h"

namespace yarrow::nnapi {

/// The domain of nodes that only NNAPI has.
inline constexpr const char *kDomain = "nnapi";
/// That of nodes which it shares with TFLite: channels are last there.
inline constexpr const char *kTfliteDomain = "tflite";

/// The lengths of a tensor in the graph: one of more axes than layers have
/// (graph::kMostAxes) is flat there, and only operations that say so (FLAT in
/// Operations.def) read it.
graph::Shape layerShape(std::span<const std::uint32_t> dims);

class OperationReader : public graph::NodeMaker {
public:
  using Tensor = graph::Tensor;

  OperationReader(graph::Graph &graph, std::string name, const NnModel &model,
                  const Operation &operation, const OperationEntry &entry,
                  FormMatch match, std::vector<Tensor *> inputs,
                  std::vector<Tensor *> outputs, DiagnosticEngine &diags)
      : NodeMaker(graph, std::move(name)), model(model), operation(operation),
        entry(entry), match(std::move(match)), inputs(std::move(inputs)),
        outputs(std::move(outputs)), diags(diags) {}

  const NnModel &model;
  const Operation &operation;
  const OperationEntry &entry;
  const FormMatch match;
  std::vector<Tensor *> inputs, outputs; ///< Null where one is left out.
  DiagnosticEngine &diags;
  /// Set by the function of an operation that is COUNTED: int32 [1].
  Tensor *count = nullptr;

  /// The place of an input among all; nullopt if the form has none of the name
  /// or it is left out.
  std::optional<std::size_t> indexOf(std::string_view input) const;
  bool has(std::string_view input) const { return indexOf(input).has_value(); }
  /// Null if it is left out.
  Tensor *input(std::string_view name) const;
  /// All of a list.
  std::vector<Tensor *> list(std::string_view name) const;
  /// The operand that an input is; it must be there.
  const Operand &operand(std::string_view input) const;
  const Operand &outputOperand(std::size_t i) const {
    return model.operands[operation.outputs[i]];
  }
  Tensor *output(std::size_t i) const {
    return i < outputs.size() ? outputs[i] : nullptr;
  }

  //===--- Values ---===//
  /// Those of scalars, or what the definition says where one is left out.
  std::int64_t scalar(std::string_view input, std::int64_t fallback = 0) const;
  double real(std::string_view input, double fallback = 0) const;
  bool flag(std::string_view input, bool fallback = false) const {
    return scalar(input, fallback) != 0;
  }
  /// The integers of a constant tensor; reports one that is not constant.
  std::optional<std::vector<std::int64_t>> integersOf(std::string_view input);
  /// The lengths of an input.
  std::vector<std::int64_t> dims(std::string_view input) const;
  std::int64_t rank(std::string_view input) const {
    return std::int64_t(operand(input).dims.size());
  }
  /// The axis that a scalar names, from the front; reports one that an input of
  /// \p rank axes does not have.
  std::optional<std::int64_t> axis(std::string_view input, std::int64_t rank,
                                   std::int64_t fallback = -1) {
    return fromFront(scalar(input, fallback), rank);
  }
  /// The axes that a constant tensor names, from the front, ascending, each
  /// once.
  std::optional<std::vector<std::int64_t>> axesOf(std::string_view input,
                                                  std::int64_t rank);
  /// A constant tensor's rows of [before, behind] for each axis of "input".
  std::optional<std::vector<std::int64_t>> padsOfAxes(std::string_view input);
  /// Whether T has 8 bits.
  bool isQuantized() const;

  //===--- Nodes ---===//
  /// The node that writes output 0, the fused activation behind it.
  graph::Node &result(std::string op, std::vector<Tensor *> from);
  /// The same of an operation that only moves what \p source has: a result that
  /// is stored otherwise is behind a node Identity.
  graph::Node &movedResult(std::string op, std::vector<Tensor *> from,
                           const Tensor *source);

  //===--- Problems ---===//
  Place place() const;
  /// A form that is not imported.
  bool refuse(const std::string &what, const std::string &found,
              const std::string &expected);
  /// What is no operation of the definition.
  bool bad(const std::string &what, const std::string &found,
           const std::string &expected);

private:
  std::optional<std::int64_t> fromFront(std::int64_t axis, std::int64_t rank);
  /// What the main node writes so that the activation writes the output.
  Tensor *beforeActivation();
  void addActivation(Tensor *from);
};

} // namespace yarrow::nnapi

#endif // YARROW_PARSER_NNAPI_OPERATIONREADER_H
