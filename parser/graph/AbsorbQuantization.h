//===- AbsorbQuantization.h - QDQ nodes as stored tensors -------*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// A model that is already quantized has nodes for it: QuantizeLinear makes
// integers, DequantizeLinear converts them back to numbers. Here the integers
// in between become one tensor of real numbers that records how it is stored
// (Quantization.h), and constants before a DequantizeLinear keep their own
// bytes:
//
//   Conv -> x -> QuantizeLinear -> q -> DequantizeLinear -> d -> MaxPool
//   Conv -> q -> MaxPool                      // q is stored in 8 bits
//
//   absorbQuantization(graph);
//   for (auto &[node, why] : leftInFloats(graph)) ...
//
// A graph input of integers before a DequantizeLinear, and an output after a
// QuantizeLinear, become stored tensors. An Identity node stands for a change
// of storage: a QuantizeLinear after an input, or between a DequantizeLinear
// and another QuantizeLinear.
//
// Uncertain nodes stay and compute in floats: a node whose scale is not
// constant, integers that another node reads.
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
