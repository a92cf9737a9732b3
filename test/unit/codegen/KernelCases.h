//===- KernelCases.h - Random calls of every kernel as steps ----*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// Steps whose inputs are in region 1 (caseInputs) and whose outputs are in
// region 2, kCaseBytes for each buffer:
//
//   for (TecStep &step : kernelCases(seed)) ...
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_TEST_UNIT_CODEGEN_KERNELCASES_H
#define YARROW_TEST_UNIT_CODEGEN_KERNELCASES_H

#include "codegen/TecProgram.h"
#include "kernels/registry/Registry.h"
#include "test/unit/kernels/KernelCases.h"

namespace yarrow::testing {

/// A step with its inputs in the first slots of region 1 and its output in
/// region 2 from \p outputSlot on.
template <typename Params>
TecStep makeStep(const char *symbol, const Params &params,
                 uint32_t outputSlot = 0) {
  TecStep step{.symbol = symbol};
  step.params.resize(sizeof(Params));
  std::memcpy(step.params.data(), &params, sizeof(Params));
  for (uint32_t i = 0; i + 1 < kernels::findKernel(symbol)->buffers.size(); ++i)
    step.buffers.push_back({1, i * kCaseBytes});
  step.buffers.push_back({2, outputSlot * kCaseBytes});
  return step;
}

/// \p cases, each with its own outputs.
inline std::vector<TecStep> stepsOf(const std::vector<KernelCase> &cases) {
  std::vector<TecStep> steps;
  uint32_t outputs = 0;
  for (const KernelCase &c : cases) {
    TecStep &step = steps.emplace_back();
    step.symbol = c.symbol;
    step.params.assign(c.params.begin(), c.params.end());
    for (uint32_t slot : c.inputSlots)
      step.buffers.push_back({1, slot * kCaseBytes});
    for (uint32_t i = 0; i < c.outputCount; ++i)
      step.buffers.push_back({2, outputs++ * kCaseBytes});
  }
  return steps;
}

/// Every kernel at least once.
inline std::vector<TecStep> kernelCases(uint64_t seed = 1) {
  return stepsOf(randomKernelCases(seed));
}

} // namespace yarrow::testing

#endif // YARROW_TEST_UNIT_CODEGEN_KERNELCASES_H
