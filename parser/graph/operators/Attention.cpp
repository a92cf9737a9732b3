//===- Attention.cpp - Attention as products and a softmax ----------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// There is no layer for attention: softmax(Q K^T * scale + mask) V is made of
// MatMul, Eltwise and Softmax.
//
//===----------------------------------------------------------------------===//
#include "parser/graph/OperatorTable.h"
#include "parser/graph/operators/Scalars.h"
#include <cmath>

using namespace yarrow;
using namespace yarrow::graph;
using namespace mlir;
using compass::DType;

/// What is added where a mask is false. Its power is 0 in float32; unlike an
/// infinity it has a scale.
static constexpr float kMasked = -65504;

namespace {
struct Heads {
  int64_t count = 0;
  bool isPacked = false; ///< [batch, steps, heads * size]
};
} // namespace

/// Input \p i as [batch, heads, steps, size].
static Value headsOf(NodeEmitter &n, Value x, Heads heads) {
  if (!x || !heads.isPacked)
    return x;
  ArrayRef<int64_t> s = shapeOf(x);
  x = n.build.reshape(x, {s[0], s[1], heads.count, s[2] / heads.count});
  return n.build.transpose(x, {0, 2, 1, 3});
}

/// Each head \p times, one after the other.
static Value repeatedHeads(NodeEmitter &n, Value x, int64_t times) {
  if (!x || times == 1)
    return x;
  SmallVector<int64_t> s(shapeOf(x));
  x = n.build.reshape(x, {s[0], s[1], 1, s[2], s[3]});
  x = n.layer("Tile", {x}, {{"repeats", Shape{1, 1, times, 1, 1}}});
  return n.build.reshape(x, {s[0], s[1] * times, s[2], s[3]});
}

/// What a mask of truth values or floats adds to scores of the rank \p rank.
static Value maskBias(NodeEmitter &n, size_t i) {
  Value mask = n.ranked(i, 4);
  if (!mask || n.type(i) != ElementType::Bool)
    return mask;
  return n.build.layerOf(
      "Where",
      {mask, n.build.constantOf({1, 1, 1, 1}, ArrayRef<float>({0.0f})),
       n.build.constantOf({1, 1, 1, 1}, ArrayRef<float>({kMasked}))},
      {}, DType::F32);
}

/// [1, 1, rows, columns] that hides what comes after a row's own position.
static Value causalBias(NodeEmitter &n, int64_t rows, int64_t columns,
                        int64_t past) {
  std::vector<float> values;
  for (int64_t i = 0; i < rows; ++i)
    for (int64_t k = 0; k < columns; ++k)
      values.push_back(k <= i + past ? 0 : kMasked);
  return n.build.constantOf({1, 1, rows, columns}, values);
}

/// What mask and causality add to the scores; null if there is neither.
static FailureOr<Value> totalBias(NodeEmitter &n, int64_t rows, int64_t columns,
                                  int64_t past) {
  Value bias;
  if (n.has(3)) {
    if (n.shape(3).empty() || n.shape(3).back() != columns)
      return n.refuse("a mask that is shorter than the keys is not imported",
                      shapeText(n.shape(3)),
                      "a last axis of " + std::to_string(columns));
    bias = maskBias(n, 3);
    if (!bias)
      return failure();
  }
  if (n.node.integer("is_causal", 0)) {
    Value causal = causalBias(n, rows, columns, past);
    bias = bias ? eltwise(n, "ADD", bias, causal) : causal;
  }
  return bias;
}

/// Back to [batch, steps, heads * size].
static Value packed(NodeEmitter &n, Value y, bool isPacked) {
  if (!y || !isPacked)
    return y;
  y = n.build.transpose(y, {0, 2, 1, 3});
  if (!y)
    return y;
  ArrayRef<int64_t> s = shapeOf(y);
  return n.build.reshape(y, {s[0], s[1], s[2] * s[3]});
}

static Value scores(NodeEmitter &n, Value q, Value k, double scale) {
  Value s = n.layer("MatMul", {q, k}, {{"trans_a", false}, {"trans_b", true}});
  return s ? eltwise(n, "MUL", s, scalarLike(n, s, scale)) : s;
}

static Value weighted(NodeEmitter &n, Value probabilities, Value v) {
  return n.layer("MatMul", {probabilities, v},
                 {{"trans_a", false}, {"trans_b", false}});
}

