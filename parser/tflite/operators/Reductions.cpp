//===- Reductions.cpp - Along axes ----------------------------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "parser/tflite/OperatorReader.h"

using namespace yarrow;
using namespace yarrow::tflite;
using graph::Attribute;

bool tflite::readReduce(OperatorReader &r) {
  if (!r.checkCounts(2, 2))
    return false;
  auto axes = r.integersOf(1, "the list of axes");
  if (!axes)
    return false;
  graph::Node &node =
      r.result(r.entry.node, {r.input(0), r.integers("axes", *axes)});
  node.attributes["keepdims"] = Attribute::of(r.options.integer("keep_dims"));
  node.attributes["noop_with_empty_axes"] = Attribute::of(std::int64_t(1));
  return true;
}

bool tflite::readArgExtreme(OperatorReader &r) {
  if (!r.checkCounts(2, 2))
    return false;
  auto axis = r.integerOf(1, "the axis");
  if (!axis)
    return false;
  graph::Node &node = r.result(r.entry.node, {r.input(0)});
  node.attributes["axis"] = Attribute::of(*axis);
  node.attributes["keepdims"] = Attribute::of(std::int64_t(0));
  return true;
}

bool tflite::readCumsum(OperatorReader &r) {
  if (!r.checkCounts(2, 2))
    return false;
  r.result(r.entry.node, r.inputs).attributes = r.options.attributes();
  return true;
}
