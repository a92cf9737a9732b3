//===- EncodingsFileTest.cpp - Encodings as they are written --------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "quantizer/encodings/EncodingsFile.h"

#include <gmock/gmock.h>
#include <sstream>

using namespace yarrow;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

namespace {

std::optional<Encodings> read(const std::string &text) {
  DiagnosticEngine diags;
  auto encodings = parseEncodings(text, "net.encodings", diags);
  EXPECT_EQ(encodings.has_value(), !diags.hasErrors());
  return encodings;
}

/// The only problem of \p text.
std::string problemOf(const std::string &text) {
  DiagnosticEngine diags;
  EXPECT_FALSE(parseEncodings(text, "net.encodings", diags)) << text;
  EXPECT_EQ(diags.all().size(), 1u) << text;
  return diags.all().empty() ? "" : diags.all().front().str();
}

/// A file of version 0.6.1 with the activation x.
std::string legacy(const std::string &members) {
  return R"({"version": "0.6.1", "activation_encodings": {"x": [{)" + members +
         R"(}]}, "param_encodings": {}})";
}
/// The same of version 1.0.0.
std::string listed(const std::string &members) {
  return R"({"version": "1.0.0", "activation_encodings": [{"name": "x", )" +
         members + R"(}], "param_encodings": []})";
}

} // namespace

TEST(EncodingsFile, OfTensorsByName) {
  auto e = read(R"({"version": "0.6.1",
    "activation_encodings": {
      "x": [{"bitwidth": 8, "dtype": "int", "is_symmetric": "False", "max": 2.6086959838867188,
             "min": -2.109158515930176, "offset": -114.0, "scale": 0.018501389771699905}],
      "y": [{"bitwidth": 16, "dtype": "float"}]},
    "param_encodings": {
      "w": [{"bitwidth": 4, "dtype": "int", "is_symmetric": "True", "max": 0.7, "min": -0.8,
             "offset": -8, "scale": 0.1},
            {"bitwidth": 4, "dtype": "int", "is_symmetric": "True", "max": 0.35, "min": -0.35,
             "offset": -7, "scale": 0.05}]},
    "quantizer_args": {"activation_bitwidth": 8}})");
  ASSERT_TRUE(e);
  ASSERT_EQ(e->activations.size(), 2u);
  EXPECT_EQ(e->activations[0].name, "x");
  EXPECT_THAT(e->activations[0].channels,
              ElementsAre(TensorEncoding{0.018501389771699905f, -114, 141, 8}));
  EXPECT_TRUE(e->activations[1].channels.empty());
  EXPECT_EQ(e->activations[1].floatBits, 16u);
  ASSERT_EQ(e->parameters.size(), 1u);
  // The second one is strictly symmetric.
  EXPECT_THAT(e->parameters[0].channels,
              ElementsAre(TensorEncoding{0.1f, -8, 7, 4},
                          TensorEncoding{0.05f, -7, 7, 4}));
}

TEST(EncodingsFile, OfTensorsInLists) {
  auto e = read(R"({"version": "1.0.0",
    "activation_encodings": [
      {"name": "x", "enc_type": "PER_TENSOR", "dtype": "INT", "bw": 16, "is_sym": false,
       "scale": [0.25], "offset": [-1000]},
      {"name": "y", "enc_type": "PER_TENSOR", "dtype": "FLOAT", "bw": 32}],
    "param_encodings": [
      {"name": "w", "enc_type": "PER_CHANNEL", "dtype": "INT", "bw": 8, "is_sym": true,
       "scale": [0.5, 0.25], "offset": [-128, -127]}]})");
  ASSERT_TRUE(e);
  EXPECT_THAT(e->activations[0].channels,
              ElementsAre(TensorEncoding{0.25f, -1000, 64535, 16}));
  EXPECT_EQ(e->activations[1].floatBits, 32u);
  EXPECT_THAT(e->parameters[0].channels,
              ElementsAre(TensorEncoding{0.5f, -128, 127, 8},
                          TensorEncoding{0.25f, -127, 127, 8}));
}

TEST(EncodingsFile, OfOlderVersionsAndByHand) {
  // Before 0.5.0 there is no dtype; a person writes ranges alone.
  auto e = read(R"({"activation_encodings": {
      "x": [{"bitwidth": 8, "is_symmetric": "False", "max": 5.1, "min": 0, "offset": 0,
             "scale": 0.02}]},
    "param_encodings": {"w": [{"bitwidth": 8, "min": -1.28, "max": 1.27}]}})");
  ASSERT_TRUE(e);
  EXPECT_EQ(e->activations[0].channels[0], (TensorEncoding{0.02f, 0, 255, 8}));
  EXPECT_EQ(e->parameters[0].channels[0],
            (TensorEncoding{0.01f, -128, 127, 8}));
  // A range that does not contain 0 is widened.
  e = read(
      R"({"activation_encodings": {"x": [{"bitwidth": 8, "min": 1, "max": 2.55}]}})");
  ASSERT_TRUE(e);
  EXPECT_EQ(e->activations[0].channels[0].lowest, 0);
  EXPECT_EQ(e->activations[0].channels[0].step, 0.01f);
}

