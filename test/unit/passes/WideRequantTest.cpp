//===- WideRequantTest.cpp - The engine's wide scales against kernels -----===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// 3,000 random layers, compiled: the NPU gives the evaluator's bytes,
// functional and timed. WideLayers.h says which layers; commands by themselves
// are held against kernels in test/unit/simulator/WideKernelsTest.cpp.
//
//===----------------------------------------------------------------------===//
#include "mlir/Parser/Parser.h"
#include "test/conformance/RunNpu.h"
#include "test/unit/passes/WideLayers.h"

#include <gtest/gtest.h>

using namespace yarrow;
using yarrow::testing::Random;
using yarrow::testing::WideLayers;

static constexpr int kNetworks = 120, kLayers = 25;

namespace {
class WideRequant : public ::testing::TestWithParam<int> {};
INSTANTIATE_TEST_SUITE_P(Networks, WideRequant, ::testing::Range(0, kNetworks));
} // namespace

/// Any bytes, or those of the greatest and least values alone.
static compass::TensorBytes randomBytes(Random &random, uint64_t size,
                                        bool isExtreme) {
  compass::TensorBytes bytes(size);
  for (char &byte : bytes)
    byte = isExtreme ? random.of<char>({char(-128), 127, 0, char(-1)})
                     : char(random.below(256));
  return bytes;
}

TEST_P(WideRequant, EngineGivesTheKernelsBytes) {
  Random random(uint64_t(GetParam()) + 1);
  WideLayers layers(random, /*isImage=*/GetParam() % 4 != 3);
  layers.add(kLayers);
  mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
  mlir::DialectRegistry registry;
  compass::registerDialects(registry);
  context.appendDialectRegistry(registry);
  context.loadAllAvailableDialects();
  auto module =
      mlir::parseSourceString<mlir::ModuleOp>(layers.text(), &context);
  ASSERT_TRUE(module) << layers.text();
  DiagnosticEngine diags;
  auto evaluator = compass::Evaluator::create(*module, diags);
  ASSERT_TRUE(evaluator) << (diags.all().empty() ? ""
                                                 : diags.all().front().str())
                         << layers.text();
  std::vector<std::vector<compass::TensorBytes>> samples(2);
  conformance::SampleOutputs expected(2), functional, timed;
  for (int i = 0; i < 2; ++i) {
    samples[i] = {randomBytes(random, layers.xBytes(), i == 1),
                  randomBytes(random, layers.zBytes(), i == 1)};
    evaluator->run({compass::TensorBytesRef(samples[i][0]),
                    compass::TensorBytesRef(samples[i][1])},
                   expected[i]);
  }
  bool optimize = GetParam() % 5 == 0;
  ASSERT_TRUE(conformance::compileAndRun(*module, {"X2_1204", optimize},
                                         samples, functional, timed, diags))
      << (diags.all().empty() ? "" : diags.all().front().str());
  for (int i = 0; i < 2; ++i)
    for (size_t o = 0; o < expected[i].size(); ++o)
      ASSERT_TRUE(functional[i][o] == expected[i][o])
          << "result " << o << " of\n"
          << layers.text();
  EXPECT_TRUE(timed == functional);
}
