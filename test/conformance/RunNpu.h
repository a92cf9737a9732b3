//===- RunNpu.h - Compile and simulate one network --------------*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// The one function through which the conformance test reaches the compiler and
// the simulator; RunNpu.cpp defines it.
//
//   NpuConfig config{"X2_1204", /*optimize=*/true};
//   compileAndRun(module, config, samples, functional, timed, diags);
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_TEST_CONFORMANCE_RUNNPU_H
#define YARROW_TEST_CONFORMANCE_RUNNPU_H

#include "dialects/compass/network/Evaluator.h"
#include <string>
#include <vector>

namespace yarrow::conformance {

struct NpuConfig {
  std::string target;
  bool optimize = true; ///< false: every optional pass is off
};

/// outputs[s][o] is output o, in return order, of sample s.
using SampleOutputs = std::vector<std::vector<compass::TensorBytes>>;

/// Compiles \p module once and runs every sample functional and timed.
/// samples[s][i] is input i of sample s in input_index order. False after a
/// diagnostic.
bool compileAndRun(
    mlir::ModuleOp module, const NpuConfig &config,
    const std::vector<std::vector<compass::TensorBytes>> &samples,
    SampleOutputs &functional, SampleOutputs &timed, DiagnosticEngine &diags);

} // namespace yarrow::conformance

#endif // YARROW_TEST_CONFORMANCE_RUNNPU_H
