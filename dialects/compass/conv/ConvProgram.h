//===- ConvProgram.h - The kernels that compute convolutions ----*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// What the layers share whose kernel slides weights over an image: direct,
// depthwise and transposed convolutions, and those over volumes, which are
// convolutions over images with more channels (VolumeProgram.cpp).
//
//   ConvCall call{.kind = ConvKind::Direct, .shape = shape};
//   if (failed(addConv(op, call, program))) return failure();
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_DIALECTS_COMPASS_CONV_CONVPROGRAM_H
#define YARROW_DIALECTS_COMPASS_CONV_CONVPROGRAM_H

#include "dialects/compass/LayerProgram.h"
#include "kernels/conv/ConvParams.h"

namespace yarrow::compass {

enum class ConvKind { Direct, Depthwise, Transposed };

struct ConvCall {
  ConvKind kind = ConvKind::Direct;
  kernels::Conv2DShape shape;
  BufferBinding input, weights; ///< None: operand 0, the key's.
};

/// Refuses element types that the kernels of convolutions and fully connected
/// layers do not read. Whether they are integers or floats has weightsOf told.
mlir::LogicalResult checkWeightedTypes(mlir::Operation *op);

/// Appends the kernel of a convolution with the layer's bias, activation and
/// requantization, which writes result 0.
mlir::LogicalResult addConv(mlir::Operation *op, const ConvCall &call,
                            LayerProgram &program);

/// Program of the layers over images, by the window that their keys state.
mlir::LogicalResult buildImageConv(mlir::Operation *op, ConvKind kind,
                                   LayerProgram &program);
/// The same of Convolution3D and ConvTranspose3D.
mlir::LogicalResult buildVolumeConv(mlir::Operation *op, ConvKind kind,
                                    LayerProgram &program);

} // namespace yarrow::compass

#endif // YARROW_DIALECTS_COMPASS_CONV_CONVPROGRAM_H
