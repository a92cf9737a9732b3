//===- WinogradLayerTest.cpp - The keys of Winograd layers ----------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// What the keys say must reach the kernel: which of Fmnrs belongs to which
// axis, shifts, padding and zero points. Layers whose weights transform without
// a remainder, with different tiles along the two axes, are evaluated beside
// the direct convolution that they are.
//
//===----------------------------------------------------------------------===//
#include "dialects/compass/Compass.h"
#include "dialects/compass/conv/Winograd.h"
#include "dialects/compass/network/Evaluator.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Parser/Parser.h"
#include "test/Random.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include <gtest/gtest.h>
#include <set>

using namespace yarrow;
using namespace yarrow::compass;

namespace {

constexpr int64_t kChannels = 5, kOutputs = 3, kHeight = 7, kWidth = 9;

template <typename T> std::string blob(const std::vector<T> &values) {
  constexpr char kAlignment[] = {8, 0, 0, 0};
  auto *bytes = reinterpret_cast<const uint8_t *>(values.data());
  return "\"0x" + llvm::toHex(llvm::StringRef(kAlignment, 4)) +
         llvm::toHex(llvm::ArrayRef(bytes, values.size() * sizeof(T))) + "\"";
}

/// Rows of a multiple of G.
using Rows = std::vector<std::vector<int>>;
const Rows kPlain3 = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
const Rows kTwiceG23 = {{2, 0, 0}, {1, 1, 1}, {1, -1, 1}, {0, 0, 2}};
const Rows k24G43 = {{6, 0, 0}, {-4, -4, -4}, {-4, 4, -4},
                     {1, 2, 4}, {1, -2, 4},   {0, 0, 24}};

/// A 3x3 convolution of weights 24 * unit.
struct Layer {
  std::vector<int8_t> unit;
  std::vector<int32_t> bias;
  std::vector<char> input;

  explicit Layer(uint64_t seed) {
    yarrow::testing::Random random(seed);
    for (int64_t i = 0; i < kOutputs * 9 * kChannels; ++i)
      unit.push_back(int8_t(int(random.below(11)) - 5));
    for (int64_t i = 0; i < kOutputs; ++i)
      bias.push_back(int32_t(random.below(2000)) - 1000);
    for (int64_t i = 0; i < 2 * kHeight * kWidth * kChannels; ++i)
      input.push_back(char(random.below(256)));
  }

