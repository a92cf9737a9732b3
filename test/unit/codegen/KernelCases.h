//===- KernelCases.h - A small call of every kernel -------------*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// Steps whose inputs are noise in region 1 and whose outputs are in region 2,
// kCaseBytes for each buffer:
//
//   for (TecStep &step : kernelCases()) ...
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_TEST_UNIT_CODEGEN_KERNELCASES_H
#define YARROW_TEST_UNIT_CODEGEN_KERNELCASES_H

#include "codegen/TecProgram.h"
#include "kernels/AllParams.h"
#include "kernels/Registry.h"
#include <cstring>

namespace yarrow::testing {

constexpr uint32_t kCaseBytes = 1 << 14;
constexpr uint32_t kMaxCaseInputs = 8;

/// A step with inputs in region 1 and its \p outputCount last buffers in
/// region 2 from \p outputSlot on.
template <typename Params>
TecStep makeStep(const char *symbol, const Params &params,
                 uint32_t outputSlot = 0, uint32_t bufferCount = 0,
                 uint32_t outputCount = 1) {
  TecStep step{.symbol = symbol};
  step.params.resize(sizeof(Params));
  std::memcpy(step.params.data(), &params, sizeof(Params));
  if (!bufferCount)
    bufferCount = kernels::findKernel(symbol)->bufferCount;
  for (uint32_t i = 0; i + outputCount < bufferCount; ++i)
    step.buffers.push_back({1, i * kCaseBytes});
  for (uint32_t i = 0; i < outputCount; ++i)
    step.buffers.push_back({2, (outputSlot + i) * kCaseBytes});
  return step;
}

/// Every kernel at least once, each with its own outputs.
std::vector<TecStep> kernelCases();

} // namespace yarrow::testing

#endif // YARROW_TEST_UNIT_CODEGEN_KERNELCASES_H
