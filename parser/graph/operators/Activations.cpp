//===- Activations.cpp - Activation functions -----------------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "parser/graph/OperatorTable.h"
#include "parser/graph/operators/Scalars.h"
#include "llvm/ADT/StringExtras.h"
#include <cmath>
#include <limits>

using namespace yarrow;
using namespace yarrow::graph;
using namespace mlir;

namespace {
/// An attribute of the operator and the key that it becomes.
struct Parameter {
  const char *op, *attribute, *key;
  float fallback;
};
constexpr Parameter kParameters[] = {
    {"Celu", "alpha", "alpha", 1.0f},
    {"Elu", "alpha", "alpha", 1.0f},
    {"HardSigmoid", "alpha", "alpha", 0.2f},
    {"HardSigmoid", "beta", "beta", 0.5f},
    {"LeakyRelu", "alpha", "negative_slope_value", 0.01f},
    {"Selu", "alpha", "alpha", 1.67326319217681884765625f},
    {"Selu", "gamma", "gamma", 1.05070102214813232421875f},
    {"Shrink", "bias", "bias", 0.0f},
    {"Shrink", "lambd", "lambd", 0.5f},
    {"Swish", "alpha", "alpha", 1.0f},
    {"ThresholdedRelu", "alpha", "alpha", 1.0f}};
} // namespace

LogicalResult graph::emitActivation(NodeEmitter &n) {
  Value x = n.in(0);
  if (!x)
    return failure();
  const std::string &op = n.node.op;
  if (!isFloat(x)) {
    if (op == "Relu")
      return n.out(0, eltwise(n, "MAX", x, scalarLike(n, x, 0)));
    return n.refuse("integer tensors are not supported",
                    compass::dtypeName(elementOf(x)).str(), "floats");
  }
  Keys keys = {{"method", StringRef(op).upper()}};
  for (const Parameter &p : kParameters)
    if (op == p.op)
      keys.push_back({p.key, double(n.node.number(p.attribute, p.fallback))});
  if (op == "HardSigmoid") {
    keys.push_back({"clip_min", 0.0});
    keys.push_back({"clip_max", 1.0});
  }
  if (op == "Gelu")
    keys.push_back(
        {"approximate", StringRef(n.node.text("approximate", "none")).upper()});
  return n.out(0, n.layer("Activation", {x}, keys));
}

/// Whether input \p i of a Clip bounds anything.
static bool isBound(NodeEmitter &n, size_t i) {
  if (!n.has(i))
    return false;
  const Constant *c = n.constant(i);
  return !c || (c->numElements() != 0 && std::isfinite(c->numberAt(0)));
}

LogicalResult graph::emitClip(NodeEmitter &n) {
  Value x = n.in(0);
  if (!x)
    return failure();
  bool hasMin = isBound(n, 1), hasMax = isBound(n, 2);
  if (!isFloat(x) || (hasMin && !n.constant(1)) || (hasMax && !n.constant(2))) {
    for (size_t i : {1, 2})
      if (i == 1 ? hasMin : hasMax)
        x = eltwise(
            n, i == 1 ? "MAX" : "MIN", x,
            n.build.reshape(n.plain(i),
                            SmallVector<int64_t>(shapeOf(n.in(0)).size(), 1)));
    return n.out(0, x);
  }
  if (!hasMin && !hasMax)
    return n.out(0, x);
  constexpr double kMost = std::numeric_limits<float>::max();
  double least = hasMin ? n.constant(1)->numberAt(0) : -kMost,
         most = hasMax ? n.constant(2)->numberAt(0) : kMost;
  // The upper bound holds where the lower one is above it.
  least = std::min(least, most);
  if (least == 0 && most == 6)
    return n.out(0, n.layer("Activation", {x}, {{"method", "RELU6"}}));
  if (least == 0 && most >= kMost)
    return n.out(0, n.layer("Activation", {x}, {{"method", "RELU"}}));
  return n.out(
      0,
      n.layer("Activation", {x},
              {{"method", "CLIP"}, {"clip_min", least}, {"clip_max", most}}));
}

LogicalResult graph::emitPRelu(NodeEmitter &n) {
  Value x = n.in(0);
  if (!x)
    return failure();
  SmallVector<Value> both = broadcastInputs(n);
  if (both.size() != 2)
    return failure();
  if (shapeOf(both[0]) != shapeOf(x))
    return n.bad("the slope has more axes than the input",
                 shapeText(n.shape(1)),
                 "a shape that broadcasts to " + shapeText(n.shape(0)));
  // Of a slope for each value of the last axis there is a layer.
  ArrayRef<int64_t> slope = shapeOf(both[1]), shape = shapeOf(x);
  bool isPerLast = llvm::all_of(slope.drop_back(slope.empty() ? 0 : 1),
                                [](int64_t length) { return length == 1; });
  if (isFloat(x) && n.constant(1) && !shape.empty() && isPerLast &&
      slope.back() == shape.back()) {
    Tensor flat = n.tensor(1);
    flat.constant->shape = {slope.back()};
    return n.out(0, n.layer("Activation", {x},
                            {{"method", "PRELU"},
                             {"negative_slope", n.emitter.attribute(flat)}}));
  }
  // max(x, 0) + slope * min(x, 0)
  Value zero = scalarLike(n, x, 0);
  Value below = eltwise(n, "MUL", eltwise(n, "MIN", x, zero), both[1]);
  return n.out(0, eltwise(n, "ADD", eltwise(n, "MAX", x, zero), below));
}
