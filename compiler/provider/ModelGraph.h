//===- ModelGraph.h - An ONNX model that can be cut -------------*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// The nodes of an ONNX model by the tensors that they read and write, as views
// of its bytes, and models of some of these nodes. Nothing here knows an
// operator: whether Yarrow takes a node is the importer's answer.
//
//   auto graph = ModelGraph::read(file, diags);
//   CutModel cut = graph->cut({0, 1, 4});
//   session::load({.path = "part", .bytes = cut.bytes}, call);
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_COMPILER_PROVIDER_MODELGRAPH_H
#define YARROW_COMPILER_PROVIDER_MODELGRAPH_H

#include "parser/onnx/Model.h"
#include "support/Diagnostics.h"
#include "support/MappedFile.h"

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace yarrow::provider {

using Lengths = std::vector<std::int64_t>;

/// What a model states of a tensor.
struct TensorFacts {
  std::int64_t elementType = 0; ///< Of ONNX's TensorProto; 0: not known.
  bool hasShape = false;
  Lengths lengths;                  ///< -1 where it is open.
  std::vector<std::string> symbols; ///< As many.

  bool isStatic() const;
};

struct ModelNode {
  onnx::Bytes bytes = {};
  /// That of the model, if no other node has it; else one made of the operator.
  std::string name;
  std::string op, domain;
  std::vector<std::string> reads; ///< By its sub-graphs, too.
  std::vector<std::string> writes;
  std::size_t position = 0; ///< In the file.
  /// Operators and domains of its sub-graphs.
  std::set<std::pair<std::string, std::string>> inner = {};

  std::string describe() const;
};

/// A model of some nodes of another.
struct CutModel {
  std::string bytes;
  std::vector<std::string> inputs, outputs;
};

/// Lengths by tensor, in the place of those that a model states.
using GivenLengths = std::map<std::string, Lengths, std::less<>>;

class ModelGraph {
public:
  /// Null after errors.
  static std::unique_ptr<ModelGraph>
  read(std::shared_ptr<const MappedFile> file, DiagnosticEngine &diags);

  const std::string &path() const { return file->path(); }
  /// In an order that computes.
  const std::vector<ModelNode> &nodes() const { return nodeList; }
  const std::vector<std::string> &inputs() const { return inputList; }
  bool isOutput(const std::string &tensor) const {
    return outputSet.contains(tensor);
  }
  bool isConstant(const std::string &tensor) const {
    return constants.contains(tensor);
  }
  /// The node that writes a tensor; -1: none does.
  std::int64_t writerOf(const std::string &tensor) const;
  /// The nodes that read it.
  std::span<const std::size_t> readersOf(const std::string &tensor) const;
  /// All nodes that \p tensors are computed by, ascending.
  std::vector<std::size_t>
  nodesBefore(const std::set<std::string> &tensors) const;
  /// Null if nothing is known.
  const TensorFacts *factsOf(const std::string &tensor) const;
  /// For tensors of which the model states nothing.
  void learn(const std::string &tensor, TensorFacts facts);
  /// For an input whose lengths the model leaves open.
  void setLengths(const std::string &input, Lengths lengths);
  /// The elements of a constant as the model stores them; empty of one that
  /// has them in another form than raw bytes.
  std::string_view rawConstant(const std::string &tensor) const;

  /// \p part in ascending order.
  CutModel cut(std::span<const std::size_t> part,
               const GivenLengths &given = {}) const;

private:
  ModelGraph() = default;
  bool readGraph(DiagnosticEngine &diags);
  bool readNodes(const onnx::GraphParts &graph, DiagnosticEngine &diags);
  bool readTensors(const onnx::GraphParts &graph, DiagnosticEngine &diags);
  bool sortNodes(DiagnosticEngine &diags);
  void indexNodes();
  void nameNodes();
  bool malformed(DiagnosticEngine &diags, const char *why) const;

  std::shared_ptr<const MappedFile> file;
  onnx::ModelParts model;
  std::vector<ModelNode> nodeList;
  std::vector<std::string> inputList, outputList;
  std::set<std::string, std::less<>> outputSet;
  std::map<std::string, onnx::Bytes, std::less<>> constants;
  std::map<std::string, TensorFacts, std::less<>> facts;
  std::map<std::string, std::size_t, std::less<>> writers;
  std::map<std::string, std::vector<std::size_t>, std::less<>> readers;
};

} // namespace yarrow::provider

#endif // YARROW_COMPILER_PROVIDER_MODELGRAPH_H
