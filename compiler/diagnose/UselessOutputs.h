//===- UselessOutputs.h - Outputs that lost too much ------------*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// Finds outputs of a quantized network that are so far from the float network's
// that they are seldom useful: less than 20 dB, or, for scores of classes,
// fewer than 97 of 100 equal answers. Each comes with the layer or input before
// it whose own loss is largest.
//
//   for (const UselessOutput &bad : findUselessOutputs(*quantized, layers))
//     diags.report(diag::QuantOutputLoss, {}, bad.str());
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_COMPILER_DIAGNOSE_USELESSOUTPUTS_H
#define YARROW_COMPILER_DIAGNOSE_USELESSOUTPUTS_H

#include "mlir/IR/BuiltinOps.h"
#include "quantizer/metrics/Metrics.h"
#include "support/diagnostics/Quantizer.h"

#include <string>
#include <vector>

namespace yarrow {

struct UselessOutput {
  const TensorMetric *output = nullptr;
  /// What was lost: "SQNR 8.3 dB", "columns 4-11 of axis 1 have -0.1 dB".
  std::string loss;
  /// "loses most" and a layer or input, or why columns are lost; may be "".
  std::string cause;
  /// The layer that causes it; null where no layer does.
  const TensorMetric *layer = nullptr;

  std::string str() const;
};

/// Whether figures of an output are too bad.
bool isUseless(const TensorMetric &output);

/// \p layers are those of \p quantized, compared with the float network.
std::vector<UselessOutput>
findUselessOutputs(mlir::ModuleOp quantized,
                   const std::vector<TensorMetric> &layers);

} // namespace yarrow

#endif // YARROW_COMPILER_DIAGNOSE_USELESSOUTPUTS_H
