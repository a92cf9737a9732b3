//===- LayerGraph.h - Whose results a layer may read ------------*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// The network as the provenance describes it: each layer with the tensors that
// it reads and computes. A command of a layer can read results of commands of
// the same layer, and of layers whose tensors the layer reads. A layer without
// a command (a reshape, a folded layer) passes on what it reads.
//
//   LayerGraph graph(executable);
//   if (!graph.mayRead(layer, writersLayer)) ...
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_PROVE_LAYERGRAPH_H
#define YARROW_PROVE_LAYERGRAPH_H

#include "runtime/Executable.h"
#include <set>
#include <vector>

namespace yarrow::prove {

class LayerGraph {
public:
  explicit LayerGraph(const runtime::Executable &executable);

  /// False if the file does not tell what layers read and make.
  bool isKnown() const { return known; }
  /// What \p writer has computed.
  bool mayRead(int64_t reader, int64_t writer) const;
  /// Whether values of its operands, or constants, may be its results.
  bool handsOn(int64_t layer) const {
    return !computes[size_t(layer)] || moves[size_t(layer)];
  }

private:
  std::vector<std::set<int64_t>> sources; ///< By layer.
  std::vector<bool> computes, moves;
  bool known = false;
};

} // namespace yarrow::prove

#endif // YARROW_PROVE_LAYERGRAPH_H
