//===- ImportOptions.h - Options of an import -------------------*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//   ImportOptions options;
//   options.shapes["x"] = {1, 3, 224, 224};
//   options.outputs = {"/classifier/Gemm"};
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_PARSER_GRAPH_IMPORTOPTIONS_H
#define YARROW_PARSER_GRAPH_IMPORTOPTIONS_H

#include "parser/graph/DetectionOptions.h"
#include "parser/graph/ImportGraph.h"
#include "parser/graph/ImportedTensor.h"
#include "parser/graph/Preprocess.h"
#include <functional>
#include <map>
#include <string>
#include <vector>

namespace yarrow::graph {

struct ImportOptions {
  std::string modelName = "model", modelDomain = "image_classification";
  /// Shapes of inputs whose lengths the model leaves open.
  std::map<std::string, Shape> shapes = {};
  /// The same of the inputs in their order, where names are not known.
  std::vector<Shape> shapesInOrder = {};
  /// Finds the shapes of the samples there are, in the order of the inputs:
  /// what is proposed for open lengths. Called only then.
  std::function<std::vector<Shape>()> sampleShapes = {};
  /// Inputs that are constants from here on.
  std::map<std::string, Constant> constants = {};
  /// The same of numbers, one for each of their elements or one for all.
  std::map<std::string, std::vector<double>> values = {};
  /// Inputs and outputs that the device keeps from run to run: "past=present",
  /// with a `*` in both for several, or "none". Empty: those that are called as
  /// exporters call them.
  std::vector<std::string> states = {};
  /// Nodes or tensors between which the network is imported; none: as it is.
  std::vector<std::string> inputs = {}, outputs = {};
  /// What a quantized model says of its integers is dropped: the network is the
  /// float one that it stands for (force_float_ir).
  bool inFloats = false;
  /// Weights that the model has not get values that depend on their names alone
  /// (of QNN, whose weights are in another file).
  bool makesUpWeights = false;
  /// Recognise layers that are spelled by several nodes (Fuse.h).
  bool fuses = true;
  /// Of loops whose number of rounds is not constant.
  std::int64_t mostTrips = 100;
  /// What is done to the input first, and to the outputs in the end.
  std::vector<PreprocessStep> preprocess = {};
  std::optional<DetectionOptions> detection = {};
  /// Gets the tensors of the main graph that are in the IR, in their order, if
  /// it is not null.
  std::vector<ImportedTensor> *names = nullptr;
};

} // namespace yarrow::graph

#endif // YARROW_PARSER_GRAPH_IMPORTOPTIONS_H
