//===- Contrib.h - Operators of com.microsoft by ONNX's own -----*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// Operators that ONNX Runtime adds to ONNX's: those that ONNX adopted later,
// and those that stand for several nodes. Others are imported as they are.
//
//   splitContrib(graph, *node, nodes); // FusedConv: a Conv goes to nodes, the
//                                      // node becomes its activation
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_PARSER_ONNX_CONTRIB_H
#define YARROW_PARSER_ONNX_CONTRIB_H

#include "parser/graph/ImportGraph.h"
#include <memory>
#include <vector>

namespace yarrow::onnx {

/// \p node, of com.microsoft, becomes the last of the nodes that it stands for;
/// the others are added to \p before.
void splitContrib(graph::Graph &graph, graph::Node &node,
                  std::vector<std::unique_ptr<graph::Node>> &before);

/// QLinearConv, QLinearMatMul and their kind as the same in floats.
void splitQuantized(graph::Graph &graph, graph::Node &node,
                    std::vector<std::unique_ptr<graph::Node>> &before);

} // namespace yarrow::onnx

#endif // YARROW_PARSER_ONNX_CONTRIB_H
