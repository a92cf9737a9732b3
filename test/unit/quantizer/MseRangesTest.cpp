//===- MseRangesTest.cpp - Ranges of least square error -------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#include "dialects/compass/ChannelFactors.h"
#include "dialects/compass/Layers.h"
#include "quantizer/calibrate/SampleGroups.h"
#include "quantizer/methods/ApplyMethods.h"
#include "quantizer/metrics/SampledNetwork.h"
#include "test/unit/quantizer/TestNetwork.h"

using namespace yarrow;
using namespace yarrow::compass;

namespace {

constexpr int64_t kValues = 256;

const char *const kNetwork = R"(func.func @main() -> tensor<1x256xf32> {
  %x = compass.input() : () -> tensor<1x256xf32> loc("input")
  %r = compass.activation(%x) {method = "RELU"} : (tensor<1x256xf32>) -> tensor<1x256xf32> loc("relu")
  %y = compass.activation(%r) {method = "TANH"} : (tensor<1x256xf32>) -> tensor<1x256xf32> loc("tanh")
  return %y : tensor<1x256xf32>
})";

NpyView arrayOf(std::vector<float> list, int64_t samples) {
  auto values = std::make_shared<std::vector<float>>(std::move(list));
  return {NpyType::Float32,
          {samples, kValues},
          values->size(),
          values->data(),
          values};
}

/// The end of the rectified values' range; the values in \p factors' places
/// are so many times larger than the model's.
float endFor(const NpyView &samples, llvm::ArrayRef<float> factors = {}) {
  TestNetwork net(kNetwork);
  QuantizerOptions options;
  options.global.activationMethod.mode = RangeMode::Asymmetric;
  EXPECT_TRUE(net.quantize(options, {samples})) << net.problems();
  auto method = GlobalMethod::create("mse_ranges", {});
  auto network = mlir::OwningOpRef<mlir::ModuleOp>(net.original->clone());
  network->walk([&](mlir::Operation *op) {
    if (!factors.empty() && recordOf(op) && layerNameOf(op) == "relu")
      setChannelFactors(op, factors);
  });
  auto calibration =
      Calibration::run(*network, {samples}, options, {}, net.diags);
  EXPECT_TRUE(method && calibration);
  EXPECT_TRUE(chooseMseRanges({*network,
                               *calibration,
                               options,
                               *net.module,
                               {samples},
                               *method,
                               net.diags}))
      << net.problems();
  float end = 0;
  network->walk([&](mlir::Operation *op) {
    if (recordOf(op) && layerNameOf(op) == "relu")
      end = calibration->range(op->getResult(0), 8, false).max;
  });
  return end;
}

/// Uniform values up to 1 each; the last sample reaches \p furthest in a tenth
/// of its values, and the one before it \p next.
std::vector<float> reaching(float furthest, float next) {
  std::vector<float> list;
  for (int64_t s = 0; s < 8; ++s)
    for (int64_t i = 0; i < kValues; ++i) {
      float x = float(i) / float(kValues - 1);
      bool isFar = i % 10 == 0;
      list.push_back(isFar && s == 7   ? x * furthest
                     : isFar && s == 6 ? x * next
                                       : x);
    }
  return list;
}

} // namespace

TEST(MseRanges, LeaveRoomWhereOneSampleReachesFurther) {
  // As far as others do: nothing says that more is to come.
  EXPECT_LT(endFor(arrayOf(reaching(4, 3.95f), 8)), 4.01f);
  // Twice as far as any other: the others would have clipped it.
  EXPECT_GT(endFor(arrayOf(reaching(4, 2), 8)), 4.4f);
}

TEST(MseRanges, TakeCopiesForOneSample) {
  std::vector<float> list = reaching(4, 2);
  // The last two are one, in another order.
  for (int64_t i = 0; i < kValues; ++i)
    list[std::size_t(6 * kValues + i)] = list[std::size_t(8 * kValues - 1 - i)];
  NpyView samples = arrayOf(list, 8);
  TestNetwork net(kNetwork);
  SampledNetwork network;
  ASSERT_TRUE(network.create(*net.module, {samples}, net.diags));
  auto groups = groupSamples(network.evaluator->inputs(), *network.samples, 8);
  EXPECT_EQ(groups[7], groups[6]);
  EXPECT_EQ(groups[5], groups[0]) << "equal ones are copies as well";
  EXPECT_NE(groups[6], groups[0]);
  EXPECT_GT(endFor(samples), 4.4f);
}

/// An error of a channel that is 32 times larger than in the model is a 32nd of
/// its size there, and its square a 1024th: it may be cut for the others.
TEST(MseRanges, CountErrorsAsTheModelHasThem) {
  NpyView samples = arrayOf(reaching(4, 3.95f), 8);
  std::vector<float> factors(kValues, 1);
  for (std::size_t i = 0; i < factors.size(); i += 10)
    factors[i] = 32;
  EXPECT_LT(endFor(samples, factors), 3.5f);
  EXPECT_GT(endFor(samples), 3.7f);
}
