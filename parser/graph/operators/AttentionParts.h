//===- AttentionParts.h - What all kinds of attention share -----*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// There is no layer for attention: softmax(Q K^T * scale + mask) V is made of
// MatMul, Eltwise and Softmax. Queries, keys and values are [batch, heads,
// steps, size] here.
//
//   Value s = scores(n, q, k, scale);
//   s = n.layer("Softmax", {s}, {{"axis", 3}});
//   return n.out(0, packed(n, weighted(n, s, v), true));
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_PARSER_GRAPH_OPERATORS_ATTENTIONPARTS_H
#define YARROW_PARSER_GRAPH_OPERATORS_ATTENTIONPARTS_H

#include "parser/graph/Emitter.h"

namespace yarrow::graph {

/// What is added where a mask is false. Its power is 0 in float32; unlike an
/// infinity it has a scale.
constexpr float kMasked = -65504;

struct Heads {
  int64_t count = 0;
  bool isPacked = false; ///< [batch, steps, heads * size]
};

/// \p x as [batch, heads, steps, size].
mlir::Value headsOf(NodeEmitter &n, mlir::Value x, Heads heads);
/// Each head \p times, one after the other.
mlir::Value repeatedHeads(NodeEmitter &n, mlir::Value x, int64_t times);
/// Back to [batch, steps, heads * size].
mlir::Value packed(NodeEmitter &n, mlir::Value y, bool isPacked);

/// [1, 1, rows, columns] that hides what comes after a row's own position, and
/// what lies \p window positions or more before it, if that is not 0.
mlir::Value causalBias(NodeEmitter &n, int64_t rows, int64_t columns,
                       int64_t past, int64_t window = 0);
/// q k^T * scale
mlir::Value scores(NodeEmitter &n, mlir::Value q, mlir::Value k, double scale);
/// cap * tanh(s / cap); \p s itself if \p cap is 0.
mlir::Value capped(NodeEmitter &n, mlir::Value s, double cap);
mlir::Value weighted(NodeEmitter &n, mlir::Value probabilities, mlir::Value v);

//===--- As com.microsoft has it: ContribAttention.cpp ---===//

/// Whose positions and masks are made as constants.
constexpr int64_t kMostSteps = 1 << 16;

/// All [batch, heads, steps, size].
struct AttentionOperands {
  mlir::Value q, k, v;
};

/// Elements [\p begin, \p begin + \p length) along \p axis.
mlir::Value part(NodeEmitter &n, mlir::Value x, size_t axis, int64_t begin,
                 int64_t length);
/// 0 where \p isSeen [..] of integers is not 0, \p hidden elsewhere.
mlir::Value biasOf(NodeEmitter &n, mlir::Value isSeen, float hidden);
/// Cached steps of input \p i before those of \p x; as output \p output.
mlir::Value withPast(NodeEmitter &n, mlir::Value x, size_t i, size_t output);
/// softmax(q k^T * scale + biases) v, with heads side by side again.
llvm::LogicalResult attend(NodeEmitter &n, AttentionOperands o,
                           llvm::ArrayRef<mlir::Value> biases);

} // namespace yarrow::graph

#endif // YARROW_PARSER_GRAPH_OPERATORS_ATTENTIONPARTS_H
