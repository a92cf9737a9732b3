//===- Movement.cpp - Operators that move values --------------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "parser/tflite/OperatorReader.h"
#include <algorithm>

using namespace yarrow;
using namespace yarrow::tflite;
using graph::Attribute;
using graph::Constant;
using graph::Node;
using graph::Tensor;

bool tflite::readMoved(OperatorReader &r) {
  if (!r.checkCounts(1, 3))
    return false;
  std::vector<Tensor *> inputs = r.inputs;
  // An axis, or a list of them.
  if (std::string_view(r.entry.name) == "EXPAND_DIMS") {
    auto axis = r.integerOf(1, "the axis");
    if (!axis)
      return false;
    inputs = {r.input(0), r.integers("axes", {*axis})};
  }
  r.movedResult(r.entry.node, inputs);
  return true;
}

bool tflite::readMovedTflite(OperatorReader &r) {
  if (!r.checkCounts(2, 4))
    return false;
  Node &node = r.movedResult(r.entry.node, r.inputs);
  node.domain = kDomain;
  node.attributes = r.options.attributes();
  return true;
}

bool tflite::readReshape(OperatorReader &r) {
  if (!r.checkCounts(1, 2))
    return false;
  Tensor *shape = r.input(1);
  if (!shape) {
    auto wanted = r.options.integers("new_shape");
    if (!wanted)
      return r.bad("the shape is missing", "no input and no option",
                   "one of the two");
    shape = r.integers("shape", *wanted);
  }
  r.movedResult(r.entry.node, {r.input(0), shape}).attributes["allowzero"] =
      Attribute::of(std::int64_t(1));
  return true;
}

bool tflite::readSqueeze(OperatorReader &r) {
  if (!r.checkCounts(1, 1))
    return false;
  std::vector<Tensor *> inputs = r.inputs;
  auto axes = r.options.integers("squeeze_dims");
  if (axes && !axes->empty())
    inputs.push_back(r.integers("axes", *axes));
  r.movedResult(r.entry.node, inputs);
  return true;
}

bool tflite::readConcat(OperatorReader &r) {
  if (!r.checkCounts(1, r.inputs.size()))
    return false;
  r.result(r.entry.node, r.inputs).attributes["axis"] =
      Attribute::of(r.options.integer("axis"));
  return true;
}

bool tflite::readPack(OperatorReader &r) {
  if (!r.checkCounts(1, r.inputs.size()))
    return false;
  std::int64_t axis = r.options.integer("axis");
  for (const Tensor *input : r.inputs)
    if (!input)
      return r.bad("an input is left out", "no tensor", "tensors");
  r.addPack(r.inputs, axis, r.output(0));
  return true;
}

bool tflite::readUnpack(OperatorReader &r) {
  if (!r.checkCounts(1, 1, r.outputs.size()))
    return false;
  std::int64_t axis = r.options.integer("axis");
  Tensor *axes = r.integers("axes", {axis});
  std::vector<Tensor *> parts;
  for (std::size_t i = 0; i < r.outputs.size(); ++i)
    parts.push_back(r.storedLike(*r.input(0), "part_" + std::to_string(i)));
  r.add(r.entry.node, {r.input(0)}, parts).attributes["axis"] =
      Attribute::of(axis);
  for (std::size_t i = 0; i < parts.size(); ++i)
    r.add("Squeeze", {parts[i], axes}, {r.outputs[i]});
  return true;
}

/// SPLIT has its axis first; SPLIT_V has the lengths second and the axis third.
bool tflite::readSplit(OperatorReader &r) {
  bool hasLengths = std::string_view(r.entry.name) == "SPLIT_V";
  if (!r.checkCounts(hasLengths ? 3 : 2, hasLengths ? 3 : 2, r.outputs.size()))
    return false;
  auto axis = r.integerOf(hasLengths ? 2 : 0, "the axis");
  if (!axis)
    return false;
  std::vector<Tensor *> inputs = {r.input(hasLengths ? 0 : 1)};
  if (hasLengths) {
    auto lengths = r.integersOf(1, "the list of lengths");
    if (!lengths)
      return false;
    // One may be what is left.
    auto open = std::ranges::find(*lengths, -1);
    if (open != lengths->end()) {
      std::int64_t at = *axis < 0 ? *axis + r.rank(0) : *axis;
      std::int64_t whole = at >= 0 && at < r.rank(0)
                               ? inputs[0]->declaredShape[std::size_t(at)]
                               : -1;
      if (whole < 0)
        return r.refuse("the last length depends on an open length", "-1",
                        "lengths");
      for (std::int64_t length : *lengths)
        whole -= std::max<std::int64_t>(length, 0);
      *open = whole;
    }
    inputs.push_back(r.integers("lengths", *lengths));
  }
  r.add(r.entry.node, inputs, r.outputs).attributes["axis"] =
      Attribute::of(*axis);
  return true;
}

bool tflite::readPad(OperatorReader &r) {
  if (!r.checkCounts(2, 3))
    return false;
  auto rows = r.integersOf(1, "the list of pads");
  if (!rows)
    return false;
  if (rows->size() % 2)
    return r.bad("pads are not in pairs", std::to_string(rows->size()),
                 "two for each axis");
  std::vector<Tensor *> inputs = {r.input(0), r.padsOf(*rows)};
  if (r.has(2))
    inputs.push_back(r.input(2));
  r.movedResult(r.entry.node, inputs);
  return true;
}

bool tflite::readTranspose(OperatorReader &r) {
  if (!r.checkCounts(2, 2))
    return false;
  auto perm = r.integersOf(1, "the order of axes");
  if (!perm)
    return false;
  r.movedResult(r.entry.node, {r.input(0)}).attributes["perm"] =
      Attribute::of(*perm);
  return true;
}

bool tflite::readReverseSequence(OperatorReader &r) {
  if (!r.checkCounts(2, 2))
    return false;
  Node &node = r.movedResult(r.entry.node, r.inputs);
  node.attributes["time_axis"] = Attribute::of(r.options.integer("seq_dim"));
  node.attributes["batch_axis"] = Attribute::of(r.options.integer("batch_dim"));
  return true;
}
