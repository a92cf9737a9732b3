//===- NnapiTables.cpp - Hashes and chance of NNAPI -----------------------===//
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

/// The items as the model stores them: their bytes are hashed.
static Value storedItems(NodeEmitter &n) {
  Value items = n.plain(1);
  if (n.node.text("item_type", "") == "float16")
    return n.build.cast(items, DType::F16);
  const auto &quantization = n.tensor(1).quantization;
  if (!items || !quantization)
    return items;
  // Real numbers that stand for integers give them back exactly.
  double scale = double(quantization->scales[0]),
         zero = double(quantization->zeroPoints[0]);
  Value scaled = eltwise(n, "MUL", items, scalarLike(n, items, 1 / scale)),
        moved = eltwise(n, "ADD", scaled, scalarLike(n, items, zero));
  return n.build.cast(n.layer("Round", {moved}), quantization->stored);
}

LogicalResult graph::emitNnapiProjection(NodeEmitter &n) {
  SmallVector<Value> operands = {n.plain(0), storedItems(n)};
  if (n.has(2))
    operands.push_back(n.plain(2));
  if (!llvm::all_of(operands, [](Value v) { return bool(v); }))
    return failure();
  return n.outPlain(0, n.build.layerOf("LshProjection", operands,
                                       {{"method", n.node.text("method", "")}},
                                       DType::I32));
}

LogicalResult graph::emitNnapiMultinomial(NodeEmitter &n) {
  return n.outPlain(
      0, n.build.layerOf("Multinomial", {n.plain(0), n.plain(1)},
                         {{"num_samples", n.node.integer("samples", 1)}},
                         DType::I32));
}
