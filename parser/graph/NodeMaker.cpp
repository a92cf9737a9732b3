//===- NodeMaker.cpp - Nodes in the place of one operator -----------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "parser/graph/NodeMaker.h"
#include "parser/graph/OnnxTypes.h"

using namespace yarrow;
using namespace yarrow::graph;

Node &NodeMaker::add(std::string op, std::vector<Tensor *> from,
                     std::vector<Tensor *> to) {
  Node &node = graph.addNode(std::move(op), std::move(from), std::move(to));
  for (const Tensor *tensor : node.outputs)
    if (tensor && node.name.empty())
      node.name = tensor->name;
  return node;
}

Tensor *NodeMaker::between(const std::string &what) {
  return graph.addTensor(prefix + "_" + what);
}

Tensor *NodeMaker::storedLike(const Tensor &other, const std::string &what) {
  Tensor *tensor = between(what);
  tensor->type = other.type;
  tensor->quantization = other.quantization;
  return tensor;
}

Tensor *NodeMaker::constant(const std::string &what, Constant value) {
  Tensor *tensor = between(what);
  tensor->setType(value.type, value.shape);
  tensor->constant = std::move(value);
  return tensor;
}

Tensor *NodeMaker::integers(const std::string &what,
                            std::vector<std::int64_t> values) {
  return constant(what,
                  Constant::ofIntegers({std::int64_t(values.size())}, values));
}

Tensor *NodeMaker::integer(const std::string &what, std::int64_t value) {
  return constant(what, Constant::ofIntegers({}, {value}));
}

Tensor *NodeMaker::number(const std::string &what, float value) {
  return constant(what, Constant::ofFloats({}, {value}));
}

Tensor *NodeMaker::transposed(Tensor *x, const std::vector<std::int64_t> &perm,
                              const std::string &what) {
  Tensor *y = storedLike(*x, what);
  add("Transpose", {x}, {y}).attributes["perm"] = Attribute::of(perm);
  return y;
}

void NodeMaker::addFused(FusedActivation activation, Tensor *from, Tensor *to) {
  auto addClip = [&](float least, float most) {
    add("Clip", {from, number("least", least), number("most", most)}, {to});
  };
  switch (activation) {
  case FusedActivation::Relu:
    add("Relu", {from}, {to});
    break;
  case FusedActivation::Relu1:
    addClip(-1, 1);
    break;
  case FusedActivation::Relu6:
    addClip(0, 6);
    break;
  case FusedActivation::Tanh:
    add("Tanh", {from}, {to});
    break;
  }
}

Node &NodeMaker::addCast(Tensor *from, ElementType type, Tensor *to) {
  Node &node = add("Cast", {from}, {to});
  node.attributes["to"] = Attribute::of(onnxTypeNumber(type));
  return node;
}

Node &NodeMaker::addMoved(std::string op, std::vector<Tensor *> from,
                          const Tensor &source,
                          const std::vector<Tensor *> &to) {
  std::vector<Tensor *> moved = to;
  for (std::size_t i = 0; i < to.size(); ++i)
    if (to[i] && to[i]->quantization != source.quantization)
      moved[i] =
          storedLike(source, "moved" + (i == 0 ? "" : "_" + std::to_string(i)));
  Node &node = add(std::move(op), std::move(from), moved);
  for (std::size_t i = 0; i < to.size(); ++i)
    if (moved[i] != to[i])
      add("Identity", {moved[i]}, {to[i]});
  return node;
}

void NodeMaker::addPack(const std::vector<Tensor *> &parts, std::int64_t axis,
                        Tensor *to) {
  Tensor *axes = integers("axes", {axis});
  std::vector<Tensor *> rows;
  for (Tensor *part : parts) {
    rows.push_back(storedLike(*part, "part_" + std::to_string(rows.size())));
    add("Unsqueeze", {part, axes}, {rows.back()});
  }
  add("Concat", rows, {to}).attributes["axis"] = Attribute::of(axis);
}

Tensor *NodeMaker::padsOf(const std::vector<std::int64_t> &rows) {
  std::vector<std::int64_t> pads;
  for (std::size_t side : {0, 1})
    for (std::size_t i = side; i < rows.size(); i += 2)
      pads.push_back(rows[i]);
  return integers("pads", pads);
}
