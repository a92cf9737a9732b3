//===- Reductions.cpp - Along axes ----------------------------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "parser/graph/OperatorTable.h"
#include "parser/graph/operators/Scalars.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSwitch.h"
#include <algorithm>
#include <numeric>

using namespace yarrow;
using namespace yarrow::graph;
using namespace mlir;
using compass::DType;

/// \p value, whose reduced \p axes have length 1, in the shape that keepdims
/// asks for. Without them the other axes are in the format's order.
static LogicalResult outReduced(NodeEmitter &n, Value value,
                                const std::vector<int64_t> &axes) {
  if (!value)
    return failure();
  if (n.node.integer("keepdims", 1) != 0)
    return n.out(0, value);
  if (n.node.channelsLast)
    value = n.build.transpose(value, firstPerm(shapeOf(value).size()));
  Shape shape;
  for (int64_t axis = 0; axis < n.rank(0); ++axis)
    if (std::ranges::find(axes, axis) == axes.end())
      shape.push_back(n.shape(0)[size_t(axis)]);
  return n.outPlain(0, n.build.reshape(value, shape));
}

/// Lengths of what is multiplied element by element, as numbers of elements
/// are.
static constexpr int64_t kMostFactors = 64;

static bool hasFewFactors(Value x, ArrayRef<int64_t> axes) {
  return llvm::all_of(axes, [&](int64_t axis) {
    int64_t length = shapeOf(x)[size_t(axis)];
    return length > 0 && length <= kMostFactors;
  });
}

/// Products of integers along \p axes, whose lengths become 1: a Reduce has
/// them of stored numbers alone.
static Value multiplied(NodeEmitter &n, Value x, ArrayRef<int64_t> axes) {
  for (int64_t axis : axes) {
    auto count = size_t(shapeOf(x)[size_t(axis)]);
    if (count == 1)
      continue;
    std::vector<int64_t> ones(count, 1);
    SmallVector<DType> types(count, elementOf(x));
    SmallVector<Value> factors =
        n.build.layers("Split", {x}, {{"axis", axis}, {"splits", ones}}, types);
    x = factors.front();
    for (Value factor : llvm::drop_begin(factors))
      x = integerEltwise(n, "MUL", x, factor);
  }
  return x;
}

LogicalResult graph::emitReduce(NodeEmitter &n) {
  std::vector<int64_t> axes;
  if (n.has(1)) {
    auto given = n.integers(1, "the list of axes");
    if (failed(given))
      return failure();
    axes = *given;
  }
  Value x = n.in(0);
  if (!x)
    return failure();
  const std::string &op = n.node.op;
  bool squares = op == "ReduceSumSquare";
  auto squared = [&](Value v) {
    return isFloat(v) ? n.layer("Square", {v}) : eltwise(n, "MUL", v, v);
  };
  if (axes.empty() && n.node.integer("noop_with_empty_axes", 0) != 0) {
    if (op == "ReduceL1" || op == "ReduceL2")
      return n.out(0, n.layer("Abs", {x}));
    if (op == "ReduceLogSum")
      return n.out(0, n.layer("Log", {x}));
    return n.out(0, squares ? squared(x) : x);
  }
  if (axes.empty()) {
    axes.resize(n.shape(0).size());
    std::iota(axes.begin(), axes.end(), 0);
  }
  std::vector<int64_t> placed;
  for (int64_t &axis : axes) {
    auto front = n.wrapped(axis, n.rank(0));
    if (failed(front))
      return failure();
    axis = *front;
    placed.push_back(n.placed(axis, n.rank(0)));
  }
  llvm::sort(placed);
  if (axes.empty()) // of a scalar
    return n.out(0, squares ? squared(x) : x);
  auto reduce = [&](StringRef method, Value v) {
    return n.layer("Reduce", {v}, {{"method", method.str()}, {"axis", placed}});
  };
  Value y;
  if (op == "ReduceLogSumExp") {
    // Less the largest, so that nothing overflows.
    Value most = reduce("MAX", x);
    Value sum = reduce("SUM", n.layer("Exp", {n.layer("Sub", {x, most})}));
    y = eltwise(n, "ADD", n.layer("Log", {sum}), most);
  } else if (op == "ReduceLogSum") {
    y = n.layer("Log", {reduce("SUM", x)});
  } else if (op == "ReduceL1" && isFloat(x)) {
    y = reduce("SUM", n.layer("Abs", {x}));
  } else if (op == "ReduceL2" && isFloat(x)) {
    // Of three layers, each of which an engine has: the method L2 of integers
    // looks at all sums before it scales one.
    y = n.layer("Sqrt", {reduce("SUM", squared(x))});
  } else if (op == "ReduceProd" && !isFloat(x) && hasFewFactors(x, placed)) {
    y = multiplied(n, x, placed);
  } else {
    y = reduce(squares ? "SUM" : StringRef(op).drop_front(6).upper(),
               squares ? squared(x) : x);
  }
  return outReduced(n, y, axes);
}

LogicalResult graph::emitArgExtreme(NodeEmitter &n) {
  auto front = n.wrapped(n.node.integer("axis", 0), n.rank(0));
  if (failed(front))
    return failure();
  Value y = n.build.layerOf(
      "ArgMinMax", {n.in(0)},
      {{"method", n.node.op == "ArgMax" ? "MAX" : "MIN"},
       {"axis", n.placed(*front, n.rank(0))},
       {"select_last_index", n.node.integer("select_last_index", 0) != 0}},
      DType::I32);
  return outReduced(n, y, {*front});
}

LogicalResult graph::emitTopK(NodeEmitter &n) {
  auto axis = n.axis("axis", -1);
  auto k = n.integers(1, "the number of elements");
  Value x = n.in(0);
  if (failed(axis) || failed(k) || !x)
    return failure();
  if (k->size() != 1)
    return n.bad("k is not a single number",
                 std::to_string(k->size()) + " numbers", "one");
  // A tie is won by the lower index; NNAPI says otherwise.
  bool isLast = n.node.integer("select_last_index", 0) != 0;
  SmallVector<Value> both =
      n.build.layers("TopK", {x},
                     {{"axis", *axis},
                      {"k", k->front()},
                      {"sorted", n.node.integer("sorted", 1) != 0},
                      {"largest", n.node.integer("largest", 1) != 0},
                      {"select_index", isLast ? "last" : "first"}},
                     {elementOf(x), DType::I32});
  if (failed(n.out(0, both[0])))
    return failure();
  return n.out(1, both[1]);
}

LogicalResult graph::emitCumulate(NodeEmitter &n) {
  auto given = n.integers(1, "the axis");
  if (failed(given) || given->empty())
    return failure();
  auto axis = n.wrapped(given->front(), n.rank(0));
  if (failed(axis))
    return failure();
  return n.out(0, n.layer("Cumulate", {n.in(0)},
                          {{"method", n.node.op == "CumSum" ? "SUM" : "PROD"},
                           {"axis", n.placed(*axis, n.rank(0))},
                           {"exclusive", n.node.integer("exclusive", 0) != 0},
                           {"reverse", n.node.integer("reverse", 0) != 0}}));
}
