//===- LayerRows.h - What the outputs of a layer are sums of ----*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// The inputs that meet the weights of a convolution or a fully connected layer,
// a row for each output pixel in the order of the weights (im2col), and their
// first and second moments over samples.
//
//   LayerRows rows(layer);
//   for (TermRange range : rows.ranges())
//     use(rows.moments(InputsOf::Integers, range)); // one per group
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_QUANTIZER_ROUNDING_LAYERROWS_H
#define YARROW_QUANTIZER_ROUNDING_LAYERROWS_H

#include "quantizer/rounding/Im2col.h"
#include "quantizer/rounding/InputMoments.h"
#include "quantizer/rounding/JointForward.h"

#include <span>
#include <vector>

namespace yarrow {

/// Terms of an output's sum that are taken together.
struct TermRange {
  std::size_t first = 0, count = 0;
};

class LayerRows {
public:
  /// \p layer is a Convolution, DepthwiseConv or FullyConnected layer.
  explicit LayerRows(const JointLayer &layer);

  std::size_t groups() const { return map.groups(); }
  std::size_t terms() const { return map.terms(); }
  std::size_t outputsPerGroup() const { return map.outputsPerGroup(); }
  std::size_t samples() const { return layer.numSamples; }
  /// Output pixels of a sample.
  std::size_t pixels() const { return map.pixels(); }

  /// All terms, in ranges whose second moments are of bounded size. Terms of
  /// different ranges count as independent: of 25,088 of them the moments
  /// would take 2.5 GB, each time they are copied.
  std::vector<TermRange> ranges() const;

  /// Over so many pixels that the figures are stable, or all that there are.
  std::vector<InputMoments> moments(InputsOf inputs, TermRange range) const;
  /// The first moments of all terms alone.
  std::vector<InputMoments> means() const;

  /// \p perSample pixels of each sample \p begin .. end, spread over it, as
  /// rows of all groups' inputs: [group][pixel, term].
  std::vector<Matrix> gather(InputsOf inputs, std::size_t begin,
                             std::size_t end, std::size_t perSample) const {
    return gather(inputs, begin, end, perSample, {0, terms()});
  }
  /// The same of a range of the terms.
  std::vector<Matrix> gather(InputsOf inputs, std::size_t begin,
                             std::size_t end, std::size_t perSample,
                             TermRange range) const;

private:
  /// Pixels of each sample, and samples that are taken together.
  struct Chunks {
    std::size_t perSample, samples;
  };
  Chunks chunksFor(TermRange range) const;
  std::vector<InputMoments> moments(InputsOf inputs, TermRange range,
                                    bool hasSecond) const;
  std::vector<InputMoments> depthwiseMoments(InputsOf inputs) const;
  FloatValues operand(InputsOf inputs, std::size_t sample) const {
    return inputs == InputsOf::Floats ? layer.floatOperand(sample, 0)
                                      : layer.intOperand(sample, 0);
  }
  /// Into matrices of that size: those of the chunk before, mostly.
  void gatherInto(std::vector<Matrix> &rows, InputsOf inputs, std::size_t begin,
                  std::size_t end, std::size_t perSample,
                  TermRange range) const;

  const JointLayer &layer;
  Im2col map;
};

} // namespace yarrow

#endif // YARROW_QUANTIZER_ROUNDING_LAYERROWS_H
