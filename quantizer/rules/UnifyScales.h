//===- UnifyScales.h - One scale for tensors that meet ----------*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// A Concat of tensors with scales of their own requantizes each of them; an
// addition gives each operand a multiplier. Where the layers that make the
// tensors can take one scale, nothing has to be done. Which scales there would
// be is known from quantizing a copy first.
//
//   if (needsOneScale(module, options))
//     decided = unifyScales(module, calibration, options, quantize);
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_QUANTIZER_RULES_UNIFYSCALES_H
#define YARROW_QUANTIZER_RULES_UNIFYSCALES_H

#include "mlir/IR/BuiltinOps.h"
#include "quantizer/calibrate/Calibrate.h"
#include "quantizer/options/QuantizerOptions.h"

#include <functional>
#include <utility>
#include <vector>

namespace yarrow {

struct UnifiedScales {
  /// Ranges that lead to the common scales.
  std::vector<std::pair<mlir::Value, FloatRange>> ranges;
  /// Inputs and constants that are quantized as another tensor is.
  std::vector<std::pair<mlir::Value, LinearParams>> caches;
};

/// Whether a layer's options ask for it.
bool needsOneScale(mlir::ModuleOp module, const QuantizerOptions &options);

/// Quantizes a network in place; false if that cannot be done.
using QuantizeFunction =
    std::function<bool(mlir::ModuleOp module, const Calibration &calibration,
                       const QuantizerOptions &options)>;

/// Of the main graph's layers; \p module stays as it is. Nothing if the network
/// cannot be quantized.
UnifiedScales unifyScales(mlir::ModuleOp module, const Calibration &calibration,
                          const QuantizerOptions &options,
                          const QuantizeFunction &quantize);

} // namespace yarrow

#endif // YARROW_QUANTIZER_RULES_UNIFYSCALES_H
