//===- TokenizerTest.cpp - Texts as tokens, and back ----------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "parser/gguf/Tokenizer.h"
#include "support/diagnostics/Generate.h"
#include "test/GgufBytes.h"
#include <gmock/gmock.h>

using namespace yarrow;
using gguf::TokenKind;
using test::GgufModel;
using ::testing::ElementsAre;

namespace {

/// Three of control, two bytes, then pieces in the order of their scores.
gguf::Vocabulary small() {
  gguf::Vocabulary v;
  auto add = [&](const char *text, TokenKind kind, float score) {
    v.texts.emplace_back(text);
    v.kinds.push_back(kind);
    v.scores.push_back(score);
  };
  add("<unk>", TokenKind::Unknown, 0);
  add("<s>", TokenKind::Control, 0);
  add("</s>", TokenKind::Control, 0);
  add("<0x0A>", TokenKind::Byte, 0);
  add("<0xC3>", TokenKind::Byte, 0);
  const char *pieces[] = {"ab",     "bc", "abc", "\u2581a",
                          "\u2581", "a",  "b",   "c"};
  float score = 0;
  for (const char *piece : pieces)
    add(piece, TokenKind::Normal, --score);
  return v;
}

GgufModel words() {
  GgufModel m;
  m.set("tokenizer.ggml.model", GgufModel::string("llama"));
  m.set("tokenizer.ggml.tokens", GgufModel::strings({"<unk>", "<s>", "a"}));
  auto array = [](std::uint32_t type, auto... values) {
    return GgufModel::raw(std::uint32_t(9)) + GgufModel::raw(type) +
           GgufModel::raw(std::uint64_t(sizeof...(values))) +
           (GgufModel::raw(values) + ...);
  };
  m.set("tokenizer.ggml.scores", array(6, 0.0f, 0.0f, -1.0f));
  m.set("tokenizer.ggml.token_type",
        array(5, std::int32_t(2), std::int32_t(3), std::int32_t(1)));
  m.set("tokenizer.ggml.eos_token_id", GgufModel::u32(1));
  return m;
}

std::optional<gguf::Vocabulary> read(const GgufModel &model,
                                     DiagnosticEngine &diags) {
  std::string bytes = model.bytes();
  auto container =
      gguf::parseContainer(std::as_bytes(std::span(bytes)), "m.gguf", diags);
  return container ? gguf::readVocabulary(*container, "m.gguf", diags)
                   : std::nullopt;
}

} // namespace

TEST(Tokenizer, JoinsThePairOfTheHighestScoreFirst) {
  gguf::Tokenizer tokenizer(small());
  // "ab" before "bc", then "abc"; the space stays alone.
  EXPECT_THAT(tokenizer.encode("abc"), ElementsAre(1, 9, 7));
  // The first of two pairs that are equal.
  EXPECT_THAT(tokenizer.encode("abab"), ElementsAre(1, 9, 5, 5));
  EXPECT_THAT(tokenizer.encode("a b"), ElementsAre(1, 8, 9, 11));
  EXPECT_THAT(tokenizer.encode(""), ElementsAre(1));
}

TEST(Tokenizer, SpellsOtherLettersInBytes) {
  gguf::Tokenizer tokenizer(small());
  EXPECT_THAT(tokenizer.encode("a\n"), ElementsAre(1, 8, 3));
  // No token for its second byte.
  EXPECT_THAT(tokenizer.encode("\xc3\xa4"), ElementsAre(1, 9, 0));
  EXPECT_THAT(tokenizer.encode("\xc3"), ElementsAre(1, 9, 4));
  // Text that spells a control token is text.
  EXPECT_THAT(tokenizer.encode("<s>"), ElementsAre(1, 9, 0, 0, 0));
}

TEST(Tokenizer, LeavesOutWhatTheModelDoesNotWant) {
  gguf::Vocabulary v = small();
  v.addsBegin = v.addsSpace = false;
  EXPECT_THAT(gguf::Tokenizer(v).encode("ab"), ElementsAre(5));
}

TEST(Tokenizer, GivesTextsBack) {
  gguf::Tokenizer tokenizer(small());
  EXPECT_EQ(tokenizer.textOf(8), " a");
  EXPECT_EQ(tokenizer.textOf(3), "\n");
  EXPECT_EQ(tokenizer.textOf(1), "");
}

TEST(Tokenizer, EncodesLongTextsInTime) {
  gguf::Tokenizer tokenizer(small());
  std::string text;
  for (int i = 0; i < 200000; ++i)
    text += "ab";
  EXPECT_EQ(tokenizer.encode(text).size(), 200002u);
}

TEST(Vocabulary, IsReadFromAFile) {
  DiagnosticEngine diags;
  auto v = read(words(), diags);
  ASSERT_TRUE(v);
  EXPECT_THAT(v->texts, ElementsAre("<unk>", "<s>", "a"));
  EXPECT_EQ(v->scores[2], -1);
  EXPECT_EQ(v->kinds[1], TokenKind::Control);
  EXPECT_EQ(v->end, 1);
  EXPECT_TRUE(v->addsBegin);
}

TEST(Vocabulary, ReportsWhatIsWrong) {
  for (auto [key, value] : {std::pair<const char *, std::string>{
                                "model", GgufModel::string("gpt2")},
                            {"model", GgufModel::u32(1)},
                            {"tokens", GgufModel::strings({})},
                            {"tokens", GgufModel::strings({"a", "b"})},
                            {"scores", GgufModel::f32(1)},
                            {"token_type", GgufModel::strings({"a", "b", "c"})},
                            {"eos_token_id", GgufModel::u32(3)},
                            {"bos_token_id", GgufModel::f32(1)}}) {
    GgufModel m = words();
    m.set(std::string("tokenizer.ggml.") + key, value);
    DiagnosticEngine diags;
    EXPECT_FALSE(read(m, diags)) << key;
    ASSERT_FALSE(diags.all().empty());
    EXPECT_EQ(diags.all().front().id, diag::GenerateVocabulary);
  }
}
