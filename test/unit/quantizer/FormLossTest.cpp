//===- FormLossTest.cpp - The loss of both integer forms ------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#include "quantizer/metrics/FormLoss.h"

#include "dialects/compass/Tensors.h"
#include "dialects/compass/conv/Winograd.h"
#include "dialects/compass/graph/GraphOps.h"
#include "support/ThreadPool.h"
#include "test/unit/quantizer/ConvNetwork.h"

using namespace yarrow;
using namespace yarrow::compass;

namespace {

/// Two candidates and a convolution of stride 2 between them.
const char *kChain = R"(
func.func @main() -> tensor<1x4x4x3xf32> {
  %x = compass.input() : () -> tensor<1x8x8x2xf32> loc("input")
  %a = compass.convolution(%x) {
    weights = dense<WEIGHTS0> : tensor<4x3x3x2xf32>, biases = dense<[0.1, -0.2, 0.3, 0.0]> : tensor<4xf32>,
    kernel_x = 3, kernel_y = 3, pad_top = 1, pad_left = 1, pad_bottom = 1, pad_right = 1,
    with_activation = "RELU"
  } : (tensor<1x8x8x2xf32>) -> tensor<1x8x8x4xf32> loc("first")
  %b = compass.convolution(%a) {
    weights = dense<WEIGHTS1> : tensor<4x3x3x4xf32>, biases = dense<[0.1, -0.2, 0.3, 0.0]> : tensor<4xf32>,
    kernel_x = 3, kernel_y = 3, stride_x = 2, stride_y = 2, pad_top = 1, pad_left = 1
  } : (tensor<1x8x8x4xf32>) -> tensor<1x4x4x4xf32> loc("strided")
  %c = compass.convolution(%b) {
    weights = dense<WEIGHTS2> : tensor<3x3x3x4xf32>, biases = dense<[0.1, -0.2, 0.3]> : tensor<3xf32>,
    kernel_x = 3, kernel_y = 3, pad_top = 1, pad_left = 1, pad_bottom = 1, pad_right = 1
  } : (tensor<1x4x4x4xf32>) -> tensor<1x4x4x3xf32> loc("last")
  return %c : tensor<1x4x4x3xf32>
})";

std::string chain() {
  std::string text = kChain;
  for (unsigned i = 0; i < 3; ++i) {
    std::string name = "WEIGHTS" + std::to_string(i);
    std::size_t count = i == 0 ? 72 : i == 1 ? 144 : 108;
    text.replace(text.find(name), name.size(),
                 hexOf(normalValues(count, i + 1, 0.3f)));
  }
  return text;
}

QuantizerOptions directOptions() {
  QuantizerOptions options = winogradOptions();
  options.global.winograd = WinogradTransform::None;
  return options;
}

/// The direct and the Winograd form of one float network.
struct BothForms {
  BothForms(const std::string &text, const std::vector<NpyView> &samples,
            bool isAsymmetric = false,
            WinogradTransform form = WinogradTransform::F2x2_3x3)
      : net(text) {
    // Clipped outputs would hide what the weights' rounding costs.
    options.global.activationStrategy.kind = CalibrationStrategy::Kind::Extrema;
    if (isAsymmetric)
      options.global.activationMethod.mode = RangeMode::Asymmetric;
    quantize(samples);
    direct = net.module->clone();
    options.global.winograd = form;
    quantize(samples);
  }
  void quantize(const std::vector<NpyView> &samples) {
    net.module = net.original->clone();
    EXPECT_TRUE(net.quantize(options, samples)) << net.problems();
  }
  std::vector<FormLoss> losses(const std::vector<NpyView> &samples,
                               std::size_t maxSamples) {
    auto losses =
        measureFormLoss(*net.original, *direct, *net.module, isWinogradLayer,
                        samples, maxSamples, net.diags);
    EXPECT_TRUE(losses) << net.problems();
    return losses ? *losses : std::vector<FormLoss>();
  }

  TestNetwork net;
  QuantizerOptions options = directOptions();
  mlir::OwningOpRef<mlir::ModuleOp> direct;
};

void expectSame(const Similarity &a, const Similarity &b) {
  EXPECT_EQ(a.dot, b.dot);
  EXPECT_EQ(a.signalSquares, b.signalSquares);
  EXPECT_EQ(a.noiseSquares, b.noiseSquares);
  EXPECT_EQ(a.maxError, b.maxError);
  EXPECT_EQ(a.count, b.count);
}

/// \p samples as the integer network of \p module sees them, as real numbers.
NpyView roundedTo(mlir::ModuleOp module, const NpyView &samples) {
  TensorInfo info;
  module.walk([&](InputOp op) { info = describe(op->getResult(0)); });
  auto values = std::make_shared<std::vector<float>>(samples.toFloats());
  for (float &v : *values)
    v = dequantizeValue(quantizeValue(v, info.scale, info.zp, info.lo, info.hi),
                        info.scale, info.zp);
  NpyView rounded = samples;
  rounded.data = values->data();
  rounded.owner = values;
  return rounded;
}

} // namespace

