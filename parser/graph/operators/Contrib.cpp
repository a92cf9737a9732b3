//===- Contrib.cpp - Operators of com.microsoft ---------------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "parser/graph/OperatorTable.h"
#include "parser/graph/operators/Scalars.h"

using namespace yarrow;
using namespace yarrow::graph;
using namespace mlir;

/// Input + skip (+ bias), normalised: [x, skip, gamma, beta, bias], or without
/// beta.
LogicalResult graph::emitSkipNorm(NodeEmitter &n) {
  bool isRms = n.node.op == "SkipSimplifiedLayerNormalization";
  size_t bias = isRms ? 3 : 4;
  Value sum = eltwise(n, "ADD", n.plain(0), n.ranked(1, n.rank(0)));
  if (n.has(bias))
    sum = eltwise(n, "ADD", sum, n.ranked(bias, n.rank(0)));
  ElementsAttr weights = n.weights(2);
  if (!sum || !weights)
    return failure();
  if (n.isTaken(1) || n.isTaken(2))
    return n.refuse("outputs of mean and deviation are not supported",
                    "output 1 or 2", "outputs 0 and 3");
  Keys keys = {{"weights", weights},
               {"axis", std::vector<int64_t>{n.rank(0) - 1}},
               {"epsilon", double(n.node.number("epsilon", 1e-5f))}};
  if (!isRms) {
    std::vector<float> zeros(size_t(n.shape(0).back()), 0.0f);
    ElementsAttr beta =
        n.has(3) ? n.weights(3) : n.build.floats({n.shape(0).back()}, zeros);
    if (!beta)
      return failure();
    keys.push_back({"biases", beta});
  }
  if (failed(n.out(3, sum)))
    return failure();
  return n.out(0, n.layer(isRms ? "RMSNorm" : "LayerNorm", {sum}, keys));
}

LogicalResult graph::emitFusedMatMul(NodeEmitter &n) {
  if (n.node.integer("transBatchA", 0) || n.node.integer("transBatchB", 0))
    return n.refuse("transposed batches are not supported", "transBatch 1",
                    "transBatch 0");
  if (n.rank(0) != n.rank(1) || n.rank(0) < 2)
    return n.refuse("operands of different ranks are not supported",
                    shapeText(n.shape(0)) + " and " + shapeText(n.shape(1)),
                    "the same number of axes, two or more");
  Value y = n.layer("MatMul", {n.plain(0), n.plain(1)},
                    {{"trans_a", n.node.integer("transA", 0) != 0},
                     {"trans_b", n.node.integer("transB", 0) != 0}});
  double alpha = n.node.number("alpha", 1);
  if (y && alpha != 1)
    y = eltwise(n, "MUL", y, scalarLike(n, y, alpha));
  return n.out(0, y);
}

LogicalResult graph::emitBiasGelu(NodeEmitter &n) {
  Value x = eltwise(n, "ADD", n.plain(0), n.ranked(1, n.rank(0)));
  return n.out(
      0, n.layer("Activation", {x},
                 {{"method", "GELU"},
                  {"approximate", n.node.op == "FastGelu" ? "TANH" : "NONE"}}));
}
