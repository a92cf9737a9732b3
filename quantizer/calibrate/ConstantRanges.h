//===- ConstantRanges.h - What is known without samples ---------*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// A calibration without samples knows the values of constants alone. A file has
// to say the rest (encodings/EncodingPlan.h).
//
//   std::unique_ptr<Calibration> known = calibrateConstants(module, options);
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_QUANTIZER_CALIBRATE_CONSTANTRANGES_H
#define YARROW_QUANTIZER_CALIBRATE_CONSTANTRANGES_H

#include "quantizer/calibrate/Calibrate.h"

#include <memory>

namespace yarrow {

/// Its sampleCount() is 0.
std::unique_ptr<Calibration>
calibrateConstants(mlir::ModuleOp module, const QuantizerOptions &options);

} // namespace yarrow

#endif // YARROW_QUANTIZER_CALIBRATE_CONSTANTRANGES_H
