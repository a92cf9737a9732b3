//===- Norms.cpp - Normalisations -----------------------------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "parser/graph/OperatorTable.h"
#include "parser/graph/operators/Scalars.h"
#include "llvm/ADT/STLExtras.h"
#include <cmath>
#include <numeric>

using namespace yarrow;
using namespace yarrow::graph;
using namespace mlir;
using compass::DType;

/// Statistics of the tensor itself, as Keras spells LayerNormalization: the
/// formula, of which clean-up makes a norm.
static LogicalResult emitComputedBatchNorm(NodeEmitter &n) {
  Value x = n.plain(0);
  Shape shape(size_t(n.rank(0)), 1);
  shape[1] = n.shape(0)[1];
  Value p[4];
  for (size_t i = 0; i < 4; ++i) {
    if (numElements(n.shape(i + 1)) != shape[1])
      return n.bad("a parameter does not have one value for each channel",
                   shapeText(n.shape(i + 1)), std::to_string(shape[1]));
    p[i] = n.build.reshape(n.plain(i + 1), shape);
    if (!p[i])
      return failure();
  }
  double epsilon = n.node.number("epsilon", 1e-5f);
  Value spread = eltwise(n, "ADD", p[3], scalarLike(n, x, epsilon));
  Value y =
      n.layer("Div", {eltwise(n, "SUB", x, p[2]), n.layer("Sqrt", {spread})});
  y = eltwise(n, "ADD", eltwise(n, "MUL", y, p[0]), p[1]);
  return n.outPlain(0, y);
}

LogicalResult graph::emitBatchNorm(NodeEmitter &n) {
  if (n.node.integer("training_mode", 0) != 0)
    return n.refuse("training mode is not supported", "training_mode 1",
                    "training_mode 0", "export the model for inference");
  if (n.rank(0) < 2)
    return n.bad("the input has no channels", shapeText(n.shape(0)),
                 "[N,C,...]");
  for (size_t i = 1; i <= 4; ++i)
    if (!n.constant(i))
      return emitComputedBatchNorm(n);
  std::vector<double> p[4];
  for (size_t i = 0; i < 4; ++i) {
    auto values = n.numbers(i + 1, "a parameter");
    if (failed(values))
      return failure();
    p[i] = *values;
    if (int64_t(p[i].size()) != n.shape(0)[1])
      return n.bad("a parameter does not have one value for each channel",
                   std::to_string(p[i].size()), std::to_string(n.shape(0)[1]));
  }
  double epsilon = n.node.number("epsilon", 1e-5f);
  std::vector<float> weights, biases;
  for (size_t c = 0; c < p[0].size(); ++c) {
    double scale = p[0][c] / std::sqrt(p[3][c] + epsilon);
    weights.push_back(float(scale));
    biases.push_back(float(p[1][c] - p[2][c] * scale));
  }
  int64_t channels = n.shape(0)[1];
  return n.outLast(0, n.layer("BatchNorm", {n.last(0)},
                              {{"weights", n.build.floats({channels}, weights)},
                               {"biases", n.build.floats({channels}, biases)},
                               {"axis", n.rank(0) - 1},
                               {"epsilon", 0.0}}));
}

/// x * inputs[1] + inputs[2], one value for each of the channels, which are the
/// last axis of \p y.
static Value scaleChannels(NodeEmitter &n, Value y) {
  for (size_t i : {1, 2}) {
    if (!y)
      return y;
    SmallVector<int64_t> shape(shapeOf(y).size(), 1);
    shape.back() = n.shape(i).back();
    y = eltwise(n, i == 1 ? "MUL" : "ADD", y,
                n.build.reshape(n.plain(i), shape));
  }
  return y;
}

/// Whether scale and bias are constants; where they are not, the layer gets
/// ones and zeros and others follow it.
static bool hasConstantAffine(NodeEmitter &n) {
  return n.constant(1) && (!n.has(2) || n.constant(2));
}

static ElementsAttr filled(NodeEmitter &n, const Shape &shape, float value) {
  return n.build.floats(shape,
                        std::vector<float>(size_t(numElements(shape)), value));
}

/// Channels, and one value for each as scale and bias.
static LogicalResult checkAffine(NodeEmitter &n) {
  if (n.rank(0) < 2)
    return n.bad("the input has no channels", shapeText(n.shape(0)),
                 "[N,C,...]");
  for (size_t i : {1, 2})
    if (n.rank(i) != 1)
      return n.bad("scale or bias does not have one axis",
                   shapeText(n.shape(i)), "one axis");
  return success();
}

