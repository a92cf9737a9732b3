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

#include "kernels/conv/ConvParams.h"
#include "quantizer/math/Matrix.h"
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

  std::size_t groups() const { return shape.groups; }
  std::size_t terms() const { return numTerms; }
  std::size_t outputsPerGroup() const { return shape.outC / shape.groups; }
  /// Output pixels of a sample.
  std::size_t pixels() const {
    return std::size_t(shape.batch) * shape.outH * shape.outW;
  }

  /// Over so many pixels that the figures are stable, or all that there are.
  std::vector<InputMoments> moments(InputsOf inputs) const;

  /// \p perSample pixels of each sample \p begin .. end, spread over it, as
  /// rows of all groups' inputs: [group][pixel, term].
  std::vector<Matrix> gather(InputsOf inputs, std::size_t begin,
                             std::size_t end, std::size_t perSample) const;

private:
  void gatherRow(const std::vector<float> &x, std::size_t pixel,
                 std::size_t group, std::span<float> row) const;

  const JointLayer &layer;
  kernels::Conv2DShape shape;
  std::size_t numTerms;
};

} // namespace yarrow

#endif // YARROW_QUANTIZER_ROUNDING_LAYERROWS_H