  /// [output][ty][tx][channel] of rowsY (factor * unit) rowsX^T.
  std::vector<int16_t> weights(int factor, const Rows &rowsY,
                               const Rows &rowsX) const {
    std::vector<int16_t> result;
    for (int64_t o = 0; o < kOutputs; ++o)
      for (const auto &rowY : rowsY)
        for (const auto &rowX : rowsX)
          for (int64_t c = 0; c < kChannels; ++c) {
            int sum = 0;
            for (int y = 0; y < 3; ++y)
              for (int x = 0; x < 3; ++x)
                sum += rowY[y] * rowX[x] * factor *
                       unit[((o * 3 + y) * 3 + x) * kChannels + c];
            EXPECT_LE(std::abs(sum), 32767);
            result.push_back(int16_t(sum));
          }
    return result;
  }
};

/// A network of one convolution, padded by 1 but for its right side.
class Network {
public:
  Network(const Layer &layer, int64_t rows, int64_t columns,
          const std::vector<int16_t> &weights, const std::string &keys,
          const std::vector<uint8_t> &tapShifts = {})
      : context(registry()) {
    std::string text = llvm::formatv(
        R"(func.func @main() -> tensor<2x{0}x{1}x{2}x!quant.uniform<i8:f32, 1.0:-3>> {{
  %x = compass.input() : () -> tensor<2x{0}x{3}x{4}x!quant.uniform<u8:f32, 1.0:17>>
  %y = compass.convolution(%x) {{num_output = {2} : i64, kernel_y = {5} : i64, kernel_x = {6} : i64, pad_left = 1 : i64, pad_top = 1 : i64, pad_bottom = 1 : i64,
    weights = dense_resource<w> : tensor<{2}x{5}x{6}x{4}xi16>, biases = dense_resource<b> : tensor<{2}xi32>, scale_value = array<i64: 77>, shift_value = array<i64: 17>, {7}}
    : (tensor<2x{0}x{3}x{4}x!quant.uniform<u8:f32, 1.0:17>>) -> tensor<2x{0}x{1}x{2}x!quant.uniform<i8:f32, 1.0:-3>>
  return %y : tensor<2x{0}x{1}x{2}x!quant.uniform<i8:f32, 1.0:-3>>
}
{{-# dialect_resources: {{ builtin: {{ w: {8}, b: {9}, t: {10} } } #-})",
        kHeight, kWidth - 1, kOutputs, kWidth, kChannels, rows, columns, keys,
        blob(weights), blob(layer.bias),
        blob(tapShifts.empty() ? std::vector<uint8_t>(8) : tapShifts));
    module = mlir::parseSourceString<mlir::ModuleOp>(text, &context);
  }

  std::vector<char> run(const Layer &layer) {
    if (!module)
      return {};
    yarrow::DiagnosticEngine diags;
    auto evaluator = Evaluator::create(*module, diags);
    if (!evaluator) {
      ADD_FAILURE() << diags.all().front().str();
      return {};
    }
    std::vector<TensorBytes> outputs;
    evaluator->run({TensorBytesRef(layer.input)}, outputs);
    return outputs.front();
  }

  std::optional<WinogradForm> form() {
    std::optional<WinogradForm> form;
    module->walk([&](CompassOp op) {
      if (op->getName().getStringRef() == "compass.convolution")
        form = winogradOf(op);
    });
    return form;
  }

private:
  static mlir::DialectRegistry registry() {
    mlir::DialectRegistry registry;
    registerDialects(registry);
    return registry;
  }
  mlir::MLIRContext context;
  mlir::OwningOpRef<mlir::ModuleOp> module;
};

class WinogradLayer : public ::testing::TestWithParam<uint64_t> {
protected:
  Layer layer{GetParam()};
  std::vector<char> direct() {
    Network net(layer, 3, 3, layer.weights(24, kPlain3, kPlain3),
                "stride_y = 1 : i64, stride_x = 1 : i64");
    EXPECT_FALSE(net.form());
    return net.run(layer);
  }
};

} // namespace

TEST_P(WinogradLayer, TilesDifferAlongTheAxes) {
  // F(4x2, 3x3): four outputs along the width, two along the height.
  Network net(
      layer, 4, 6, layer.weights(1, kTwiceG23, k24G43),
      "stride_y = 2 : i64, stride_x = 4 : i64, with_winograd = true, "
      "Fmnrs = array<i64: 4, 2, 3, 3>, winograd_output_shift = 1 : i64");
  ASSERT_TRUE(net.form());
  EXPECT_TRUE(net.form()->is2D);
  EXPECT_EQ(net.form()->x.outputs, 4u);
  EXPECT_EQ(net.form()->y.outputs, 2u);
  EXPECT_EQ(net.form()->taps(), 24u);
  EXPECT_EQ(net.form()->outputShift, 1u);
  EXPECT_EQ(net.form()->tapShift(kOutputs - 1, 23), 0u);
  std::vector<char> expected = direct();
  EXPECT_EQ(expected.size(), size_t(2 * kHeight * (kWidth - 1) * kOutputs));
  // Neither clamped nor next to nothing.
  EXPECT_GT(std::set<char>(expected.begin(), expected.end()).size(), 60u);
  EXPECT_TRUE(net.run(layer) == expected);
  Network turned(layer, 6, 4, layer.weights(1, k24G43, kTwiceG23),
                 "stride_y = 4 : i64, stride_x = 2 : i64, with_winograd = "
                 "true, Fmnrs = array<i64: 2, 4, 3, 3>, "
                 "winograd_output_shift = 1 : i64");
  EXPECT_TRUE(turned.run(layer) == expected);
}

TEST_P(WinogradLayer, RowsAreSummed) {
  Network net(layer, 3, 6, layer.weights(1, kPlain3, k24G43),
              "stride_y = 1 : i64, stride_x = 4 : i64, with_winograd = true, "
              "Fmnrs = array<i64: 4, 3>");
  ASSERT_TRUE(net.form());
  EXPECT_FALSE(net.form()->is2D);
  EXPECT_EQ(net.form()->y.tile(), 3u);
  EXPECT_TRUE(net.run(layer) == direct());
}

TEST_P(WinogradLayer, ShiftsOfTapsAndOfTheResult) {
  // Weights of 24 * unit, 4 times too large after H; every tap is halved as
  // often as all of its weights allow and shifted back.
  std::vector<int16_t> weights = layer.weights(24, kTwiceG23, kTwiceG23);
  std::vector<uint8_t> shifts;
  for (size_t at = 0; at < weights.size(); at += kChannels) {
    shifts.push_back(at / kChannels % 4); // of multiples of 24
    for (int64_t c = 0; c < kChannels; ++c)
      weights[at + c] /= 1 << shifts.back();
  }
  Network net(layer, 4, 4, weights,
              "stride_y = 2 : i64, stride_x = 2 : i64, with_winograd = true, "
              "Fmnrs = array<i64: 2, 2, 3, 3>, winograd_output_shift = 2 : "
              "i64, winograd_tap_shift = dense_resource<t> : tensor<3x4x4xui8>",
              shifts);
  ASSERT_TRUE(net.form());
  EXPECT_EQ(net.form()->tapShift(1, 7), 3u);
  EXPECT_TRUE(net.run(layer) == direct());
}

INSTANTIATE_TEST_SUITE_P(Seeds, WinogradLayer, ::testing::Values(1, 2, 3, 4));
