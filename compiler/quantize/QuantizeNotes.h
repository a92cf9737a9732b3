//===- QuantizeNotes.h - What is said of a quantization ---------*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//   driver.printLine(calibratedWith(result.config, result.model) + "\n");
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_COMPILER_QUANTIZE_QUANTIZENOTES_H
#define YARROW_COMPILER_QUANTIZE_QUANTIZENOTES_H

#include "compiler/config/BuildConfig.h"
#include "compiler/quantize/QuantizedModel.h"
#include "support/Diagnostics.h"
#include "support/Npy.h"

#include <string>
#include <vector>

namespace yarrow {

/// "recipe auto, calibrated with 128 samples", or that a file says how tensors
/// become integers.
std::string calibratedWith(const config::BuildConfig &config,
                           const QuantizedModel &model);

/// Encodings have no effect on a network that is quantized already.
void warnOfEncodings(const config::BuildConfig &config,
                     DiagnosticEngine &diags);

/// Samples of zeros alone have no range: W0408.
void warnOfZeros(const std::vector<NpyView> &samples,
                 const std::string &calibrationData, DiagnosticEngine &diags);

} // namespace yarrow

#endif // YARROW_COMPILER_QUANTIZE_QUANTIZENOTES_H
