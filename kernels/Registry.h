//===- Registry.h - Kernels by name, on the host --------------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// The host's view of Kernels.def: what the evaluator calls and what the code
// generator checks a kernel call against.
//
//   const KernelInfo *k = findKernel("yk_lut");
//   k->fn(&params, buffers, /*task=*/0, /*taskCount=*/1);
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_KERNELS_REGISTRY_H
#define YARROW_KERNELS_REGISTRY_H

#include "kernels/Kernel.h"

#include <span>
#include <string_view>

namespace yarrow::kernels {

struct KernelInfo {
  std::string_view symbol;
  KernelFn fn;
  uint32_t paramsBytes; // size of the parameter struct
  uint32_t bufferCount; // 0: depends on the parameters
};

/// All kernels in the order of Kernels.def.
std::span<const KernelInfo> allKernels();

/// The record of `symbol`, or null.
const KernelInfo *findKernel(std::string_view symbol);

/// The function of `symbol`, or null.
KernelFn lookupKernel(std::string_view symbol);

} // namespace yarrow::kernels

#endif // YARROW_KERNELS_REGISTRY_H
