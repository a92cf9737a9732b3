//===- KernelRun.h - Runs a call on the TECs of a machine -------*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//   KernelRun run = runKernelCall(call, machine);
//   if (run.error.empty())
//     use(run.cycles);
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_BENCHMARK_KERNELS_KERNELRUN_H
#define YARROW_BENCHMARK_KERNELS_KERNELRUN_H

#include "benchmark/kernels/KernelCall.h"
#include "isa/Machine.h"

namespace yarrow::benchmark {

struct KernelRun {
  /// Of the slowest TEC, without what a program takes that calls nothing.
  uint64_t cycles = 0;
  std::string error; ///< Why there are none, or "".
};

/// Code specialized for the call, on all TECs of \p machine, all buffers and
/// stacks in SRAM. It is an error if an output is not what the host computes.
KernelRun runKernelCall(const KernelCall &call, const isa::Machine &machine);

} // namespace yarrow::benchmark

#endif // YARROW_BENCHMARK_KERNELS_KERNELRUN_H
