//===- Elementwise.cpp - Functions of one value or several ----------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "parser/graph/OnnxTypes.h"
#include "parser/nnapi/OperationReader.h"

using namespace yarrow;
using namespace yarrow::nnapi;
using graph::Attribute;
using graph::Tensor;

bool nnapi::readSame(OperationReader &r) {
  r.result(r.entry.node, r.inputs);
  return true;
}

bool nnapi::readArithmetic(OperationReader &r) {
  r.result(r.entry.node, {r.input("a"), r.input("b")});
  return true;
}

bool nnapi::readDivide(OperationReader &r) {
  bool isInteger = r.match.type == OperandType::TENSOR_INT32;
  graph::Node &node = r.result(isInteger ? "FloorDiv" : r.entry.node,
                               {r.input("a"), r.input("b")});
  // Integers are divided towards minus infinity.
  if (isInteger)
    node.domain = kTfliteDomain;
  return true;
}

bool nnapi::readClamp(OperationReader &r) {
  bool isRelu6 = std::string_view(r.entry.name) == "RELU6";
  r.result(r.entry.node, {r.input("input"), r.number("least", isRelu6 ? 0 : -1),
                          r.number("most", isRelu6 ? 6 : 1)});
  return true;
}

bool nnapi::readElu(OperationReader &r) {
  r.result(r.entry.node, {r.input("input")}).attributes["alpha"] =
      Attribute::of(float(r.real("alpha", 1)));
  return true;
}

bool nnapi::readRsqrt(OperationReader &r) {
  r.result(r.entry.node, {r.input("input")}).domain = kTfliteDomain;
  return true;
}

bool nnapi::readCompare(OperationReader &r) {
  if (std::string_view(r.entry.name) != "NOT_EQUAL") {
    r.result(r.entry.node, r.inputs);
    return true;
  }
  Tensor *equal = r.between("equal");
  r.add(r.entry.node, r.inputs, {equal});
  r.add("Not", {equal}, r.outputs);
  return true;
}

/// The same numbers as another type. Of quantized operands these are the stored
/// integers, whatever they mean.
bool nnapi::readCast(OperationReader &r) {
  Tensor *from = r.input("input"), *to = r.output(0);
  ElementType type = r.outputOperand(0).entry().element;
  if (type == ElementType::F16) // which is computed in float32
    type = ElementType::F32;
  if (!from->quantization && !to->quantization) {
    r.addCast(from, type, to);
    return true;
  }
  graph::Node &node = r.add("StoredCast", {from}, {to});
  node.domain = kDomain;
  node.attributes["to"] = Attribute::of(graph::onnxTypeNumber(type));
  return true;
}

/// Real numbers of integers whose scale changes along an axis.
static bool readChannels(OperationReader &r) {
  const Operand &operand = r.operand("input");
  graph::Shape shape(operand.dims.size(), 1);
  shape[operand.channels.axis] = operand.dims[operand.channels.axis];
  Tensor *number = r.between("number");
  r.addCast(r.input("input"), ElementType::F32, number);
  r.add("Mul",
        {number, r.constant("scales", graph::Constant::ofFloats(
                                          shape, operand.channels.scales))},
        r.outputs);
  return true;
}

/// QUANTIZE and DEQUANTIZE: the same real numbers, stored otherwise.
bool nnapi::readStored(OperationReader &r) {
  if (r.match.type == OperandType::TENSOR_QUANT8_SYMM_PER_CHANNEL &&
      !r.input("input")->constant)
    return readChannels(r);
  r.add(r.entry.node, {r.input("input")}, r.outputs);
  return true;
}