LogicalResult graph::emitAttention(NodeEmitter &n) {
  bool isPacked = n.rank(0) == 3;
  if ((n.rank(0) != 3 && n.rank(0) != 4) || n.rank(1) != n.rank(0) ||
      n.rank(2) != n.rank(0))
    return n.bad("the inputs have wrong numbers of axes", shapeText(n.shape(0)),
                 "3 or 4 axes, all the same");
  for (size_t i : {4, 5})
    if (n.has(i) && n.rank(i) != 4)
      return n.bad("a cache has a wrong number of axes", shapeText(n.shape(i)),
                   "4 axes");
  Heads queries{isPacked ? n.node.integer("q_num_heads", 0) : n.shape(0)[1],
                isPacked};
  Heads keys{isPacked ? n.node.integer("kv_num_heads", 0) : n.shape(1)[1],
             isPacked};
  if (queries.count < 1 || keys.count < 1 || queries.count % keys.count ||
      (isPacked && (n.shape(0)[2] % queries.count ||
                    n.shape(1)[2] % keys.count || n.shape(2)[2] % keys.count)))
    return n.bad("heads do not fit the inputs",
                 std::to_string(queries.count) + " and " +
                     std::to_string(keys.count),
                 "numbers of heads that divide one another and the inputs");
  Value q = headsOf(n, n.plain(0), queries), k = headsOf(n, n.plain(1), keys),
        v = headsOf(n, n.plain(2), keys);
  int64_t past = n.has(4) ? n.shape(4)[2] : 0;
  if (n.has(4))
    k = n.layer("Concat", {n.plain(4), k}, {{"axis", 2}});
  if (n.has(5))
    v = n.layer("Concat", {n.plain(5), v}, {{"axis", 2}});
  if (!q || !k || !v)
    return failure();
  if (failed(n.out(1, k)) || failed(n.out(2, v)))
    return failure();
  int64_t times = queries.count / keys.count;
  k = repeatedHeads(n, k, times);
  v = repeatedHeads(n, v, times);
  double scale = n.node.number("scale", 0);
  if (!n.node.attribute("scale"))
    scale = 1 / std::sqrt(double(shapeOf(q)[3]));
  int64_t rows = shapeOf(q)[2], columns = shapeOf(k)[2];
  Value s = scores(n, q, k, scale);
  int64_t shown = n.node.integer("qk_matmul_output_mode", 0);
  auto show = [&](int64_t mode) {
    return shown != mode || !n.isTaken(3) || succeeded(n.out(3, s));
  };
  if (!show(0))
    return failure();
  if (double cap = n.node.number("softcap", 0); cap != 0) {
    s = eltwise(n, "MUL", s, scalarLike(n, s, 1 / cap));
    s = n.layer("Activation", {s}, {{"method", "TANH"}});
    s = eltwise(n, "MUL", s, scalarLike(n, s, cap));
  }
  if (!s || !show(1))
    return failure();
  auto bias = totalBias(n, rows, columns, past);
  if (failed(bias))
    return failure();
  if (*bias)
    s = eltwise(n, "ADD", s, *bias);
  // ONNX shows infinities there.
  bool hides = n.node.integer("is_causal", 0) ||
               (n.has(3) && n.type(3) == ElementType::Bool);
  if (shown == 2 && n.isTaken(3) && hides)
    return n.refuse("that shows masked scores is not imported",
                    "qk_matmul_output_mode 2", "another mode, or no output 3");
  if (!s || !show(2))
    return failure();
  s = n.layer("Softmax", {s}, {{"axis", 3}});
  // A row that sees nothing gives zeros, not the mean of what it must not see.
  if (*bias && n.has(3) && n.type(3) == ElementType::Bool) {
    Value isSeen =
        n.build.layerOf("Logical", {*bias, scalarLike(n, *bias, kMasked / 2)},
                        {{"method", "GREATER"}}, DType::U8);
    s = n.build.layerOf("Where", {isSeen, s, scalarLike(n, s, 0)}, {},
                        DType::F32);
  }
  if (!s || !show(3))
    return failure();
  return n.out(0, packed(n, weighted(n, s, v), isPacked));
}

LogicalResult graph::emitMultiHeadAttention(NodeEmitter &n) {
  if (n.has(3) || n.has(4) || n.rank(0) != 3 || n.rank(1) != 3 ||
      n.rank(2) != 3)
    return n.refuse("with a bias, a padding mask or packed inputs",
                    shapeText(n.shape(0)),
                    "query, key and value of 3 axes, and attention_bias");
  Heads heads{n.node.integer("num_heads", 0), true};
  if (heads.count < 1 || n.shape(0)[2] % heads.count)
    return n.bad("num_heads does not fit", std::to_string(heads.count),
                 "a divisor of " + std::to_string(n.shape(0)[2]));
  Value q = headsOf(n, n.plain(0), heads), k = headsOf(n, n.plain(1), heads),
        v = headsOf(n, n.plain(2), heads);
  if (!q || !k || !v)
    return failure();
  double scale = n.node.number("scale", 0);
  if (scale == 0)
    scale = 1 / std::sqrt(double(shapeOf(q)[3]));
  Value s = scores(n, q, k, scale);
  if (n.has(5))
    s = eltwise(n, "ADD", s, n.ranked(5, 4));
  if (n.node.integer("unidirectional", 0))
    s = eltwise(n, "ADD", s, causalBias(n, shapeOf(q)[2], shapeOf(k)[2], 0));
  s = n.layer("Softmax", {s}, {{"axis", 3}});
  return n.out(0, packed(n, weighted(n, s, v), true));
}

LogicalResult graph::emitRotaryEmbedding(NodeEmitter &n) {
  SmallVector<Value> operands = {n.plain(0), n.plain(1), n.plain(2)};
  if (n.has(3))
    operands.push_back(n.plain(3));
  return n.out(0, n.layer("RotaryEmbedding", operands,
                          {{"num_heads", n.node.integer("num_heads", 0)},
                           {"interleaved", n.node.integer("interleaved", 0)},
                           {"rotary_embedding_dim",
                            n.node.integer("rotary_embedding_dim", 0)}}));
}
