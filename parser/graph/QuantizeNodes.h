//===- QuantizeNodes.h - What QuantizeLinear says about integers ----------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// In ONNX, nodes that store and load a tensor say how it is stored. This finds
// what one of these nodes says, if it is known when the network is imported.
//
//   Uses uses(graph);
//   StoredForm form = storedForm(*quantizeLinear, uses);
//   if (form.quantization) ... else ... form.why ...
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_PARSER_GRAPH_QUANTIZENODES_H
#define YARROW_PARSER_GRAPH_QUANTIZENODES_H

#include "parser/graph/ImportGraph.h"

namespace yarrow::graph {

bool isQuantize(const Node &node);
bool isDequantize(const Node &node);

/// How the integers that a node makes or reads mean numbers.
struct StoredForm {
  std::optional<Quantization> quantization = {};
  std::string why = {}; ///< There is none.
};

/// Of a QuantizeLinear or DequantizeLinear node. Constants that other nodes
/// pass on, or multiply, count as constants. \p known: the type of integers
/// that are read, for a node that does not say it.
StoredForm storedForm(const Node &node, const Uses &uses,
                      std::optional<ElementType> known = std::nullopt);

} // namespace yarrow::graph

#endif // YARROW_PARSER_GRAPH_QUANTIZENODES_H
