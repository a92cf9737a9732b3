//===- OperatorReader.h - An operator of TFLite as nodes --------*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// The operators' functions use it to make nodes of the import graph. Operators
// that ONNX has become its nodes; operators that depend on the axis of channels
// become nodes of the domain tflite, which compute in the order of the file.
// Lengths are known only when layers are made: a function expresses
// computations on shapes as nodes.
//
//   bool readGelu(OperatorReader &r) {
//     r.result("Gelu", {r.input(0)}).attributes["approximate"] = ...;
//     return true;
//   }
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_PARSER_TFLITE_OPERATORREADER_H
#define YARROW_PARSER_TFLITE_OPERATORREADER_H

#include "parser/graph/NodeMaker.h"
#include "parser/tflite/OperatorTable.h"
#include "support/Diagnostics.h"

namespace yarrow::tflite {

struct ModelState;

inline constexpr const char *kDomain = "tflite";

class OperatorReader : public graph::NodeMaker {
public:
  using Tensor = graph::Tensor;

  OperatorReader(ModelState &model, graph::Graph &graph,
                 const OperatorEntry &entry, Options options,
                 Bytes customOptions, std::vector<Tensor *> inputs,
                 std::vector<Tensor *> outputs)
      : NodeMaker(graph, nameOf(entry, outputs)), model(model), entry(entry),
        options(options), customOptions(customOptions),
        inputs(std::move(inputs)), outputs(std::move(outputs)) {}

  ModelState &model;
  const OperatorEntry &entry;
  const Options options;
  const Bytes customOptions;             ///< Of a custom operator.
  std::vector<Tensor *> inputs, outputs; ///< Null where one is left out.
  std::vector<Tensor *> intermediates = {};

  bool has(std::size_t i) const { return i < inputs.size() && inputs[i]; }
  Tensor *input(std::size_t i) const { return has(i) ? inputs[i] : nullptr; }
  Tensor *output(std::size_t i) const {
    return i < outputs.size() ? outputs[i] : nullptr;
  }
  /// The number of axes that the file states.
  std::int64_t rank(std::size_t i) const {
    return std::int64_t(inputs[i]->declaredShape.size());
  }

  //===--- Nodes ---===//
  /// The node that writes output 0, the fused activation behind it.
  graph::Node &result(std::string op, std::vector<Tensor *> from);
  /// The same of the operator's own node of the domain tflite, with its
  /// options as attributes.
  graph::Node &tfliteResult(std::vector<Tensor *> from);
  /// The same of an operator that only moves what input \p source has: a result
  /// that is stored otherwise is behind a node Identity.
  graph::Node &movedResult(std::string op, std::vector<Tensor *> from,
                           std::size_t source = 0);

  //===--- Values ---===//
  /// The integers of a constant input, or of one that follows from ranks and
  /// shapes (KnownIntegers.h); reports others.
  std::optional<std::vector<std::int64_t>> integersOf(std::size_t i,
                                                      const char *what);
  /// One integer of a constant input.
  std::optional<std::int64_t> integerOf(std::size_t i, const char *what);
  /// The real numbers of a constant input in float32; null if it is none.
  std::optional<graph::Constant> realOf(std::size_t i) const;

  //===--- Problems ---===//
  Place place() const;
  bool refuse(const std::string &what, const std::string &found,
              const std::string &expected);
  bool bad(const std::string &what, const std::string &found,
           const std::string &expected);
  /// Whether there are so many inputs and outputs, the first \p least inputs
  /// and all outputs present.
  bool checkCounts(std::size_t least, std::size_t most,
                   std::size_t numOutputs = 1);

private:
  /// That of its first output.
  static std::string nameOf(const OperatorEntry &entry,
                            const std::vector<Tensor *> &outputs);
  /// What a main node writes so that the fused activation writes the output.
  Tensor *beforeActivation();
  void addActivation(Tensor *from);
};

} // namespace yarrow::tflite

#endif // YARROW_PARSER_TFLITE_OPERATORREADER_H
