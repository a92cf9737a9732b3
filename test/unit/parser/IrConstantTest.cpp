//===- IrConstantTest.cpp - Constants of a layer --------------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "parser/compass/IrConstant.h"

#include <gmock/gmock.h>

using namespace yarrow;
using namespace yarrow::compass;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

namespace {

struct Collected {
  std::vector<IrConstant> constants;
  std::vector<std::string> problems;
};

Collected collect(const std::string &entries, std::uint64_t binSizeBytes) {
  DiagnosticEngine diags;
  std::optional<IrDocument> document =
      parseIrText("layer_id=7\nlayer_name=conv\n" + entries, "net.txt", diags);
  EXPECT_TRUE(document);
  Collected result;
  if (!document)
    return result;
  result.constants =
      collectConstants(document->layers[0], binSizeBytes, "net.txt", diags);
  for (const Diagnostic &diag : diags.all())
    result.problems.push_back(diag.str());
  return result;
}

std::string weights(const char *type, const char *offset, const char *size,
                    const char *shape) {
  return std::string("weights_type=") + type + "\nweights_offset=" + offset +
         "\nweights_size=" + size + "\nweights_shape=" + shape + "\n";
}

} // namespace

TEST(IrConstant, CollectsByTheGenericRule) {
  Collected result =
      collect(weights("int8", "0", "432", "[16,3,3,3]") +
                  "lut_shape=[256]\nlut_size=512\nlut_type=dtype.INT16\n"
                  "lut_offset=432\npad_offset=3\ncrop_size=[1,2]\n",
              944);
  EXPECT_THAT(result.problems, IsEmpty());
  ASSERT_EQ(result.constants.size(), 2u);
  const IrConstant &first = result.constants[0];
  EXPECT_EQ(first.name, "weights");
  EXPECT_EQ(first.type, "int8");
  EXPECT_THAT(first.shape, ElementsAre(16, 3, 3, 3));
  EXPECT_EQ(first.offsetBytes, 0u);
  EXPECT_EQ(first.sizeBytes, 432u);
  EXPECT_EQ(first.line, 4u);
  EXPECT_EQ(result.constants[1].type, "int16");
}

TEST(IrConstant, ScalarsAndBareShapes) {
  EXPECT_EQ(collect(weights("float32", "1", "4", "[]"), 5).constants.size(),
            1u);
  EXPECT_EQ(collect(weights("int32", "0", "192", "48"), 192).constants.size(),
            1u);
  EXPECT_EQ(collect(weights("int32", "0", "0", "[0,4]"), 0).constants.size(),
            1u);
}

TEST(IrConstant, ListsAreSeveralTensors) {
  Collected result =
      collect(weights("[float32,int8]", "[0,8]", "[8,3]", "[[2],[3]]"), 11);
  EXPECT_THAT(result.problems, IsEmpty());
  ASSERT_EQ(result.constants.size(), 2u);
  EXPECT_EQ(result.constants[1].name, "weights_1");
  EXPECT_TRUE(result.constants[1].fromList);
  EXPECT_THAT(
      collect(weights("[int8]", "[0,8]", "[8,3]", "[[8],[3]]"), 11).problems,
      ElementsAre(HasSubstr("weights_type")));
  EXPECT_THAT(
      collect(weights("[int8,int8]", "[0,8]", "[8,3]", "[[8]]"), 11).problems,
      ElementsAre(HasSubstr("weights_shape")));
}

TEST(IrConstant, MissingKeys) {
  EXPECT_THAT(
      collect("weights_offset=0\nweights_size=4\n", 4).problems,
      ElementsAre(HasSubstr("no weights_type"), HasSubstr("no weights_shape")));
  EXPECT_THAT(collect("w_offset=0\nw_type=int8\nw_shape=[1]\n", 4).problems,
              ElementsAre(HasSubstr("E0202")));
}

TEST(IrConstant, WrongSizesAndRanges) {
  auto problems = [](const char *type, const char *offset, const char *size,
                     const char *shape) {
    Collected result = collect(weights(type, offset, size, shape), 100);
    EXPECT_THAT(result.constants, IsEmpty());
    return result.problems;
  };
  EXPECT_THAT(problems("int16", "0", "3", "[3]"),
              ElementsAre(HasSubstr("expected: 6 ([3] of int16)")));
  EXPECT_THAT(problems("int8", "98", "3", "[3]"),
              ElementsAre(HasSubstr("E0208")));
  EXPECT_THAT(problems("int8", "18446744073709551615", "3", "[3]"),
              ElementsAre(HasSubstr("E0208")));
  EXPECT_THAT(
      problems("int32", "0", "0", "[4611686018427387904,4611686018427387904]"),
      ElementsAre(HasSubstr("2^64")));
  EXPECT_THAT(problems("int32", "0", "4", "[-1]"),
              ElementsAre(HasSubstr("0 or more")));
  EXPECT_THAT(problems("int33", "0", "4", "[1]"),
              ElementsAre(HasSubstr("did you mean int3")));
  EXPECT_THAT(
      problems("int32", "x", "-4", "[1]"),
      ElementsAre(HasSubstr("weights_offset"), HasSubstr("weights_size")));
  EXPECT_THAT(problems("int32", "0", "4", "[a]"),
              ElementsAre(HasSubstr("net.txt:6")));
}

TEST(IrConstant, AppendsWhatItReads) {
  IrDocument document;
  IrSection &layer = document.layers.emplace_back();
  appendConstant(layer, {"lut", "uint8", {256}, 13, 256, 0, false});
  EXPECT_EQ(irText(document), "lut_type=uint8\nlut_offset=13\nlut_size=256\n"
                              "lut_shape=[256]\n\n");
}
