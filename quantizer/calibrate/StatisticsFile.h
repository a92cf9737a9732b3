//===- StatisticsFile.h - Statistics of an earlier calibration --*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// save_statistic_info writes what calibration has seen of every tensor as JSON,
// statistic_file takes it instead of calibrating: strategies, bits and methods
// can then be tried without samples. The file holds every statistic that a
// strategy may ask for, exactly, so that the integer IR has the same bytes with
// and without it; and digests of the network and of the data.
//
//   StatisticsOrigin origin{digestOfNetwork(module), digestOfSamples(arrays)};
//   writeStatistics(path, module, *calibration, options, origin, diags);
//   auto again = readStatistics(path, module, options, origin, false, diags);
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_QUANTIZER_CALIBRATE_STATISTICSFILE_H
#define YARROW_QUANTIZER_CALIBRATE_STATISTICSFILE_H

#include "quantizer/calibrate/Calibrate.h"

#include <memory>
#include <string>
#include <vector>

namespace yarrow {

struct StatisticsOrigin {
  std::string network; ///< A digest, as that of the data.
  std::string data;    ///< "" where there are none.
};

/// Of layers, their keys and constants.
std::string digestOfNetwork(mlir::ModuleOp module);
std::string digestOfSamples(const std::vector<NpyView> &arrays);

bool writeStatistics(const std::string &path, mlir::ModuleOp module,
                     const Calibration &calibration,
                     const QuantizerOptions &options,
                     const StatisticsOrigin &origin, DiagnosticEngine &diags);

/// Null after QuantCalibration, of all problems at once. With
/// \p ignoreMissing a tensor without statistics takes those of its layer's
/// first input.
std::unique_ptr<Calibration>
readStatistics(const std::string &path, mlir::ModuleOp module,
               const QuantizerOptions &options, const StatisticsOrigin &origin,
               bool ignoreMissing, DiagnosticEngine &diags);

} // namespace yarrow

#endif // YARROW_QUANTIZER_CALIBRATE_STATISTICSFILE_H
