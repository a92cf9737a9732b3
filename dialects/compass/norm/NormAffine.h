//===- NormAffine.h - Weights and biases of normalisations ------*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// What buildProgram of the layers with weights and biases reads of them.
//
//   auto affine = affineOf(op, Arithmetic::Integer);
//   if (failed(affine)) return failure();
//   if (affine->weights) p.weightType = affine->weights->dtype;
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_DIALECTS_COMPASS_NORM_NORMAFFINE_H
#define YARROW_DIALECTS_COMPASS_NORM_NORMAFFINE_H

#include "dialects/compass/eltwise/Elementwise.h"

namespace yarrow::compass {

/// Those that the layer has.
struct NormAffine {
  std::optional<ConstantView> weights, biases;
};

/// weights and biases, of types that the kernels read. Emits an error on
/// others.
mlir::FailureOr<NormAffine> affineOf(mlir::Operation *op,
                                     Arithmetic arithmetic);

/// buildRequant for a layer whose scale tensor has one value per affine value,
/// which need not be the innermost axis.
mlir::LogicalResult buildAffineRequant(mlir::Operation *op, int64_t count,
                                       kernels::Requant &requant);

} // namespace yarrow::compass

#endif // YARROW_DIALECTS_COMPASS_NORM_NORMAFFINE_H
