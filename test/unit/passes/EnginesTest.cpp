//===- EnginesTest.cpp - Which engines compute which kernels --------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "passes/lower/commands/Engines.h"
#include "kernels/registry/Registry.h"
#include <gtest/gtest.h>

using namespace yarrow;
using namespace yarrow::npu;
using Kernels = std::vector<llvm::StringRef>;

namespace {

TEST(Engines, AnswerForKernels) {
  ASSERT_EQ(engineForms("yk_pool_int").size(), 1u);
  EXPECT_EQ(engineForms("yk_pool_int")[0].engine, isa::Engine::TensorEngine);
  EXPECT_EQ(engineForms("yk_pad")[0].engine, isa::Engine::Dma);
  EXPECT_TRUE(engineForms("yk_pool_float").empty());
}

TEST(Engines, PrintWhatTheyTake) {
  for (const kernels::KernelInfo &kernel : kernels::allKernels())
    for (const EngineForm &form : engineForms(kernel.symbol)) {
      EXPECT_EQ(form.kernel, llvm::StringRef(kernel.symbol));
      EXPECT_FALSE(form.takes.empty()) << kernel.symbol;
    }
}

TEST(Engines, UnitsInWords) {
  EXPECT_EQ(unitsOf(Kernels{}), "");
  EXPECT_EQ(unitsOf(Kernels{"yk_where"}), "TEC");
  EXPECT_EQ(unitsOf(Kernels{"yk_conv2d_int", "yk_conv2d_winograd_int"}),
            "tensor engine or TEC");
  EXPECT_EQ(unitsOf(Kernels{"yk_fully_connected_int", "yk_lut", "yk_copy"}),
            "tensor engine, DMA, TEC");
}

} // namespace
