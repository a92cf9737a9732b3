//===- AbsorbQuantization.h - QDQ nodes as stored tensors -------*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// A model that is quantized already says so by nodes: QuantizeLinear makes
// integers, DequantizeLinear makes numbers of them again. Here the integers in
// between become one tensor of real numbers that says how it is stored
// (Quantization.h), and constants behind a DequantizeLinear keep their own
// bytes:
//
//   Conv -> x -> QuantizeLinear -> q -> DequantizeLinear -> d -> MaxPool
//   Conv -> q -> MaxPool                      // q is stored in 8 bits
//
//   absorbQuantization(graph);
//   for (auto &[node, why] : leftInFloats(graph)) ...
//
// An input of the graph that is integers before a DequantizeLinear, and an
// output behind a QuantizeLinear, become stored ones. Numbers that are stored
// in another way than their writer says (a QuantizeLinear behind an input, or
// between a DequantizeLinear and another) are behind a node Identity.
//
// What is not certain stays: a node whose scale is not constant, integers that
// something else reads. Those nodes compute as they say, in floats.
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_PARSER_GRAPH_ABSORBQUANTIZATION_H
#define YARROW_PARSER_GRAPH_ABSORBQUANTIZATION_H

#include "parser/graph/ImportGraph.h"

namespace yarrow::graph {

/// In \p graph and its sub-graphs, whose own inputs and outputs stay real.
void absorbQuantization(Graph &graph);

/// A node that makes or reads integers by arithmetic, and why.
struct LeftInFloats {
  const Node *node;
  std::string why;
};
std::vector<LeftInFloats> leftInFloats(const Graph &graph);

/// Takes from all tensors that nodes write, and from inputs, how they are
/// stored: the network is the float one that it stands for.
void forgetStored(Graph &graph);

} // namespace yarrow::graph

#endif // YARROW_PARSER_GRAPH_ABSORBQUANTIZATION_H
