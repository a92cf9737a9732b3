//===- OutputParts.h - Parts of an output with their own loss ---*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// One sum of squares over everything hides what matters: boxes in pixels hide
// the scores next to them, and the sign of a detector's logit matters more than
// the size of one that reaches -400. So an output is measured in parts, each
// with its own ratio: the whole; groups of rows or columns that differ much in
// size from the others; and logits after the sigmoid that they are meant for.
//
//   for (const OutputPart &part : outputParts(shape, referencesByRun))
//      part.add(reference, outputs, similarity);
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_QUANTIZER_METRICS_OUTPUTPARTS_H
#define YARROW_QUANTIZER_METRICS_OUTPUTPARTS_H

#include "quantizer/math/Similarity.h"
#include "llvm/ADT/ArrayRef.h"

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace yarrow {

/// Some indices of an axis, and of all other axes everything.
struct OutputPart {
  std::size_t length = 1; ///< Of the axis.
  std::size_t stride = 1; ///< Elements from one index to the next.
  std::vector<std::size_t> indices = {}; ///< Ascending; empty: all.
  bool isAfterSigmoid = false;
  std::string what = {}; ///< "columns 4-11 of axis 1"; "" is the whole.

  bool isWhole() const { return indices.empty(); }
  /// Of one run. Both have the output's size.
  void add(std::span<const float> reference, std::span<const float> values,
           Similarity &sum) const;
};

/// What an output of \p shape, the batch first, has by its values in the float
/// network; the whole is the first. \p runs has one entry for each sample.
std::vector<OutputPart>
outputParts(llvm::ArrayRef<int64_t> shape,
            const std::vector<std::span<const float>> &runs);

} // namespace yarrow

#endif // YARROW_QUANTIZER_METRICS_OUTPUTPARTS_H
