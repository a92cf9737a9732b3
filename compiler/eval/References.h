//===- References.h - Recorded values of tensors ----------------*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// --reference: arrays of .npz files that have the names of tensors, each with
// the values of some runs, the first one's and those after it. An array is
// taken if it has the tensor's element type (of floats any) and one of these
// shapes, where B is the tensor's first axis and R the number of runs:
//
//   the tensor's shape itself          the first run
//   [R * B, ...the other axes]         R runs
//   [R, ...all axes of the tensor]     R runs
//
// With the name that an imported model has for the tensor, its axes are in the
// model's order. Everything else is an error, before anything is computed.
//
//   auto recorded = readReferences({"ref.npz"}, tensors, runs, diags);
//   (*recorded)[0].tensor; (*recorded)[0].valuesOf(run);
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_COMPILER_EVAL_REFERENCES_H
#define YARROW_COMPILER_EVAL_REFERENCES_H

#include "compiler/eval/NetworkTensors.h"
#include "compiler/eval/StoredDifference.h"

namespace yarrow {

/// An array of a reference, and the tensor that it belongs to.
struct Recorded {
  std::size_t tensor = 0;
  NpyView array;
  std::string name; ///< As the array has it.
  std::size_t runs = 1;
  /// Its channels are before the other axes, the tensor's behind them.
  bool isChannelsFirst = false;

  /// The values of a run in the tensor's order. \p buffer keeps them where
  /// they are reordered.
  StoredValues valuesOf(std::size_t run, const NetworkTensor &tensor,
                        std::vector<std::byte> &buffer) const;
};

/// In the order of the tensors. nullopt after errors.
std::optional<std::vector<Recorded>>
readReferences(const std::vector<std::string> &paths,
               const std::vector<NetworkTensor> &tensors, std::size_t runs,
               DiagnosticEngine &diags);

} // namespace yarrow

#endif // YARROW_COMPILER_EVAL_REFERENCES_H
