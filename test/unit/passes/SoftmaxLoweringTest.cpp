//===- SoftmaxLoweringTest.cpp - Softmax on the tensor engine -------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "mlir/Parser/Parser.h"
#include "test/Random.h"
#include "test/conformance/RunNpu.h"

#include <cmath>
#include <gtest/gtest.h>

using namespace yarrow;
using yarrow::testing::Random;

static constexpr int kSoftmaxNetworks = 16, kSoftmaxLayers = 4;

namespace {
class SoftmaxLowering : public ::testing::TestWithParam<int> {};
INSTANTIATE_TEST_SUITE_P(Networks, SoftmaxLowering,
                         ::testing::Range(0, kSoftmaxNetworks));

/// Softmax layers of one tensor, each an output of the network: of pairs, by
/// table or by powers of two, and of longer rows.
class SoftmaxNetwork {
public:
  explicit SoftmaxNetwork(Random &random) : random(random) {
    type = random.of<std::string>({"i8", "u8", "i8", "i16"});
    isPair = random.oneIn(2);
    isMiddle = isPair && random.oneIn(3);
    shape = {1, random.of({4u, 33u, 300u}),
             isPair ? 2 : random.of({3u, 8u, 17u, 80u, 129u})};
    if (isMiddle)
      shape = {random.of({1u, 7u}), 2, random.of({4u, 40u})};
    for (int i = 0; i < kSoftmaxLayers; ++i)
      addLayer(i);
  }
  std::string text() const {
    return "func.func @main() -> (" + types +
           ") {\n  %x = compass.input() {compass.tops = [\"x\"]} : () -> " +
           tensor(type) + "\n" + layers + "  return " + names + " : " + types +
           "\n}\n";
  }
  uint64_t bytes() const {
    return uint64_t(shape[0]) * shape[1] * shape[2] * (isWide() ? 2 : 1);
  }

private:
  bool isWide() const { return type == "i16"; }
  std::string tensor(const std::string &element) const {
    std::string text = "tensor<";
    for (uint32_t length : shape)
      text += std::to_string(length) + "x";
    return text + "!quant.uniform<" + element + ":f32, 0.05:0>>";
  }
  /// Exponentials of the differences, the least one first.
  std::string table() {
    double most = random.of({255.0, 4095.0, 65535.0, 1048575.0});
    double step = isWide() ? 0.001 : 0.04;
    uint32_t items = isWide() ? 512 : 256;
    double apart = (isWide() ? 65535.0 : 255.0) / (items - 1) * step;
    std::string text = ", lut = dense<[";
    for (uint32_t i = 0; i < items; ++i)
      text += (i ? ", " : "") +
              std::to_string(int64_t(std::round(
                  most * std::exp((double(i) - items + 1) * apart))));
    return text + "]> : tensor<" + std::to_string(items) + "xui32>";
  }
  void addLayer(int index) {
    std::string result =
        isWide() ? "u16" : random.of<std::string>({"u8", "u8", "u16"});
    std::string name = "%y" + std::to_string(index), keys;
    if (random.oneIn(isPair ? 2 : 5)) {
      keys = ", quantize_method = \"FAST_EXP\", input_scale_value = " +
             std::to_string(random.between(500, 8000)) +
             " : i64, input_shift_value = 13 : i64, pow2_out_q = 23 : i64, "
             "adjust_q = 1 : i64";
    } else {
      keys = ", quantize_method = \"LUT\"" + table() +
             ", scale_value = array<i64: " +
             std::to_string(random.between(128, 255)) +
             ">, shift_value = array<i64: " +
             std::to_string(result == "u8" ? random.between(0, 1) : 0) + ">";
    }
    layers += "  " + name + " = compass.softmax(%x) {compass.tops = [\"" +
              name.substr(1) + "\"], axis = " + (isMiddle ? "1" : "2") +
              " : i64" + keys + "} : (" + tensor(type) + ") -> " +
              tensor(result) + "\n";
    names += (names.empty() ? "" : ", ") + name;
    types += (types.empty() ? "" : ", ") + tensor(result);
  }

  Random &random;
  std::string type, layers, names, types;
  std::array<uint32_t, 3> shape;
  bool isPair, isMiddle;
};
} // namespace

TEST_P(SoftmaxLowering, EngineGivesTheKernelsBytes) {
  Random random(uint64_t(GetParam()) + 1);
  SoftmaxNetwork network(random);
  mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
  mlir::DialectRegistry registry;
  compass::registerDialects(registry);
  context.appendDialectRegistry(registry);
  context.loadAllAvailableDialects();
  auto module =
      mlir::parseSourceString<mlir::ModuleOp>(network.text(), &context);
  ASSERT_TRUE(module) << network.text();
  DiagnosticEngine diags;
  auto evaluator = compass::Evaluator::create(*module, diags);
  ASSERT_TRUE(evaluator) << (diags.all().empty() ? network.text()
                                                 : diags.all().front().str());
  compass::TensorBytes input(network.bytes());
  uint32_t kind = random.below(3);
  for (char &byte : input)
    byte = kind == 0   ? random.of<char>({char(-128), 127})
           : kind == 1 ? char(random.below(20))
                       : char(random.below(256));
  conformance::SampleOutputs expected(1), functional, timed;
  evaluator->run({compass::TensorBytesRef(input)}, expected.front());
  std::string target = random.of<std::string>({"X2_1204", "Z1_0701"});
  ASSERT_TRUE(conformance::compileAndRun(*module, {target}, {{input}},
                                         functional, timed, diags))
      << (diags.all().empty() ? "" : diags.all().front().str());
  for (size_t i = 0; i < expected.front().size(); ++i)
    EXPECT_TRUE(functional.front()[i] == expected.front()[i])
        << i << " on " << target << "\n"
        << network.text();
}
