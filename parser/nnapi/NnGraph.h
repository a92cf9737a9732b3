//===- NnGraph.h - A model of NNAPI as an import graph ----------*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// Each operand becomes a tensor, each operation the nodes that its function
// makes (OperationTable.h). Tensors of float16 in the model are float32 in the
// graph, inputs and outputs too: the caller of a run converts them.
//
//   auto graph = readNnModel(model, diags);
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_PARSER_NNAPI_NNGRAPH_H
#define YARROW_PARSER_NNAPI_NNGRAPH_H

#include "parser/graph/ImportGraph.h"
#include "parser/nnapi/NnModel.h"
#include "support/Diagnostics.h"

namespace yarrow::nnapi {

/// The inputs and outputs of the graph are the model's, in their order; of a
/// model that ends with an operation of counted results (hasCountedResults())
/// the last output is the count. No other operation of it is one. Lengths of
/// all inputs are known, operands exist and are written before they are read;
/// IF and WHILE are not in it. Null after errors, all of them told.
std::unique_ptr<graph::Graph> readNnModel(const NnModel &model,
                                          DiagnosticEngine &diags);

} // namespace yarrow::nnapi

#endif // YARROW_PARSER_NNAPI_NNGRAPH_H
