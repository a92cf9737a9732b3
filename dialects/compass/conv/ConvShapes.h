//===- ConvShapes.h - Shapes of convolutions ------------------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// Shape inference of the layers that slide weights over an image or a volume,
// on ops of any class. Ranks and key ranges are verified before (Verify.h).
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_DIALECTS_COMPASS_CONV_CONVSHAPES_H
#define YARROW_DIALECTS_COMPASS_CONV_CONVSHAPES_H

#include "dialects/compass/WindowShape.h"

namespace yarrow::compass {

/// The weights, checked to have \p rank axes and element types that fit float
/// or integer IR, with one bias and one num_output for each output channel, of
/// which the first axis of the weights has \p groups times as few. The biases
/// of FullyConnected (rank 2) may be any that broadcast.
mlir::FailureOr<ConstantView> weightsOf(mlir::Operation *op, size_t rank,
                                        int64_t groups = 1);

/// Convolution and Convolution3D: weights [output, y, x, (z,) input/group]; the
/// rank of the input tells which.
mlir::LogicalResult inferConvolution(mlir::Operation *op, ResultShapes &shapes);
/// Weights [output, y, x, 1], output a multiple of the channels.
mlir::LogicalResult inferDepthwiseConv(mlir::Operation *op,
                                       ResultShapes &shapes);
/// Weights [output/group, y, x, (z,) input].
mlir::LogicalResult inferConvTranspose(mlir::Operation *op,
                                       ResultShapes &shapes);
/// ConvInteger: as Convolution, of integers.
mlir::LogicalResult inferConvInteger(mlir::Operation *op, ResultShapes &shapes);
/// Dilation and Erosion: weights [channels, y, x, 1].
mlir::LogicalResult inferMorphology(mlir::Operation *op, ResultShapes &shapes);
/// MatMul and MatMulInteger: the product over the last two axes.
mlir::LogicalResult inferMatMul(mlir::Operation *op, ResultShapes &shapes);
mlir::LogicalResult inferGemm(mlir::Operation *op, ResultShapes &shapes);

} // namespace yarrow::compass

#endif // YARROW_DIALECTS_COMPASS_CONV_CONVSHAPES_H
