//===- Noise.h - How near integers come to the floats they stand for ------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//   std::vector<double> ours = noiseOf(*quantized, pack.floatSamples().front(),
//                                      diags);
//   std::vector<double> theirs = recordedNoise(*module, pack, diags);
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_TEST_IRS_NOISE_H
#define YARROW_TEST_IRS_NOISE_H

#include "mlir/IR/BuiltinOps.h"
#include "support/Npy.h"
#include "test/conformance/Packs.h"

namespace yarrow::testing {

/// Signal to noise in dB of each output of an integer network that runs on a
/// sample of floats, against the recorded floats; at most kExact.
std::vector<double> noiseOf(mlir::ModuleOp module,
                            const conformance::Sample &sample,
                            DiagnosticEngine &diags);

/// The same of the integers that the reference recorded: \p module says what
/// they stand for. Empty if there are none.
std::vector<double> recordedNoise(mlir::ModuleOp module,
                                  const conformance::Pack &pack,
                                  DiagnosticEngine &diags);

/// That of each output over all \p samples, against \p floating; empty after
/// diagnostics.
std::vector<double> noiseOver(const std::vector<NpyView> &samples,
                              mlir::ModuleOp floating, mlir::ModuleOp integer,
                              DiagnosticEngine &diags);

constexpr double kExact = 200;

} // namespace yarrow::testing

#endif // YARROW_TEST_IRS_NOISE_H
