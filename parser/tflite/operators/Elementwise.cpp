//===- Elementwise.cpp - Functions of one value or several ----------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "parser/tflite/ModelState.h"
#include "parser/tflite/OperatorReader.h"
#include <algorithm>

using namespace yarrow;
using namespace yarrow::tflite;
using graph::Attribute;
using graph::Tensor;

bool tflite::readSame(OperatorReader &r) {
  r.result(r.entry.node, r.inputs);
  return true;
}

/// Sums of 8 bits round ties upwards, as XNNPACK does.
bool tflite::readSum(OperatorReader &r) {
  r.result(r.entry.node, r.inputs).attributes[graph::kRoundingKey] =
      Attribute::of(std::string("HALF_UP"));
  return true;
}

bool tflite::readTflite(OperatorReader &r) {
  r.tfliteResult(r.inputs);
  return true;
}

bool tflite::readNotEqual(OperatorReader &r) {
  if (!r.checkCounts(2, 2))
    return false;
  Tensor *equal = r.between("equal");
  r.add("Equal", r.inputs, {equal});
  r.add("Not", {equal}, r.outputs);
  return true;
}

bool tflite::readXor(OperatorReader &r) {
  if (!r.checkCounts(2, 2))
    return false;
  bool isBool = r.input(0)->type == ElementType::Bool;
  r.result(isBool ? "Xor" : r.entry.node, r.inputs);
  return true;
}

bool tflite::readRightShift(OperatorReader &r) {
  r.result(r.entry.node, r.inputs).attributes["direction"] =
      Attribute::of(std::string("RIGHT"));
  return true;
}

bool tflite::readSelect(OperatorReader &r) {
  if (!r.checkCounts(3, 3))
    return false;
  // A list of conditions chooses rows: it broadcasts from the left.
  std::vector<Tensor *> inputs = r.inputs;
  std::int64_t rank = r.rank(1);
  if (r.rank(0) == 1 && rank > 1) {
    std::vector<std::int64_t> axes;
    for (std::int64_t axis = 1; axis < rank; ++axis)
      axes.push_back(axis);
    inputs[0] = r.between("rows");
    r.add("Unsqueeze", {r.input(0), r.integers("axes", axes)}, {inputs[0]});
  }
  r.result(r.entry.node, inputs);
  return true;
}

bool tflite::readClip(OperatorReader &r) {
  if (!r.checkCounts(1, 1))
    return false;
  std::string_view name = r.entry.name;
  float least = name == "RELU_N1_TO_1" ? -1 : 0, most = name == "RELU6" ? 6 : 1;
  r.result(r.entry.node,
           {r.input(0), r.number("least", least), r.number("most", most)});
  return true;
}

bool tflite::readLeakyRelu(OperatorReader &r) {
  r.result(r.entry.node, r.inputs).attributes["alpha"] =
      Attribute::of(r.options.number("alpha"));
  return true;
}

bool tflite::readGelu(OperatorReader &r) {
  r.result(r.entry.node, r.inputs).attributes["approximate"] = Attribute::of(
      std::string(r.options.flag("approximate") ? "tanh" : "none"));
  return true;
}

bool tflite::readSoftmax(OperatorReader &r) {
  if (!r.checkCounts(1, 1))
    return false;
  Tensor *x = r.input(0);
  float beta = r.options.number("beta");
  // A file without options means a softmax as it is.
  if (beta != 1 && beta != 0) {
    x = r.between("scaled");
    r.add("Mul", {r.input(0), r.number("beta", beta)}, {x});
  }
  r.result(r.entry.node, {x}).attributes["axis"] =
      Attribute::of(std::int64_t(-1));
  return true;
}

bool tflite::readLastAxis(OperatorReader &r) {
  r.result(r.entry.node, r.inputs).attributes["axis"] =
      Attribute::of(std::int64_t(-1));
  return true;
}

bool tflite::readCast(OperatorReader &r) {
  if (!r.checkCounts(1, 1))
    return false;
  if (r.input(0)->quantization || r.output(0)->quantization)
    return r.refuse("a quantized tensor is not supported",
                    "tensor " + r.input(0)->name, "tensors without a scale");
  const auto &type = r.output(0)->type;
  if (!type)
    return r.refuse("this result type is not supported",
                    r.output(0)->foreignType,
                    "integers, floats or truth values");
  r.addCast(r.input(0), *type, r.output(0));
  return true;
}

/// QUANTIZE, DEQUANTIZE and DENSIFY: the same real numbers, stored otherwise.
bool tflite::readDequantize(OperatorReader &r) {
  if (!r.checkCounts(1, 1))
    return false;
  Tensor *from = r.input(0), *to = r.output(0);
  if (from->constant && !to->quantization) {
    // Weights in float16, or in integers: what they are read as.
    to->constant = from->constant;
    to->quantization = from->quantization;
    to->setType(*from->type, from->constant->shape);
    r.model.dequantized.insert(to);
    return true;
  }
  r.add("Identity", {from}, {to});
  return true;
}

/// Between integers the scale is changed by a multiplier that rounds twice.
bool tflite::readQuantize(OperatorReader &r) {
  if (!readDequantize(r))
    return false;
  if (auto &last = r.graph.nodes.back(); last->output(0) == r.output(0))
    last->attributes[graph::kRoundingKey] =
        Attribute::of(std::string("DOUBLE"));
  return true;
}

bool tflite::readFakeQuant(OperatorReader &r) {
  r.tfliteResult(r.inputs);
  return true;
}
