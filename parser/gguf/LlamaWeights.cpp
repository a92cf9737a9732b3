//===- LlamaWeights.cpp - The tensors of a llama --------------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "parser/gguf/LlamaWeights.h"
#include "parser/gguf/TensorTypes.h"
#include "support/Format.h"
#include "support/diagnostics/Import.h"

#include <set>

using namespace yarrow;
using namespace yarrow::gguf;
using graph::Shape;

LlamaWeights::LlamaWeights(const Container &container, const std::string &path,
                           std::shared_ptr<const void> owner)
    : path(path), owner(std::move(owner)) {
  for (const TensorEntry &entry : container.tensors)
    entries.insert({entry.name, &entry});
}

/// Expects one tensor after the other, and remembers which.
class LlamaWeights::Checker {
public:
  Checker(const LlamaWeights &weights, DiagnosticEngine &diags)
      : weights(weights), diags(diags) {}

  void expectAll(LlamaParams &p) {
    countTokens(p);
    expect("token_embd.weight", {p.tokens, p.width});
    for (std::int64_t i = 0; i < p.layers && numMissing <= kMostMissing; ++i)
      expectLayer("blk." + std::to_string(i) + ".", p);
    expect("output_norm.weight", {p.width});
    if (weights.has("output.weight")) // else the embedding is used again
      expect("output.weight", {p.tokens, p.width});
    if (weights.has("rope_freqs.weight"))
      expect("rope_freqs.weight", {p.rotated / 2});
    reportOthers();
  }

  bool isGood() const { return ok; }

private:
  /// Of an empty file every layer would be reported.
  static constexpr unsigned kMostMissing = 20;

  Diagnostic &problem(DiagId id, const std::string &message) {
    ok = false;
    return diags.report(id, {weights.path}, message);
  }

  /// The embedding has a row for each token.
  void countTokens(LlamaParams &p) {
    auto it = weights.entries.find("token_embd.weight");
    if (p.tokens == 0 && it != weights.entries.end())
      p.tokens = it->second->shape[0];
  }

  void expectLayer(const std::string &prefix, const LlamaParams &p) {
    std::int64_t queries = p.heads * p.headSize, keys = p.keyHeads * p.headSize;
    expect(prefix + "attn_norm.weight", {p.width});
    expect(prefix + "attn_q.weight", {queries, p.width});
    expect(prefix + "attn_k.weight", {keys, p.width});
    expect(prefix + "attn_v.weight", {keys, p.width});
    expect(prefix + "attn_output.weight", {p.width, queries});
    expect(prefix + "ffn_norm.weight", {p.width});
    expect(prefix + "ffn_gate.weight", {p.hidden, p.width});
    expect(prefix + "ffn_up.weight", {p.hidden, p.width});
    expect(prefix + "ffn_down.weight", {p.width, p.hidden});
    // Early converters wrote what follows from rope.freq_base.
    seen.insert(prefix + "attn_rot_embd.weight");
  }

  void expect(const std::string &name, const Shape &shape) {
    seen.insert(name);
    auto it = weights.entries.find(name);
    if (it == weights.entries.end()) {
      ++numMissing;
      problem(diag::GgufTensor, "the tensor " + name + " is missing")
          .expected(name + " " + shapeText(shape));
      return;
    }
    checkShape(*it->second, shape);
    checkType(*it->second);
  }

  void checkShape(const TensorEntry &entry, const Shape &shape) {
    if (entry.shape != shape)
      problem(diag::GgufTensor, "the tensor " + std::string(entry.name) +
                                    " has another shape than the metadata say")
          .found(shapeText(entry.shape))
          .expected(shapeText(shape));
  }

  void checkType(const TensorEntry &entry) {
    const TensorType *type = findTensorType(entry.type);
    if (!type) {
      problem(diag::GgufType, "the values of the tensor " +
                                  std::string(entry.name) +
                                  " have a type that is not supported")
          .found(tensorTypeText(entry.type))
          .expected(readTensorTypesText())
          .hint("quantize the original model to one of these types");
      return;
    }
    auto row = std::uint64_t(entry.shape.back()),
         elements = std::uint64_t(graph::numElements(entry.shape));
    if (row % type->blockElements != 0) {
      problem(diag::GgufTensor, "the rows of the tensor " +
                                    std::string(entry.name) +
                                    " do not end with a block")
          .found("rows of " + std::to_string(row))
          .expected("a multiple of " + std::to_string(type->blockElements) +
                    " for " + type->name);
      return;
    }
    // Up to 2^40 elements: no overflow.
    std::uint64_t needed = elements / type->blockElements * type->blockBytes;
    if (needed > entry.bytes.size())
      problem(diag::GgufMalformed, "the tensor " + std::string(entry.name) +
                                       " is beyond the end of the file")
          .found(formatCount(entry.bytes.size()) + " bytes")
          .expected(formatCount(needed) + " bytes")
          .hint("fetch the file again: a download may have been interrupted");
  }

  void reportOthers() {
    for (const auto &[name, entry] : weights.entries)
      if (!seen.contains(std::string(name)) && numMissing <= kMostMissing)
        problem(diag::GgufTensor,
                "a llama does not have the tensor " + std::string(name))
            .found(std::string(name) + " " + shapeText(entry->shape))
            .hint("export a model with other layers as ONNX");
  }

  const LlamaWeights &weights;
  DiagnosticEngine &diags;
  std::set<std::string> seen;
  unsigned numMissing = 0;
  bool ok = true;
};

bool LlamaWeights::check(LlamaParams &params, DiagnosticEngine &diags) {
  Checker checker(*this, diags);
  checker.expectAll(params);
  return checker.isGood();
}

graph::Constant LlamaWeights::constant(const std::string &name) const {
  const TensorEntry &entry = *entries.at(name);
  const TensorType &type = *findTensorType(entry.type);
  auto count = std::size_t(graph::numElements(entry.shape));
  std::size_t numBlocks = count / type.blockElements;
  if (type.number == 0)
    return {ElementType::F32, entry.shape,
            entry.bytes.first(count * sizeof(float)), owner};
  std::vector<std::byte> values(count * sizeof(float));
  type.decode(entry.bytes.data(), numBlocks,
              reinterpret_cast<float *>(values.data()));
  return graph::Constant::ofBytes(ElementType::F32, entry.shape,
                                  std::move(values));
}
