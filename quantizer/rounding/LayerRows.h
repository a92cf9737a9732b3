//===- LayerRows.h - What the outputs of a layer are sums of ----*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// The inputs that meet the weights of a convolution or a fully connected layer,
// a row for each output pixel in the order of the weights (im2col), and their
// first and second moments over samples.
//
//   LayerRows rows(layer);
//   std::vector<InputMoments> moments = rows.moments(); // one per group
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_QUANTIZER_ROUNDING_LAYERROWS_H
#define YARROW_QUANTIZER_ROUNDING_LAYERROWS_H

#include "quantizer/math/Matrix.h"
#include "quantizer/rounding/Im2col.h"
#include "quantizer/rounding/JointForward.h"

#include <span>
#include <vector>

namespace yarrow {

/// Which network's inputs a moment is of, in the order E[first * second^T].
enum class InputsOf { Floats, Integers };

/// Of one group's inputs.
struct InputMoments {
  std::vector<float> floatMean, intMean;
  std::size_t count = 0; ///< Rows.
  /// E[x x^T] without the means' part: of the inputs asked for, and of float
  /// inputs by integer ones if those were asked for.
  Matrix second, cross;
};

class LayerRows {
public:
  /// \p layer is a Convolution, DepthwiseConv or FullyConnected layer.
  explicit LayerRows(const JointLayer &layer);

  std::size_t groups() const { return map.groups(); }
  std::size_t terms() const { return map.terms(); }
  std::size_t outputsPerGroup() const { return map.outputsPerGroup(); }
  /// Output pixels of a sample.
  std::size_t pixels() const { return map.pixels(); }

  /// Over so many pixels that the figures are stable, or all that there are.
  std::vector<InputMoments> moments(InputsOf inputs) const;

  /// \p perSample pixels of each sample \p begin .. end, spread over it, as
  /// rows of all groups' inputs: [group][pixel, term].
  std::vector<Matrix> gather(InputsOf inputs, std::size_t begin,
                             std::size_t end, std::size_t perSample) const;

private:
  const JointLayer &layer;
  Im2col map;
};

} // namespace yarrow

#endif // YARROW_QUANTIZER_ROUNDING_LAYERROWS_H
