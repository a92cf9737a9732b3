//===- ContribAttention.cpp - Attention as com.microsoft has it -----------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "parser/graph/OperatorTable.h"
#include "parser/graph/operators/AttentionParts.h"
#include "parser/graph/operators/Scalars.h"
#include <cmath>
#include <numeric>

using namespace yarrow;
using namespace yarrow::graph;
using namespace mlir;
using compass::DType;

Value graph::part(NodeEmitter &n, Value x, size_t axis, int64_t begin,
                  int64_t length) {
  if (!x || shapeOf(x)[axis] == length)
    return x;
  Shape from(shapeOf(x).size(), 0), to(shapeOf(x));
  from[axis] = begin;
  to[axis] = begin + length;
  return n.layer(
      "Slice", {x},
      {{"begin", from}, {"end", to}, {"strides", Shape(from.size(), 1)}});
}

/// \p x with elements [\p begin, ...) of the constant input \p i added to its
/// last axis.
static Value biased(NodeEmitter &n, Value x, size_t i, int64_t begin) {
  if (!x || !n.has(i))
    return x;
  auto all = n.numbers(i, "the bias");
  if (failed(all))
    return {};
  int64_t length = shapeOf(x).back();
  if (begin + length > int64_t(all->size())) {
    (void)n.bad("the bias is too short", std::to_string(all->size()),
                "a value for each column of query, key and value");
    return {};
  }
  std::vector<float> values(all->begin() + begin,
                            all->begin() + begin + length);
  Shape shape(shapeOf(x).size(), 1);
  shape.back() = length;
  return eltwise(n, "ADD", x, n.build.constantOf(shape, values));
}

Value graph::biasOf(NodeEmitter &n, Value isSeen, float hidden) {
  if (!isSeen)
    return isSeen;
  Shape one(shapeOf(isSeen).size(), 1);
  return n.build.layerOf("Where",
                         {isSeen,
                          n.build.constantOf(one, ArrayRef<float>({0.0f})),
                          n.build.constantOf(one, ArrayRef<float>({hidden}))},
                         {}, DType::F32);
}

/// What the mask in input \p i, of a length for each batch [B], of keys [B, T]
/// or of keys for each row [B, S, T], adds to scores. Null after an error.
static Value maskOf(NodeEmitter &n, size_t i, int64_t batch, int64_t rows,
                    int64_t columns) {
  float hidden = n.node.number("mask_filter_value", -10000.0f);
  Value mask = n.plain(i);
  if (!mask)
    return mask;
  const Shape &shape = n.shape(i);
  if (columns > kMostSteps) {
    (void)n.refuse("this many steps are not supported", shapeText(shape),
                   std::to_string(kMostSteps) + " steps");
    return {};
  }
  if (shape == Shape{batch}) {
    std::vector<int32_t> places(static_cast<size_t>(columns));
    std::iota(places.begin(), places.end(), 0);
    Value place = n.build.constantOf({1, 1, 1, columns}, places);
    return biasOf(
        n,
        n.build.layerOf("Logical",
                        {place, n.build.reshape(mask, {batch, 1, 1, 1})},
                        {{"method", "LESS"}}, DType::U8),
        hidden);
  }
  if (shape != Shape{batch, columns} && shape != Shape{batch, rows, columns}) {
    (void)n.refuse("a mask of this shape is not supported", shapeText(shape),
                   "[" + std::to_string(batch) + "], " +
                       shapeText({batch, columns}) + " or " +
                       shapeText({batch, rows, columns}));
    return {};
  }
  mask =
      n.build.reshape(mask, {batch, 1, shape.size() == 2 ? 1 : rows, columns});
  Value zero = scalarLike(n, mask, 0);
  return biasOf(n,
                n.build.layerOf("Logical", {mask, zero},
                                {{"method", "NOT_EQUAL"}}, DType::U8),
                hidden);
}

Value graph::withPast(NodeEmitter &n, Value x, size_t i, size_t output) {
  if (x && n.has(i) && n.shape(i).size() == 4 && n.shape(i)[2] > 0)
    x = n.layer("Concat", {n.plain(i), x}, {{"axis", 2}});
  if (!x || failed(n.out(output, x)))
    return {};
  return x;
}

LogicalResult graph::attend(NodeEmitter &n, AttentionOperands o,
                            ArrayRef<Value> biases) {
  if (!o.q || !o.k || !o.v || llvm::is_contained(biases, Value()))
    return failure();
  double scale = n.node.number("scale", 0);
  if (scale == 0)
    scale = 1 / std::sqrt(double(shapeOf(o.q)[3]));
  Value s = scores(n, o.q, o.k, scale);
  s = capped(n, s, n.node.number("softcap", 0));
  for (Value bias : biases)
    s = eltwise(n, "ADD", s, bias);
  s = n.layer("Softmax", {s}, {{"axis", 3}});
  return n.out(0, packed(n, weighted(n, s, o.v), true));
}

/// Masks and biases of the nodes' own inputs: that in input \p mask, the one
/// that is added to scores (5), and what comes after a row's own position.
static SmallVector<Value> biasesOf(NodeEmitter &n, AttentionOperands o,
                                   size_t mask, int64_t past) {
  int64_t batch = shapeOf(o.q)[0], rows = shapeOf(o.q)[2],
          all = shapeOf(o.k)[2];
  SmallVector<Value> biases;
  if (n.has(mask))
    biases.push_back(maskOf(n, mask, batch, rows, all));
  if (n.has(5))
    biases.push_back(n.ranked(5, 4));
  if (n.node.integer("unidirectional", 0))
    biases.push_back(causalBias(n, rows, all, past));
  return biases;
}

