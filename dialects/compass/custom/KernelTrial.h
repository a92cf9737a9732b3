//===- KernelTrial.h - Tests a plugin's kernel before it runs ---*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// Kernels of plugins are native code that Yarrow does not control. Before the
// evaluator or the NPU uses one, it is called in a separate process, with the
// layer's parameters and made-up inputs. Every tensor ends, and in a second
// call begins, at the edge of its memory. Inputs are read-only. The result must
// depend neither on the previous contents of the outputs nor on the number of
// tasks.
//
//   if (std::optional<std::string> fault = tryKernel(kernel, params, sizes))
//     // "it reads or writes outside its tensors"
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
