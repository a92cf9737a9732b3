//===- Bleu.cpp - How much of a translation is in another one -------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// Papineni et al., "BLEU: a method for automatic evaluation of machine
// translation", ACL 2002, over a corpus with one reference per sentence: for
// sequences of 1 to N words, those of the translation that the reference has,
// over all of them; the geometric mean, times exp(1 - r / c) if the
// translations' length c is below the references' r. Words are what blanks
// separate. Tokens are joined before; U+2581 begins a word, </s> ends a text.
//
//===----------------------------------------------------------------------===//
#include "quantizer/scores/Makers.h"
#include "support/MappedFile.h"
#include "support/diagnostics/Settings.h"

#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringRef.h"

#include <algorithm>
#include <cmath>
#include <map>

using namespace yarrow;

namespace {

using Words = std::vector<std::string>;

Words wordsOf(llvm::StringRef text) {
  llvm::SmallVector<llvm::StringRef> parts;
  llvm::SplitString(text, parts, " \t\r\n");
  return {parts.begin(), parts.end()};
}

class Bleu : public Score {
public:
  Bleu(std::size_t longest, std::string vocabularyPath,
       std::string referencePath)
      : longest(longest), vocabularyPath(std::move(vocabularyPath)),
        referencePath(std::move(referencePath)) {}

  std::string misfit(const ScoreContext &) const override { return ""; }

  std::vector<double> observe(const ScoredSample &sample) const override {
    return {sample.outputs[0].values.begin(), sample.outputs[0].values.end()};
  }
  void add(std::span<const double> observation) override {
    sentences.emplace_back(observation.begin(), observation.end());
  }

  std::optional<double> result(DiagnosticEngine &diags) override {
    auto vocabularyFile = MappedFile::open(vocabularyPath, diags);
    auto referenceFile = MappedFile::open(referencePath, diags);
    if (!vocabularyFile || !referenceFile)
      return std::nullopt;
    Words vocabulary;
    llvm::SmallVector<llvm::StringRef> lines, references;
    llvm::StringRef(vocabularyFile->text()).split(lines, '\n');
    for (llvm::StringRef line : lines)
      vocabulary.push_back(
          line.split('\t').first.split(' ').first.rtrim('\r').str());
    llvm::StringRef(referenceFile->text()).rtrim('\n').split(references, '\n');
    if (references.size() < sentences.size()) {
      diags
          .report(diag::EvalData, {referencePath},
                  "there are fewer reference sentences than samples")
          .found(std::to_string(references.size()) + " lines")
          .expected(std::to_string(sentences.size()));
      return std::nullopt;
    }
    Counts counts(longest);
    for (std::size_t i = 0; i < sentences.size(); ++i)
      counts.add(wordsOf(textOf(sentences[i], vocabulary)),
                 wordsOf(references[i]));
    return counts.bleu();
  }

private:
  struct Counts {
    explicit Counts(std::size_t longest) : right(longest), all(longest) {}
    std::vector<double> right, all;
    double ours = 0, theirs = 0;

    void add(const Words &translation, const Words &reference) {
      ours += double(translation.size());
      theirs += double(reference.size());
      for (std::size_t n = 1; n <= right.size(); ++n) {
        std::map<Words, std::size_t> wanted = sequences(reference, n);
        for (const auto &[words, count] : sequences(translation, n)) {
          all[n - 1] += double(count);
          auto it = wanted.find(words);
          if (it != wanted.end())
            right[n - 1] += double(std::min(count, it->second));
        }
      }
    }
    static std::map<Words, std::size_t> sequences(const Words &words,
                                                  std::size_t n) {
      std::map<Words, std::size_t> counts;
      for (std::size_t i = 0; i + n <= words.size(); ++i)
        ++counts[Words(words.begin() + std::ptrdiff_t(i),
                       words.begin() + std::ptrdiff_t(i + n))];
      return counts;
    }
    double bleu() const {
      double logs = 0;
      for (std::size_t n = 0; n < right.size(); ++n) {
        if (right[n] == 0)
          return 0;
        logs += std::log(right[n] / all[n]) / double(right.size());
      }
      double brevity = ours < theirs ? 1 - theirs / ours : 0;
      return 100 * std::exp(logs + brevity);
    }
  };

  static std::string textOf(const std::vector<double> &tokens,
                            const Words &vocabulary) {
    std::string text;
    for (double token : tokens)
      if (token >= 0 && token < double(vocabulary.size()))
        text += vocabulary[std::size_t(token)];
    text.resize(std::min(text.find("</s>"), text.size()));
    constexpr std::string_view begin = "\u2581";
    for (std::size_t at; (at = text.find(begin)) != std::string::npos;)
      text.replace(at, begin.size(), " ");
    return text;
  }

  std::size_t longest;
  std::string vocabularyPath, referencePath;
  std::vector<std::vector<double>> sentences;
};

std::unique_ptr<Score> make(std::size_t longest, ScoreArguments &arguments) {
  std::string vocabulary = arguments.file("vocabulary");
  return std::make_unique<Bleu>(longest, vocabulary,
                                arguments.file("references"));
}

} // namespace

std::unique_ptr<Score> scores::makeBleu4(ScoreArguments &arguments) {
  return make(4, arguments);
}
std::unique_ptr<Score> scores::makeBleu2(ScoreArguments &arguments) {
  return make(2, arguments);
}
