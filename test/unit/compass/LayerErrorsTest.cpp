//===- LayerErrorsTest.cpp - What layers refuse ---------------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "dialects/compass/Records.h"
#include "kernels/activation/Activation.h"
#include "kernels/indexing/Projection.h"
#include "kernels/norm/Softmax.h"
#include "test/unit/compass/LayerTesting.h"
#include <gmock/gmock.h>

using namespace yarrow;
using namespace yarrow::compass;
using ::testing::HasSubstr;

namespace {

const std::string q8 = "!quant.uniform<i8:f32, 0.1>";
const std::string q8narrow = "!quant.uniform<i8<-127:127>:f32, 0.1>";

/// One layer on an input of type tensor<`dims`x`element`>.
std::string unary(const std::string &layer, const std::string &dims,
                  const std::string &element, const std::string &outDims = "") {
  std::string in = "tensor<" + dims + "x" + element + ">";
  std::string out =
      "tensor<" + (outDims.empty() ? dims : outDims) + "x" + element + ">";
  size_t at = layer.find('{');
  std::string name = layer.substr(0, at);
  std::string attributes = at == std::string::npos ? "" : layer.substr(at);
  return "%x = compass.input() : () -> " + in + "\n%y = compass." + name +
         "(%x) " + attributes + " : (" + in + ") -> " + out;
}

std::string errorsOf(const std::string &body) { return Layers(body).errors(); }

/// A dense table 0, 1, ... of int8.
std::string table(unsigned entries) {
  std::string text = "dense<[0";
  for (unsigned i = 1; i < entries; ++i)
    text += "," + std::to_string(i % 100);
  return text + "]> : tensor<" + std::to_string(entries) + "xi8>";
}

//===----------------------------------------------------------------------===//
// Pooling
//===----------------------------------------------------------------------===//

const std::string window3s2 = "kernel_x = 3 : i64, kernel_y = 3 : i64, "
                              "stride_x = 2 : i64, stride_y = 2 : i64";

TEST(Pooling, LastWindowMayStickOut) {
  EXPECT_EQ(errorsOf(unary("pooling{" + window3s2 + "}", "1x6x6x2", "f32",
                           "1x2x2x2")),
            "");
  EXPECT_EQ(errorsOf(unary("pooling{" + window3s2 + "}", "1x6x6x2", "f32",
                           "1x3x3x2")),
            "");
}
TEST(Pooling, WrongShape) {
  EXPECT_THAT(errorsOf(unary("pooling{" + window3s2 + "}", "1x6x6x2", "f32",
                             "1x4x3x2")),
              HasSubstr("found [1,4,3,2]; expected [1,2,3,2]"));
}
TEST(Pooling, WindowTooLarge) {
  EXPECT_THAT(errorsOf(unary("pooling{" + window3s2 + "}", "1x2x6x2", "f32",
                             "1x2x2x2")),
              HasSubstr("the window is larger than the padded input"));
}
TEST(Pooling, UnknownMethod) {
  EXPECT_THAT(errorsOf(unary("pooling{method = \"SUM\"}", "1x2x2x2", "f32")),
              HasSubstr("found SUM; expected MAX, AVG, L1, L2"));
}
TEST(Pooling, IntegerL2) {
  EXPECT_THAT(errorsOf(unary("pooling{method = \"L2\"}", "1x2x2x2", q8)),
              HasSubstr("the layer has no key sqrt_lut, which Pooling with "
                        "method=L2 needs"));
}

//===----------------------------------------------------------------------===//
// Eltwise
//===----------------------------------------------------------------------===//

std::string eltwise(const std::string &attributes) {
  std::string t = "tensor<4x" + q8 + ">";
  return "%a = compass.input() : () -> " + t +
         "\n%b = compass.input() : () -> " + t +
         "\n%y = compass.eltwise(%a, %b) " + attributes + " : (" + t + ", " +
         t + ") -> " + t;
}
TEST(Eltwise, ScaleCount) {
  EXPECT_THAT(
      errorsOf(eltwise(
          "{scale_value = array<i64: 7>, shift_value = array<i64: 1>}")),
      HasSubstr("scale_value has a wrong number of values; found 1; "
                "expected 3"));
  EXPECT_THAT(errorsOf(eltwise("{method = \"MUL\", scale_value = array<i64: 7, "
                               "1, 1>, shift_value = array<i64: 1>}")),
              HasSubstr("scale_value has a wrong number of values; found 3; "
                        "expected 1"));
}
TEST(Eltwise, ScaleRange) {
  EXPECT_THAT(errorsOf(eltwise("{scale_value = array<i64: 7, 2147483648, 1>, "
                               "shift_value = array<i64: 1>}")),
              HasSubstr("scale_value is out of range; found 2147483648"));
}
TEST(Eltwise, UnknownMethod) {
  EXPECT_THAT(
      errorsOf(eltwise("{method = \"DIV\", scale_value = array<i64: 7>, "
                       "shift_value = array<i64: 1>}")),
      HasSubstr("found DIV; expected ADD, SUB, MUL, MAX, MIN"));
}
TEST(Eltwise, MixedTypes) {
  EXPECT_THAT(
      errorsOf("%a = compass.input() : () -> tensor<4xf32>\n"
               "%b = compass.input() : () -> tensor<4x" +
               q8 + ">\n%y = compass.sub(%a, %b) : (tensor<4xf32>, tensor<4x" +
               q8 + ">) -> tensor<4xf32>"),
      HasSubstr("mixes integer and float tensors"));
}
TEST(Eltwise, WideIntegers) {
  EXPECT_THAT(errorsOf("%a = compass.input() : () -> tensor<4xi64>\n"
                       "%y = compass.mul(%a, %a) : (tensor<4xi64>, "
                       "tensor<4xi64>) -> tensor<4xi64>"),
              HasSubstr("inputs of type int64 are not supported yet"));
}

//===----------------------------------------------------------------------===//
// Activation and unary layers
//===----------------------------------------------------------------------===//

TEST(Activation, UnknownMethod) {
  EXPECT_THAT(errorsOf(unary("activation{method = \"MAXOUT\"}", "4", "f32")),
              HasSubstr("found MAXOUT; expected RELU, RELU6"));
}
TEST(Activation, MissingParameter) {
  EXPECT_THAT(
      errorsOf(unary("activation{method = \"HARDSIGMOID\"}", "4", "f32")),
      HasSubstr("no key alpha, which Activation with "
                "method=HARDSIGMOID needs"));
}
TEST(Activation, AbsentParameterHasADefault) {
  Layers net(unary("activation{method = \"ELU\"}", "4", "f32"));
  EXPECT_EQ(net.errors(), "");
  EXPECT_EQ(net.kernel().paramsAs<kernels::UnaryFloatParams>().args.alpha, 1);
}
TEST(Activation, MissingTable) {
  EXPECT_THAT(errorsOf(unary("activation{method = \"TANH\"}", "4", q8)),
              HasSubstr("no key lut, which Activation with method=TANH needs"));
}
TEST(Activation, MissingSlope) {
  EXPECT_THAT(errorsOf(unary("activation{method = \"PRELU\"}", "4", q8)),
              HasSubstr("no key negative_slope, which Activation with "
                        "method=PRELU needs"));
}
TEST(Activation, CreluDoublesTheAxis) {
  EXPECT_EQ(errorsOf(unary("activation{method = \"CRELU\", axis = 0 : i64}",
                           "4x3", "f32", "8x3")),
            "");
  EXPECT_THAT(
      errorsOf(unary("activation{method = \"CRELU\"}", "4x3", "f32", "8x3")),
      HasSubstr("expected [4,6]"));
}
TEST(Unary, MissingTable) {
  EXPECT_THAT(errorsOf(unary("exp", "4", q8)),
              HasSubstr("no key lut, which Exp needs"));
}
TEST(Unary, TableSize) {
  EXPECT_THAT(errorsOf(unary("exp{lut = " + table(48) + "}", "4", q8)),
              HasSubstr("found 48; expected a power of two"));
  EXPECT_THAT(errorsOf(unary("exp{lut = " + table(512) + "}", "4", q8)),
              HasSubstr("found 512; expected a power of two up to 256"));
}
TEST(Unary, TableType) {
  EXPECT_THAT(errorsOf(unary("exp{lut = " + table(16) + "}", "4",
                             "!quant.uniform<u8:f32, 0.1>")),
              HasSubstr("found int8; expected uint8"));
}
TEST(Unary, WidePeriodNeedsScale) {
  std::string in = "tensor<4x!quant.uniform<i16:f32, 0.1>>",
              out = "tensor<4x" + q8 + ">";
  EXPECT_THAT(errorsOf("%x = compass.input() : () -> " + in +
                       "\n%y = compass.sine(%x) {lut = " + table(16) + "} : (" +
                       in + ") -> " + out),
              HasSubstr("the layer has no key scale_value, which it needs"));
}
TEST(Unary, NarrowRangeIsWidenedExceptForRoots) {
  auto indexMin = [](const std::string &layer, const std::string &element) {
    Layers net(unary(layer + "{lut = " + table(256) + "}", "4", element));
    EXPECT_EQ(net.errors(), "");
    return net.kernel().paramsAs<kernels::LutParams>().indexMin;
  };
  EXPECT_EQ(indexMin("exp", q8), -128);
  EXPECT_EQ(indexMin("exp", q8narrow), -128);
  EXPECT_EQ(indexMin("sqrt", q8narrow), -127);
}
TEST(Pow, IntegerNeedsExponent) {
  EXPECT_THAT(errorsOf(unary("pow{lut_log = " + table(16) + "}", "4", q8)),
              HasSubstr("needs two tables; found only lut_log"));
}
TEST(Pow, FloatNeedsExponent) {
  EXPECT_THAT(errorsOf(unary("pow", "4", "f32")),
              HasSubstr("needs the key exponent"));
}

//===----------------------------------------------------------------------===//
// Normalization and softmax
//===----------------------------------------------------------------------===//

const std::string affine3 = "weights = dense<[1.0, 2.0, 3.0]> : tensor<3xf32>, "
                            "biases = dense<[0.0, 1.0, 2.0]> : tensor<3xf32>";

TEST(BatchNorm, ChannelCount) {
  EXPECT_THAT(errorsOf(unary("batch_norm{" + affine3 + "}", "1x2x4", "f32")),
              HasSubstr("found [3]; expected 4, one per channel"));
}
TEST(BatchNorm, FloatWeightsInIntegerLayer) {
  EXPECT_THAT(errorsOf(unary("batch_norm{scale_value = array<i64: 1>, "
                             "shift_value = array<i64: 1>, " +
                                 affine3 + "}",
                             "1x2x3", q8)),
              HasSubstr("found float32; expected an integer type"));
}
TEST(LayerNorm, AxisOutside) {
  EXPECT_THAT(
      errorsOf(unary("layer_norm{axis = array<i64: 3>, " + affine3 + "}",
                     "1x2x3", "f32")),
      HasSubstr("axis 3 is outside a tensor of rank 3"));
}
TEST(Softmax, MissingKeys) {
  EXPECT_THAT(
      errorsOf(unary("softmax{quantize_method = \"FAST_EXP\"}", "1x4", q8)),
      HasSubstr("no key input_scale_value, which Softmax with "
                "quantize_method=FAST_EXP needs"));
  EXPECT_THAT(errorsOf(unary("softmax", "1x4", q8)),
              HasSubstr("no key lut, which Softmax with quantize_method=LUT "
                        "needs"));
  EXPECT_THAT(
      errorsOf(unary("softmax{quantize_method = \"EXACT\"}", "1x4", q8)),
      HasSubstr("found EXACT; expected LUT, FAST_EXP"));
}
TEST(Softmax, AdjustQ) {
  EXPECT_THAT(
      errorsOf(unary("softmax{quantize_method = \"FAST_EXP\", "
                     "input_scale_value = 5363 : i64, input_shift_value = 17 : "
                     "i64, pow2_out_q = 27 : i64, adjust_q = 7 : i64}",
                     "1x4", q8)),
      HasSubstr("found 7; expected 0, 1 or 8 to 15"));
  EXPECT_THAT(
      errorsOf(unary("softmax{quantize_method = \"FAST_EXP\", "
                     "input_scale_value = 5363 : i64, input_shift_value = 17 : "
                     "i64, pow2_out_q = 27 : i64, adjust_q = 8 : i64}",
                     "1x4", q8)),
      HasSubstr("no key pow2_lut"));
}
TEST(Softmax, DivisionFollowsTheShape) {
  auto paramsOf = [](const std::string &dims, int axis) {
    Layers net(unary("softmax{axis = " + std::to_string(axis) +
                         " : i64, lut = " + table(256) +
                         ", scale_value = array<i64: 128>, shift_value = "
                         "array<i64: -1>}",
                     dims, q8));
    EXPECT_EQ(net.errors(), "");
    return net.kernel().paramsAs<kernels::SoftmaxLutParams>();
  };
  kernels::SoftmaxLutParams numerator = paramsOf("128x7", 1);
  EXPECT_EQ(numerator.numeratorFirst, 1u);
  EXPECT_EQ(numerator.extraBits, 31 - 7); // largest entry 99
  kernels::SoftmaxLutParams reverse = paramsOf("128x8", -1);
  EXPECT_EQ(reverse.numeratorFirst, 0u);
  EXPECT_EQ(reverse.extraBits, 31 - 7); // scale 128
  EXPECT_EQ(paramsOf("7x100", 0).numeratorFirst, 0u);
}

//===----------------------------------------------------------------------===//
// Layers from NNAPI
//===----------------------------------------------------------------------===//

TEST(LshProjection, TakesNoItems) {
  Layers net("%h = compass.input() : () -> tensor<4x2xf32>\n"
             "%x = compass.input() : () -> tensor<0x3xi32>\n"
             "%y = compass.lsh_projection(%h, %x) : (tensor<4x2xf32>, "
             "tensor<0x3xi32>) -> tensor<8xi32>");
  // Bits of nothing are none; the empty input is reported all the same.
  EXPECT_THAT(net.errors(), HasSubstr("input is empty"));
}

/// A cell of one unit whose hidden state has \p step.
std::string storedCell(const std::string &step) {
  const std::string q = "tensor<1x1x!quant.uniform<i8:f32, 0.0078125>>",
                    c = "tensor<1x1x!quant.uniform<i16:f32, "
                        "0.000244140625>>",
                    b = "tensor<1xi32>";
  std::string body = "%q = compass.input() : () -> " + q +
                     "\n%c = compass.input() : () -> " + c +
                     "\n%b = compass.input() : () -> " + b +
                     "\n%y:2 = compass.stored_lstm(%q, %q, %c",
              types = q + ", " + q + ", " + c, parts;
  for (std::string gate : {"forget", "cell", "output"}) {
    body += ", %q, %q, %b", types += ", " + q + ", " + q + ", " + b;
    parts += (parts.empty() ? "\"" : ", \"") + gate + "_x\", \"" + gate +
             "_h\", \"" + gate + "_bias\"";
  }
  return body + ") {parts = [" + parts +
         "], gate_steps = array<f64: 1.0, 1.0, 1.0, 1.0>, hidden_step = " +
         step + " : f64, hidden_zp = 0 : i64} : (" + types + ") -> (" + q +
         ", " + c + ")";
}

TEST(StoredLSTM, NeedsStepsThatLeaveAMultiplier) {
  EXPECT_EQ(errorsOf(storedCell("0.0078125")), "");
  for (const char *step : {"0.0", "1.0e-40", "-1.0"})
    EXPECT_THAT(
        errorsOf(storedCell(step)),
        HasSubstr("the scales give no valid multiplier for the hidden state"))
        << step;
}

TEST(Records, KeysThatALayerNeedsHaveNoDefault) {
  // MLIR text leaves out what a default says: a layer that needs the key could
  // not be read again.
  for (const OperatorRecord &record : allOperators())
    for (const KeyRecord &key : record.keys)
      EXPECT_TRUE(key.need != Need::Required || key.defaultText.empty())
          << record.layerType.str() << " " << key.name.str();
}

} // namespace
