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
#ifndef YARROW_KERNELS_REGISTRY_REGISTRY_H
#define YARROW_KERNELS_REGISTRY_REGISTRY_H

#include "kernels/Signature.h"

#include <span>
#include <string_view>

namespace yarrow::kernels {

/// One buffer of a kernel, or a number of them.
struct BufferInfo {
  std::string_view name;
  bool isOutput = false;
  bool isUpdated = false;  ///< An output of which some bytes stay.
  bool isOptional = false; ///< May be null.
  bool isVariadic = false; ///< As many as the parameters say.
  DTypeSet types = 0;
};

struct KernelInfo {
  std::string_view symbol;
  KernelFn fn;
  uint32_t paramsBytes;                ///< Size of the parameter struct.
  std::span<const BufferInfo> buffers; ///< In the order of the array.

  bool isVariadic() const {
    for (const BufferInfo &buffer : buffers)
      if (buffer.isVariadic)
        return true;
    return false;
  }
};

/// All kernels in the order of Kernels.def.
std::span<const KernelInfo> allKernels();

/// The record of `symbol`, or null. Those of plugins are found, too.
const KernelInfo *findKernel(std::string_view symbol);

/// The function of `symbol`, or null.
KernelFn lookupKernel(std::string_view symbol);

/// A kernel that came with a plugin, for the life of the process.
struct PluginKernel {
  KernelInfo info;
  /// Its source as LLVM bitcode for the TECs, and what tells it from others.
  std::span<const char> bitcode;
  std::string_view digest;
};

/// Plugins are loaded before kernels are asked for: not while other threads do.
void addPluginKernel(const PluginKernel &kernel);
/// Null if `symbol` is none, or one of Kernels.def.
const PluginKernel *findPluginKernel(std::string_view symbol);

} // namespace yarrow::kernels

#endif // YARROW_KERNELS_REGISTRY_REGISTRY_H
