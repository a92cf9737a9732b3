//===- LlamaTest.cpp - Llamas from a file's values and tensors ------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "parser/gguf/GgufReader.h"
#include "support/diagnostics/Import.h"
#include "test/GgufBytes.h"
#include <gmock/gmock.h>

using namespace yarrow;
using test::GgufModel;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

namespace {

struct Read {
  explicit Read(const GgufModel &model, const gguf::GgufShapes &shapes = {}) {
    auto owner = std::make_shared<const std::string>(model.bytes());
    graph = gguf::parseGguf(std::as_bytes(std::span(*owner)), owner, "m.gguf",
                            shapes, diags);
  }
  /// Messages of problems of this kind, all of which must be.
  std::vector<std::string> problems(DiagId id) const {
    std::vector<std::string> messages;
    for (const Diagnostic &d : diags.all()) {
      EXPECT_EQ(d.id, id) << d.str();
      messages.push_back(d.message);
    }
    EXPECT_EQ(bool(graph), !diags.hasErrors());
    return messages;
  }
  DiagnosticEngine diags;
  std::unique_ptr<graph::Graph> graph;
};

std::vector<std::string> namesOf(const std::vector<graph::Tensor *> &tensors) {
  std::vector<std::string> names;
  for (const graph::Tensor *tensor : tensors)
    names.push_back(tensor->name);
  return names;
}

} // namespace

TEST(Llama, DecodesWithKeysAndValuesAsState) {
  Read read(GgufModel::llama(), {.cache = graph::Shape{7}});
  ASSERT_TRUE(read.graph);
  EXPECT_THAT(namesOf(read.graph->inputs),
              ElementsAre("tokens", "position", "past_key_values.0.key",
                          "past_key_values.0.value"));
  EXPECT_THAT(namesOf(read.graph->outputs),
              ElementsAre("logits", "next_position", "present.0.key",
                          "present.0.value"));
  ASSERT_EQ(read.graph->states.size(), 3u);
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_EQ(read.graph->states[i].past, read.graph->inputs[i + 1]);
    EXPECT_EQ(read.graph->states[i].output, i + 1);
  }
  EXPECT_THAT(*read.graph->inputs[2]->shape, ElementsAre(1, 2, 7, 2));
}

TEST(Llama, ReadsASequenceWithoutState) {
  Read read(GgufModel::llama(), {.tokens = graph::Shape{1, 6}});
  ASSERT_TRUE(read.graph);
  EXPECT_THAT(namesOf(read.graph->inputs), ElementsAre("tokens"));
  EXPECT_THAT(*read.graph->inputs[0]->shape, ElementsAre(1, 6));
  EXPECT_THAT(read.graph->states, IsEmpty());
}

TEST(Llama, RefusesShapesThatItCannotHave) {
  for (const gguf::GgufShapes &shapes :
       {gguf::GgufShapes{.tokens = graph::Shape{2, 4}},
        gguf::GgufShapes{.tokens = graph::Shape{17}},
        gguf::GgufShapes{.tokens = graph::Shape{1, 17}},
        gguf::GgufShapes{.tokens = graph::Shape{1, 0}},
        gguf::GgufShapes{.cache = graph::Shape{17}},
        gguf::GgufShapes{.cache = graph::Shape{0}},
        gguf::GgufShapes{.cache = graph::Shape{1, 4}},
        gguf::GgufShapes{.tokens = graph::Shape{1, 4},
                         .cache = graph::Shape{4}}})
    EXPECT_EQ(Read(GgufModel::llama(), shapes)
                  .problems(diag::ImportInputShape)
                  .size(),
              1u);
}

TEST(Llama, SaysHowLongItsCacheIs) {
  EXPECT_THAT(Read(GgufModel::llama()).problems(diag::GgufCache), IsEmpty());
  GgufModel m = GgufModel::llama();
  m.set("llama.context_length", GgufModel::u32(2048));
  EXPECT_THAT(Read(m).problems(diag::GgufCache),
              ElementsAre(HasSubstr("up to 256 tokens")));
}

