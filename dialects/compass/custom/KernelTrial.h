//===- KernelTrial.h - A plugin's kernel is tried before it runs *- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// Kernels of plugins are native code of others. Before the evaluator or the NPU
// compute a layer with one, it is called in a process of its own, with the
// layer's parameters and made up inputs: every tensor ends, and in a second
// call begins, where memory ends; inputs cannot be written; what was in the
// outputs before and how many tasks share the work may not be seen in the
// result.
//
//   if (std::optional<std::string> fault = tryKernel(kernel, params, sizes))
//     // "it reads or writes outside of its tensors"
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_DIALECTS_COMPASS_CUSTOM_KERNELTRIAL_H
#define YARROW_DIALECTS_COMPASS_CUSTOM_KERNELTRIAL_H

#include "kernels/registry/Registry.h"
#include "mlir/IR/BuiltinOps.h"
#include "support/Diagnostics.h"
#include "llvm/ADT/ArrayRef.h"
#include <optional>
#include <string>

namespace yarrow::compass {

/// A tensor that a kernel is tried with.
struct TrialTensor {
  kernels::DType type;
  uint64_t sizeBytes;
  bool isOutput;
};

/// What is wrong with a call of \p kernel, or nullopt. A call that does not end
/// in a minute is ended.
std::optional<std::string> tryKernel(const kernels::KernelInfo &kernel,
                                     llvm::ArrayRef<char> params,
                                     llvm::ArrayRef<TrialTensor> tensors);

/// Tries the kernels of all layers of plugins, each with the same parameters
/// once in the life of the process. Reports what is wrong (E1103).
bool tryCustomKernels(mlir::ModuleOp module, DiagnosticEngine &diags);

} // namespace yarrow::compass

#endif // YARROW_DIALECTS_COMPASS_CUSTOM_KERNELTRIAL_H
