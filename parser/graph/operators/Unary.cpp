//===- Unary.cpp - Functions of one value ---------------------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "parser/graph/OnnxTypes.h"
#include "parser/graph/OperatorTable.h"
#include "parser/graph/operators/Scalars.h"
#include "llvm/ADT/StringSwitch.h"

using namespace yarrow;
using namespace yarrow::graph;
using namespace mlir;
using compass::DType;

/// -1, 0 or 1, as the type of \p x.
static Value signOfIntegers(NodeEmitter &n, Value x) {
  Value zero = scalarLike(n, x, 0);
  Value above =
      n.build.layerOf("Logical", {x, zero}, {{"method", "GREATER"}}, DType::U8);
  Value below =
      n.build.layerOf("Logical", {x, zero}, {{"method", "LESS"}}, DType::U8);
  DType type = elementOf(x);
  return n.build.layer("Eltwise",
                       {n.build.cast(above, type), n.build.cast(below, type)},
                       {{"method", "SUB"}});
}

LogicalResult graph::emitUnary(NodeEmitter &n) {
  Value x = n.in(0);
  if (!x)
    return failure();
  const std::string &op = n.node.op;
  if (isFloat(x))
    return n.out(0, n.layer(llvm::StringSwitch<StringRef>(op)
                                .Case("Cos", "Cosine")
                                .Case("Sin", "Sine")
                                .Case("Neg", "Negative")
                                .Default(op),
                            {x}));
  // Exact for every integer.
  if (op == "Sign")
    return n.out(0, signOfIntegers(n, x));
  if (op == "Neg" || op == "Abs") {
    Value negative = integerEltwise(n, "SUB", scalarLike(n, x, 0), x);
    if (op == "Neg")
      return n.out(0, negative);
    if (!compass::dtypeIsSigned(elementOf(x)))
      return n.out(0, x);
    return n.out(0, n.layer("Eltwise", {x, negative}, {{"method", "MAX"}}));
  }
  if (op == "Ceil" || op == "Floor" || op == "Round")
    return n.out(0, x);
  return n.refuse("integer tensors are not supported",
                  compass::dtypeName(elementOf(x)).str(), "floats");
}

LogicalResult graph::emitIdentity(NodeEmitter &n) { return n.out(0, n.in(0)); }

LogicalResult graph::emitDropout(NodeEmitter &n) {
  // Nothing is dropped but in training, at a rate above 0.
  auto isZero = [&](size_t i) {
    return n.constant(i) && n.constant(i)->numElements() == 1 &&
           n.constant(i)->numberAt(0) == 0;
  };
  bool isOld = n.node.version > 0 && n.node.version < 7;
  if (isOld && !n.node.integer("is_test", 0) &&
      n.node.number("ratio", 0.5f) != 0)
    return n.refuse("training mode is not supported", "is_test 0", "is_test 1");
  if (n.has(2) && !isZero(2) && !isZero(1))
    return n.refuse("training mode is not supported",
                    "tensor " + n.tensor(2).name, "training_mode 0");
  std::vector<std::byte> ones(size_t(numElements(n.shape(0))), std::byte(1));
  if (n.isTaken(1) &&
      failed(n.outConstant(1, Constant::ofBytes(ElementType::Bool, n.shape(0),
                                                std::move(ones)))))
    return failure();
  return n.out(0, n.in(0));
}

LogicalResult graph::emitIsInf(NodeEmitter &n) {
  return n.out(
      0, n.build.layerOf(
             "IsInf", {n.in(0)},
             {{"detect_negative", n.node.integer("detect_negative", 1) != 0},
              {"detect_positive", n.node.integer("detect_positive", 1) != 0}},
             DType::U8));
}

LogicalResult graph::emitIsNaN(NodeEmitter &n) {
  return n.out(0, n.build.layerOf("IsNaN", {n.in(0)}, {}, DType::U8));
}

/// \p x as the elements that \p to means in the foreign format.
static Value castTo(NodeEmitter &n, Value x, ElementType to) {
  if (!x)
    return x;
  if (to == ElementType::Bool)
    return n.build.layerOf("Logical", {x, scalarLike(n, x, 0)},
                           {{"method", "NOT_EQUAL"}}, DType::U8);
  // A rounding to 16 bits that the model asks for takes place, although what
  // follows is computed in float32.
  if ((to == ElementType::F16 || to == ElementType::BF16) && isFloat(x))
    x = n.build.cast(x, to);
  return n.build.cast(x, irElement(to));
}

LogicalResult graph::emitCast(NodeEmitter &n) {
  int64_t number = n.node.integer("to", 0);
  auto to = onnxType(number);
  if (!to)
    return n.refuse("this result type is not supported",
                    "type " + std::to_string(number),
                    "integers, float, double, float16, bfloat16 or bool");
  return n.out(0, castTo(n, n.in(0), *to));
}

LogicalResult graph::emitCastLike(NodeEmitter &n) {
  if (n.constant(1) && n.constant(1)->narrowBits)
    return n.refuse("this result type is not supported", "integers of 4 bits",
                    "integers of 8 bits or more");
  return n.out(0, castTo(n, n.in(0), n.type(1)));
}
