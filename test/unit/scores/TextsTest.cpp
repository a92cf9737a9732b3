//===- TextsTest.cpp - Metrics of texts -----------------------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "test/TemporaryFile.h"
#include "test/unit/scores/Scoring.h"

#include <fstream>

using namespace yarrow;

namespace {

TestTensor letters(std::string_view text) {
  TestTensor tensor{{}, {int64_t(text.size())}};
  for (char c : text)
    tensor.values.push_back(float(c));
  return tensor;
}

double wordErrors(std::string_view output, std::string_view label,
                  std::vector<std::string> arguments = {}) {
  Samples samples;
  std::string padded(label);
  padded += "@@@";
  samples.add({letters(output)},
              {letters(padded), {{float(label.size())}, {}}});
  return samples.score("WERMetric", arguments);
}

/// Distances that everybody knows.
TEST(WordErrors, IsEditDistanceOverLength) {
  EXPECT_NEAR(wordErrors("kitten__", "sitting"), 3.0 / 7, 1e-12);
  EXPECT_NEAR(wordErrors("saturday_", "sunday"), 3.0 / 6, 1e-12);
  EXPECT_NEAR(wordErrors("same_", "same"), 0, 1e-12);
  EXPECT_NEAR(wordErrors("____", "four"), 1, 1e-12);
  EXPECT_NEAR(wordErrors("s-a-m-e", "same", {"45"}), 0, 1e-12);
  EXPECT_NEAR(wordErrors("s-a-m-e", "same", {"EOF=45"}), 0, 1e-12);
}

/// Steps as classes: repeated ones are one, a blank between them makes two.
TEST(Ocr, LeavesBlanksAndRepetitionsOut) {
  auto steps = [](std::vector<int> classes) {
    TestTensor output{{}, {int64_t(classes.size()), 4}};
    for (int c : classes)
      for (int k = 0; k < 4; ++k)
        output.values.push_back(k == c ? 5.0f : float(k) / 4);
    return output;
  };
  Samples samples;
  samples.add({steps({0, 1, 1, 2, 0, 2})}, {{{1, 2, 2, 0}, {4}}});
  EXPECT_DOUBLE_EQ(samples.score("OcrMetric"), 1);
  samples.add({steps({3, 3, 3, 3, 3, 3})}, {{{3, 3, 0, 0}, {4}}});
  EXPECT_DOUBLE_EQ(samples.score("OcrMetric"), 0.5);
  EXPECT_TRUE(std::isnan(samples.score("OcrMetric", {"ch", "words.txt"})));
}

class BleuTest : public ::testing::Test {
protected:
  /// Tokens are words with the mark in front; 0 ends a text.
  void SetUp() override {
    std::ofstream(vocabulary.path())
        << "</s>\t0\n\u2581the\n\u2581cat\n\u2581is\n\u2581on\n\u2581m\nat\n"
        << "\u2581there\n";
  }
  double bleu(std::vector<float> tokens, const std::string &reference,
              const char *metric = "IWSLTBLEUMetric") {
    std::ofstream(references.path()) << reference << "\n";
    Samples samples;
    auto size = int64_t(tokens.size());
    samples.add({{std::move(tokens), {size}}}, {});
    return samples.score(metric, {vocabulary.path(), references.path()});
  }
  yarrow::testing::TemporaryFile vocabulary, references;
};

TEST_F(BleuTest, OfTheSameTextIs100) {
  EXPECT_NEAR(bleu({1, 2, 3, 4, 1, 5, 6, 0, 7, 7}, "the cat is on the mat"),
              100, 1e-9);
}

/// "the cat the cat on the mat" for "the cat is on the mat": of 7 words 5 are
/// right (the third "the" and the second "cat" are not wanted), of 6 pairs 3,
/// of 5 triples 1, of 4 quadruples none; so BLEU is 0, and that of two words
/// sqrt(5/7 * 3/6).
TEST_F(BleuTest, CountsEachSequenceAsOftenAsItIsWanted) {
  std::vector<float> tokens = {1, 2, 1, 2, 4, 1, 5, 6, 0};
  EXPECT_EQ(bleu(tokens, "the cat is on the mat"), 0);
  EXPECT_NEAR(bleu(tokens, "the cat is on the mat", "IWSLTBLEU2gramMetric"),
              100 * std::sqrt(5.0 / 7 * 3.0 / 6), 1e-9);
}

TEST_F(BleuTest, PunishesShortTexts) {
  EXPECT_NEAR(bleu({1, 2, 3, 4, 0}, "the cat is on the mat"),
              100 * std::exp(1 - 6.0 / 4), 1e-9);
}

TEST_F(BleuTest, NeedsAReferenceForEachSample) {
  std::ofstream(references.path()) << "one\n";
  Samples samples;
  samples.add({{{1}, {1}}}, {});
  samples.add({{{1}, {1}}}, {});
  EXPECT_TRUE(std::isnan(samples.score(
      "IWSLTBLEUMetric", {vocabulary.path(), references.path()})));
  EXPECT_EQ(samples.diags.numErrors(), 1u);
}

} // namespace
