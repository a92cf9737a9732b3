//===- Comparison.h - A network's tensors against recorded ones -*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// What yarrow eval --reference finds: for each recorded array how its tensor
// differs, in the order in which the tensors are computed, so that the first
// that differs is where to look.
//
//   Comparison comparison(tensors, *readReferences(...));
//   comparison.add(run, t, bytes);          // for every wanted tensor t
//   os << comparison.text(80);
//   comparison.checkWorst(1, diags);
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_COMPILER_EVAL_COMPARISON_H
#define YARROW_COMPILER_EVAL_COMPARISON_H

#include "compiler/eval/References.h"

#include <nlohmann/json_fwd.hpp>

namespace yarrow {

class Comparison {
public:
  /// \p recorded as readReferences() has it.
  Comparison(const std::vector<NetworkTensor> &tensors,
             std::vector<Recorded> recorded);

  /// Whether any array belongs to the tensor.
  bool wants(std::size_t tensor) const { return isWanted[tensor]; }
  /// The values that a run gave the tensor.
  void add(std::size_t run, std::size_t tensor,
           std::span<const std::byte> bytes);

  /// ReferenceDiffers for each tensor with a difference above \p most.
  void checkWorst(double most, DiagnosticEngine &diags) const;
  /// A table of all, and a sentence on the first that differs.
  std::string text(std::size_t width) const;
  nlohmann::ordered_json json() const;

private:
  struct Entry {
    Recorded recorded;
    StoredDifference difference;
  };
  const Entry *firstDifferent() const;
  std::string placeText(const Entry &entry) const;

  const std::vector<NetworkTensor> &tensors;
  std::vector<Entry> entries; ///< In the order of the tensors.
  std::vector<bool> isWanted; ///< By tensor.
};

} // namespace yarrow

#endif // YARROW_COMPILER_EVAL_COMPARISON_H