TEST(EncodingsFile, WrongFiles) {
  EXPECT_THAT(problemOf("[]"), HasSubstr("E0413: the file is not an object"));
  EXPECT_THAT(problemOf("{}"), HasSubstr("the file does not have encodings"));
  EXPECT_THAT(problemOf(R"({"version": "2.0.0", "encodings": []})"),
              HasSubstr("a version that Yarrow cannot read"));
  EXPECT_THAT(problemOf(R"({"version": 1, "activation_encodings": {}})"),
              HasSubstr("a version that Yarrow cannot read"));
  EXPECT_THAT(problemOf(R"({"version": "0.6.1", "activation_encodings": []})"),
              HasSubstr("activation_encodings is not an object"));
  EXPECT_THAT(problemOf(R"({"version": "1.0.0", "param_encodings": {}})"),
              HasSubstr("param_encodings is not a list"));
  EXPECT_THAT(problemOf(R"({"activation_encodings": {"x": [)"),
              HasSubstr("is not valid JSON"));
  // The file that AIMET loads itself.
  EXPECT_THAT(
      problemOf(R"({"activation_encodings": {"conv": {"input": {"0": {}}}}})"),
      HasSubstr("loading back into PyTorch"));
  EXPECT_THAT(problemOf(R"({"param_encodings": {"w": []}})"),
              HasSubstr("the encoding of w is not a list"));
  EXPECT_THAT(problemOf(R"({"param_encodings": {"w": [8]}})"),
              HasSubstr("the encoding of w is not an object"));
  EXPECT_THAT(
      problemOf(R"({"version": "1.0.0", "param_encodings": [{"bw": 8}]})"),
      HasSubstr("has an entry without a name"));
}

TEST(EncodingsFile, WrongNumbers) {
  const std::string good = R"("bitwidth": 8, "is_symmetric": "False", )";
  EXPECT_TRUE(read(legacy(good + R"("scale": 0.1, "offset": -1)")));
  EXPECT_THAT(problemOf(legacy(good + R"("scale": NaN, "offset": -1)")),
              HasSubstr("is not valid JSON"));
  for (const char *scale : {"0", "-0.1", "1e-60", "1e300", "\"0.1\"", "null"})
    EXPECT_THAT(problemOf(legacy(good + R"("offset": -1, "scale": )" + scale)),
                HasSubstr("x has an invalid scale"))
        << scale;
  for (const char *offset : {"1", "-256", "-0.5", "\"0\"", "1e30", "null"})
    EXPECT_THAT(
        problemOf(legacy(good + R"("scale": 0.1, "offset": )" + offset)),
        HasSubstr("x has an invalid offset"))
        << offset;
  for (const char *bits : {"3", "33", "8.5", "\"8\"", "-8"})
    EXPECT_THAT(problemOf(legacy(std::string(R"("bitwidth": )") + bits)),
                HasSubstr("x has an invalid bitwidth"))
        << bits;
  EXPECT_THAT(problemOf(legacy(R"("bitwidth": 8, "dtype": "complex")")),
              HasSubstr("x has an invalid dtype"));
  EXPECT_THAT(problemOf(legacy(R"("bitwidth": 8, "dtype": "float")")),
              HasSubstr("x has a float type that layers cannot compute with"));
  EXPECT_THAT(problemOf(legacy(R"("bitwidth": 8, "scale": 0.1, "offset": 0)")),
              HasSubstr("x has an invalid is_symmetric"));
  EXPECT_THAT(problemOf(legacy(R"("bitwidth": 8)")),
              HasSubstr("neither scale and offset nor a range"));
}

TEST(EncodingsFile, WrongRanges) {
  const std::string scale =
      R"("bitwidth": 8, "is_symmetric": "False", "scale": 0.1, "offset": -10, )";
  EXPECT_TRUE(read(legacy(scale + R"("min": -1.0, "max": 24.5)")));
  EXPECT_THAT(problemOf(legacy(scale + R"("min": 1, "max": -1)")),
              HasSubstr("a min above its max"));
  EXPECT_THAT(problemOf(legacy(scale + R"("min": "a", "max": 1)")),
              HasSubstr("x has an invalid range"));
  // Another sign of the offset.
  EXPECT_THAT(problemOf(legacy(scale + R"("min": 1.0, "max": 26.5)")),
              HasSubstr("do not match min"));
  // A step and a thousandth beside it are few digits, more is another scale.
  const std::string wide =
      R"("bitwidth": 16, "is_symmetric": "False", "scale": 0.001, "offset": -32768, )";
  EXPECT_TRUE(read(legacy(wide + R"("min": -32.735, "max": 32.767)")));
  EXPECT_THAT(problemOf(legacy(wide + R"("min": -32.733, "max": 32.767)")),
              HasSubstr("do not match min"));
}