TEST(FormLoss, OfOneLayerIsThatOfTheNetwork) {
  for (auto [form, isAsymmetric] : {std::pair{WinogradTransform::F2_3, false},
                                    {WinogradTransform::F2_3, true},
                                    {WinogradTransform::F2x2_3x3, false},
                                    {WinogradTransform::F2x2_3x3, true}}) {
    ConvCase c{.padTop = 0, .activation = "RELU"};
    BothForms forms(networkOf(c), c.images(0.5f), isAsymmetric, form);
    std::vector<NpyView> samples = {
        roundedTo(*forms.direct, c.images(0.5f)[0])};
    std::vector<FormLoss> losses = forms.losses(samples, 5);
    ASSERT_EQ(losses.size(), 1u);
    EXPECT_EQ(losses[0].layer, "conv");
    EXPECT_EQ(losses[0].direct.count,
              5u * unsigned(c.outHeight() * c.outWidth() * c.outputs));
    auto direct = compareNetworks(*forms.net.original, *forms.direct, samples,
                                  5, forms.net.diags);
    auto winograd = compareNetworks(*forms.net.original, *forms.net.module,
                                    samples, 5, forms.net.diags);
    ASSERT_TRUE(direct && winograd);
    expectSame(losses[0].direct, direct->back().similarity);
    expectSame(losses[0].changed, winograd->back().similarity);
    EXPECT_GT(losses[0].direct.sqnrDb(), 35);
    EXPECT_GT(losses[0].changed.sqnrDb(), 32);
    EXPECT_NE(losses[0].direct.noiseSquares, losses[0].changed.noiseSquares);
  }
}

TEST(FormLoss, IsFreeOfOtherLayersErrors) {
  std::vector<NpyView> samples = {normalSamples({16, 8, 8, 2})};
  BothForms forms(chain(), samples);
  std::vector<FormLoss> losses = forms.losses(samples, 16);
  ASSERT_EQ(losses.size(), 2u);
  EXPECT_EQ(losses[0].layer, "first");
  EXPECT_EQ(losses[1].layer, "last");
  auto whole = compareNetworks(*forms.net.original, *forms.direct, samples, 16,
                               forms.net.diags);
  ASSERT_TRUE(whole);
  // Three layers' errors against one's.
  EXPECT_GT(losses[1].direct.sqnrDb(), whole->back().similarity.sqnrDb() + 3);
  EXPECT_GT(losses[1].changed.sqnrDb(), 30);
}

TEST(FormLoss, LayersOfOneNetworkMayDiffer) {
  std::vector<NpyView> samples = {normalSamples({4, 8, 8, 2})};
  BothForms square(chain(), samples),
      rows(chain(), samples, false, WinogradTransform::F2_3),
      mixed(chain(), samples);
  LayerOverride last;
  last.nameRegex = "last";
  last.apply = [](LayerOptions &o) { o.winograd = WinogradTransform::F2_3; };
  mixed.options.overrides.push_back(last);
  mixed.quantize(samples);
  std::vector<FormLoss> losses = mixed.losses(samples, 4);
  ASSERT_EQ(losses.size(), 2u);
  expectSame(losses[0].changed, square.losses(samples, 4)[0].changed);
  expectSame(losses[1].changed, rows.losses(samples, 4)[1].changed);
  EXPECT_NE(losses[1].changed.noiseSquares,
            square.losses(samples, 4)[1].changed.noiseSquares);
}

TEST(FormLoss, SameOnAnyNumberOfThreads) {
  std::vector<NpyView> samples = {normalSamples({16, 8, 8, 2})};
  BothForms forms(chain(), samples);
  setDefaultThreadCount(1);
  std::vector<FormLoss> one = forms.losses(samples, 16);
  setDefaultThreadCount(5);
  std::vector<FormLoss> five = forms.losses(samples, 16);
  setDefaultThreadCount(0);
  ASSERT_EQ(one.size(), five.size());
  for (std::size_t i = 0; i < one.size(); ++i) {
    expectSame(one[i].direct, five[i].direct);
    expectSame(one[i].changed, five[i].changed);
  }
}

TEST(FormLoss, NothingWithoutWinogradLayers) {
  std::vector<NpyView> samples = {normalSamples({2, 8, 8, 2})};
  BothForms forms(chain(), samples);
  auto losses =
      measureFormLoss(*forms.net.original, *forms.direct, *forms.direct,
                      isWinogradLayer, samples, 2, forms.net.diags);
  ASSERT_TRUE(losses);
  EXPECT_TRUE(losses->empty());
}
