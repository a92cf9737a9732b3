//===- Binary.cpp - Functions of several values ---------------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "parser/graph/OperatorTable.h"
#include "parser/graph/operators/Scalars.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSwitch.h"

using namespace yarrow;
using namespace yarrow::graph;
using namespace mlir;
using compass::DType;

LogicalResult graph::emitArithmetic(NodeEmitter &n) {
  SmallVector<Value> x = broadcastInputs(n);
  if (x.empty())
    return failure();
  std::string method = StringRef(n.node.op).upper();
  Value y = isFloat(x[0]) ? eltwise(n, method, x[0], x[1])
                          : integerEltwise(n, method, x[0], x[1]);
  if (n.tensor(0).quantization || n.tensor(1).quantization)
    n.printRounding(y);
  return n.out(0, y);
}

LogicalResult graph::emitDiv(NodeEmitter &n) {
  SmallVector<Value> x = broadcastInputs(n);
  if (x.empty())
    return failure();
  if (isFloat(x[0]))
    return n.out(0, n.layer("Div", x));
  DType type = elementOf(x[0]);
  return n.out(
      0,
      n.build.layers("DivMod", x, {{"mode", "TRUNC"}}, {type, type}).front());
}

LogicalResult graph::emitMod(NodeEmitter &n) {
  SmallVector<Value> x = broadcastInputs(n);
  if (x.empty())
    return failure();
  return n.out(0,
               n.layer("Mod", x, {{"fmod", n.node.integer("fmod", 0) != 0}}));
}

LogicalResult graph::emitPow(NodeEmitter &n) {
  SmallVector<Value> x = broadcastInputs(n);
  if (x.empty())
    return failure();
  DType type = elementOf(x[0]);
  if (!isFloat(x[0]) && elementOf(x[1]) == type)
    return n.out(0, n.build.layerOf("Pow", x, {}, type));
  // With floats on either side a power is one.
  Value base = n.build.cast(x[0], DType::F32);
  const Constant *exponent = n.constant(1);
  Value power;
  if (exponent && exponent->numElements() == 1 && exponent->numberAt(0) == 2)
    power = n.layer("Square", {base});
  else
    power = n.layer("Pow", {base, n.build.cast(x[1], DType::F32)});
  return n.out(0, n.build.cast(power, type));
}

LogicalResult graph::emitExtreme(NodeEmitter &n) {
  SmallVector<Value> x = broadcastInputs(n);
  if (x.empty())
    return failure();
  Value result = x[0];
  for (Value next : ArrayRef(x).drop_front())
    result = eltwise(n, StringRef(n.node.op).upper(), result, next);
  return n.out(0, result);
}

LogicalResult graph::emitSum(NodeEmitter &n) {
  SmallVector<Value> x = broadcastInputs(n);
  if (x.empty())
    return failure();
  Value result = x[0];
  for (Value next : ArrayRef(x).drop_front())
    result = eltwise(n, "ADD", result, next);
  if (n.node.op == "Mean" && result)
    result = eltwise(n, "MUL", result,
                     scalarLike(n, result, 1.0 / double(x.size())));
  return n.out(0, result);
}

LogicalResult graph::emitLogical(NodeEmitter &n) {
  SmallVector<Value> x = broadcastInputs(n);
  if (x.empty())
    return failure();
  std::string method = llvm::StringSwitch<std::string>(n.node.op)
                           .Case("GreaterOrEqual", "GREATER_EQUAL")
                           .Case("LessOrEqual", "LESS_EQUAL")
                           .Default(StringRef(n.node.op).upper());
  // Of one operand without axes the layer's record does not know the result.
  bool isScalar = x.size() == 1 && shapeOf(x[0]).empty();
  if (isScalar)
    x[0] = n.build.reshape(x[0], {1});
  Value y = n.build.layerOf("Logical", x, {{"method", method}}, DType::U8);
  return n.out(0, isScalar ? n.build.reshape(y, {}) : y);
}

LogicalResult graph::emitBitwise(NodeEmitter &n) {
  SmallVector<Value> x = broadcastInputs(n);
  if (x.empty())
    return failure();
  // "BitwiseAnd"
  return n.out(
      0, n.layer("Bitwise", x,
                 {{"method", StringRef(n.node.op).drop_front(7).upper()}}));
}

LogicalResult graph::emitBitShift(NodeEmitter &n) {
  SmallVector<Value> x = broadcastInputs(n);
  if (x.empty())
    return failure();
  return n.out(0, n.layer("BitShift", x,
                          {{"direction",
                            StringRef(n.node.text("direction", "")).upper()}}));
}

LogicalResult graph::emitWhere(NodeEmitter &n) {
  SmallVector<Value> x = broadcastInputs(n);
  if (x.empty())
    return failure();
  return n.out(0, n.build.layerOf("Where", x, {}, elementOf(x[1])));
}
