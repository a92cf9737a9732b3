//===- ReduceConvertTest.cpp - Reduce, Resize, Cast, Quantize -------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "kernels/convert/Convert.h"
#include "kernels/image/Resize.h"
#include "kernels/reduce/Reduce.h"
#include "test/unit/compass_movement/OneLayer.h"
#include <gmock/gmock.h>

using namespace yarrow;
using namespace yarrow::compass;
using ::testing::HasSubstr;

namespace {

//===----------------------------------------------------------------------===//
// Reduce
//===----------------------------------------------------------------------===//

TEST(Reduce, NegativeAxes) {
  Layers net(layer("reduce", "{method = \"mean\", axis = array<i64: 1, -1>}",
                   "2x3x4xf32", "2x1x1xf32"));
  ASSERT_EQ(net.errors(), "");
  EXPECT_EQ(net.kernel().symbol(), "yk_reduce_float");
  EXPECT_EQ(
      net.kernel().paramsAs<kernels::ReduceFloatParams>().shape.reducedMask,
      6u);
}
TEST(Reduce, Errors) {
  EXPECT_THAT(errorsOf(layer("reduce", "{}", "2x3xf32", "2x1xf32")),
              HasSubstr("the layer has no key axis"));
  EXPECT_THAT(
      errorsOf(layer("reduce", "{axis = array<i64: 2>}", "2x3xf32", "2x1xf32")),
      HasSubstr("axis 2 is outside a tensor of rank 2"));
  EXPECT_THAT(
      errorsOf(layer("reduce", "{axis = array<i64: 1>, method = \"MEDIAN\"}",
                     "2x3xf32", "2x1xf32")),
      HasSubstr("found MEDIAN; expected MEAN"));
  EXPECT_THAT(
      errorsOf(layer("reduce", "{axis = array<i64: 1>, method = \"PROD\"}",
                     "2x3x" + q8, "2x1x" + q8)),
      HasSubstr("the layer has no key scale_value"));
}

//===----------------------------------------------------------------------===//
// Resize
//===----------------------------------------------------------------------===//

TEST(Resize, RatiosMayBeRounded) {
  // 7 * 1.428 = 9.996: the writer rounded 10 / 7.
  Layers net(layer("resize", "{ratio_x = 1.428 : f64, ratio_y = 2.0 : f64}",
                   "1x5x7x2xf32", "1x10x10x2xf32"));
  ASSERT_EQ(net.errors(), "");
  auto p = net.kernel().paramsAs<kernels::ResizeFloatParams>();
  EXPECT_EQ(p.shape.outW, 10u);
  EXPECT_EQ(p.shape.method, kernels::ResizeMethod::Bilinear);
}
TEST(Resize, RatiosThatGaveARoundedLengthAreKept) {
  // 4 * 0.6 = 2.4 is 2 pixels; 2 * 1.5 is 3 exactly.
  std::string keys = "ratio_x = 0.6 : f64, ratio_y = 1.5 : f64";
  Layers net(layer("resize", "{" + keys + "}", "1x2x4x1xf32", "1x3x2x1xf32"));
  ASSERT_EQ(net.errors(), "");
  auto p = net.kernel().paramsAs<kernels::ResizeFloatParams>();
  EXPECT_EQ(p.shape.ratioW, 0.6f);
  EXPECT_EQ(p.shape.ratioH, 0.0f);
  // A size says that the lengths' ratio is meant.
  Layers sized(layer("resize", "{size = array<i64: 1, 3, 2, 1>}", "1x2x4x1xf32",
                     "1x3x2x1xf32"));
  EXPECT_EQ(sized.kernel().paramsAs<kernels::ResizeFloatParams>().shape.ratioW,
            0.0f);
}
TEST(Resize, Errors) {
  auto resize = [](const std::string &attributes) {
    return errorsOf(layer("resize", attributes, "1x2x2x1xf32", "1x4x4x1xf32"));
  };
  const std::string size = "{size = array<i64: 1, 4, 4, 1>";
  EXPECT_EQ(resize(size + "}"), "");
  EXPECT_THAT(resize("{}"),
              HasSubstr("lacks a key for the width (size, ratio, or ratio_x)"));
  EXPECT_THAT(resize(size + ", ratio_x = 2.0 : f64, ratio_y = 2.0 : f64}"),
              HasSubstr("several keys give the lengths of the result"));
  EXPECT_EQ(resize("{ratio = array<f64: 1.0, 2.0, 2.0, 1.0>}"), "");
  EXPECT_THAT(resize("{ratio_x = 2.0 : f64, ratio_y = 3.0 : f64}"),
              HasSubstr("found [1,4,4,1]; expected [1,6,4,1]"));
  EXPECT_THAT(resize(size + ", method = \"CUBIC\"}"),
              HasSubstr("has a value that Resize does not support"));
  EXPECT_THAT(resize(size + ", mode = \"HALF\"}"),
              HasSubstr("key mode has a value that Resize does not support"));
  EXPECT_THAT(
      resize(size + ", nearest_mode = \"UP\"}"),
      HasSubstr("key nearest_mode has a value that Resize does not support"));
}

//===----------------------------------------------------------------------===//
// Cast, Quantize, DeQuantize
//===----------------------------------------------------------------------===//

kernels::CastParams castParams(const std::string &attributes,
                               const std::string &in, const std::string &out) {
  Layers net(layer("cast", attributes, in, out));
  EXPECT_EQ(net.errors(), "");
  return net.kernel().paramsAs<kernels::CastParams>();
}
TEST(Cast, Modes) {
  using kernels::CastMode;
  const std::string scaled =
      "{scale_value = array<i64: 3>, shift_value = array<i64: 1>}";
  EXPECT_EQ(castParams(scaled, "4x" + q8, "4x" + q8).mode,
            CastMode::Requantize);
  EXPECT_EQ(castParams(scaled, "4x" + q8, "4xi32").mode,
            CastMode::RequantizeTowardsZero);
  EXPECT_EQ(castParams("{}", "4xi32", "4xi8").mode, CastMode::Saturate);
  EXPECT_EQ(castParams("{clip_mode = \"TRUNCATION\"}", "4xi32", "4xi8").mode,
            CastMode::Wrap);
  EXPECT_EQ(castParams("{}", "4xf32", "4xi8").mode, CastMode::Float);
}
TEST(Cast, ZeroPoints) {
  const std::string shifted = "4x!quant.uniform<i8:f32, 0.1:-5>";
  EXPECT_EQ(castParams("{}", shifted, "4xi32").inZp, 5);
  EXPECT_EQ(castParams("{ignore_scale_zp = true}", shifted, "4xi32").inZp, 0);
}
TEST(Convert, Errors) {
  EXPECT_THAT(
      errorsOf(layer("cast", "{clip_mode = \"WRAP\"}", "4xi32", "4xi8")),
      HasSubstr("found WRAP; expected SATURATION, TRUNCATION"));
  EXPECT_THAT(errorsOf(layer("quantize", "{}", "4xi8", "4x" + q8)),
              HasSubstr("found int8; expected a float type"));
  EXPECT_THAT(errorsOf(layer("quantize", "{round_mode = \"FLOOR\"}", "4xf32",
                             "4x" + q8)),
              HasSubstr("found FLOOR; expected ROUND_TO_EVEN"));
  EXPECT_THAT(errorsOf(layer("dequantize", "{}", "4xf32", "4xf32")),
              HasSubstr("found float32; expected an integer type"));
}
TEST(Convert, KeysOfFloatIr) {
  // Integer tensors of float IR have no scale of their own.
  Layers net(layer("dequantize",
                   "{quantize_scale = 4.0 : f64, quantize_zp = -3 : i64}",
                   "4xi8", "4xf32"));
  ASSERT_EQ(net.errors(), "");
  auto p = net.kernel().paramsAs<kernels::DequantizeParams>();
  EXPECT_EQ(p.scale, 4.0f);
  EXPECT_EQ(p.zp, -3);
}

} // namespace
