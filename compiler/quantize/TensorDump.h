//===- TensorDump.h - Every tensor of a network as .npy ---------*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// dump of [Optimizer]: what each layer reads, holds and computes for one
// sample, to look at in NumPy.
//
//   dumpTensors(*floatModule, samples, "dump/float32", diags);
//
//   dump/float32/0003_conv1.in0.npy  .weights.npy  .biases.npy  .out0.npy
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_COMPILER_QUANTIZE_TENSORDUMP_H
#define YARROW_COMPILER_QUANTIZE_TENSORDUMP_H

#include "mlir/IR/BuiltinOps.h"
#include "support/Diagnostics.h"
#include "support/Npy.h"

#include <string>
#include <vector>

namespace yarrow {

/// Of the first sample of \p samples, in \p folder, which is made. Integers are
/// written as they are stored. False after errors.
bool dumpTensors(mlir::ModuleOp module, const std::vector<NpyView> &samples,
                 const std::string &folder, DiagnosticEngine &diags);

} // namespace yarrow

#endif // YARROW_COMPILER_QUANTIZE_TENSORDUMP_H
