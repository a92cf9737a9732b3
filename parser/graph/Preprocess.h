//===- Preprocess.h - Layers before a network -------------------*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// Preparation of images as nodes before the network: the executable then takes
// images as a camera gives them.
//
//   PreprocessStep step{PreprocessStep::Resize, "RESIZE"};
//   step.shape = {1, 3, 448, 448};
//   addPreprocessing(*graph, {step}, diags); // the input has this shape now
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_PARSER_GRAPH_PREPROCESS_H
#define YARROW_PARSER_GRAPH_PREPROCESS_H

#include "parser/graph/ImportGraph.h"
#include "support/Diagnostics.h"

namespace yarrow::graph {

struct PreprocessStep {
  enum Kind { Resize, SwapChannels, Gray } kind;
  std::string name; ///< As the user calls it; of its layers, in lower case.
  /// Resize: how pixels are read, and the shape of the pictures.
  bool isNearest = false;
  Shape shape = {};
  /// Gray: what red, green and blue count, in the order of the channels.
  std::vector<float> weights = {};
};

/// Puts \p steps, the first to be done first, in front of the only input of
/// \p graph, whose shape is known. False after errors.
bool addPreprocessing(Graph &graph, const std::vector<PreprocessStep> &steps,
                      DiagnosticEngine &diags);

} // namespace yarrow::graph

#endif // YARROW_PARSER_GRAPH_PREPROCESS_H
