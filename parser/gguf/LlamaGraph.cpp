//===- LlamaGraph.cpp - The network of a llama ----------------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "parser/gguf/LlamaGraph.h"
#include "parser/gguf/RotaryTables.h"
#include "parser/graph/NodeMaker.h"

#include <cmath>
#include <cstring>

using namespace yarrow;
using namespace yarrow::gguf;
using graph::Attribute;
using graph::Constant;
using graph::Node;
using graph::Shape;
using graph::Tensor;

/// What is added to scores of positions that are not seen: its power is 0 in
/// float32, and unlike an infinity it has a scale.
static constexpr float kMasked = -65504;

static Constant int32s(Shape shape, const std::vector<std::int32_t> &values) {
  std::vector<std::byte> bytes(values.size() * sizeof(std::int32_t));
  std::memcpy(bytes.data(), values.data(), bytes.size());
  return Constant::ofBytes(ElementType::I32, std::move(shape),
                           std::move(bytes));
}

namespace {

class LlamaBuilder {
public:
  LlamaBuilder(const LlamaParams &params, const LlamaWeights &weights,
               const LlamaForm &form, graph::Graph &graph)
      : p(params), weights(weights), graph(graph), make(graph, "llama"),
        isDecode(form.steps == 0), steps(isDecode ? 1 : form.steps),
        seen(isDecode ? form.cache : form.steps) {}

  void build() {
    Tensor *tokens = addInput("tokens", ElementType::I32, {1, steps});
    Tensor *embedding = weight("token_embd.weight");
    Tensor *x = reshape(node("Gather", {embedding, tokens}, "embedding"),
                        {steps, p.width}, "embedding_rows");
    isDecode ? followPosition() : listPositions();
    for (std::int64_t i = 0; i < p.layers; ++i)
      x = layer(x, "blk." + std::to_string(i) + ".");
    x = norm(x, "output_norm");
    Tensor *output =
        weights.has("output.weight") ? weight("output.weight") : embedding;
    Tensor *logits =
        reshape(product(x, output, "output"), {1, steps, p.tokens}, "logits");
    graph.outputs.insert(graph.outputs.begin(), logits);
    for (graph::State &state : graph.states)
      ++state.output;
  }

private:
  //===--- Nodes ---===//

  Tensor *addInput(const std::string &name, ElementType type, Shape shape) {
    Tensor *tensor = graph.addTensor(name);
    tensor->setType(type, std::move(shape));
    graph.inputs.push_back(tensor);
    return tensor;
  }
  /// \p past is what \p present was in the run before.
  void addState(Tensor *past, Tensor *present) {
    graph.states.push_back({past, graph.outputs.size()});
    graph.outputs.push_back(present);
  }
  Tensor *constant(const std::string &name, Constant value) {
    Tensor *tensor = graph.addTensor(name);
    tensor->setType(value.type, value.shape);
    tensor->constant = std::move(value);
    return tensor;
  }
  Tensor *weight(const std::string &name) {
    return constant(name, weights.constant(name));
  }
  /// The result has the node's name.
  Tensor *node(std::string op, std::vector<Tensor *> from,
               const std::string &name,
               std::map<std::string, Attribute, std::less<>> attributes = {}) {
    Tensor *to = graph.addTensor(name);
    make.add(std::move(op), std::move(from), {to}).attributes =
        std::move(attributes);
    return to;
  }
  Tensor *reshape(Tensor *x, Shape shape, const std::string &name) {
    Tensor *lengths =
        constant(name + "_shape",
                 Constant::ofIntegers({std::int64_t(shape.size())}, shape));
    return node("Reshape", {x, lengths}, name);
  }
  Tensor *transpose(Tensor *x, Shape perm, const std::string &name) {
    return node("Transpose", {x}, name, {{"perm", Attribute::of(perm)}});
  }
  /// \p x [steps, inner] times rows of weights.
  Tensor *product(Tensor *x, Tensor *rows, const std::string &name,
                  float factor = 1) {
    return node("Gemm", {x, rows}, name,
                {{"transB", Attribute::of(std::int64_t(1))},
                 {"alpha", Attribute::of(factor)}});
  }
  Tensor *norm(Tensor *x, const std::string &name) {
    return node("RMSNormalization", {x, weight(name + ".weight")}, name,
                {{"axis", Attribute::of(std::int64_t(-1))},
                 {"epsilon", Attribute::of(p.epsilon)}});
  }

