//===- GroupedAttention.cpp - Attention whose keys serve several heads ----===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "parser/graph/OperatorTable.h"
#include "parser/graph/operators/AttentionParts.h"
#include <numeric>

using namespace yarrow;
using namespace yarrow::graph;
using namespace mlir;
using compass::DType;

/// \p x [batch, heads, steps, size] turned by the caches in inputs 7 and 8 at
/// the positions from \p past on.
static Value rotated(NodeEmitter &n, Value x, int64_t past) {
  if (!x || !n.node.integer("do_rotary", 0))
    return x;
  int64_t batch = shapeOf(x)[0], rows = shapeOf(x)[2];
  Value positions;
  if (n.has(9)) {
    positions = n.build.cast(n.plain(9), DType::I32);
  } else {
    std::vector<int32_t> places;
    for (int64_t i = 0; i < batch * rows; ++i)
      places.push_back(int32_t(past + i % rows));
    positions = n.build.constantOf({batch, rows}, places);
  }
  int64_t turned = 2 * n.shape(7).back();
  return n.layer(
      "RotaryEmbedding", {x, n.plain(7), n.plain(8), positions},
      {{"num_heads", 0},
       {"interleaved", n.node.integer("rotary_interleaved", 0)},
       {"rotary_embedding_dim", turned == shapeOf(x)[3] ? 0 : turned}});
}

/// [query, key, value, past key, past value, last places, number of steps,
/// cosines, sines, positions, bias of scores]: causal, each head of keys for
/// several of queries.
LogicalResult graph::emitGroupQueryAttention(NodeEmitter &n) {
  Heads queries{n.node.integer("num_heads", 0), true},
      keys{n.node.integer("kv_num_heads", 0), true};
  bool isOne = !n.has(1) && !n.has(2);
  if (queries.count < 1 || keys.count < 1 || queries.count % keys.count ||
      n.rank(0) != 3 || n.has(1) != n.has(2))
    return n.bad(
        "the heads do not match the inputs",
        std::to_string(queries.count) + " and " + std::to_string(keys.count),
        "query heads that are a multiple of the key heads, inputs of 3 axes");
  int64_t batch = n.shape(0)[0], rows = n.shape(0)[1],
          groups = isOne ? queries.count + 2 * keys.count : queries.count,
          size = n.shape(0)[2] / groups,
          past = n.has(3) && n.rank(3) == 4 ? n.shape(3)[2] : 0;
  bool isSized = size * groups == n.shape(0)[2];
  for (size_t i : {1, 2})
    isSized = isSized &&
              (isOne || (n.rank(i) == 3 && n.shape(i)[2] == size * keys.count));
  if (!isSized)
    return n.bad("the heads do not match the inputs", shapeText(n.shape(0)),
                 "columns that the heads divide");
  if (n.node.integer("smooth_softmax", 0) || n.has(11))
    return n.refuse("a smooth softmax is not supported", "smooth_softmax 1",
                    "smooth_softmax 0");
  if (n.node.integer("do_rotary", 0) &&
      (!n.has(7) || !n.has(8) || n.rank(7) != 2))
    return n.bad("do_rotary needs cosines and sines", "no input 7 or 8",
                 "both inputs, [positions, half of a head]");
  if (batch * rows > kMostSteps || past > kMostSteps)
    return n.refuse("this many steps are not supported", shapeText(n.shape(0)),
                    std::to_string(kMostSteps) + " steps");
  auto columns = [&](size_t i, int64_t first, Heads heads) {
    Value x = isOne ? part(n, n.plain(0), 2, first * size, heads.count * size)
                    : n.plain(i);
    return headsOf(n, x, heads);
  };
  AttentionOperands o = {columns(0, 0, queries),
                         columns(1, queries.count, keys),
                         columns(2, queries.count + keys.count, keys)};
  o.q = rotated(n, o.q, past);
  o.k = rotated(n, o.k, past);
  o.k = withPast(n, o.k, 3, 1);
  o.v = withPast(n, o.v, 4, 2);
  if (!o.q || !o.k || !o.v)
    return failure();
  int64_t all = past + rows;
  SmallVector<Value> biases = {causalBias(
      n, rows, all, past,
      std::max<int64_t>(n.node.integer("local_window_size", -1), 0))};
  // All steps are there, unless the last places say otherwise.
  const Constant *last = n.constant(5);
  bool isWhole = last && llvm::all_of(last->integers(),
                                      [&](int64_t v) { return v == all - 1; });
  if (n.has(5) && !isWhole) {
    if (past > 0)
      return n.refuse(
          "a cache that can be partly filled is not supported",
          last ? "other last positions" : "tensor " + n.tensor(5).name,
          "a constant " + std::to_string(all - 1) + " for each batch",
          "if they follow from a mask, make them a constant with `yarrow "
          "import --input-value MASK=1`");
    Value length = n.build.cast(n.plain(5), DType::I32);
    if (!length)
      return failure();
    std::vector<int32_t> places(static_cast<size_t>(all));
    std::iota(places.begin(), places.end(), 0);
    Value isSeen = n.build.layerOf("Logical",
                                   {n.build.constantOf({1, 1, 1, all}, places),
                                    n.build.reshape(length, {batch, 1, 1, 1})},
                                   {{"method", "LESS_EQUAL"}}, DType::U8);
    biases.push_back(biasOf(n, isSeen, kMasked));
  }
  if (n.has(10))
    biases.push_back(n.ranked(10, 4));
  int64_t times = queries.count / keys.count;
  o.k = repeatedHeads(n, o.k, times);
  o.v = repeatedHeads(n, o.v, times);
  return attend(n, o, biases);
}
