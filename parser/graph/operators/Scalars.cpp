//===- Scalars.cpp - Small constants beside a tensor ----------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "parser/graph/operators/Scalars.h"
#include <cstring>

using namespace yarrow;
using namespace yarrow::graph;
using namespace mlir;
using compass::DType;

Value graph::scalarLike(NodeEmitter &n, Value x, double value) {
  if (!x)
    return x;
  DType type = elementOf(x);
  std::vector<char> bytes(elementBytes(type));
  if (type == DType::F32) {
    float v = float(value);
    std::memcpy(bytes.data(), &v, sizeof v);
  } else {
    auto v = int64_t(value);
    std::memcpy(bytes.data(), &v, bytes.size()); // little-endian
  }
  SmallVector<int64_t> ones(shapeOf(x).size(), 1);
  return n.build.constant(compass::makeConstant(
      n.build.builder.getContext(), n.node.op, ones, type, std::move(bytes)));
}

Value graph::eltwise(NodeEmitter &n, StringRef method, Value a, Value b) {
  return n.layer("Eltwise", {a, b}, {{"method", method.str()}});
}

Value graph::integerEltwise(NodeEmitter &n, StringRef method, Value a,
                            Value b) {
  if (!a || !b)
    return {};
  DType type = elementOf(a);
  if (elementBytes(type) > 2)
    return eltwise(n, method, a, b);
  // The low bits of a product do not depend on signs, and those of uint16 are
  // beyond 32 bits with a sign.
  if (type == DType::U16) {
    a = n.build.cast(a, DType::I16);
    b = n.build.cast(b, DType::I16);
  }
  a = n.build.cast(a, DType::I32);
  b = n.build.cast(b, DType::I32);
  if (!a || !b)
    return {};
  Value wide = eltwise(n, method, a, b);
  return n.build.cast(wide, type);
}

Value graph::scaleAndShift(NodeEmitter &n, Value y) {
  for (size_t i : {1, 2})
    if (y && n.has(i))
      y = eltwise(n, i == 1 ? "MUL" : "ADD", y, n.ranked(i, n.rank(0)));
  return y;
}

/// The shape of input \p i as it is broadcast. Before operator set 7 the axes
/// of the second one could begin at one that the node names, those of a PRelu's
/// slopes at the channels.
static Shape broadcastShape(NodeEmitter &n, size_t i, size_t first) {
  Shape shape = n.shape(i);
  bool isOld = n.node.version > 0 && n.node.version < 7;
  bool isSlope = n.node.op == "PRelu" && n.rank(first) > 1 && n.rank(i) == 1;
  if (!isOld || i != first + 1 || (!isSlope && !n.node.attribute("axis")))
    return shape;
  int64_t axis = isSlope ? 1 : n.node.integer("axis", 0);
  if (axis < 0)
    axis += n.rank(first);
  int64_t after = n.rank(first) - axis - n.rank(i);
  if (after > 0 && axis >= 0)
    shape.insert(shape.end(), size_t(after), 1);
  return shape;
}

SmallVector<Value> graph::broadcastInputs(NodeEmitter &n, size_t first) {
  Shape result;
  std::vector<Shape> shapes;
  for (size_t i = first; i < n.node.inputs.size(); ++i) {
    Shape &shape = shapes.emplace_back(broadcastShape(n, i, first));
    if (shape.size() > result.size())
      result.insert(result.begin(), shape.size() - result.size(), 1);
  }
  for (Shape &own : shapes) {
    for (size_t k = 0; k < own.size(); ++k) {
      int64_t &length = result[result.size() - 1 - k];
      int64_t one = own[own.size() - 1 - k];
      if (length != one && length != 1 && one != 1) {
        (void)n.bad("shapes do not broadcast", shapeText(own),
                    "lengths that are equal or 1, counted from the end: " +
                        shapeText(result));
        return {};
      }
      length = std::max(length, one);
    }
    own.insert(own.begin(), result.size() - own.size(), 1);
  }
  SmallVector<Value> values;
  for (auto [i, shape] : llvm::enumerate(shapes))
    values.push_back(n.shaped(first + i, shape));
  if (llvm::is_contained(values, Value()))
    values.clear();
  return values;
}
