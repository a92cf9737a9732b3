//===- IrValueTest.cpp - Values of Compass IR text ------------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "parser/compass/IrValue.h"
#include "parser/compass/IrElementType.h"

#include <gmock/gmock.h>

#include <bit>
#include <cmath>
#include <limits>

using namespace yarrow::compass;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Optional;
using Kind = IrValue::Kind;
using IntList = std::vector<std::int64_t>;

TEST(IrValue, ClassifiesScalars) {
  const std::pair<const char *, Kind> cases[] = {
      {"0", Kind::Int},
      {"-7", Kind::Int},
      {"+7", Kind::Int},
      {"007", Kind::Int},
      {"9223372036854775807", Kind::Int},
      {"-9223372036854775808", Kind::Int},
      {"9223372036854775808", Kind::UInt64},
      {"18446744073709551615", Kind::UInt64},
      {"18446744073709551616", Kind::Float},
      {"-9223372036854775809", Kind::Float},
      {"65972.000000", Kind::Float},
      {"1e-05", Kind::Float},
      {"0.00000000e+00", Kind::Float},
      {".5", Kind::Float},
      {"-inf", Kind::Float},
      {"nan", Kind::Float},
      {"true", Kind::Bool},
      {"False", Kind::Bool},
      {"None", Kind::Word},
      {"NONE", Kind::Word},
      {"int8", Kind::Word},
      {"-", Kind::Word},
      {"+-1", Kind::Word},
      {".", Kind::Word},
      {"1e", Kind::Word},
      {"0x10", Kind::Word},
      {"1_000", Kind::Word},
      {"infinity", Kind::Word},
      {"./net.bin", Kind::Word},
      {"LSTM-Layer/a:0;b'c", Kind::Word},
  };
  for (auto [text, kind] : cases) {
    IrValue value = IrValue::scalar(text);
    EXPECT_EQ(value.kind, kind) << text;
    EXPECT_EQ(value.str(), text);
    EXPECT_THAT(value.asWord(), Optional(std::string(text)));
  }
}

TEST(IrValue, ReadsNumbers) {
  EXPECT_THAT(IrValue::scalar("-9223372036854775808").asInt(),
              Optional(std::numeric_limits<std::int64_t>::min()));
  EXPECT_THAT(IrValue::scalar("18446744073709551615").asUInt64(),
              Optional(std::numeric_limits<std::uint64_t>::max()));
  EXPECT_EQ(IrValue::scalar("18446744073709551615").asInt(), std::nullopt);
  EXPECT_EQ(IrValue::scalar("-1").asUInt64(), std::nullopt);
  EXPECT_THAT(IrValue::scalar("3.0").asInt(), Optional(3));
  EXPECT_EQ(IrValue::scalar("3.5").asInt(), std::nullopt);
  EXPECT_EQ(IrValue::scalar("1e300").asInt(), std::nullopt);
  EXPECT_EQ(IrValue::scalar("nan").asInt(), std::nullopt);
  EXPECT_THAT(IrValue::scalar("3").asFloat(), Optional(3.0));
  EXPECT_THAT(IrValue::scalar("1e-05").asFloat(), Optional(1e-05));
  EXPECT_THAT(IrValue::scalar("-inf").asFloat(), Optional(-HUGE_VAL));
  EXPECT_EQ(IrValue::scalar("1e400").asFloat(), std::nullopt);
  EXPECT_EQ(IrValue::scalar("x").asFloat(), std::nullopt);
}

TEST(IrValue, ReadsBools) {
  EXPECT_THAT(IrValue::scalar("TRUE").asBool(), Optional(true));
  EXPECT_THAT(IrValue::scalar("false").asBool(), Optional(false));
  EXPECT_THAT(IrValue::scalar("1").asBool(), Optional(true));
  EXPECT_EQ(IrValue::scalar("2").asBool(), std::nullopt);
  EXPECT_EQ(IrValue::scalar("yes").asBool(), std::nullopt);
}

TEST(IrValue, ListsTakeScalars) {
  EXPECT_THAT(IrValue::integer(3).asIntList(), Optional(ElementsAre(3)));
  EXPECT_THAT(IrValue().asIntList(), Optional(IsEmpty()));
  EXPECT_THAT(IrValue::scalar("123").asWordList(),
              Optional(ElementsAre("123")));
  EXPECT_THAT(IrValue::intList({1, 2}).asFloatList(),
              Optional(ElementsAre(1.0, 2.0)));
  EXPECT_EQ(IrValue::wordList({"a", "b"}).asIntList(), std::nullopt);
  EXPECT_EQ(IrValue::nestedIntList({{1}}).asIntList(), std::nullopt);
  EXPECT_EQ(IrValue::intList({1}).asInt(), std::nullopt);
  EXPECT_EQ(IrValue::intList({1}).asWord(), std::nullopt);
}

