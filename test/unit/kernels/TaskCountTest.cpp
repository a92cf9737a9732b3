//===- TaskCountTest.cpp - Shares do not change results -------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// Every kernel's result must be the same bytes for any number of tasks.
//
//===----------------------------------------------------------------------===//
#include "kernels/registry/Registry.h"
#include "test/unit/kernels/KernelCases.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <set>

using namespace yarrow;
using namespace yarrow::testing;

/// All outputs of the tasks first to end of all, \p poison before.
static std::vector<uint8_t> runTasks(const KernelCase &c,
                                     std::vector<uint8_t> &inputs,
                                     uint32_t first, uint32_t end,
                                     uint32_t tasks, uint8_t poison = 0xaa) {
  std::vector<uint8_t> outputs(c.outputCount * kCaseBytes, poison);
  std::vector<void *> buffers;
  for (uint32_t slot : c.inputSlots)
    buffers.push_back(inputs.data() + slot * kCaseBytes);
  for (uint32_t k = 0; k < c.outputCount; ++k)
    buffers.push_back(outputs.data() + k * kCaseBytes);
  // The struct's alignment is not that of a vector of bytes.
  std::vector<uint64_t> params((c.params.size() + 7) / 8);
  std::memcpy(params.data(), c.params.data(), c.params.size());
  kernels::KernelFn fn = kernels::lookupKernel(c.symbol);
  for (uint32_t task = first; task < end; ++task)
    fn(params.data(), buffers.data(), task, tasks);
  return outputs;
}

static std::vector<uint8_t> run(const KernelCase &c,
                                std::vector<uint8_t> &inputs, uint32_t tasks) {
  return runTasks(c, inputs, 0, tasks, tasks);
}

TEST(KernelCases, CoverEveryKernel) {
  std::set<std::string_view> covered;
  for (const KernelCase &c : randomKernelCases(1))
    covered.insert(c.symbol);
  for (const kernels::KernelInfo &kernel : kernels::allKernels())
    EXPECT_TRUE(covered.count(kernel.symbol)) << kernel.symbol;
}

TEST(KernelCases, FitTheirKernels) {
  for (const KernelCase &c : randomKernelCases(1)) {
    const kernels::KernelInfo *info = kernels::findKernel(c.symbol);
    ASSERT_TRUE(info) << c.symbol;
    EXPECT_EQ(info->paramsBytes, c.params.size()) << c.symbol;
    if (!info->isVariadic())
      EXPECT_EQ(info->buffers.size(), c.inputSlots.size() + c.outputCount)
          << c.symbol;
  }
}

TEST(TaskCount, DoesNotChangeResults) {
  for (uint64_t seed = 1; seed <= 20; ++seed) {
    std::vector<uint8_t> inputs = caseInputs(seed);
    for (const KernelCase &c : randomKernelCases(seed)) {
      std::vector<uint8_t> expected = run(c, inputs, 1);
      for (uint32_t tasks : {2u, 3u, 7u})
        EXPECT_TRUE(run(c, inputs, tasks) == expected)
            << c.symbol << " with " << tasks << " tasks, seed " << seed;
    }
  }
}

// TECs write at the same time.
TEST(TaskCount, EachByteIsOneTasks) {
  constexpr uint32_t kTasks = 3;
  for (uint64_t seed = 1; seed <= 5; ++seed) {
    std::vector<uint8_t> inputs = caseInputs(seed);
    for (const KernelCase &c : randomKernelCases(seed)) {
      std::vector<unsigned> writers(c.outputCount * kCaseBytes);
      for (uint32_t task = 0; task < kTasks; ++task) {
        std::vector<uint8_t> a = runTasks(c, inputs, task, task + 1, kTasks),
                             b = runTasks(c, inputs, task, task + 1, kTasks,
                                          uint8_t(~0xaa));
        for (size_t i = 0; i < writers.size(); ++i)
          writers[i] += a[i] == b[i];
      }
      EXPECT_LE(std::ranges::max(writers), 1u) << c.symbol << ", seed " << seed;
    }
  }
}
