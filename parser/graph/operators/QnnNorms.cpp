//===- QnnNorms.cpp - Normalisations of QNN -------------------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// Channels are last. Factors (input 1) and offsets (input 2), one for each
// channel, may be left out.
//
//===----------------------------------------------------------------------===//
#include "parser/graph/OperatorTable.h"
#include "parser/graph/operators/Scalars.h"
#include <cmath>
#include <limits>

using namespace yarrow;
using namespace yarrow::graph;
using namespace mlir;

/// Reports an input that has not \p least axes, and factors or offsets that are
/// not one for each channel.
static LogicalResult checkChannels(NodeEmitter &n, int64_t least) {
  if (n.rank(0) < least)
    return n.bad("the input has too few axes", shapeText(n.shape(0)),
                 std::to_string(least) + " or more");
  for (size_t i : {1, 2})
    if (n.has(i) && n.shape(i) != Shape{n.shape(0).back()})
      return n.bad(i == 1 ? "the factors have a wrong shape"
                          : "the offsets have a wrong shape",
                   shapeText(n.shape(i)), shapeText({n.shape(0).back()}));
  return success();
}

/// Whether factors and offsets are known; else layers of their own multiply
/// and add.
static bool areKnown(NodeEmitter &n) {
  return (!n.has(1) || n.constant(1)) && (!n.has(2) || n.constant(2));
}

/// Keys weights and biases: ones and zeros where there are none, or where
/// layers behind have them.
static Keys affineKeys(NodeEmitter &n) {
  int64_t channels = n.shape(0).back();
  auto filled = [&](float value) {
    return n.build.floats({channels},
                          std::vector<float>(size_t(channels), value));
  };
  bool known = areKnown(n);
  return {{"weights", known && n.has(1) ? n.weights(1) : filled(1)},
          {"biases", known && n.has(2) ? n.weights(2) : filled(0)}};
}

/// The layer \p type, and factors and offsets that it does not have.
static LogicalResult outNorm(NodeEmitter &n, StringRef type, Keys more) {
  Keys keys = affineKeys(n);
  keys.insert(keys.end(), more.begin(), more.end());
  Value y = n.layer(type, {n.plain(0)}, keys);
  return n.outPlain(0, areKnown(n) ? y : scaleAndShift(n, y));
}

LogicalResult graph::emitQnnBatchnorm(NodeEmitter &n) {
  if (failed(checkChannels(n, 1)))
    return failure();
  if (!areKnown(n))
    return n.outPlain(0, scaleAndShift(n, n.plain(0)));
  return outNorm(n, "BatchNorm", {{"axis", n.rank(0) - 1}, {"epsilon", 0.0}});
}

LogicalResult graph::emitQnnInstanceNorm(NodeEmitter &n) {
  if (failed(checkChannels(n, 3)))
    return failure();
  return outNorm(n, "InstanceNorm",
                 {{"epsilon", double(n.node.number("epsilon", 1e-12f))}});
}

LogicalResult graph::emitQnnGroupNorm(NodeEmitter &n) {
  if (failed(checkChannels(n, 2)))
    return failure();
  int64_t channels = n.shape(0).back(), group = n.node.integer("group", 1);
  if (group < 1 || channels % group != 0)
    return n.bad("the groups do not divide the channels", std::to_string(group),
                 "a divisor of " + std::to_string(channels));
  return outNorm(n, "GroupNorm",
                 {{"axis", n.rank(0) - 1},
                  {"group", group},
                  {"epsilon", double(n.node.number("epsilon", 0))}});
}

LogicalResult graph::emitQnnL2Norm(NodeEmitter &n) {
  // The layer has the least sum of squares, in float32, QNN the least root.
  double least = double(n.node.number("epsilon", 1e-12f));
  double sum =
      std::max(least * least, double(std::numeric_limits<float>::min()));
  return n.outPlain(0, n.layer("Normalization", {n.plain(0)},
                               {{"method", "L2"},
                                {"axis", n.node.integers("axes")},
                                {"epsilon", sum}}));
}

LogicalResult graph::emitQnnLrn(NodeEmitter &n) {
  // The layer has the mean of the squares, QNN their sum.
  int64_t size = 2 * n.node.integer("radius", 0) + 1;
  return n.outPlain(
      0, n.layer("LRN", {n.plain(0)},
                 {{"method", "ACROSS_CHANNELS"},
                  {"size", size},
                  {"alpha", double(n.node.number("alpha", 1)) * double(size)},
                  {"beta", double(n.node.number("beta", 0.5f))},
                  {"bias", double(n.node.number("bias", 1))}}));
}
