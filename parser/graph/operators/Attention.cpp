//===- Attention.cpp - Attention as products and a softmax ----------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "parser/graph/OperatorTable.h"
#include "parser/graph/operators/AttentionParts.h"
#include "parser/graph/operators/Scalars.h"
#include <cmath>

using namespace yarrow;
using namespace yarrow::graph;
using namespace mlir;
using compass::DType;

Value graph::headsOf(NodeEmitter &n, Value x, Heads heads) {
  if (!x || !heads.isPacked)
    return x;
  ArrayRef<int64_t> s = shapeOf(x);
  x = n.build.reshape(x, {s[0], s[1], heads.count, s[2] / heads.count});
  return n.build.transpose(x, {0, 2, 1, 3});
}

Value graph::repeatedHeads(NodeEmitter &n, Value x, int64_t times) {
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

Value graph::causalBias(NodeEmitter &n, int64_t rows, int64_t columns,
                        int64_t past, int64_t window) {
  std::vector<float> values;
  for (int64_t i = 0; i < rows; ++i)
    for (int64_t k = 0; k < columns; ++k)
      values.push_back(k <= i + past && (window == 0 || k > i + past - window)
                           ? 0
                           : kMasked);
  return n.build.constantOf({1, 1, rows, columns}, values);
}

/// What mask and causality add to the scores; null if there is neither.
static FailureOr<Value> totalBias(NodeEmitter &n, int64_t rows, int64_t columns,
                                  int64_t past) {
  Value bias;
  if (n.has(3)) {
    if (n.shape(3).empty() || n.shape(3).back() != columns)
      return n.refuse("a mask that is shorter than the keys is not supported",
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

Value graph::packed(NodeEmitter &n, Value y, bool isPacked) {
  if (!y || !isPacked)
    return y;
  y = n.build.transpose(y, {0, 2, 1, 3});
  if (!y)
    return y;
  ArrayRef<int64_t> s = shapeOf(y);
  return n.build.reshape(y, {s[0], s[1], s[2] * s[3]});
}

Value graph::scores(NodeEmitter &n, Value q, Value k, double scale) {
  Value s = n.layer("MatMul", {q, k}, {{"trans_a", false}, {"trans_b", true}});
  return s ? eltwise(n, "MUL", s, scalarLike(n, s, scale)) : s;
}

Value graph::capped(NodeEmitter &n, Value s, double cap) {
  if (!s || cap == 0)
    return s;
  s = eltwise(n, "MUL", s, scalarLike(n, s, 1 / cap));
  s = n.layer("Activation", {s}, {{"method", "TANH"}});
  return s ? eltwise(n, "MUL", s, scalarLike(n, s, cap)) : s;
}

Value graph::weighted(NodeEmitter &n, Value probabilities, Value v) {
  return n.layer("MatMul", {probabilities, v},
                 {{"trans_a", false}, {"trans_b", false}});
}

LogicalResult graph::emitAttention(NodeEmitter &n) {
  bool isPacked = n.rank(0) == 3;
  if ((n.rank(0) != 3 && n.rank(0) != 4) || n.rank(1) != n.rank(0) ||
      n.rank(2) != n.rank(0))
    return n.bad("the inputs have a wrong number of axes",
                 shapeText(n.shape(0)),
                 "3 or 4 axes, the same number for each");
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
    return n.bad("the heads do not match the inputs",
                 std::to_string(queries.count) + " and " +
                     std::to_string(keys.count),
                 "query heads that are a multiple of the key heads, and inputs "
                 "that the heads divide");
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
  s = capped(n, s, n.node.number("softcap", 0));
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
    return n.refuse("output 3 with masked scores is not supported",
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

/// Positions of all steps; a single one is that of the first (com.microsoft).
static Value positionsOf(NodeEmitter &n) {
  if (n.rank(3) != 1 || n.shape(3)[0] != 1)
    return n.plain(3);
  auto first = n.integers(3, "the first position");
  if (failed(first))
    return {};
  int64_t batch = n.shape(0)[0], steps = n.shape(0)[n.rank(0) == 4 ? 2 : 1];
  constexpr int64_t kMost = 1 << 20;
  if (batch * steps > kMost) {
    (void)n.refuse("this many steps are not supported", shapeText(n.shape(0)),
                   std::to_string(kMost) + " steps");
    return {};
  }
  std::vector<int32_t> places;
  for (int64_t i = 0; i < batch * steps; ++i)
    places.push_back(int32_t(first->front() + i % steps));
  return n.build.constantOf({batch, steps}, places);
}

LogicalResult graph::emitRotaryEmbedding(NodeEmitter &n) {
  if (n.rank(0) != 3 && n.rank(0) != 4)
    return n.bad("the input has a wrong number of axes", shapeText(n.shape(0)),
                 "3 or 4");
  if (n.node.number("scale", 1) != 1)
    return n.refuse("a scale is not supported",
                    std::to_string(n.node.number("scale", 1)), "scale 1");
  SmallVector<Value> operands = {n.plain(0), n.plain(1), n.plain(2)};
  if (n.has(3))
    operands.push_back(positionsOf(n));
  // com.microsoft leaves the number of heads to the width of the cosines.
  int64_t heads = n.node.integer("num_heads", 0);
  if (heads == 0 && n.rank(0) == 3 && n.rank(1) > 0 && n.shape(1).back() > 0)
    heads = n.shape(0)[2] / (2 * n.shape(1).back());
  return n.out(0, n.layer("RotaryEmbedding", operands,
                          {{"num_heads", heads},
                           {"interleaved", n.node.integer("interleaved", 0)},
                           {"rotary_embedding_dim",
                            n.node.integer("rotary_embedding_dim", 0)}}));
}
