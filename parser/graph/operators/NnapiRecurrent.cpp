//===- NnapiRecurrent.cpp - The LSTM of integers of NNAPI -----------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "parser/graph/OperatorTable.h"

using namespace yarrow;
using namespace yarrow::graph;
using namespace mlir;
using compass::DType;

/// Inputs x, h, c and what the attribute `parts` names.
LogicalResult graph::emitNnapiQuantizedLstm(NodeEmitter &n) {
  SmallVector<Value> operands;
  for (size_t i = 0; i < n.node.inputs.size(); ++i) {
    operands.push_back(n.plain(i));
    if (!operands.back())
      return failure();
  }
  std::vector<double> steps;
  for (float step : n.node.attribute("gate_steps")->numbers)
    steps.push_back(step);
  auto number = [&](const char *key) { return double(n.node.number(key, 0)); };
  SmallVector<Value> results =
      n.build.layers("StoredLSTM", operands,
                     {{"parts", n.node.attribute("parts")->texts},
                      {"gate_steps", steps},
                      {"hidden_step", number("hidden_step")},
                      {"hidden_zp", n.node.integer("hidden_zp", 0)},
                      {"cell_clip", number("cell_clip")},
                      {"projection_clip", number("projection_clip")}},
                     {DType::F32, DType::F32});
  if (!results[0] || failed(n.outPlain(0, results[0])))
    return failure();
  return n.outPlain(1, results[1]);
}
