//===- RangeAttributes.h - Ranges as a part of the module -------*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// Calibration keeps its statistics beside the module. The range that each
// tensor is quantized in is also written into the module, as the attribute
// `quantizer.ranges` of the layer that produces the tensor, so that it can be
// read, printed and verified between the phases calibrate and quantize:
//
//   %0 = compass.Activation(%x) {..., quantizer.ranges =
//          [array<f32: 0.0, 5.75>]} ...
//
//   recordRanges(module, *calibration);
//   verifyRanges(module, diags);
//   dropRanges(module);
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_QUANTIZER_CALIBRATE_RANGEATTRIBUTES_H
#define YARROW_QUANTIZER_CALIBRATE_RANGEATTRIBUTES_H

#include "mlir/IR/BuiltinOps.h"
#include "quantizer/calibrate/Calibrate.h"
#include "support/Diagnostics.h"

#include <string>
#include <vector>

namespace yarrow {

/// One array for each result of a layer: its smallest and its largest value,
/// or nothing if no sample led to it or its elements are not real numbers.
inline constexpr llvm::StringLiteral kRangesAttr = "quantizer.ranges";

/// Writes the ranges of all layers.
void recordRanges(mlir::ModuleOp module, const Calibration &calibration);
void dropRanges(mlir::ModuleOp module);
/// Reports each range that is not finite or does not contain 0 (E0403). False
/// after errors.
bool verifyRanges(mlir::ModuleOp module, DiagnosticEngine &diags);

} // namespace yarrow

#endif // YARROW_QUANTIZER_CALIBRATE_RANGEATTRIBUTES_H
