//===- LayerNoise.h - What each layer's 8 bits do to the outputs -*- C++ -*-==//
//
// Part of Yarrow, under the Apache License v2.0.
//
// The layers whose bits are a choice, and what each adds to the noise of every
// part of the outputs (quantizer/metrics/Sensitivity.h): how much of that more
// bits of its result would take away, and how much more bits of its weights.
//
//   std::vector<mlir::Operation *> layers = layersWithBits(network);
//   auto noise = measureLayerNoise(finished, layers, progress, diags);
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_COMPILER_PRECISION_LAYERNOISE_H
#define YARROW_COMPILER_PRECISION_LAYERNOISE_H

#include "compiler/precision/BitsChoice.h"
#include "quantizer/methods/ApplyMethods.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"

#include <functional>
#include <optional>
#include <vector>

namespace yarrow {

/// What only moves or chooses values has its input's bits.
std::vector<mlir::Operation *> layersWithBits(mlir::ModuleOp network);

/// The results of \p user, which reads \p value, that have its bits.
llvm::SmallVector<mlir::Value, 1> resultsWithBitsOf(mlir::Value value,
                                                    mlir::Operation *user);

/// By layer; what they touch is for others to say. Nullopt after errors.
std::optional<std::vector<BitsLayer>> measureLayerNoise(
    const FinishedTask &finished, llvm::ArrayRef<mlir::Operation *> layers,
    const std::function<void(std::size_t done, std::size_t total)> &progress,
    DiagnosticEngine &diags);

/// Of each part of \p loss, by its signal.
std::vector<double> noiseOfParts(const OutputLoss &loss);

} // namespace yarrow

#endif // YARROW_COMPILER_PRECISION_LAYERNOISE_H