  //===--- Positions ---===//

  RotaryTables tables(std::int64_t positions) const {
    std::vector<double> factors;
    if (weights.has("rope_freqs.weight"))
      factors = weights.constant("rope_freqs.weight").numbers();
    return rotaryTables(p, positions, factors);
  }

  /// Of a sequence: constants.
  void listPositions() {
    RotaryTables all = tables(steps);
    cosines = constant("cosines", all.cosines);
    sines = constant("sines", all.sines);
    std::vector<float> values;
    for (std::int64_t row = 0; row < steps; ++row)
      for (std::int64_t column = 0; column < steps; ++column)
        values.push_back(column <= row ? 0 : kMasked);
    mask = constant("mask", Constant::ofFloats({1, 1, steps, steps}, values));
  }

  /// Of decode: the position is 0 in the first run and 1 more in each. Beyond
  /// the cache it has no row in the tables, which is an error of the run.
  void followPosition() {
    Tensor *position = addInput("position", ElementType::I32, {1, 1});
    Tensor *one = constant("one", int32s({1, 1}, {1}));
    addState(position, node("Add", {position, one}, "next_position"));
    RotaryTables all = tables(seen);
    cosines = node("Gather", {constant("cosines", all.cosines), position},
                   "cosines_here");
    sines =
        node("Gather", {constant("sines", all.sines), position}, "sines_here");
    // Token t is at place t + cache - 1 - position of the window.
    std::vector<std::int32_t> places;
    for (std::int64_t i = 0; i < seen; ++i)
      places.push_back(std::int32_t(i));
    Tensor *last =
        constant("last_place", int32s({1, 1}, {std::int32_t(seen - 1)}));
    Tensor *first = node("Sub", {last, position}, "first_place");
    Tensor *isSeen = node(
        "GreaterOrEqual",
        {constant("places", int32s({1, 1, seen}, places)), first}, "is_seen");
    mask = node("Where",
                {isSeen, constant("not_masked", Constant::ofFloats({1}, {0})),
                 constant("masked", Constant::ofFloats({1}, {kMasked}))},
                "mask");
  }

  //===--- Layers ---===//

  Tensor *layer(Tensor *x, const std::string &prefix) {
    Tensor *y = norm(x, prefix + "attn_norm");
    y = product(attention(y, prefix), weight(prefix + "attn_output.weight"),
                prefix + "attn_output");
    x = node("Add", {x, y}, prefix + "attn_residual");
    y = norm(x, prefix + "ffn_norm");
    Tensor *gate =
        product(y, weight(prefix + "ffn_gate.weight"), prefix + "ffn_gate");
    Tensor *up =
        product(y, weight(prefix + "ffn_up.weight"), prefix + "ffn_up");
    y = node("Mul", {node("Swish", {gate}, prefix + "ffn_act"), up},
             prefix + "ffn_gated");
    y = product(y, weight(prefix + "ffn_down.weight"), prefix + "ffn_down");
    return node("Add", {x, y}, prefix + "ffn_residual");
  }

  /// [steps, heads * size] -> [1, steps, heads * size]
  Tensor *rotate(Tensor *x, std::int64_t heads, const std::string &name) {
    x = reshape(x, {1, steps, heads * p.headSize}, name + "_steps");
    return node("RotaryEmbedding", {x, cosines, sines}, name + "_rope",
                {{"interleaved", Attribute::of(std::int64_t(1))},
                 {"num_heads", Attribute::of(heads)},
                 {"rotary_embedding_dim",
                  Attribute::of(p.rotated == p.headSize ? std::int64_t(0)
                                                        : p.rotated)}});
  }

