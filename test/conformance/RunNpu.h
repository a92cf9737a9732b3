//===- RunNpu.h - Compile and simulate one network
//--------------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// The one function through which the conformance test reaches the compiler and
// the simulator; RunNpu.cpp defines it.
//
//   NpuConfig config{"X2_1204", /*timed=*/false, /*optimize=*/true};
//   compileAndRun(module, config, samples, outputs, diags);
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_TEST_CONFORMANCE_RUNNPU_H
#define YARROW_TEST_CONFORMANCE_RUNNPU_H

#include "dialects/compass/Evaluator.h"
#include <string>
#include <vector>

namespace yarrow::conformance {

struct NpuConfig {
  std::string target;
  bool timed = false;   ///< false: functional simulation
  bool optimize = true; ///< false: every optional pass is off
};

/// Compiles \p module (which it may change) once and runs every sample.
/// samples[s][i] is input i of sample s in input_index order; outputs[s][o]
/// receives output o in return order. False after a diagnostic.
bool compileAndRun(
    mlir::ModuleOp module, const NpuConfig &config,
    const std::vector<std::vector<compass::TensorBytes>> &samples,
    std::vector<std::vector<compass::TensorBytes>> &outputs,
    DiagnosticEngine &diags);

} // namespace yarrow::conformance

#endif // YARROW_TEST_CONFORMANCE_RUNNPU_H
