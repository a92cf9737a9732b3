//===- Indices.cpp - Gather, scatter, shapes and constants ----------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "parser/tflite/OperatorReader.h"

using namespace yarrow;
using namespace yarrow::tflite;
using graph::Attribute;
using graph::Constant;
using graph::Node;
using graph::Tensor;

bool tflite::readGather(OperatorReader &r) {
  if (!r.checkCounts(2, 2))
    return false;
  Node &node = r.movedResult(r.entry.node, r.inputs);
  node.attributes["axis"] = Attribute::of(r.options.integer("axis"));
  if (r.options.integer("batch_dims") == 0)
    return true;
  node.domain = kDomain;
  node.attributes["batch_dims"] =
      Attribute::of(r.options.integer("batch_dims"));
  return true;
}

/// The rows of the second input that the first one names.
bool tflite::readEmbedding(OperatorReader &r) {
  if (!r.checkCounts(2, 2))
    return false;
  Node &node = r.movedResult(r.entry.node, {r.input(1), r.input(0)}, 1);
  node.attributes["axis"] = Attribute::of(std::int64_t(0));
  node.attributes["negative_indices"] = Attribute::of(std::string("REFUSED"));
  return true;
}

/// Zeros of the shape, to which the updates are added.
bool tflite::readScatterNd(OperatorReader &r) {
  if (!r.checkCounts(3, 3))
    return false;
  Tensor *zeros = r.storedLike(*r.input(1), "zeros");
  bool isFloat = r.input(1)->quantization ||
                 r.input(1)->type == ElementType::F32 ||
                 r.input(1)->type == ElementType::F16;
  Attribute value;
  value.kind = Attribute::Kind::Tensor;
  value.tensor =
      isFloat ? Constant::ofFloats({1}, {0}) : Constant::ofIntegers({1}, {0});
  zeros->quantization.reset();
  r.add("ConstantOfShape", {r.input(2)}, {zeros}).attributes["value"] = value;
  r.add(r.entry.node, {zeros, r.input(0), r.input(1)}, r.outputs)
      .attributes["reduction"] = Attribute::of(std::string("add"));
  return true;
}

bool tflite::readOneHot(OperatorReader &r) {
  if (!r.checkCounts(4, 4))
    return false;
  Tensor *one = r.integers("one", {1});
  Tensor *off = r.between("off"), *on = r.between("on"),
         *values = r.between("values");
  r.add("Reshape", {r.input(3), one}, {off});
  r.add("Reshape", {r.input(2), one}, {on});
  r.add("Concat", {off, on}, {values}).attributes["axis"] =
      Attribute::of(std::int64_t(0));
  Node &node = r.result(r.entry.node, {r.input(0), r.input(1), values});
  node.attributes["axis"] = Attribute::of(r.options.integer("axis"));
  // No position is negative, where ONNX counts from the end.
  node.attributes["from_end"] = Attribute::of(std::int64_t(0));
  return true;
}

/// The places of what is true, a row for each.
bool tflite::readWhere(OperatorReader &r) {
  if (!r.checkCounts(1, 1))
    return false;
  Tensor *columns = r.between("columns");
  r.add(r.entry.node, r.inputs, {columns});
  r.add("Transpose", {columns}, r.outputs).attributes["perm"] =
      Attribute::of(std::vector<std::int64_t>{1, 0});
  return true;
}

bool tflite::readRank(OperatorReader &r) {
  if (!r.checkCounts(1, 1))
    return false;
  Tensor *shape = r.between("shape");
  r.add("Shape", r.inputs, {shape});
  r.add("Size", {shape}, r.outputs);
  return true;
}

bool tflite::readFill(OperatorReader &r) {
  if (!r.checkCounts(2, 2))
    return false;
  r.movedResult(r.entry.node, {r.input(1), r.input(0)}, 1);
  return true;
}

bool tflite::readZerosLike(OperatorReader &r) {
  if (!r.checkCounts(1, 1))
    return false;
  Tensor *shape = r.between("shape");
  r.add("Shape", r.inputs, {shape});
  Attribute value;
  value.kind = Attribute::Kind::Tensor;
  bool isFloat = r.input(0)->type == ElementType::F32;
  value.tensor =
      isFloat ? Constant::ofFloats({1}, {0}) : Constant::ofIntegers({1}, {0});
  r.add(r.entry.node, {shape}, r.outputs).attributes["value"] = value;
  return true;
}
