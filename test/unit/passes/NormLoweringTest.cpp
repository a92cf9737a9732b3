//===- NormLoweringTest.cpp - Normalizations on the engines ---------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "mlir/Parser/Parser.h"
#include "test/Random.h"
#include "test/conformance/RunNpu.h"

#include <gtest/gtest.h>

using namespace yarrow;
using yarrow::testing::Random;

static constexpr int kNormNetworks = 32, kNormLayers = 6;

namespace {
class NormLowering : public ::testing::TestWithParam<int> {};
INSTANTIATE_TEST_SUITE_P(Networks, NormLowering,
                         ::testing::Range(0, kNormNetworks));

/// Normalizations of one tensor, each an output of the network.
class NormNetwork {
public:
  explicit NormNetwork(Random &random) : random(random) {
    type = random.of<std::string>({"i8", "u8", "i16", "u16"});
    shape = {random.oneIn(4) ? 2u : 1u, random.of({1u, 3u, 8u, 13u}),
             random.of({1u, 4u, 7u, 32u}),
             random.of({2u, 4u, 8u, 16u, 30u, 64u, 96u, 200u})};
    for (int i = 0; i < kNormLayers; ++i)
      addLayer();
  }
  std::string text() const {
    return "func.func @main() -> (" + types +
           ") {\n  %x = compass.input() "
           "{compass.tops = [\"x\"]} : () -> " +
           tensor(type) + "\n" + layers + "  return " + names + " : " + types +
           "\n}\n";
  }
  uint64_t elements() const {
    return uint64_t(shape[0]) * shape[1] * shape[2] * shape[3];
  }
  bool isWide() const { return type.ends_with("16"); }

private:
  std::string tensor(const std::string &element) const {
    std::string text = "tensor<";
    for (uint32_t length : shape)
      text += std::to_string(length) + "x";
    return text + "!quant.uniform<" + element + ":f32, 0.05:3>>";
  }
  /// A key with so many numbers.
  template <typename Number>
  std::string numbers(const std::string &key, uint32_t count,
                      const std::string &element, Number number) {
    std::string text = ", " + key + " = dense<[";
    for (uint32_t i = 0; i < count; ++i)
      text += (i ? ", " : "") + std::to_string(number(i));
    return text + "]> : tensor<" + std::to_string(count) + "x" + element + ">";
  }
  /// The inverse roots of every network, rarely ones that rise.
  std::string table() {
    bool rises = random.oneIn(12);
    return numbers("lut", 193, "i16", [&](uint32_t i) {
      return rises ? int(i) * 100
                   : std::min(32767, int(32768 / std::sqrt(1 + i / 64.0)));
    });
  }
  std::string affine(uint32_t count) {
    bool isShort = random.oneIn(2);
    std::string text =
        numbers("weights", count, isShort ? "i16" : "i8", [&](uint32_t) {
          return isShort ? int(random.below(60000)) - 30000
                         : int(random.below(256)) - 128;
        });
    return text + numbers("biases", count, "i32", [&](uint32_t) {
             return int(random.below(20001)) - 10000;
           });
  }
  std::string requant(uint32_t count) {
    if (count == 1 || random.oneIn(2))
      return ", scale_value = array<i64: " + std::to_string(random.below(256)) +
             ">, shift_value = array<i64: " +
             std::to_string(random.between(6, 18)) + ">";
    // Not all the same: that would be one number.
    return numbers("scale", count, "ui8",
                   [&](uint32_t i) { return i ? random.below(255) : 255; }) +
           numbers("shift", count, "i8",
                   [&](uint32_t i) { return i ? random.between(7, 18) : 6; });
  }
  void addLayer() {
    std::string result = isWide() ? random.of<std::string>({"i16", "u16"})
                                  : random.of<std::string>({"i8", "u8", "i16"});
    std::string name = "%y" + std::to_string(count++), kind, keys;
    uint32_t channels = shape[3];
    int first = random.of({3, 3, 2, 1});
    std::string axes;
    uint32_t places = 1;
    for (int axis = first; axis < 4; ++axis) {
      axes += (axes.empty() ? "" : ", ") + std::to_string(axis);
      places *= shape[axis];
    }
    std::string axisKey = ", axis = array<i64: " + axes + ">";
    std::string normKeys =
        ", var_shift_value = " + std::to_string(random.below(8)) +
        " : i64, norm_scale_value = " +
        std::to_string(random.of({1u, 1u, 1 + random.below(300), 65535u})) +
        " : i64, norm_shift_value = " +
        std::to_string(random.of({0u, 1u, 3u, 9u})) + " : i64";
    // Constants of many places make the test slow.
    bool isRow = places <= 3000;
    switch (random.below(4)) {
    case 0:
      kind = "instance_norm";
      keys = affine(channels) + requant(channels) + normKeys;
      break;
    case 1:
      kind = "group_norm";
      keys = affine(channels) + requant(channels) + normKeys +
             ", group = 2 : i64, axis = 3 : i64";
      break;
    case 2:
      kind = isRow ? "layer_norm" : "instance_norm";
      keys = affine(isRow ? places : channels) +
             requant(isRow ? places : channels) + normKeys +
             (isRow ? axisKey : "");
      break;
    default:
      kind = "rms_norm";
      keys = (isRow && random.oneIn(2) ? affine(places) : "") +
             requant(isRow ? places : 1) + axisKey +
             ", norm_scale_value = " + std::to_string(random.below(256)) +
             " : i64, norm_shift_value = " +
             std::to_string(random.between(2, 12)) + " : i64";
    }
    if (random.oneIn(2))
      keys += ", epsilon_sum_value = " + std::to_string(random.below(1000)) +
              " : i64";
    layers += "  " + name + " = compass." + kind + "(%x) {compass.tops = [\"" +
              name.substr(1) + "\"]" + table() + keys + "} : (" + tensor(type) +
              ") -> " + tensor(result) + "\n";
    names += (names.empty() ? "" : ", ") + name;
    types += (types.empty() ? "" : ", ") + tensor(result);
  }

  Random &random;
  std::string type, layers, names, types;
  std::array<uint32_t, 4> shape;
  int count = 0;
};
} // namespace

TEST_P(NormLowering, EnginesGiveTheKernelsBytes) {
  Random random(uint64_t(GetParam()) + 1);
  NormNetwork network(random);
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
  compass::TensorBytes input(network.elements() * (network.isWide() ? 2 : 1));
  // Some groups are equal all through, some as far apart as may be.
  uint32_t kind = random.below(3);
  for (char &byte : input)
    byte = kind == 0   ? random.of<char>({char(-128), 127})
           : kind == 1 ? char(random.below(3))
                       : char(random.below(256));
  conformance::SampleOutputs expected(1), functional, timed;
  evaluator->run({compass::TensorBytesRef(input)}, expected.front());
  // The small one has its values in parts.
  std::string target = random.of<std::string>({"X2_1204", "Z1_0701"});
  ASSERT_TRUE(conformance::compileAndRun(*module, {target}, {{input}},
                                         functional, timed, diags))
      << (diags.all().empty() ? "" : diags.all().front().str());
  for (size_t i = 0; i < expected.front().size(); ++i) {
    EXPECT_TRUE(functional.front()[i] == expected.front()[i])
        << i << " on " << target << "\n"
        << network.text();
    EXPECT_TRUE(timed.front()[i] == expected.front()[i]) << i;
  }
}
