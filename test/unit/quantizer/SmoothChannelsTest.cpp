//===- SmoothChannelsTest.cpp - Factors between layers --------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#include "dialects/compass/Layers.h"
#include "quantizer/methods/ApplyMethods.h"
#include "test/unit/quantizer/ConvNetwork.h"

using namespace yarrow;
using namespace yarrow::compass;

namespace {

const std::vector<float> kGains = {0.02f, 0.3f, 1, 6},
                         kBiases = {0.01f, 0, -0.2f, 1};
constexpr int64_t kSamples = 32; // as many as the method looks at

/// Each input times its gain and with its bias, then sums of all.
std::string network() {
  std::vector<float> gains(16);
  for (std::size_t c = 0; c < 4; ++c)
    gains[5 * c] = kGains[c];
  auto product = [](const char *result, const char *operand,
                    const std::vector<float> &weights) {
    return std::string("  %") + result + " = compass.fully_connected(%" +
           operand + ") {weights = dense<" + hexOf(weights) +
           "> : tensor<4x4xf32>, biases = dense<" + hexOf(kBiases) +
           "> : tensor<4xf32>, "
           "num_output = 4 : i64} : (tensor<1x4xf32>) -> tensor<1x4xf32> "
           "loc(\"" +
           result + "\")\n";
  };
  return "func.func @main() -> tensor<1x4xf32> {\n  %x = compass.input() : () "
         "-> tensor<1x4xf32> loc(\"input\")\n" +
         product("gains", "x", gains) +
         product("sums", "gains", normalValues(16, 5, 0.5f)) +
         "  return %sums : tensor<1x4xf32>\n}\n";
}

} // namespace

// AWQ (Lin et al., 2023): a power of the inputs' mean magnitudes, of which the
// least and the largest factor are each other's reciprocals.
TEST(SmoothChannels, AwqTakesAPowerOfTheMeans) {
  NpyView samples = normalSamples({kSamples, 4}, 9);
  TestNetwork net(network());
  QuantizerOptions options;
  options.global.weightBits = 4;
  ASSERT_TRUE(net.quantize(options, {samples})) << net.problems();
  auto method = GlobalMethod::create("awq_zy", {});
  ASSERT_TRUE(method);
  ASSERT_TRUE(smoothChannels({*net.original,
                              *net.calibration,
                              options,
                              *net.module,
                              {samples},
                              *method,
                              net.diags}))
      << net.problems();

  std::vector<float> values = samples.toFloats();
  std::vector<double> logMeans(4), logFactors(4);
  mlir::Operation *gains = nullptr;
  net.original->walk([&](mlir::Operation *op) {
    if (!gains && tensorKey(op, keys::weights))
      gains = op;
  });
  auto weights = *viewConstant(tensorKey(gains, keys::weights));
  for (std::size_t c = 0; c < 4; ++c) {
    double sum = 0;
    for (std::size_t i = c; i < values.size(); i += 4)
      sum += std::fabs(double(values[i] * kGains[c] + kBiases[c]));
    logMeans[c] = std::log(sum / kSamples);
    logFactors[c] =
        std::log(double(kGains[c]) / double(weights.floatAt(int64_t(5 * c))));
  }
  double power = (logFactors[3] - logFactors[0]) / (logMeans[3] - logMeans[0]);
  EXPECT_GT(power, 0);
  EXPECT_NEAR(power * 20, std::round(power * 20), 1e-3); // n_grid
  for (std::size_t c = 1; c < 3; ++c)
    EXPECT_NEAR(logFactors[c] - logFactors[0],
                power * (logMeans[c] - logMeans[0]), 1e-4);
  EXPECT_NEAR(logFactors[0] + logFactors[3], 0, 1e-4);
}
