//===- FoldPreprocessing.h - Mean and scale as layers -----------*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// The executable then takes pixels as a camera gives them, bytes of red, green
// and blue, and whoever calls it has nothing to compute: mean, scale and the
// order of channels are one convolution of 1 x 1 in front of the network.
//
//   options.mean = {127.5}, options.scale = {1 / 127.5};
//   if (foldPreprocessing(*module, options, diags)) // takes 0 to 255 from here
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_COMPILER_MODEL_FOLDPREPROCESSING_H
#define YARROW_COMPILER_MODEL_FOLDPREPROCESSING_H

#include "compiler/data/pictures/PictureOptions.h"
#include "mlir/IR/BuiltinOps.h"

namespace yarrow {

/// Of a float network with one input, which is a picture. False after errors.
bool foldPreprocessing(mlir::ModuleOp module, const PictureOptions &options,
                       DiagnosticEngine &diags);

} // namespace yarrow

#endif // YARROW_COMPILER_MODEL_FOLDPREPROCESSING_H
