//===- MovesLoweringTest.cpp - Moves within the SRAM ----------------------===//
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

static constexpr int kMovesNetworks = 12, kMovesLayers = 4;

namespace {
class MovesLowering : public ::testing::TestWithParam<int> {};
INSTANTIATE_TEST_SUITE_P(Networks, MovesLowering,
                         ::testing::Range(0, kMovesNetworks));

/// A tensor that is computed, so that it lies in SRAM, then moved in several
/// ways, and computed again.
class MovesNetwork {
public:
  explicit MovesNetwork(Random &random) : random(random) {
    element = std::string("!quant.uniform<") +
              random.of<std::string>({"i16", "u16", "i8"}) + ":f32, 0.05>";
    shape = {random.of({1u, 2u}), random.of({4u, 16u, 30u}),
             random.of({4u, 16u, 32u}), random.of({2u, 4u, 8u, 24u, 64u})};
    layers = relu("%a", "%x", shape);
    for (int i = 0; i < kMovesLayers; ++i)
      addLayer(i);
  }
  std::string text() const {
    return "func.func @main() -> (" + types +
           ") {\n  %x = compass.input() {compass.tops = [\"x\"]} : () -> " +
           tensor(shape) + "\n" + layers + "  return " + names + " : " + types +
           "\n}\n";
  }
  uint64_t inputBytes() const {
    uint64_t bytes = element.find("16") != std::string::npos ? 2 : 1;
    for (uint32_t length : shape)
      bytes *= length;
    return bytes;
  }

private:
  using Shape = std::array<uint32_t, 4>;

  std::string tensor(const Shape &lengths) const {
    std::string text = "tensor<";
    for (uint32_t length : lengths)
      text += std::to_string(length) + "x";
    return text + element + ">";
  }
  static std::string list(const Shape &numbers) {
    std::string text = "array<i64: ";
    for (size_t i = 0; i < numbers.size(); ++i)
      text += (i ? ", " : "") + std::to_string(numbers[i]);
    return text + ">";
  }
  std::string relu(const std::string &name, const std::string &of,
                   const Shape &lengths) const {
    return "  " + name + " = compass.activation(" + of +
           ") {compass.tops = [\"" + name.substr(1) +
           "\"], method = \"RELU\", scale_value = array<i64: 3>, shift_value = "
           "array<i64: 2>} : (" +
           tensor(lengths) + ") -> " + tensor(lengths) + "\n";
  }
  void addLayer(int index) {
    std::string number = std::to_string(index), moved = "%m" + number;
    Shape out = shape;
    std::string kind, keys;
    if (random.oneIn(2)) {
      auto perm = random.of<Shape>({{0, 2, 1, 3}, {1, 0, 2, 3}, {0, 2, 3, 1}});
      for (size_t i = 0; i < out.size(); ++i)
        out[i] = shape[perm[i]];
      kind = "transpose", keys = "perm = " + list(perm);
    } else {
      Shape begin = {}, end = shape;
      for (size_t i = 1; i < out.size(); ++i) {
        begin[i] = random.below(shape[i] / 2);
        end[i] = begin[i] + 1 + random.below(shape[i] - begin[i]);
        out[i] = end[i] - begin[i];
      }
      kind = "slice", keys = "begin = " + list(begin) + ", end = " + list(end) +
                             ", strides = " + list({1, 1, 1, 1});
    }
    layers += "  " + moved + " = compass." + kind + "(%a) {compass.tops = [\"" +
              moved.substr(1) + "\"], " + keys + "} : (" + tensor(shape) +
              ") -> " + tensor(out) + "\n" + relu("%y" + number, moved, out);
    names += (names.empty() ? "%y" : ", %y") + number;
    types += (types.empty() ? "" : ", ") + tensor(out);
  }

  Random &random;
  std::string element, layers, names, types;
  Shape shape;
};
} // namespace

/// Evaluator and NPU give the same bytes.
static void expectSameBytes(const std::string &text,
                            const std::vector<compass::TensorBytes> &inputs,
                            const std::string &target) {
  mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
  mlir::DialectRegistry registry;
  compass::registerDialects(registry);
  context.appendDialectRegistry(registry);
  context.loadAllAvailableDialects();
  auto module = mlir::parseSourceString<mlir::ModuleOp>(text, &context);
  ASSERT_TRUE(module) << text;
  DiagnosticEngine diags;
  auto evaluator = compass::Evaluator::create(*module, diags);
  ASSERT_TRUE(evaluator) << (diags.all().empty() ? text
                                                 : diags.all().front().str());
  std::vector<compass::TensorBytesRef> given(inputs.begin(), inputs.end());
  conformance::SampleOutputs expected(1), functional, timed;
  evaluator->run(given, expected.front());
  ASSERT_TRUE(conformance::compileAndRun(*module, {target}, {inputs},
                                         functional, timed, diags))
      << (diags.all().empty() ? "" : diags.all().front().str());
  for (size_t i = 0; i < expected.front().size(); ++i)
    EXPECT_TRUE(functional.front()[i] == expected.front()[i]) << i << "\n"
                                                              << text;
}

static compass::TensorBytes draw(Random &random, uint64_t bytes) {
  compass::TensorBytes values(bytes);
  for (char &byte : values)
    byte = char(random.below(256));
  return values;
}

TEST_P(MovesLowering, ValuesStayTheSame) {
  Random random(uint64_t(GetParam()) + 1);
  MovesNetwork network(random);
  expectSameBytes(network.text(), {draw(random, network.inputBytes())},
                  "X2_1204");
}

// A result of 645 KB is joined in bands of rows by a machine of 256 KB.
TEST(MovesLowering, JoinsInBands) {
  Random random(1);
  expectSameBytes(R"(
!a = tensor<1x96x100x24x!quant.uniform<u8:f32, 0.05:3>>
!b = tensor<1x96x100x7x!quant.uniform<i8:f32, 0.1>>
!c = tensor<1x96x100x36x!quant.uniform<i16:f32, 0.002>>
!y = tensor<1x96x100x67x!quant.uniform<i8:f32, 0.1>>
func.func @main() -> !y {
  %a = compass.input() {compass.tops = ["a"]} : () -> !a
  %b = compass.input() {compass.tops = ["b"], input_index = 1 : i64} : () -> !b
  %c = compass.input() {compass.tops = ["c"], input_index = 2 : i64} : () -> !c
  %y = compass.concat(%a, %b, %c) {compass.tops = ["y"], axis = 3 : i64,
    scale_value = array<i64: 3, 1, 5>, shift_value = array<i64: 3, 0, 8>}
    : (!a, !b, !c) -> !y
  return %y : !y
})",
                  {draw(random, 96 * 100 * 24), draw(random, 96 * 100 * 7),
                   draw(random, 96 * 100 * 36 * 2)},
                  "Z1_0701");
}
