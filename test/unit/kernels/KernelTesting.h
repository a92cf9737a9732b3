//===- KernelTesting.h - Running a kernel in a test -------------*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//   std::vector<int8_t> y(4);
//   runKernel("yk_lut", params, {x.data(), table.data(), y.data()});
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_TEST_UNIT_KERNELS_KERNELTESTING_H
#define YARROW_TEST_UNIT_KERNELS_KERNELTESTING_H

#include "kernels/registry/AllParams.h"
#include "kernels/registry/Registry.h"

#include <gtest/gtest.h>
#include <vector>

namespace yarrow::kernels::testing {

/// Runs all `taskCount` shares of a kernel one after the other.
template <typename Params>
void runKernel(std::string_view symbol, const Params &params,
               const std::vector<const void *> &buffers,
               uint32_t taskCount = 1) {
  const KernelInfo *info = findKernel(symbol);
  ASSERT_NE(info, nullptr) << symbol;
  ASSERT_EQ(info->paramsBytes, sizeof(Params)) << symbol;
  if (!info->isVariadic())
    ASSERT_EQ(info->buffers.size(), buffers.size()) << symbol;
  std::vector<void *> pointers;
  for (const void *buffer : buffers)
    pointers.push_back(const_cast<void *>(buffer));
  for (uint32_t task = 0; task < taskCount; ++task)
    info->fn(&params, pointers.data(), task, taskCount);
}

} // namespace yarrow::kernels::testing

#endif // YARROW_TEST_UNIT_KERNELS_KERNELTESTING_H