  /// Keys or values of all positions that can be seen, [heads, seen, size].
  Tensor *remembered(Tensor *x, const std::string &prefix,
                     const std::string &index, const std::string &what) {
    std::string name = prefix + "attn_" + what;
    if (!isDecode)
      return transpose(
          reshape(x, {steps, p.keyHeads, p.headSize}, name + "_heads"),
          {1, 0, 2}, name + "s");
    Shape window = {1, p.keyHeads, seen, p.headSize};
    Tensor *past = addInput("past_key_values." + index + "." + what,
                            ElementType::F32, window);
    Tensor *now = reshape(x, {1, p.keyHeads, 1, p.headSize}, name + "_now");
    // The oldest position goes.
    Tensor *kept =
        node("Slice",
             {past, list(name + "_begin", {1}), list(name + "_end", {seen}),
              list(name + "_axis", {2})},
             name + "_kept");
    Tensor *present =
        seen == 1 ? now
                  : node("Concat", {kept, now}, "present." + index + "." + what,
                         {{"axis", Attribute::of(std::int64_t(2))}});
    addState(past, present);
    return reshape(present, {p.keyHeads, seen, p.headSize}, name + "s");
  }
  Tensor *list(const std::string &name, Shape values) {
    return constant(
        name, Constant::ofIntegers({std::int64_t(values.size())}, values));
  }

  /// Heads that share a key are rows of one product: [keys, shared * steps,
  /// size] times [keys, size, seen].
  Tensor *attention(Tensor *x, const std::string &prefix) {
    std::int64_t shared = p.heads / p.keyHeads, size = p.headSize;
    std::string name = prefix + "attn";
    std::string index = prefix.substr(4, prefix.size() - 5);
    Tensor *q = product(x, weight(name + "_q.weight"), name + "_q",
                        float(1 / std::sqrt(double(size))));
    Tensor *k = product(x, weight(name + "_k.weight"), name + "_k");
    Tensor *v = product(x, weight(name + "_v.weight"), name + "_v");
    q = rotate(q, p.heads, name + "_q");
    k = rotate(k, p.keyHeads, name + "_k");
    if (!isDecode)
      q = transpose(
          reshape(q, {steps, p.keyHeads, shared, size}, name + "_q_heads"),
          {1, 2, 0, 3}, name + "_q_turned");
    q = reshape(q, {p.keyHeads, shared * steps, size}, name + "_queries");
    k = remembered(k, prefix, index, "key");
    v = remembered(v, prefix, index, "value");
    Tensor *scores = graph.addTensor(name + "_scores");
    Node &product = make.add("FusedMatMul", {q, k}, {scores});
    product.domain = "com.microsoft";
    product.attributes["transB"] = Attribute::of(std::int64_t(1));
    if (!isDecode)
      scores = reshape(scores, {p.keyHeads, shared, steps, seen},
                       name + "_scores_heads");
    Tensor *y =
        node("Softmax", {node("Add", {scores, mask}, name + "_masked")},
             name + "_weights", {{"axis", Attribute::of(std::int64_t(-1))}});
    if (!isDecode)
      y = reshape(y, {p.keyHeads, shared * steps, seen},
                  name + "_weights_rows");
    y = node("MatMul", {y, v}, name + "_weighted");
    if (!isDecode)
      y = transpose(reshape(y, {p.keyHeads, shared, steps, size},
                            name + "_weighted_heads"),
                    {2, 0, 1, 3}, name + "_steps");
    return reshape(y, {steps, p.heads * size}, name);
  }

  const LlamaParams &p;
  const LlamaWeights &weights;
  graph::Graph &graph;
  graph::NodeMaker make;
  bool isDecode;
  std::int64_t steps, seen; ///< Positions that are computed, and seen.
  Tensor *cosines = nullptr, *sines = nullptr, *mask = nullptr;
};

} // namespace

std::unique_ptr<graph::Graph> gguf::buildLlama(const LlamaParams &params,
                                               const LlamaWeights &weights,
                                               const LlamaForm &form,
                                               const std::string &path) {
  auto graph = std::make_unique<graph::Graph>();
  graph->name = "llama";
  graph->file = path;
  LlamaBuilder(params, weights, form, *graph).build();
  return graph;
}
