//===- ReconstructTest.cpp - Blocks, and what they learn ------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#include "quantizer/rounding/Blocks.h"
#include "quantizer/rounding/Rounding.h"
#include "support/ThreadPool.h"
#include "test/unit/quantizer/ConvNetwork.h"

using namespace yarrow;

namespace {

std::string conv(const std::string &result, const std::string &operand,
                 unsigned seed, const std::string &activation) {
  std::string t = "tensor<1x6x6x8xf32>";
  return "  %" + result + " = compass.convolution(%" + operand +
         ") {weights = dense<" + hexOf(normalValues(8 * 9 * 8, seed, 0.12f)) +
         "> : tensor<8x3x3x8xf32>, biases = dense<" +
         hexOf(normalValues(8, seed + 1, 0.2f)) +
         "> : tensor<8xf32>, kernel_x = 3, kernel_y = 3, stride_x = 1, "
         "stride_y = 1, dilation_x = 1, dilation_y = 1, group = 1, pad_top = "
         "1, pad_left = 1, pad_bottom = 1, pad_right = 1, with_activation = "
         "\"" +
         activation + "\"} : (" + t + ") -> " + t + " loc(\"" + result +
         "\")\n";
}

/// A convolution, a residual block of two, and a convolution.
std::string residualNetwork() {
  std::string t = "tensor<1x6x6x8xf32>";
  return "func.func @main() -> " + t + " {\n  %x = compass.input() : () -> " +
         t + " loc(\"input\")\n" + conv("a", "x", 11, "RELU") +
         conv("b", "a", 13, "RELU") + conv("c", "b", 15, "NONE") +
         "  %s = compass.eltwise(%c, %a) {method = \"ADD\", with_activation = "
         "\"RELU\"} : (" +
         t + ", " + t + ") -> " + t + " loc(\"s\")\n" +
         conv("y", "s", 17, "NONE") + "  return %y : " + t + "\n}\n";
}

/// With a common mean: of numbers that have nothing in common, rounding to the
/// nearest is best already.
std::vector<NpyView> samples(int64_t count, unsigned seed) {
  return {normalSamples({count, 6, 6, 8}, seed, /*mean=*/1)};
}

const std::vector<NpyView> kReconstructed = samples(32, 3);

QuantizerOptions fourBits() {
  QuantizerOptions options;
  options.global.weightBits = 4;
  options.global.weightMethod.perChannel = true;
  return options;
}

/// Reconstructs the network on so many threads.
void reconstruct(TestNetwork &net, unsigned threads) {
  setDefaultThreadCount(threads);
  QuantizerOptions options = fourBits();
  ASSERT_TRUE(net.quantize(options, kReconstructed)) << net.problems();
  auto method = GlobalMethod::create("reconstruct", std::vector<double>{32});
  ASSERT_TRUE(method);
  EXPECT_TRUE(reconstructBlocks({*net.original, *net.module, *method, options,
                                 kReconstructed, net.diags}));
  setDefaultThreadCount(0);
}

} // namespace

TEST(Blocks, EndWhereOneTensorIsAlive) {
  TestNetwork net(residualNetwork());
  ASSERT_TRUE(net.quantize(fourBits(), kReconstructed)) << net.problems();
  JointForward forward;
  ASSERT_TRUE(
      forward.create(*net.original, *net.module, kReconstructed, 1, net.diags));
  std::vector<std::size_t> sizes;
  for (const Block &block : blocksOf(forward.pairs()))
    sizes.push_back(block.layers.size());
  EXPECT_EQ(sizes, (std::vector<std::size_t>{1, 3, 1}));
}

TEST(Reconstruct, MakesUpForRounding) {
  TestNetwork plain(residualNetwork()), learned(residualNetwork());
  ASSERT_TRUE(plain.quantize(fourBits(), kReconstructed)) << plain.problems();
  reconstruct(learned, 2);
  std::vector<NpyView> unseen = samples(16, 5);
  EXPECT_GT(learned.similarity(unseen).sqnrDb(),
            plain.similarity(unseen).sqnrDb() + 1.5);
}

TEST(Reconstruct, DoesNotDependOnThreads) {
  TestNetwork one(residualNetwork()), three(residualNetwork());
  reconstruct(one, 1);
  reconstruct(three, 3);
  std::string texts[2];
  for (auto [net, text] :
       {std::pair(&one, &texts[0]), std::pair(&three, &texts[1])}) {
    llvm::raw_string_ostream os(*text);
    net->module->print(os);
  }
  EXPECT_EQ(texts[0], texts[1]);
}
