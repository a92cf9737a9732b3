//===- MaskRanges.h - Ranges without masked values --------------*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// Calibrates a network with masks (-1e4, the least float, -inf, from a
// constant, a Where or an input): masked values do not count in the ranges of
// tensors. They saturate at the low end, which is so far below the least score
// of a row that they are 0 after the Softmax.
//
//   auto calibration = calibrateNetwork(module, samples, options, progress,
//   diags);
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_QUANTIZER_MASKS_MASKRANGES_H
#define YARROW_QUANTIZER_MASKS_MASKRANGES_H

#include "quantizer/calibrate/Calibrate.h"

namespace yarrow {

/// Puts the layers of a float network in the form that is calibrated: integers'
/// powers as products, infinite constants that are masks as numbers, and
/// resizes as \p options say.
void prepareNetwork(mlir::ModuleOp module, const QuantizerOptions &options);

/// prepareNetwork() and Calibration::run(), with QuantizerOptions::detectsMasks
/// in force, and always where a mask was infinite: there is no range with it.
/// Constants of \p module that hold masks then have the numbers that integers
/// stand for.
std::unique_ptr<Calibration>
calibrateNetwork(mlir::ModuleOp module, const std::vector<NpyView> &samples,
                 const QuantizerOptions &options,
                 const CalibrationProgress &progress, DiagnosticEngine &diags,
                 Ranks *ranks = nullptr);

} // namespace yarrow

#endif // YARROW_QUANTIZER_MASKS_MASKRANGES_H
