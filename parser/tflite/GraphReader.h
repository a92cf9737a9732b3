//===- GraphReader.h - Sub-graphs of a TFLite model -------------*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// Reads one sub-graph into an import graph: the main one, a branch, the body of
// a loop, or one that is inlined where it is called. Its arguments are tensors
// of the caller, which its nodes read directly.
//
//   GraphReader reader(model, graph);
//   auto outputs = reader.read(0, nullptr);
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_PARSER_TFLITE_GRAPHREADER_H
#define YARROW_PARSER_TFLITE_GRAPHREADER_H

#include "parser/tflite/ModelState.h"
#include "parser/tflite/OperatorTable.h"

namespace yarrow::tflite {

class GraphReader {
public:
  GraphReader(ModelState &model, graph::Graph &graph)
      : model(model), graph(graph) {}

  /// The outputs of sub-graph \p index called with \p given; null: its inputs
  /// become those of the graph. Null after errors, which are reported.
  std::optional<std::vector<graph::Tensor *>>
  read(std::size_t index, const std::vector<graph::Tensor *> *given);

  ModelState &model;

private:
  bool open(std::size_t index);
  bool bindInputs(const std::vector<graph::Tensor *> *given);
  void readOperator(const OperatorParts &op);
  void refuse(const CodeParts &code, const OperatorEntry *entry,
              const std::string &where, std::vector<graph::Tensor *> inputs,
              std::vector<graph::Tensor *> outputs);
  void countDynamic(const std::vector<graph::Tensor *> &inputs);
  /// Null of -1, and after reporting a number that is none.
  graph::Tensor *tensorAt(std::int32_t index, const std::string &where);
  std::vector<graph::Tensor *> tensorsAt(const FlatList<std::int32_t> &list,
                                         const std::string &where);
  bool checkReads(const std::vector<graph::Tensor *> &inputs,
                  const OperatorEntry &entry, const std::string &where);
  void markWritten(graph::Tensor *tensor, const std::string &where);
  Place at(const std::string &where) const { return {model.path + where}; }

  graph::Graph &graph;
  std::optional<GraphParts> parts;
  std::vector<graph::Tensor *> tensors; ///< Those that were asked for.
  std::set<const graph::Tensor *> written, states;
};

} // namespace yarrow::tflite

#endif // YARROW_PARSER_TFLITE_GRAPHREADER_H
