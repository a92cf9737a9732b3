//===- IntegerFormsTest.cpp - Layers that stay in floats by themselves ----===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// Forms without integers: the layer keeps its floats, its neighbours do not,
// and a note says why.
//
//===----------------------------------------------------------------------===//

#include "test/unit/quantizer/TestNetwork.h"

using namespace yarrow;
using ::testing::HasSubstr;

namespace {

/// Quantizes a network whose layer %z reads %x between others that have
/// integers.
void expectFloat(const std::string &layer, std::vector<int64_t> in,
                 const char *out, const char *mnemonic, const char *why) {
  std::string input = "tensor<",
              output = std::string("tensor<") + out + "xf32>";
  for (int64_t length : in)
    input += std::to_string(length) + "x";
  input += "f32>";
  TestNetwork net("func.func @main() -> " + output + " {\n" +
                  "  %i = compass.input() {input_index = 0} : () -> " + input +
                  "\n  %x = compass.negative(%i) : (" + input + ") -> " +
                  input + "\n  %z = " + layer + " : (" + input + ") -> " +
                  output + "\n  %a = compass.abs(%z) : (" + output + ") -> " +
                  output + "\n  return %a : " + output + "\n}\n");
  ASSERT_TRUE(net.module);
  in[0] *= 16;
  std::vector<NpyView> samples = {normalSamples(in)};
  QuantizerOptions options;
  options.global.activationStrategy.kind = CalibrationStrategy::Kind::Extrema;
  ASSERT_TRUE(net.quantize(options, samples)) << net.problems();
  EXPECT_THAT(net.problems(), HasSubstr(why));
  mlir::Operation *op = net.find(mnemonic);
  ASSERT_TRUE(op);
  EXPECT_EQ(compass::describe(op->getResult(0)).dtype, compass::DType::F32);
  EXPECT_TRUE(compass::describe(net.find("abs")->getResult(0)).isQuantized());
  EXPECT_GT(net.similarity(samples).sqnrDb(), 25);
}

TEST(IntegerForms, AResizeByAnotherRatioThanItsLengths) {
  expectFloat("compass.resize(%x) {ratio_x = 0.6 : f64, ratio_y = 2.3 : f64}",
              {1, 4, 4, 2}, "1x9x2x2", "resize",
              "integers resize by the ratio of the lengths");
}

TEST(IntegerForms, AResizeAboutTheMiddleOfARoundedLength) {
  expectFloat("compass.resize(%x) {mode = \"HALF_PIXEL_SYMMETRIC\", ratio_x = "
              "1.7 : f64, ratio_y = 1.0 : f64}",
              {1, 4, 4, 2}, "1x4x6x2", "resize", "stays in float32");
}

} // namespace
