//===- GraphReader.h - The graph of an ONNX model ---------------*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// Tensors, nodes with their attributes and sub-graphs, and calls of the model's
// functions, which are replaced by the functions' nodes. One file each:
// GraphReader.cpp, ReadAttributes.cpp, InlineFunctions.cpp.
//
//   GraphReader reader(path, file, diags);
//   std::unique_ptr<graph::Graph> graph = reader.read(model);
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_PARSER_ONNX_GRAPHREADER_H
#define YARROW_PARSER_ONNX_GRAPHREADER_H

#include "parser/graph/ImportGraph.h"
#include "parser/onnx/Model.h"
#include "parser/onnx/TensorReader.h"
#include "support/Diagnostics.h"
#include "support/diagnostics/Import.h"

#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace yarrow::onnx {

/// Graphs within graphs, and functions that call functions.
inline constexpr unsigned kMostDepth = 64;

/// Names that nodes of one graph, or of one call of a function, may use.
struct Scope {
  Scope *outer = nullptr; ///< Of a sub-graph; a function sees only its own.
  std::map<std::string, graph::Tensor *, std::less<>> names = {};
  /// Tensors that some node here will write.
  std::set<const graph::Tensor *> written = {};
  std::string prefix = {}; ///< Of names in an inlined function.
  /// Of an inlined function: what its attribute references stand for.
  const std::map<std::string, graph::Attribute, std::less<>> *bindings =
      nullptr;
  const OperatorSets *sets = nullptr;
  unsigned depth = 0;

  graph::Tensor *find(std::string_view name) const {
    for (const Scope *s = this; s; s = s->outer)
      if (auto it = s->names.find(name); it != s->names.end())
        return it->second;
    return nullptr;
  }
  /// Whether it is an input of a function that the call leaves out.
  bool isLeftOut(std::string_view name) const {
    for (const Scope *s = this; s; s = s->outer)
      if (auto it = s->names.find(name); it != s->names.end())
        return !it->second;
    return false;
  }
};

class GraphReader {
public:
  GraphReader(std::string path, std::shared_ptr<const void> owner,
              DiagnosticEngine &diags)
      : path(std::move(path)), diags(diags),
        tensors(this->path, std::move(owner), diags) {}

  /// The main graph. What is wrong is reported.
  std::unique_ptr<graph::Graph> read(const ModelParts &model);
  /// Of a message with the name \p what; false after OnnxMalformed.
  template <typename Parts>
  bool parts(Bytes bytes, Parts &out, const std::string &what) {
    const char *why = parse(bytes, out);
    if (!why)
      return true;
    diags.report(diag::OnnxMalformed, {path}, what + " is damaged").found(why);
    return false;
  }

private:
  Place at(const graph::Node &node) const {
    return {path + ": " + node.describe()};
  }
  Place at(const std::string &where) const { return {path + ": " + where}; }

  void readFunctions(const ModelParts &model);
  void readGraph(Bytes bytes, graph::Graph &graph, Scope &scope, bool isMain);
  void readInputs(const GraphParts &g, graph::Graph &graph, Scope &scope,
                  bool isMain);
  void readValue(Bytes bytes, graph::Tensor &tensor);
  void readStated(const std::vector<Bytes> &values, const Scope &scope);
  void checkListed(Bytes bytes, const graph::Tensor &constant);
  graph::Tensor *declare(std::string_view name, graph::Graph &graph,
                         Scope &scope, const std::string &where);
  void readNodes(const std::vector<Bytes> &nodes, graph::Graph &graph,
                 Scope &scope);
  void readNode(const NodeParts &parts, graph::Graph &graph, Scope &scope);
  void readAttributes(const NodeParts &parts, graph::Node &node, Scope &scope);
  bool checkAttribute(const AttributeParts &parts, const graph::Node &node,
                      std::set<std::string_view> &names);
  std::optional<graph::Attribute> attributeOf(const AttributeParts &parts,
                                              Scope &scope,
                                              const graph::Node &node);
  void inlineCall(const NodeParts &parts, const FunctionParts &function,
                  graph::Node &call, graph::Graph &graph, Scope &scope);
  const FunctionParts *findFunction(const NodeParts &node) const;

  std::string path;
  DiagnosticEngine &diags;
  TensorReader tensors;
  std::vector<FunctionParts> functions;
  std::vector<const FunctionParts *> calls; ///< That are being inlined.
  std::size_t numNodes = 0;
  bool gaveUp = false; ///< Too many nodes.
};

} // namespace yarrow::onnx

#endif // YARROW_PARSER_ONNX_GRAPHREADER_H
