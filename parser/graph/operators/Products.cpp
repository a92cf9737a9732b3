//===- Products.cpp - Matrix products -------------------------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "parser/graph/OperatorTable.h"
#include "parser/graph/operators/Scalars.h"

using namespace yarrow;
using namespace yarrow::graph;
using namespace mlir;
using compass::DType;

/// A copy of constant \p i with every value times \p factor.
static Tensor scaled(NodeEmitter &n, size_t i, float factor) {
  Tensor result = n.tensor(i);
  std::vector<float> values;
  for (double v : n.constant(i)->numbers())
    values.push_back(float(v * factor));
  result.constant = Constant::ofFloats(n.constant(i)->shape, values);
  result.quantization.reset();
  return result;
}

/// x [rows, inner] times constant weights, a bias that is one value per column
/// or one value.
static Value fullyConnected(NodeEmitter &n, Value x, ElementsAttr weights,
                            ElementsAttr bias) {
  if (!weights || !bias)
    return {};
  return n.layer("FullyConnected", {x},
                 {{"weights", weights},
                  {"biases", bias},
                  {"num_output", weights.getShapedType().getDimSize(0)}});
}

/// In one direction: what is 1 in \p shape may be repeated, nothing in \p to.
static bool broadcastsTo(const Shape &shape, const Shape &to) {
  if (shape.size() > to.size())
    return false;
  for (size_t i = 0; i < shape.size(); ++i)
    if (int64_t length = shape[shape.size() - 1 - i];
        length != 1 && length != to[to.size() - 1 - i])
      return false;
  return true;
}

LogicalResult graph::emitGemm(NodeEmitter &n) {
  if (n.rank(0) != 2 || n.rank(1) != 2)
    return n.bad("the operands are not matrices",
                 shapeText(n.shape(0)) + " and " + shapeText(n.shape(1)),
                 "two axes each");
  if (!n.isFloat(0))
    return n.refuse("integer tensors are not supported",
                    compass::dtypeName(irElement(n.type(0))).str(), "floats");
  bool transA = n.node.integer("transA", 0),
       transB = n.node.integer("transB", 0);
  float alpha = n.node.number("alpha", 1), beta = n.node.number("beta", 1);
  int64_t rows = n.shape(0)[transA ? 1 : 0],
          columns = n.shape(1)[transB ? 0 : 1];
  if (n.has(2) && !broadcastsTo(n.shape(2), {rows, columns}))
    return n.bad("the bias does not broadcast to the product",
                 shapeText(n.shape(2)),
                 "a shape that broadcasts to " + shapeText({rows, columns}));
  const Constant *c = n.constant(2);
  bool hasRowBias =
      !n.has(2) ||
      (c && (c->numElements() == 1 ||
             (c->shape.back() == columns && c->numElements() == columns)));
  if (n.constant(1) && hasRowBias) {
    Value x = n.plain(0);
    if (transA)
      x = n.build.transpose(x, {1, 0});
    std::vector<int64_t> order =
        transB ? std::vector<int64_t>() : std::vector<int64_t>{1, 0};
    bool isPlain =
        alpha == 1 && beta == 1 && (!n.has(2) || c->numElements() == columns);
    if (n.multipliesStored() && isPlain)
      return n.out(0, n.noteStored(fullyConnected(n, x, n.productWeights(order),
                                                  n.productBiases(2, columns)),
                                   2));
    Tensor b = alpha == 1 ? n.tensor(1) : scaled(n, 1, alpha);
    ElementsAttr weights = n.emitter.attribute(b, order);
    std::vector<float> bias(size_t(columns), 0.0f);
    if (n.has(2))
      for (size_t i = 0; i < bias.size(); ++i)
        bias[i] =
            beta * float(n.constant(2)->numberAt(
                       n.constant(2)->numElements() == 1 ? 0 : int64_t(i)));
    return n.out(
        0, fullyConnected(n, x, weights, n.build.floats({columns}, bias)));
  }
  Value y = n.layer("MatMul", {n.plain(0), n.plain(1)},
                    {{"trans_a", transA}, {"trans_b", transB}});
  if (!y)
    return failure();
  if (alpha != 1)
    y = eltwise(n, "MUL", y, scalarLike(n, y, alpha));
  if (n.has(2)) {
    Value c = n.ranked(2, 2);
    if (beta != 1 && c)
      c = eltwise(n, "MUL", c, scalarLike(n, c, beta));
    y = eltwise(n, "ADD", y, c);
  }
  return n.out(0, y);
}

/// Leading axes of \p x up to \p rank, and repeated to be \p batch.
static Value batched(NodeEmitter &n, Value x, const Shape &batch) {
  if (!x)
    return x;
  ArrayRef<int64_t> have = shapeOf(x);
  Shape shape(batch.size() + 2 - have.size(), 1), repeats;
  shape.insert(shape.end(), have.begin(), have.end());
  for (size_t i = 0; i < shape.size(); ++i)
    repeats.push_back(i < batch.size() ? batch[i] / shape[i] : 1);
  x = n.build.reshape(x, shape);
  if (llvm::all_of(repeats, [](int64_t r) { return r == 1; }))
    return x;
  return n.layer("Tile", {x}, {{"repeats", repeats}});
}

LogicalResult graph::emitMatMul(NodeEmitter &n) {
  Shape a = n.shape(0), b = n.shape(1);
  if (a.empty() || b.empty())
    return n.bad("an operand is a scalar", "no axes", "one axis or more");
  if (!n.isFloat(0))
    return n.refuse("integer tensors are not supported",
                    compass::dtypeName(irElement(n.type(0))).str(), "floats");
  Value x = n.plain(0);
  // A vector is a row on the left and a column on the right.
  bool isRow = a.size() == 1, isColumn = b.size() == 1;
  if (isRow)
    a.insert(a.begin(), 1);
  if (isColumn)
    b.push_back(1);
  if (a.back() != b[b.size() - 2])
    return n.bad("the operands do not match",
                 shapeText(n.shape(0)) + " and " + shapeText(n.shape(1)),
                 "as many columns as rows");
  Shape result;
  for (size_t i = 0, rank = std::max(a.size(), b.size()) - 2; i < rank; ++i) {
    int64_t la = i + a.size() >= rank + 2 ? a[i + a.size() - rank - 2] : 1;
    int64_t lb = i + b.size() >= rank + 2 ? b[i + b.size() - rank - 2] : 1;
    if (la != lb && la != 1 && lb != 1)
      return n.bad("the operands do not broadcast",
                   shapeText(n.shape(0)) + " and " + shapeText(n.shape(1)),
                   "leading axes that are equal or 1");
    result.push_back(std::max(la, lb));
  }
  Shape batch = result;
  Value y;
  if (b.size() == 2 && n.constant(1) && n.isFloat(1)) {
    // All rows at once.
    ElementsAttr weights =
        isColumn ? n.productWeights({}, {1, b[0]}) : n.productWeights({1, 0});
    y = n.build.reshape(x, {numElements(a) / a.back(), a.back()});
    if (!weights || !y)
      return failure();
    y = n.noteStored(fullyConnected(n, y, weights, n.productBiases(2, b[1])),
                     2);
  } else {
    x = batched(n, n.build.reshape(x, a), batch);
    Value w = batched(n, n.build.reshape(n.plain(1), b), batch);
    y = n.layer("MatMul", {x, w}, {{"trans_a", false}, {"trans_b", false}});
  }
  if (!isRow)
    result.push_back(a[a.size() - 2]);
  if (!isColumn)
    result.push_back(b.back());
  return n.out(0, n.build.reshape(y, result));
}