LogicalResult graph::emitInstanceNorm(NodeEmitter &n) {
  if (failed(checkAffine(n)))
    return failure();
  int64_t channels = n.shape(0)[1];
  bool isConstant = hasConstantAffine(n);
  Value y = n.layer(
      "InstanceNorm", {n.last(0)},
      {{"weights", isConstant ? n.weights(1) : filled(n, {channels}, 1)},
       {"biases", isConstant ? n.weights(2) : filled(n, {channels}, 0)},
       {"epsilon", double(n.node.number("epsilon", 1e-5f))}});
  return n.outLast(0, isConstant ? y : scaleChannels(n, y));
}

LogicalResult graph::emitGroupNorm(NodeEmitter &n) {
  if (failed(checkAffine(n)))
    return failure();
  int64_t channels = n.shape(0)[1], groups = n.node.integer("num_groups", 0);
  if (groups < 1 || channels % groups)
    return n.bad("num_groups does not divide the channels",
                 std::to_string(groups),
                 "a divisor of " + std::to_string(channels));
  bool isConstant = hasConstantAffine(n);
  ElementsAttr affine[2];
  for (size_t i : {0, 1}) {
    affine[i] = filled(n, {channels}, i == 0 ? 1 : 0);
    if (!isConstant)
      continue;
    auto values = n.constant(i + 1)->numbers();
    // Until version 21 there was one value for each group.
    std::vector<float> all;
    for (int64_t c = 0; c < channels; ++c) {
      int64_t k = n.node.integer("per_group", 0) ? c / (channels / groups) : c;
      if (k < int64_t(values.size()))
        all.push_back(float(values[size_t(k)]));
    }
    if (int64_t(all.size()) != channels)
      return n.bad("scale and bias have a wrong length",
                   std::to_string(values.size()), std::to_string(channels));
    affine[i] = n.build.floats({channels}, all);
  }
  if (!isConstant && n.node.integer("per_group", 0))
    return n.refuse("scale and bias of groups are computed at run time",
                    "tensor " + n.tensor(1).name, "constants");
  Value y = n.layer("GroupNorm", {n.last(0)},
                    {{"weights", affine[0]},
                     {"biases", affine[1]},
                     {"axis", n.rank(0) - 1},
                     {"group", groups},
                     {"epsilon", double(n.node.number("epsilon", 1e-5f))}});
  return n.outLast(0, isConstant ? y : scaleChannels(n, y));
}

/// Scale or bias of a normalisation over the axes from \p axis on, in their
/// shape; null if it is not a constant that has it.
static ElementsAttr suffixAffine(NodeEmitter &n, size_t i, size_t axis,
                                 float fallback) {
  Shape shape(n.shape(0).begin() + long(axis), n.shape(0).end());
  if (!n.has(i))
    return filled(n, shape, fallback);
  const Constant *c = n.constant(i);
  if (c && c->numElements() == numElements(shape))
    return n.weights(i, {}, shape);
  if (c && c->numElements() == 1)
    return filled(n, shape, float(c->numberAt(0)));
  return {};
}

/// The axes from \p first on.
static std::vector<int64_t> axesFrom(int64_t first, int64_t rank) {
  std::vector<int64_t> axes(size_t(rank - first));
  std::iota(axes.begin(), axes.end(), first);
  return axes;
}

LogicalResult graph::emitLayerNorm(NodeEmitter &n) {
  auto axis = n.wrapped(n.node.integer("axis", -1), n.rank(0));
  if (failed(axis))
    return failure();
  ElementsAttr weights = suffixAffine(n, 1, size_t(*axis), 1),
               biases = suffixAffine(n, 2, size_t(*axis), 0);
  bool isConstant = weights && biases;
  if (!isConstant) {
    Shape suffix(n.shape(0).begin() + *axis, n.shape(0).end());
    weights = filled(n, suffix, 1);
    biases = filled(n, suffix, 0);
  }
  bool hasMoments = n.isTaken(1) || n.isTaken(2);
  SmallVector<DType> types(hasMoments ? 3 : 1, DType::F32);
  SmallVector<Value> y =
      n.build.layers("LayerNorm", {n.plain(0)},
                     {{"weights", weights},
                      {"biases", biases},
                      {"axis", axesFrom(*axis, n.rank(0))},
                      {"epsilon", double(n.node.number("epsilon", 1e-5f))}},
                     types);
  for (size_t i = 1; i < y.size(); ++i)
    if (failed(n.out(i, y[i])))
      return failure();
  return n.out(0, isConstant ? y[0] : scaleAndShift(n, y[0]));
}