TEST(EncodingsFile, WrongLists) {
  const std::string good =
      R"("enc_type": "PER_TENSOR", "dtype": "INT", "bw": 8, "is_sym": true, )";
  EXPECT_TRUE(read(listed(good + R"("scale": [0.1], "offset": [-128])")));
  for (const char *form : {"PER_BLOCK", "LPBQ", "VECTOR"})
    EXPECT_THAT(problemOf(listed(std::string(R"("enc_type": ")") + form + '"')),
                HasSubstr(std::string("enc_type ") + form));
  EXPECT_THAT(problemOf(listed(R"("enc_type": "PER_ROW")")),
              HasSubstr("x has an invalid enc_type"));
  EXPECT_THAT(problemOf(listed(good + R"("scale": 0.1, "offset": [-128])")),
              HasSubstr("no lists of scales and offsets"));
  EXPECT_THAT(
      problemOf(listed(good + R"("scale": [0.1, 0.2], "offset": [0, 0])")),
      HasSubstr("expected: one scale and one offset"));
  EXPECT_THAT(problemOf(R"({"version": "1.0.0", "activation_encodings": [
      {"name": "x", "enc_type": "PER_TENSOR", "dtype": "FLOAT", "bw": 16},
      {"name": "x", "enc_type": "PER_TENSOR", "dtype": "FLOAT", "bw": 16}]})"),
              HasSubstr("the encoding of x appears twice"));
  EXPECT_THAT(problemOf(R"({"activation_encodings": {"x": [], "x": []}})"),
              HasSubstr("'x' is given twice"));
}

TEST(EncodingsFile, ManyProblemsAreCounted) {
  std::string text = R"({"version": "1.0.0", "param_encodings": [0)";
  for (int i = 0; i < 29; ++i)
    text += ", 0";
  DiagnosticEngine diags;
  EXPECT_FALSE(parseEncodings(text + "]}", "net.encodings", diags));
  ASSERT_EQ(diags.all().size(), 11u);
  EXPECT_THAT(diags.all().back().message,
              HasSubstr("20 more encodings cannot be used"));
}

TEST(TensorEncoding, TypesThatHoldTheSameNumbers) {
  TensorEncoding asymmetric{0.02f, -28, 227, 8};
  LinearParams p = paramsOf(asymmetric, /*prefersSigned=*/true);
  EXPECT_TRUE(p.isSigned);
  EXPECT_EQ(p.zp, 100);
  EXPECT_EQ(p.scale, 1.0f / 0.02f);
  EXPECT_TRUE(isSame(asymmetric, p));
  p = paramsOf(asymmetric, /*prefersSigned=*/false);
  EXPECT_FALSE(p.isSigned);
  EXPECT_EQ(p.zp, -28);
  EXPECT_TRUE(isSame(asymmetric, p));

  // Symmetric ones are signed, positive ones not, whatever is preferred.
  TensorEncoding symmetric{0.02f, -128, 127, 8}, strict{0.02f, -127, 127, 8},
      positive{0.02f, 0, 255, 8};
  for (bool prefersSigned : {false, true}) {
    p = paramsOf(symmetric, prefersSigned);
    EXPECT_TRUE(p.isSigned && p.zp == 0 && p.qmin == -128);
    p = paramsOf(strict, prefersSigned);
    EXPECT_TRUE(p.isSigned && p.zp == 0 && p.qmin == -127);
    EXPECT_TRUE(isSame(strict, p) && !isSame(symmetric, p));
    p = paramsOf(positive, prefersSigned);
    EXPECT_TRUE(!p.isSigned && p.zp == 0 && p.qmax == 255);
  }
  p = paramsOf(positive, false, /*mustBeSigned=*/true);
  EXPECT_TRUE(p.isSigned && p.zp == 128 && isSame(positive, p));
}

TEST(TensorEncoding, SixteenBitsHaveNoZeroPoints) {
  TensorEncoding asymmetric{0.5f, -1000, 64535, 16};
  LinearParams p = paramsOf(asymmetric, true);
  EXPECT_FALSE(isSame(asymmetric, p));
  EXPECT_EQ(p.zp, 0);
  // The range is held.
  EXPECT_GE(double(p.qmax) / p.scale, 0.5 * 64535 * 0.9999);
  EXPECT_TRUE(isSame({0.5f, -32768, 32767, 16},
                     paramsOf({0.5f, -32768, 32767, 16}, false)));
  EXPECT_TRUE(
      isSame({0.5f, 0, 65535, 16}, paramsOf({0.5f, 0, 65535, 16}, true)));
}
