//===- Registry.cpp - Kernels by name, on the host ------------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "kernels/registry/Registry.h"
#include "kernels/registry/AllParams.h"

#include <cassert>
#include <deque>

using namespace yarrow::kernels;

extern "C" {
#define KERNEL(NAME, SYMBOL, PARAMS, BUFFERS)                                  \
  void SYMBOL(const void *, void *const *, uint32_t, uint32_t);
#include "kernels/registry/Kernels.def"
}

namespace {
#define IN(NAME, TYPES) {.name = #NAME, .types = TYPES},
#define OPTIONAL(NAME, TYPES)                                                  \
  {.name = #NAME, .isOptional = true, .types = TYPES},
#define OUT(NAME, TYPES) {.name = #NAME, .isOutput = true, .types = TYPES},
#define UPDATE(NAME, TYPES)                                                    \
  {.name = #NAME, .isOutput = true, .isUpdated = true, .types = TYPES},
#define MANY_IN(NAME, TYPES)                                                   \
  {.name = #NAME, .isVariadic = true, .types = TYPES},
#define MANY_OUT(NAME, TYPES)                                                  \
  {.name = #NAME, .isOutput = true, .isVariadic = true, .types = TYPES},
#define KERNEL(NAME, SYMBOL, PARAMS, BUFFERS)                                  \
  constexpr BufferInfo k##NAME##Buffers[] = {BUFFERS};
#include "kernels/registry/Kernels.def"

constexpr KernelInfo kKernels[] = {
#define KERNEL(NAME, SYMBOL, PARAMS, BUFFERS)                                  \
  {#SYMBOL, SYMBOL, sizeof(PARAMS), k##NAME##Buffers},
#include "kernels/registry/Kernels.def"
};
} // namespace

std::span<const KernelInfo> yarrow::kernels::allKernels() { return kKernels; }

const KernelInfo *yarrow::kernels::findKernel(std::string_view symbol) {
  for (const KernelInfo &info : kKernels)
    if (info.symbol == symbol)
      return &info;
  const PluginKernel *plugin = findPluginKernel(symbol);
  return plugin ? &plugin->info : nullptr;
}

KernelFn yarrow::kernels::lookupKernel(std::string_view symbol) {
  const KernelInfo *info = findKernel(symbol);
  return info ? info->fn : nullptr;
}

/// Never shorter: others hold pointers to its elements.
static std::deque<PluginKernel> &pluginKernels() {
  static std::deque<PluginKernel> kernels;
  return kernels;
}

void yarrow::kernels::addPluginKernel(const PluginKernel &kernel) {
  assert(!findKernel(kernel.info.symbol) && "the plugin was checked");
  pluginKernels().push_back(kernel);
}

const PluginKernel *yarrow::kernels::findPluginKernel(std::string_view symbol) {
  for (const PluginKernel &kernel : pluginKernels())
    if (kernel.info.symbol == symbol)
      return &kernel;
  return nullptr;
}
