//===- Execution.h - What one execution of a network computed ---*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// Results of layers by name, in the order of the network, from whatever
// computed them: an IR on the host, an executable, a recording. Two executions
// that should agree are compared result by result, and the first that differs
// is where to look.
//
//   std::optional<ResultDifference> d = firstDifference(expected, found, 0);
//   if (d)
//     os << d->found->layer << " differs from element " << d->element;
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_COMPILER_BISECT_EXECUTION_H
#define YARROW_COMPILER_BISECT_EXECUTION_H

#include "compiler/eval/StoredDifference.h"

#include <optional>
#include <string>
#include <vector>

namespace yarrow {

struct LayerResult {
  std::string name; ///< Of the tensor.
  std::string layer, layerType;
  std::string place; ///< "net_o.txt:12"; empty if that is not known.
  std::string type;  ///< "uint8", "float32", ...
  std::vector<int64_t> shape;
  NpyType npyType = NpyType::Int8;
  bool isBfloat = false;
  /// As stored; none if the execution stopped before the layer was done.
  std::optional<std::vector<char>> bytes;

  StoredValues values() const {
    return {npyType, std::as_bytes(std::span(*bytes)), isBfloat};
  }
};

struct Execution {
  std::vector<LayerResult> results; ///< In the order of the network.
  /// Why it did not come to its end; empty if it did.
  std::string stop;

  const LayerResult *find(const std::string &name) const;
};

/// A result that is in both executions and is not the same in them.
struct ResultDifference {
  const LayerResult *expected, *found;
  std::size_t element = 0; ///< The first that differs.
  StoredDifference values;
};

/// The first result of \p found that differs from the one of its name, in the
/// order of \p found: by any byte, of floats by more than \p mostFloats. What
/// has another type or number of elements is no counterpart. \p compared counts
/// the pairs that were looked at.
std::optional<ResultDifference>
firstDifference(const Execution &expected, const Execution &found,
                double mostFloats, std::size_t *compared = nullptr);

/// An element as a number, as stored: "-3", "0.25".
std::string elementText(const LayerResult &result, std::size_t element);

} // namespace yarrow

#endif // YARROW_COMPILER_BISECT_EXECUTION_H