/// [query, key, value, bias, mask, bias of scores, past key, past value]
LogicalResult graph::emitMultiHeadAttention(NodeEmitter &n) {
  if (n.rank(0) != 3 || !n.has(1) || !n.has(2) || n.rank(1) != n.rank(2) ||
      (n.rank(1) != 3 && n.rank(1) != 4))
    return n.refuse("packed inputs are not supported", shapeText(n.shape(0)),
                    "query, key and value of 3 axes");
  Heads heads{n.node.integer("num_heads", 0), true};
  int64_t columns = n.shape(0)[2];
  auto divides = [&](size_t i) {
    return n.rank(i) == 4 ? n.shape(i)[1] == heads.count
                          : n.shape(i)[2] % heads.count == 0;
  };
  if (heads.count < 1 || columns % heads.count || !divides(1) || !divides(2))
    return n.bad("num_heads does not divide the columns",
                 std::to_string(heads.count),
                 "a divisor of " + std::to_string(columns));
  AttentionOperands o;
  o.q = headsOf(n, biased(n, n.plain(0), 3, 0), heads);
  // Keys of another sequence may have been split before.
  bool isSplit = n.rank(1) == 4;
  o.k = isSplit ? n.plain(1)
                : headsOf(n, biased(n, n.plain(1), 3, columns), heads);
  o.v = isSplit ? n.plain(2)
                : headsOf(n, biased(n, n.plain(2), 3, 2 * columns), heads);
  int64_t past = n.has(6) && n.rank(6) == 4 ? n.shape(6)[2] : 0;
  o.k = withPast(n, o.k, 6, 1);
  o.v = withPast(n, o.v, 7, 2);
  if (!o.q || !o.k || !o.v)
    return failure();
  return attend(n, o, biasesOf(n, o, 4, past));
}

/// [input, weights, bias, mask, past, bias of scores]: query, key and value are
/// one product.
LogicalResult graph::emitPackedAttention(NodeEmitter &n) {
  Heads heads{n.node.integer("num_heads", 0), true};
  std::vector<int64_t> sizes = n.node.integers("qkv_hidden_sizes");
  if (n.rank(0) != 3 || n.rank(1) != 2 || n.shape(0)[2] != n.shape(1)[0])
    return n.bad("the weights do not match the input",
                 shapeText(n.shape(0)) + " and " + shapeText(n.shape(1)),
                 "[batch,steps,columns] and [columns, query + key + value]");
  int64_t width = n.shape(1)[1];
  if (sizes.empty())
    sizes.assign(3, width / 3);
  bool fits = heads.count > 0 && sizes.size() == 3 && sizes[0] == sizes[1] &&
              sizes[0] + sizes[1] + sizes[2] == width;
  for (int64_t size : sizes)
    fits = fits && size > 0 && size % heads.count == 0;
  if (!fits)
    return n.bad("num_heads does not divide query, key and value",
                 std::to_string(heads.count) + " heads of " +
                     std::to_string(width) + " columns",
                 "sizes that the heads divide");
  if (n.node.integer("do_rotary", 0))
    return n.refuse("a rotary embedding inside the operator is not supported",
                    "do_rotary 1", "do_rotary 0");
  int64_t batch = n.shape(0)[0], rows = n.shape(0)[1];
  ElementsAttr weights = n.weights(1, {1, 0});
  Value x = n.build.reshape(n.plain(0), {batch * rows, n.shape(0)[2]});
  ElementsAttr bias =
      n.has(2) ? n.weights(2)
               : n.build.floats({width}, std::vector<float>(size_t(width)));
  if (!weights || !x || !bias)
    return failure();
  x = n.layer("FullyConnected", {x},
              {{"weights", weights}, {"biases", bias}, {"num_output", width}});
  x = n.build.reshape(x, {batch, rows, width});
  AttentionOperands o = {
      headsOf(n, part(n, x, 2, 0, sizes[0]), heads),
      headsOf(n, part(n, x, 2, sizes[0], sizes[1]), heads),
      headsOf(n, part(n, x, 2, 2 * sizes[0], sizes[2]), heads)};
  int64_t past = 0;
  if (n.has(4)) {
    // [2, batch, heads, steps, size]: keys, then values.
    if (n.rank(4) != 5 || n.shape(4)[0] != 2)
      return n.bad("the cache has a wrong shape", shapeText(n.shape(4)),
                   "[2,batch,heads,steps,size]");
    Shape one(n.shape(4).begin() + 1, n.shape(4).end());
    past = one[2];
    Value cache = n.plain(4);
    o.k =
        n.layer("Concat", {n.build.reshape(part(n, cache, 0, 0, 1), one), o.k},
                {{"axis", 2}});
    o.v =
        n.layer("Concat", {n.build.reshape(part(n, cache, 0, 1, 1), one), o.v},
                {{"axis", 2}});
  }
  if (!o.q || !o.k || !o.v)
    return failure();
  if (n.isTaken(1)) {
    if (sizes[2] != sizes[0])
      return n.refuse(
          "a cache with different sizes of values and keys is not supported",
          std::to_string(sizes[2]), std::to_string(sizes[0]));
    Shape five(shapeOf(o.k));
    five.insert(five.begin(), 1);
    Value present = n.layer(
        "Concat", {n.build.reshape(o.k, five), n.build.reshape(o.v, five)},
        {{"axis", 0}});
    if (failed(n.out(1, present)))
      return failure();
  }
  return attend(n, o, biasesOf(n, o, 3, past));
}