TEST(Llama, ReportsAllValuesThatAreWrong) {
  GgufModel m = GgufModel::llama();
  m.values.erase("llama.context_length");
  m.set("llama.feed_forward_length", GgufModel::f32(6));
  m.set("llama.block_count", GgufModel::u32(0));
  m.set("llama.attention.head_count_kv", GgufModel::u32(3));
  m.set("llama.attention.layer_norm_rms_epsilon", GgufModel::f32(-1));
  m.set("llama.rope.dimension_count", GgufModel::u32(4));
  m.set("llama.rope.scaling.type", GgufModel::string("yarn"));
  m.set("llama.expert_count", GgufModel::u32(8));
  m.set("llama.vocab_size", GgufModel::u32(6));
  m.set("tokenizer.ggml.tokens", GgufModel::strings({"a", "b", "c", "d", "e"}));
  EXPECT_THAT(
      Read(m).problems(diag::GgufMetadata),
      ElementsAre("the value llama.context_length is missing",
                  "the value llama.feed_forward_length is not valid",
                  "the value llama.block_count is not valid",
                  "llama.vocab_size contradicts tokenizer.ggml.tokens",
                  "the value llama.attention.layer_norm_rms_epsilon is not "
                  "valid",
                  "llama.attention.head_count_kv does not divide the heads",
                  "the value llama.rope.dimension_count is not valid",
                  "this scaling of positions is not supported",
                  "a mixture of experts is not supported"));
}

TEST(Llama, RefusesOtherArchitectures) {
  GgufModel m = GgufModel::llama();
  m.set("general.architecture", GgufModel::string("gpt2"));
  EXPECT_THAT(Read(m).problems(diag::GgufMetadata),
              ElementsAre("the architecture of the model is not supported"));
  m.values.erase("general.architecture");
  EXPECT_EQ(Read(m).problems(diag::GgufMetadata).size(), 1u);
}

TEST(Llama, WarnsOfValuesThatItDoesNotKnow) {
  GgufModel m = GgufModel::llama();
  m.set("llama.attention.sliding_window", GgufModel::u32(4));
  Read read(m);
  EXPECT_THAT(read.problems(diag::GgufUnknownValue),
              ElementsAre("the value llama.attention.sliding_window has no "
                          "effect"));
  EXPECT_TRUE(read.graph);
}

TEST(Llama, ReportsAllTensorsThatAreWrong) {
  GgufModel m = GgufModel::llama();
  m.tensors.erase("blk.0.ffn_up.weight");
  m.tensors["blk.0.attn_k.weight"].shape = {8, 4};
  m.addFloats("blk.0.attn_q.bias", {8});
  EXPECT_THAT(Read(m).problems(diag::GgufTensor),
              ElementsAre("the tensor blk.0.attn_k.weight has another shape "
                          "than the metadata say",
                          "the tensor blk.0.ffn_up.weight is missing",
                          "a llama does not have the tensor "
                          "blk.0.attn_q.bias"));
}

TEST(Llama, RefusesTypesThatItDoesNotRead) {
  GgufModel m = GgufModel::llama();
  m.tensors["blk.0.attn_k.weight"].type = 13;
  Read read(m);
  EXPECT_EQ(read.problems(diag::GgufType).size(), 1u);
  EXPECT_EQ(read.diags.all().front().foundText, "Q5_K");
  m.tensors["blk.0.attn_k.weight"].type = 8;
  EXPECT_THAT(Read(m).problems(diag::GgufTensor),
              ElementsAre(HasSubstr("do not end with a block")));
}

TEST(Llama, ReportsTensorsBeyondTheEnd) {
  GgufModel m = GgufModel::llama();
  m.tensors["token_embd.weight"].data.resize(32); // the last in the file
  EXPECT_THAT(Read(m).problems(diag::GgufMalformed),
              ElementsAre("the tensor token_embd.weight is beyond the end of "
                          "the file"));
}

TEST(Llama, UsesTheEmbeddingAgainWithoutAnOutput) {
  GgufModel m = GgufModel::llama();
  m.tensors.erase("output.weight");
  Read read(m);
  ASSERT_TRUE(read.graph);
  const graph::Tensor *embedding = read.graph->find("token_embd.weight");
  EXPECT_EQ(graph::Uses(*read.graph).readers.at(embedding).size(), 2u);
}
