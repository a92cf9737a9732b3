//===- TextGenerator.cpp - Texts of a language model, for Python ----------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "python/native/TextGenerator.h"
#include "python/native/Interruptible.h"
#include "python/native/Raise.h"

#include <nlohmann/json.hpp>

namespace py = pybind11;
using namespace yarrow;
using namespace yarrow::python;

static TextVocabulary vocabularyOf(const std::string &path) {
  DiagnosticEngine diags;
  auto words = readTextVocabulary(path, diags);
  raiseIf(!words, diags);
  return std::move(*words);
}

static std::unique_ptr<TokenModel>
openModel(const TextVocabulary &words, const std::shared_ptr<Model> &model,
          const std::shared_ptr<yarrow::python::Executable> &executable,
          std::size_t positions, uint64_t budget, DiagnosticEngine &diags) {
  if (executable)
    return openExecutable(executable->program(), budget, diags);
  auto network =
      model ? model->shared() : loadInFloats(words, positions, {diags});
  return network ? openNetwork(std::move(network), diags) : nullptr;
}

TextGenerator::TextGenerator(
    const std::string &path, const std::shared_ptr<Model> &from,
    const std::shared_ptr<yarrow::python::Executable> &executable,
    std::size_t positions, uint64_t budget)
    : words(vocabularyOf(path)),
      textDiags(std::make_unique<DiagnosticEngine>()) {
  py::gil_scoped_release released;
  DiagnosticEngine diags;
  model = interruptible([&] {
    return openModel(words, from, executable,
                     positions ? positions : words.numPositions, budget, diags);
  });
  raiseIf(!model || !fits(words, *model, diags), diags);
}

std::size_t TextGenerator::begin(const std::string &prompt,
                                 const std::vector<std::int32_t> &tokens,
                                 bool isTokens,
                                 const GenerateOptions &options) {
  py::gil_scoped_release released;
  std::lock_guard lock(mutex);
  std::vector<std::int32_t> read =
      isTokens ? tokens : words.tokenizer.encode(prompt);
  textDiags = std::make_unique<DiagnosticEngine>();
  text.emplace(*model, words.tokenizer, options);
  bool ok = interruptible(
      [&] { return model->reset() && text->begin(read, *textDiags); });
  if (!ok)
    text.reset();
  raiseIf(!ok, *textDiags);
  return read.size();
}

std::optional<std::int32_t> TextGenerator::next() {
  py::gil_scoped_release released;
  std::lock_guard lock(mutex);
  if (!text)
    return std::nullopt;
  auto token = interruptible([&] { return text->next(*textDiags); });
  raiseIf(false, *textDiags);
  return token;
}

std::string TextGenerator::textOf(std::int32_t token) const {
  std::size_t numTexts = words.tokenizer.tokens().texts.size();
  if (token < 0 || std::size_t(token) >= numTexts)
    raiseUsage("the vocabulary does not have the token " +
                   std::to_string(token),
               "tokens are numbers from 0 to " + std::to_string(numTexts - 1));
  return words.tokenizer.textOf(token);
}

std::string TextGenerator::costsJson() const {
  std::lock_guard lock(mutex);
  auto costs = model->costs();
  if (!costs || costs->steps == 0)
    return "null";
  return nlohmann::ordered_json{{"target", costs->target},
                                {"clock_mhz", costs->clockMhz},
                                {"tokens", costs->steps},
                                {"cycles", costs->cycles},
                                {"bus_bytes_per_token", costs->busBytes}}
      .dump();
}

std::string TextGenerator::diagnosticsJson() const {
  std::lock_guard lock(mutex);
  return jsonOf(*textDiags);
}
