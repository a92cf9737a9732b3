//===- MeanVarianceProgram.h - Layers that normalise to mean 0 --*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// buildProgram of LayerNorm, GroupNorm, InstanceNorm, MVN and RMSNorm: one
// kernel over groups of their own (kernels/norm/LayerNorm.h).
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_DIALECTS_COMPASS_NORM_MEANVARIANCEPROGRAM_H
#define YARROW_DIALECTS_COMPASS_NORM_MEANVARIANCEPROGRAM_H

#include "dialects/compass/Keys.h"
#include "dialects/compass/LayerProgram.h"
#include "kernels/norm/LayerNorm.h"

namespace yarrow::compass {

/// What is particular to an operator.
struct MeanVarianceLayer {
  kernels::NormShape shape;
  int64_t affineCount = 1; ///< Weights, biases, scales and shifts.
  bool subtractsMean = true;
  /// The keys of what turns a variance into a factor.
  IntsKey normScaleKey = keys::norm_scale_value,
          normShiftKey = keys::norm_shift_value;
};

/// Calls the kernel for result 0. Emits an error on what it does not take.
mlir::LogicalResult buildMeanVariance(mlir::Operation *op,
                                      const MeanVarianceLayer &layer,
                                      LayerProgram &program);

/// Computes results 1 and 2 of a float layer: the mean, and 1 / sqrt(variance +
/// epsilon), over the axes in the key `axis`.
mlir::LogicalResult buildMeanAndDeviation(mlir::Operation *op,
                                          LayerProgram &program);

} // namespace yarrow::compass

#endif // YARROW_DIALECTS_COMPASS_NORM_MEANVARIANCEPROGRAM_H
