//===- TwinsOfElements.cpp - Functions of elements ------------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "test/qnn/TwinMaker.h"

using namespace yarrow;
using namespace yarrow::qnntwins;

bool qnntwins::twinOfOne(TwinMaker &t) { return t.node({t.tensor("input")}); }

/// No layer has scales for the channels of a tensor that it reads.
bool qnntwins::twinDequantize(TwinMaker &t) {
  const nnapi::Operand &input = t.operand("input");
  if (input.entry().storage == nnapi::Storage::PerChannel &&
      input.lifetime != nnapi::Lifetime::Constant)
    return t.none("scales for the channels of a tensor that is no constant");
  return twinOfOne(t);
}

bool qnntwins::twinOfTwo(TwinMaker &t) {
  return t.node({t.tensor("a"), t.tensor("b")});
}

/// NNAPI rounds quotients of integers down.
bool qnntwins::twinDiv(TwinMaker &t) {
  if (t.isInteger())
    t.op = "ElementWiseFloorDiv";
  return twinOfTwo(t);
}

bool qnntwins::twinPow(TwinMaker &t) {
  return t.node({t.tensor("base"), t.tensor("exponent")});
}

bool qnntwins::twinSelect(TwinMaker &t) {
  return t.node({t.tensor("condition"), t.tensor("x"), t.tensor("y")});
}

bool qnntwins::twinElu(TwinMaker &t) {
  t.real("alpha", t.number("alpha"));
  return t.node({t.tensor("input")});
}

bool qnntwins::twinPrelu(TwinMaker &t) {
  return t.node({t.tensor("input"), t.tensor("alpha")});
}
