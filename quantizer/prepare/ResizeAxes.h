//===- ResizeAxes.h - One axis of an image after the other ------*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// If corners are aligned, or lengths have no common factor, hardly two pixels
// of a resized image have the same weights. The engine then needs constants of
// many times the image's size, and images of few channels are left to the TECs.
// Interpolation is separable: along one axis the weights are those of a single
// row. The last layer of a segmentation, from 160 to 320 pixels and with two
// channels, took 422,000 cycles on X2_1204, and takes 3,900 as two layers. The
// values between them are rounded once more.
//
//   splitResizes(module);
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_QUANTIZER_PREPARE_RESIZEAXES_H
#define YARROW_QUANTIZER_PREPARE_RESIZEAXES_H

#include "mlir/IR/BuiltinOps.h"

namespace yarrow {

/// Of the main graph of a float network: interpolations whose rows and columns
/// have many weights. The layer of the second axis keeps name and result.
void splitResizes(mlir::ModuleOp module);

} // namespace yarrow

#endif // YARROW_QUANTIZER_PREPARE_RESIZEAXES_H
