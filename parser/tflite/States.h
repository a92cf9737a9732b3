//===- States.h - Variables of a TFLite model as state ----------*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// A resource variable that a run assigns is state: the first value that a run
// reads is an input of the graph, the last value that it assigns an output, and
// the constant that CALL_ONCE assigns the first state.
//
//   findAssigned(graph, model);      // before the operators are read
//   joinVariables(*graph, model);    // after them and the outputs
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_PARSER_TFLITE_STATES_H
#define YARROW_PARSER_TFLITE_STATES_H

#include "parser/tflite/ModelState.h"

namespace yarrow::tflite {

/// Of the options of a VAR_HANDLE.
std::string variableName(const Options &options);

/// Notes the variables that the main graph assigns.
void findAssigned(const GraphParts &main, ModelState &model);

/// The variable tensor \p input of an operator that keeps it as state, as what
/// a run reads, and what the operator is to write: none, and null, if variable
/// tensors start anew.
struct KeptTensor {
  graph::Tensor *past = nullptr, *present = nullptr;
};
class OperatorReader;
KeptTensor keepVariable(OperatorReader &r, std::size_t input,
                        const std::string &what);

/// Adds an input, an output and a state for each of them, and for each variable
/// tensor that is kept. False after errors.
bool joinVariables(graph::Graph &graph, ModelState &model);

} // namespace yarrow::tflite

#endif // YARROW_PARSER_TFLITE_STATES_H
