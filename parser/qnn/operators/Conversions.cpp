//===- Conversions.cpp - Numbers as other types ---------------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "parser/graph/OnnxTypes.h"
#include "parser/qnn/OpReader.h"
#include "parser/qnn/operators/Formulas.h"

using namespace yarrow;
using namespace yarrow::qnn;
using graph::Attribute;
using graph::Tensor;

/// Whether a tensor is real numbers: floats, or integers that stand for them.
static bool isReal(const QnnTensor &tensor) {
  return tensor.entry().isFixed() || tensor.entry().isFloat();
}

/// All floats are computed in float32.
static ElementType computedType(const DataTypeEntry &type) {
  return type.isFloat() ? ElementType::F32 : type.element;
}

/// The integers that are stored count, whatever they mean.
bool qnn::readCast(OpReader &r) {
  const DataTypeEntry &from = r.inputOf(0).entry(), &to = r.outputOf(0).entry();
  if (!from.isFixed() && !to.isFixed()) {
    r.addCast(r.input(0), computedType(to), r.output(0));
    return true;
  }
  graph::Node &node = r.resultOf(kNnapiDomain, "StoredCast", {r.input(0)});
  node.attributes["to"] =
      Attribute::of(graph::onnxTypeNumber(computedType(to)));
  return true;
}

/// Convert, Quantize and Dequantize: the same real numbers, stored otherwise.
bool qnn::readConvert(OpReader &r) {
  const QnnTensor &from = r.inputOf(0), &to = r.outputOf(0);
  if (isReal(from) && isReal(to)) {
    r.result("Identity", {r.input(0)});
    return true;
  }
  if (isReal(to))
    Formula(r, "whole").writeWhole(r.input(0), 0);
  else
    r.addCast(r.input(0), computedType(to.entry()), r.output(0));
  return true;
}
