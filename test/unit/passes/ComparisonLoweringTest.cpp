//===- ComparisonLoweringTest.cpp - Comparisons on the tensor engine ------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "dialects/npu/Npu.h"
#include "mlir/Parser/Parser.h"
#include "passes/lower/Lower.h"
#include "test/Random.h"
#include "test/conformance/RunNpu.h"

#include <gtest/gtest.h>

using namespace yarrow;
using yarrow::testing::Random;

static constexpr int kComparisonNetworks = 12;

namespace {
class ComparisonLowering : public ::testing::TestWithParam<int> {};
INSTANTIATE_TEST_SUITE_P(Networks, ComparisonLowering,
                         ::testing::Range(0, kComparisonNetworks));

/// Two tensors, of which one may be broadcast, compared in all ways, and their
/// signs.
class ComparisonNetwork {
public:
  explicit ComparisonNetwork(Random &random) : random(random) {
    shapes[0] = {1, random.of({1u, 3u, 8u}), random.of({1u, 5u, 16u}),
                 random.of({1u, 3u, 16u, 33u})};
    shapes[1] = shapes[0];
    for (uint32_t &length : shapes[1])
      if (random.oneIn(4))
        length = 1;
    for (std::string &type : types)
      type = random.of<std::string>({"i8", "u8", "i16", "u16"});
    for (int &zeroPoint : zeroPoints)
      zeroPoint = random.of({0, 0, 3, 117});
    for (std::string method : {"EQUAL", "NOT_EQUAL", "GREATER", "GREATER_EQUAL",
                               "LESS", "LESS_EQUAL"})
      addLayer(method);
    for (size_t operand : {0, 1})
      addSign(operand);
  }
  std::string text() const {
    std::string inputs;
    for (size_t i : {0, 1})
      inputs += "  %x" + std::to_string(i) +
                " = compass.input() {compass.tops = [\"x" + std::to_string(i) +
                "\"], input_index = " + std::to_string(i) + " : i64} : () -> " +
                tensor(i) + "\n";
    return "func.func @main() -> (" + resultTypes + ") {\n" + inputs + layers +
           "  return " + names + " : " + resultTypes + "\n}\n";
  }
  compass::TensorBytes draw(size_t input) {
    uint64_t bytes = types[input].ends_with("16") ? 2 : 1;
    for (uint32_t length : shapes[input])
      bytes *= length;
    compass::TensorBytes values(bytes);
    bool isNear = random.oneIn(2); // many are equal
    for (char &byte : values)
      byte = char(random.below(isNear ? 3 : 256));
    return values;
  }

private:
  std::string tensorOf(const std::array<uint32_t, 4> &shape,
                       const std::string &element) const {
    std::string text = "tensor<";
    for (uint32_t length : shape)
      text += std::to_string(length) + "x";
    return text + element + ">";
  }
  std::string tensor(size_t i) const {
    return tensorOf(shapes[i], "!quant.uniform<" + types[i] + ":f32, 0.05:" +
                                   std::to_string(zeroPoints[i]) + ">");
  }
  void addLayer(const std::string &method) {
    std::string scales;
    if (random.oneIn(2))
      scales = ", scale_value = array<i64: " +
               std::to_string(random.of({1u, 1 + random.below(65535)})) + ", " +
               std::to_string(random.of({1u, 1 + random.below(65535)})) + ">";
    size_t a = random.below(2), b = 1 - a;
    std::string name = "%y" + std::to_string(count++);
    std::string result = tensorOf(
        shapes[0], random.of<std::string>({"!quant.uniform<u8:f32, 1.0>",
                                           "!quant.uniform<i8:f32, 1.0>"}));
    layers += "  " + name + " = compass.logical(%x" + std::to_string(a) +
              ", %x" + std::to_string(b) + ") {compass.tops = [\"" +
              name.substr(1) + "\"], method = \"" + method + "\"" + scales +
              "} : (" + tensor(a) + ", " + tensor(b) + ") -> " + result + "\n";
    names += (names.empty() ? "" : ", ") + name;
    resultTypes += (resultTypes.empty() ? "" : ", ") + result;
  }

  void addSign(size_t operand) {
    std::string name = "y" + std::to_string(count++);
    std::string result = tensorOf(
        shapes[operand],
        "!quant.uniform<" + random.of<std::string>({"i8", "u8", "i16", "u16"}) +
            ":f32, 1.0:" + random.of<std::string>({"0", "5"}) + ">");
    layers += "  %" + name + " = compass.sign(%x" + std::to_string(operand) +
              ") {compass.tops = [\"" + name +
              "\"], scale_value = array<i64: " +
              std::to_string(random.of({1u, random.below(65536)})) +
              ">, shift_value = array<i64: " + std::to_string(random.below(9)) +
              ">} : (" + tensor(operand) + ") -> " + result + "\n";
    names += ", %" + name;
    resultTypes += ", " + result;
  }

  Random &random;
  std::array<std::array<uint32_t, 4>, 2> shapes;
  std::array<std::string, 2> types;
  std::array<int, 2> zeroPoints;
  std::string layers, names, resultTypes;
  int count = 0;
};
} // namespace

TEST_P(ComparisonLowering, EngineGivesTheKernelsBytes) {
  Random random(uint64_t(GetParam()) + 1);
  ComparisonNetwork network(random);
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
  std::vector<compass::TensorBytes> input = {network.draw(0), network.draw(1)};
  conformance::SampleOutputs expected(1), functional, timed;
  evaluator->run(
      {compass::TensorBytesRef(input[0]), compass::TensorBytesRef(input[1])},
      expected.front());
  std::string target = random.of<std::string>({"X2_1204", "Z1_0701"});
  ASSERT_TRUE(conformance::compileAndRun(*module, {target}, {input}, functional,
                                         timed, diags))
      << (diags.all().empty() ? "" : diags.all().front().str());
  for (size_t i = 0; i < expected.front().size(); ++i)
    EXPECT_TRUE(functional.front()[i] == expected.front()[i])
        << i << " on " << target << "\n"
        << network.text();
  isa::Machine machine = isa::findTarget(target, diags).value();
  ASSERT_TRUE(npu::lowerToNpu(*module, machine, {}, diags));
  module->walk([&](npu::KernelOp kernel) {
    ADD_FAILURE() << kernel.getSymbol().str() << "\n" << network.text();
  });
}
