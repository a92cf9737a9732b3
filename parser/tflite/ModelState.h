//===- ModelState.h - Shared state of reading a TFLite model ----*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// The state that the sub-graphs of one model share while it is read: the file,
// the tables of the model, values of variables, and counts for the warnings at
// the end.
//
//   ModelState model("net.tflite", file, mapped, diags);
//   if (!file.error()) GraphReader(model, graph).read(0, nullptr);
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_PARSER_TFLITE_MODELSTATE_H
#define YARROW_PARSER_TFLITE_MODELSTATE_H

#include "parser/tflite/TensorReader.h"
#include <map>
#include <set>

namespace yarrow::tflite {

/// What a resource variable is while the model is read.
struct Variable {
  graph::Tensor *first = nullptr; ///< CALL_ONCE assigns it.
  graph::Tensor *past = nullptr;  ///< What a run reads before it assigns it.
  graph::Tensor *now = nullptr;   ///< What a run has assigned.
};

struct ModelState {
  ModelState(const std::string &path, FlatFile &file,
             std::shared_ptr<const void> owner, DiagnosticEngine &diags)
      : path(path), diags(diags), file(file), parts(file.root("TFL3")),
        tensors(path, file, parts.buffers, std::move(owner), diags) {}

  std::string path;
  DiagnosticEngine &diags;
  FlatFile &file;
  ModelParts parts;
  TensorReader tensors;

  /// Of a quantized model the float network that it stands for is wanted.
  bool inFloats = false;
  std::vector<std::size_t> open; ///< Sub-graphs that are being read.
  std::size_t numOperators = 0;
  /// Operators with integer weights and float tensors.
  unsigned numDynamic = 0;
  /// Operators that keep a state which starts anew at every run.
  unsigned numStates = 0;
  /// Whether variable tensors of LSTM and SVDF are state.
  bool keepsVariables = false;
  /// Of those, what a run reads and what it leaves.
  std::vector<std::pair<graph::Tensor *, graph::Tensor *>> kept;
  std::set<const graph::Tensor *> dequantized; ///< Weights, by the model.
  /// Whether the sub-graph is called once, before all others.
  bool isFirstCall = false;
  std::map<const graph::Tensor *, std::string> handles; ///< Of variables.
  std::map<std::string, Variable> variables;            ///< By name.
  /// Variables that a run assigns: they are state.
  std::set<std::string> assigned;
};

} // namespace yarrow::tflite

#endif // YARROW_PARSER_TFLITE_MODELSTATE_H