TEST(IrValue, NestedListsTakeFlatOnes) {
  auto nested = [](const IrValue &value) { return value.asNestedIntList(); };
  EXPECT_THAT(nested(IrValue::nestedIntList({{1, 2}, {}})),
              Optional(ElementsAre(IntList{1, 2}, IntList{})));
  EXPECT_THAT(nested(IrValue::intList({1, 28})),
              Optional(ElementsAre(IntList{1, 28})));
  EXPECT_THAT(nested(IrValue::integer(48)), Optional(ElementsAre(IntList{48})));
  EXPECT_THAT(nested(IrValue::list({})), Optional(IsEmpty()));
  EXPECT_THAT(nested(IrValue()), Optional(IsEmpty()));
  EXPECT_THAT(nested(IrValue::nestedIntList({{}})),
              Optional(ElementsAre(IntList{})));
  EXPECT_EQ(nested(IrValue::list({IrValue::integer(1), IrValue::intList({2})})),
            std::nullopt);
}

TEST(IrValue, SaysNone) {
  EXPECT_TRUE(IrValue().isNone());
  EXPECT_TRUE(IrValue::list({}).isNone());
  EXPECT_TRUE(IrValue::nestedIntList({{}}).isNone());
  EXPECT_FALSE(IrValue::nestedIntList({{}, {}}).isNone());
  EXPECT_FALSE(IrValue::integer(0).isNone());
}

TEST(IrValue, FormatsFloatsAsPython) {
  const std::pair<double, const char *> cases[] = {
      {0.0, "0.0"},
      {-0.0, "-0.0"},
      {1.0, "1.0"},
      {255.0, "255.0"},
      {static_cast<double>(53.595027923583984f), "53.595027923583984"},
      {static_cast<double>(0.1f), "0.10000000149011612"},
      {0.1, "0.1"},
      {1e-05, "1e-05"},
      {0.0001, "0.0001"},
      {1.5e-7, "1.5e-07"},
      {1e15, "1000000000000000.0"},
      {1e16, "1e+16"},
      {123456789012345680.0, "1.2345678901234568e+17"},
      {5e-324, "5e-324"},
      {1.7976931348623157e308, "1.7976931348623157e+308"},
      {HUGE_VAL, "inf"},
      {-HUGE_VAL, "-inf"},
      {NAN, "nan"},
  };
  for (auto [value, text] : cases)
    EXPECT_EQ(formatFloat(value), text);
}

TEST(IrValue, FormattedFloatsReadBack) {
  std::uint64_t bits = 0x9E3779B97F4A7C15u; // Any odd number: steps of it
  for (int i = 0; i != 100000; ++i) {       // visit all exponents.
    bits += 0x9E3779B97F4A7C15u;
    double value = std::bit_cast<double>(bits);
    if (std::isnan(value))
      continue;
    IrValue read = IrValue::scalar(formatFloat(value));
    ASSERT_EQ(read.kind, Kind::Float) << formatFloat(value);
    ASSERT_EQ(read.floatValue, value);
  }
}

TEST(IrValue, WritesCanonicalText) {
  EXPECT_EQ(IrValue::nestedIntList({{1, -2}, {}}).str(), "[[1,-2],[]]");
  EXPECT_EQ(IrValue::floatList({1, 0.5}).str(), "[1.0,0.5]");
  EXPECT_EQ(IrValue::boolean(true).str(), "true");
  EXPECT_EQ(IrValue().str(), "");
  EXPECT_EQ(IrValue::word("123").kind, Kind::Word);
}

TEST(IrValue, KnowsWritableWords) {
  for (const char *text : {"a/b:0;c'", "123", "x y", "'"})
    EXPECT_TRUE(isWritableWord(text)) << text;
  for (const char *text :
       {"", " a", "a,b", "[a", "a=b", "a#b", "'a'", "\"a\"", "a\n", "\xC3\xA9"})
    EXPECT_FALSE(isWritableWord(text)) << text;
}

TEST(IrElementType, FindsWordsAndSynonyms) {
  ASSERT_NE(findElementType("uint16"), nullptr);
  EXPECT_EQ(findElementType("uint16")->bytes, 2u);
  EXPECT_EQ(findElementType("FP16"), findElementType("float16"));
  EXPECT_EQ(findElementType("dtype.INT4"), findElementType("aligned_int4"));
  EXPECT_EQ(findElementType("bfp16")->word, "bfloat16");
  EXPECT_EQ(findElementType("aligned_int12")->bytes, 2u);
  EXPECT_EQ(findElementType("int7"), nullptr);
  EXPECT_EQ(findElementType(""), nullptr);
  EXPECT_EQ(elementTypeWords().size(), 22u);
}
