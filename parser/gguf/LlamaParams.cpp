//===- LlamaParams.cpp - Sizes of a llama, from a file's values -----------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "parser/gguf/LlamaParams.h"
#include "support/diagnostics/Import.h"

#include <algorithm>
#include <array>
#include <cmath>

using namespace yarrow;
using namespace yarrow::gguf;

namespace {

/// Those that are read, and those that tell about the model's making.
constexpr std::array<std::string_view, 20> knownKeys = {
    "context_length",
    "embedding_length",
    "feed_forward_length",
    "block_count",
    "vocab_size",
    "attention.head_count",
    "attention.head_count_kv",
    "attention.layer_norm_rms_epsilon",
    "attention.key_length",
    "attention.value_length",
    "rope.dimension_count",
    "rope.freq_base",
    "rope.scaling.type",
    "rope.scaling.factor",
    "rope.scaling.original_context_length",
    "rope.scaling.finetuned",
    "expert_count",
    "expert_used_count",
    "tensor_data_layout",
    "use_parallel_residual"};

/// Of sizes; tensors of the file bound what is really there.
constexpr std::int64_t kMostSize = 1 << 24;

class ParamsReader {
public:
  ParamsReader(const Container &container, const std::string &path,
               DiagnosticEngine &diags)
      : container(container), path(path), diags(diags) {}

  std::optional<LlamaParams> read() {
    if (!checkArchitecture())
      return std::nullopt;
    LlamaParams p;
    p.context = size("context_length");
    p.width = size("embedding_length");
    p.hidden = size("feed_forward_length");
    p.layers = size("block_count");
    p.heads = size("attention.head_count");
    p.keyHeads = size("attention.head_count_kv", p.heads);
    p.tokens = countTokens();
    p.epsilon = number("attention.layer_norm_rms_epsilon", std::nullopt);
    p.ropeBase = number("rope.freq_base", 10000.0f);
    readHeads(p);
    readScaling(p);
    refuse("expert_count", "a mixture of experts is not supported");
    reportUnknown();
    if (!ok)
      return std::nullopt;
    return p;
  }

private:
  Diagnostic &problem(const std::string &message) {
    ok = false;
    return diags.report(diag::GgufMetadata, {path}, message);
  }

  bool checkArchitecture() {
    const Value *value = container.find("general.architecture");
    bool isText = value && value->type == ValueType::String && !value->isArray;
    if (isText && value->texts[0] == "llama")
      return true;
    Diagnostic &d =
        problem("the architecture of the model is not supported")
            .found(value ? value->describe() : "no general.architecture")
            .expected("general.architecture 'llama'");
    if (isText)
      d.hint("export a model of another architecture as ONNX");
    return false;
  }

  const Value *find(const std::string &key) const {
    return container.find("llama." + key);
  }

  /// 1 or more; without a \p fallback the file must have it. 1 after an error,
  /// so that others can still be checked.
  std::int64_t size(const std::string &key,
                    std::optional<std::int64_t> fallback = std::nullopt) {
    const Value *value = find(key);
    if (!value && fallback)
      return *fallback;
    bool fits = value && value->isInteger() && !value->isArray &&
                value->integerAt(0) >= 1 && value->integerAt(0) <= kMostSize;
    if (fits)
      return value->integerAt(0);
    problem(value ? "the value llama." + key + " is not valid"
                  : "the value llama." + key + " is missing")
        .found(value ? value->describe() : "no such key")
        .expected("an integer from 1 to " + std::to_string(kMostSize));
    return 1;
  }

  /// Positive and finite.
  float number(const std::string &key, std::optional<float> fallback) {
    const Value *value = find(key);
    if (!value && fallback)
      return *fallback;
    double given =
        value && value->isFloat() && !value->isArray ? value->numberAt(0) : 0;
    if (given > 0 && std::isfinite(float(given)))
      return float(given);
    problem(value ? "the value llama." + key + " is not valid"
                  : "the value llama." + key + " is missing")
        .found(value ? value->describe() : "no such key")
        .expected("a positive number");
    return 1;
  }

  /// Of the vocabulary, if the file has one.
  std::int64_t countTokens() {
    const Value *texts = container.find("tokenizer.ggml.tokens");
    std::int64_t stated = size("vocab_size", 0);
    if (!texts)
      return stated;
    if (!texts->isArray || texts->type != ValueType::String ||
        texts->count == 0 || texts->count > std::uint64_t(kMostSize)) {
      problem("the value tokenizer.ggml.tokens is not valid")
          .found(texts->describe())
          .expected("an array of strings, one for each token");
      return stated;
    }
    auto count = std::int64_t(texts->count);
    if (stated != 0 && stated != count)
      problem("llama.vocab_size contradicts tokenizer.ggml.tokens")
          .found(std::to_string(stated))
          .expected(std::to_string(count));
    return count;
  }

  void readHeads(LlamaParams &p) {
    if (p.heads % p.keyHeads != 0)
      problem("llama.attention.head_count_kv does not divide the heads")
          .found(std::to_string(p.keyHeads))
          .expected("a divisor of " + std::to_string(p.heads));
    if (!find("attention.key_length") && p.width % p.heads != 0)
      problem("llama.attention.head_count does not divide the embedding")
          .found(std::to_string(p.heads))
          .expected("a divisor of " + std::to_string(p.width));
    p.headSize = size("attention.key_length", p.width / p.heads);
    std::int64_t values = size("attention.value_length", p.headSize);
    if (values != p.headSize)
      problem("keys and values of different lengths are not supported")
          .found("llama.attention.value_length " + std::to_string(values))
          .expected(std::to_string(p.headSize));
    p.rotated = size("rope.dimension_count", p.headSize);
    if (p.rotated > p.headSize || p.rotated % 2 != 0)
      problem("the value llama.rope.dimension_count is not valid")
          .found(std::to_string(p.rotated))
          .expected("an even number up to " + std::to_string(p.headSize));
  }

  void readScaling(LlamaParams &p) {
    const Value *type = find("rope.scaling.type");
    std::string_view text = !type ? "none"
                            : type->type == ValueType::String && !type->isArray
                                ? type->texts[0]
                                : "";
    if (text == "linear")
      p.ropeScale = number("rope.scaling.factor", std::nullopt);
    else if (text != "none")
      problem("this scaling of positions is not supported")
          .found("llama.rope.scaling.type " + type->describe())
          .expected("'none' or 'linear'");
  }

  /// A count that is not 0 means another network.
  void refuse(const std::string &key, const char *message) {
    const Value *value = find(key);
    if (value &&
        !(value->isInteger() && !value->isArray && value->integerAt(0) == 0))
      problem(message)
          .found("llama." + key + " " + value->describe())
          .expected("0, or no such key");
  }

  /// A key that is not known can change what the network computes.
  void reportUnknown() {
    constexpr std::string_view prefix = "llama.";
    for (const auto &[key, value] : container.values)
      if (key.starts_with(prefix) &&
          std::ranges::find(knownKeys, key.substr(prefix.size())) ==
              knownKeys.end())
        diags
            .report(diag::GgufUnknownValue, {path},
                    "the value " + std::string(key) + " has no effect")
            .found(value.describe());
  }

  const Container &container;
  const std::string &path;
  DiagnosticEngine &diags;
  bool ok = true;
};

} // namespace

std::optional<LlamaParams> gguf::readLlamaParams(const Container &container,
                                                 const std::string &path,
                                                 DiagnosticEngine &diags) {
  return ParamsReader(container, path, diags).read();
}
