//===- NodeMaker.cpp - Nodes in the place of one operator -----------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "parser/graph/NodeMaker.h"

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