LogicalResult graph::emitRmsNorm(NodeEmitter &n) {
  auto axis = n.wrapped(n.node.integer("axis", -1), n.rank(0));
  if (failed(axis))
    return failure();
  ElementsAttr weights = suffixAffine(n, 1, size_t(*axis), 1);
  bool isConstant = bool(weights);
  if (!isConstant)
    weights = filled(n, Shape(n.shape(0).begin() + *axis, n.shape(0).end()), 1);
  Value y = n.layer("RMSNorm", {n.plain(0)},
                    {{"weights", weights},
                     {"axis", axesFrom(*axis, n.rank(0))},
                     {"epsilon", double(n.node.number("epsilon", 1e-5f))}});
  return n.out(0, isConstant ? y : scaleAndShift(n, y));
}

LogicalResult graph::emitLrn(NodeEmitter &n) {
  return n.outLast(0, n.layer("LRN", {n.last(0)},
                              {{"method", "ACROSS_CHANNELS"},
                               {"size", n.node.integer("size", 1)},
                               {"alpha", double(n.node.number("alpha", 1e-4f))},
                               {"beta", double(n.node.number("beta", 0.75f))},
                               {"bias", double(n.node.number("bias", 1))}}));
}

LogicalResult graph::emitMvn(NodeEmitter &n) {
  std::vector<int64_t> axes = n.node.integers("axes");
  if (axes.empty())
    axes = {0, 2, 3};
  for (int64_t &axis : axes) {
    auto front = n.wrapped(axis, n.rank(0));
    if (failed(front))
      return failure();
    axis = n.placed(*front, n.rank(0));
  }
  llvm::sort(axes);
  return n.out(0,
               n.layer("MVN", {n.in(0)}, {{"axis", axes}, {"epsilon", 1e-9}}));
}

LogicalResult graph::emitLpNorm(NodeEmitter &n) {
  auto axis = n.axis("axis", -1);
  int64_t p = n.node.integer("p", 2);
  if (failed(axis))
    return failure();
  if (p != 1 && p != 2)
    return n.refuse("this power is not supported", std::to_string(p),
                    "p 1 or 2");
  return n.out(0, n.layer("Normalization", {n.in(0)},
                          {{"method", p == 1 ? "L1" : "L2"},
                           {"axis", std::vector<int64_t>{*axis}},
                           {"epsilon", 0.0}}));
}

/// The shape of two axes into which operators before version 13 bring their
/// input: all before \p axis, and the rest.
static Shape flatShape(const Shape &shape, int64_t axis) {
  Shape front(shape.begin(), shape.begin() + axis);
  return {numElements(front), numElements(shape) / numElements(front)};
}

LogicalResult graph::emitSoftmax(NodeEmitter &n) {
  bool isFlat = n.node.integer("flatten", 0) != 0;
  auto front = n.wrapped(n.node.integer("axis", isFlat ? 1 : -1), n.rank(0));
  if (failed(front))
    return failure();
  if (isFlat && *front != n.rank(0) - 1) {
    Value x = n.build.reshape(n.plain(0), flatShape(n.shape(0), *front));
    return n.outPlain(
        0, n.build.reshape(n.layer(n.node.op, {x}, {{"axis", 1}}), n.shape(0)));
  }
  return n.out(0, n.layer(n.node.op, {n.in(0)},
                          {{"axis", n.placed(*front, n.rank(0))}}));
}

LogicalResult graph::emitHardmax(NodeEmitter &n) {
  bool isFlat = n.node.integer("flatten", 0) != 0;
  auto axis = n.wrapped(n.node.integer("axis", isFlat ? 1 : -1), n.rank(0));
  if (failed(axis))
    return failure();
  Shape shape = isFlat ? flatShape(n.shape(0), *axis) : n.shape(0);
  int64_t along = isFlat ? 1 : *axis;
  Value place = n.build.layerOf(
      "ArgMinMax", {n.build.reshape(n.plain(0), shape)},
      {{"method", "MAX"}, {"axis", along}, {"select_last_index", false}},
      DType::I32);
  Shape without = shape;
  without.erase(without.begin() + along);
  Value hot = n.build.layerOf("OneHot", {n.build.reshape(place, without)},
                              {{"axis", along},
                               {"depth", shape[size_t(along)]},
                               {"values", std::vector<double>{0, 1}}},
                              DType::F32);
  return n.out(0, n.build.reshape(hot, n.shape(0)));
}
