//===- TfliteMath.cpp - Functions that TFLite has beside ONNX -------------===//
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

/// Input [..., inputs], weights [outputs, inputs]. Without keep_num_dims all
/// axes of the input but its elements in rows of the weights' length are gone.
LogicalResult graph::emitTfliteFullyConnected(NodeEmitter &n) {
  if (n.rank(1) != 2 || n.rank(0) < 1 || !n.isFloat(0) || !n.isFloat(1))
    return n.bad("the operands are not matrices of numbers",
                 shapeText(n.shape(0)) + " and " + shapeText(n.shape(1)),
                 "[...,inputs] and [outputs,inputs]");
  int64_t outputs = n.shape(1)[0], inputs = n.shape(1)[1],
          total = numElements(n.shape(0));
  bool keeps = n.node.integer("keep_num_dims", 0) != 0;
  if (inputs < 1 || total % inputs != 0 ||
      (keeps && n.shape(0).back() != inputs))
    return n.bad("the operands do not match",
                 shapeText(n.shape(0)) + " and " + shapeText(n.shape(1)),
                 "rows of " + std::to_string(inputs));
  if (n.has(2) && numElements(n.shape(2)) != outputs)
    return n.bad("biases have a wrong shape", shapeText(n.shape(2)),
                 std::to_string(outputs) + " numbers");
  Shape result = {total / inputs, outputs};
  if (keeps) {
    result = n.shape(0);
    result.back() = outputs;
  }
  Value x = n.build.reshape(n.plain(0), {total / inputs, inputs}), y;
  if (n.constant(1) && (!n.has(2) || n.constant(2))) {
    ElementsAttr weights = n.productWeights();
    ElementsAttr biases = weights ? n.productBiases(2, outputs) : nullptr;
    if (!x || !biases)
      return failure();
    y = n.noteStored(n.layer("FullyConnected", {x},
                             {{"weights", weights},
                              {"biases", biases},
                              {"num_output", outputs}}),
                     2);
  } else {
    y = n.layer("MatMul", {x, n.plain(1)},
                {{"trans_a", false}, {"trans_b", true}});
    if (y && n.has(2))
      y = eltwise(n, "ADD", y, n.build.reshape(n.plain(2), {1, outputs}));
  }
  return n.outPlain(0, n.build.reshape(y, result));
}

LogicalResult graph::emitTfliteUnary(NodeEmitter &n) {
  Value x = n.plain(0);
  if (x && !isFloat(x) && n.node.op == "Square")
    return n.outPlain(0, eltwise(n, "MUL", x, x));
  if (x && !isFloat(x))
    return n.refuse("integer tensors are not supported",
                    compass::dtypeName(elementOf(x)).str(), "floats");
  return n.outPlain(0, n.layer(n.node.op, {x}));
}

LogicalResult graph::emitTfliteSquaredDifference(NodeEmitter &n) {
  SmallVector<Value> x = broadcastInputs(n);
  if (x.empty())
    return failure();
  if (isFloat(x[0]))
    return n.outPlain(0, n.layer("SquaredDifference", x));
  Value difference = eltwise(n, "SUB", x[0], x[1]);
  return n.outPlain(0, eltwise(n, "MUL", difference, difference));
}

LogicalResult graph::emitTfliteFloorDiv(NodeEmitter &n) {
  SmallVector<Value> x = broadcastInputs(n);
  if (x.empty())
    return failure();
  if (isFloat(x[0]))
    return n.outPlain(0, n.layer("Floor", {n.layer("Div", x)}));
  DType type = elementOf(x[0]);
  return n.outPlain(
      0,
      n.build.layers("DivMod", x, {{"mode", "FLOOR"}}, {type, type}).front());
}

LogicalResult graph::emitTfliteFakeQuant(NodeEmitter &n) {
  int64_t bits = n.node.integer("num_bits", 0);
  if (bits < 2 || bits > 16)
    return n.bad("the number of bits is out of range", std::to_string(bits),
                 "2 to 16");
  return n.outPlain(
      0, n.layer("FakeQuantWithMinMaxVars", {n.plain(0)},
                 {{"num_bits", bits},
                  {"narrow_range", n.node.integer("narrow_range", 0) != 0},
                  {"min", double(n.node.number("min", 0))},
                  {"max", double(n.node.number("max", 0))}}));
}

/// Rows of one segment are added; segments ascend, and are known.
LogicalResult graph::emitTfliteSegmentSum(NodeEmitter &n) {
  auto segments = n.integers(1, "the list of segments");
  if (failed(segments))
    return failure();
  Shape shape = n.shape(0);
  bool fits = !shape.empty() && int64_t(segments->size()) == shape[0];
  for (size_t i = 0; i < segments->size(); ++i)
    fits &= (*segments)[i] >= (i ? (*segments)[i - 1] : 0);
  if (!fits)
    return n.bad("the segments do not match the rows", shapeText(*segments),
                 "one for each of " + shapeText(shape) + ", ascending from 0");
  shape[0] = segments->back() + 1;
  Value x = n.plain(0), list = n.plain(1);
  if (!x || !list)
    return failure();
  if (!isPossible(shape))
    return n.bad("a segment is too large", std::to_string(segments->back()),
                 "rows that fit a tensor");
  return n.outPlain(
      0,
      n.build
          .declared("SegmentReduce", {x, list}, {{"method", "SUM"}},
                    {compass::plainType(x.getContext(), shape, elementOf(x))})
          .front());
}
