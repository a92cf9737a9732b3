//===- OutputParts.h - What of an output a loss is measured of --*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// One sum of squares over everything hides what a network is for: boxes in
// pixels drown the scores beside them, and the sign of a detector's logit says
// more than the size of one that reaches -400. So an output is looked at in
// parts, each with a ratio of its own: the whole; groups of rows or columns
// that are of quite another size than the others; and logits behind the sigmoid
// that they are made for.
//
//   OutputUse use = outputUse(shape, referencesByRun);
//   for (const OutputPart &part : use.parts)
//      part.add(reference, outputs, similarity);
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_QUANTIZER_METRICS_OUTPUTPARTS_H
#define YARROW_QUANTIZER_METRICS_OUTPUTPARTS_H

#include "quantizer/math/Similarity.h"

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace yarrow {

/// Indices [begin, end) of an axis, and of all other axes everything.
struct OutputPart {
  std::size_t length = 1; ///< Of the axis.
  std::size_t inner = 1;  ///< Elements from one index to the next.
  std::size_t begin = 0, end = 1;
  bool isBehindSigmoid = false;
  std::string what; ///< "columns 4 to 11", "behind a sigmoid"; "" is the whole.

  bool isWhole() const { return begin == 0 && end == length; }
  /// Of one run. Both have the output's size.
  void add(std::span<const float> reference, std::span<const float> values,
           Similarity &sum) const;
};

struct OutputUse {
  std::vector<OutputPart> parts; ///< The whole is the first.
  std::size_t classes = 0;       ///< Of a row of scores; 0: these are none.
};

/// What an output of \p shape, the batch first, is by its values in the float
/// network. \p runs has one entry for each sample.
OutputUse outputUse(std::span<const int64_t> shape,
                    const std::vector<std::span<const float>> &runs);

} // namespace yarrow

#endif // YARROW_QUANTIZER_METRICS_OUTPUTPARTS_H
