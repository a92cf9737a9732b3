//===- ImportedTensor.h - Where a model's tensors have gone -----*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// Names of tensors change on the way into an IR, and some tensors vanish in
// fusions. An import reports the new names of those that are left:
//
//   std::vector<ImportedTensor> names;
//   options.names = &names; // ImportOptions.h
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_PARSER_GRAPH_IMPORTEDTENSOR_H
#define YARROW_PARSER_GRAPH_IMPORTEDTENSOR_H

#include "support/ElementType.h"

#include <optional>
#include <string>

namespace yarrow::graph {

/// Where a tensor of the model is in the IR.
struct ImportedTensor {
  std::string name, node;      ///< In the model; no node: an input.
  std::string tensor, layer;   ///< In the IR.
  bool isChannelsLast = false; ///< Its axes are not in the model's order.
  /// In the model: the IR has no 64 bits, for example.
  std::optional<ElementType> type = {};
};

} // namespace yarrow::graph

#endif // YARROW_PARSER_GRAPH_IMPORTEDTENSOR_H
