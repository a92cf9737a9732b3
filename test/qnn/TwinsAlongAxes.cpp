//===- TwinsAlongAxes.cpp - Reductions and normalisations -----------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "test/qnn/TwinMaker.h"
#include <set>

using namespace yarrow;
using namespace yarrow::qnntwins;
using qnn::DataType;

static std::int64_t rankOf(const Dims &dims) {
  return std::int64_t(dims.size());
}

bool qnntwins::twinReduce(TwinMaker &t) {
  auto given = t.integersOf("axes");
  if (!given)
    return false;
  std::int64_t rank = rankOf(t.dims("input"));
  std::set<std::int64_t> axes;
  for (std::int64_t axis : *given)
    axes.insert(axis < 0 ? axis + rank : axis);
  if (axes.empty())
    return t.none("QNN's list of axes is not empty");
  t.integers("axes", {std::int64_t(axes.size())}, {axes.begin(), axes.end()});
  t.flag("keep_dims", t.scalar("keep_dims") > 0);
  return t.node({t.tensor("input")});
}

bool qnntwins::twinArgExtreme(TwinMaker &t) {
  t.integer("axis", t.axis("axis", rankOf(t.dims("input"))));
  return t.node({t.tensor("input")});
}

bool qnntwins::twinTopK(TwinMaker &t) {
  t.integer("k", t.scalar("k"));
  return t.node({t.tensor("input")});
}

/// Before level 29 the axis is the last one; of four axes, too.
bool qnntwins::twinSoftmax(TwinMaker &t) {
  t.integer("axis", t.axis("axis", rankOf(t.dims("input"))));
  t.real("beta", t.number("beta", 1));
  return t.node({t.tensor("input")});
}

bool qnntwins::twinL2Norm(TwinMaker &t) {
  t.integer("axis", t.axis("axis", rankOf(t.dims("input"))));
  return t.node({t.tensor("input")});
}

bool qnntwins::twinLrn(TwinMaker &t) {
  std::int64_t rank = rankOf(t.dims("input"));
  if (t.axis("axis", rank) != rank - 1)
    return t.none("QNN's channels are last");
  t.integer("radius", t.scalar("radius"), DataType::INT_32);
  for (const char *name : {"alpha", "beta", "bias"})
    t.real(name, t.number(name));
  return t.node({t.tensor("input")});
}

bool qnntwins::twinInstanceNorm(TwinMaker &t) {
  // NNAPI has one factor and one summand, QNN one for each channel.
  std::int64_t channels = t.dims("input").back();
  std::vector<std::string> inputs = {t.tensor("input")};
  for (const char *name : {"gamma", "beta"}) {
    std::string one = t.between(inputs[0], {channels}, name);
    qnn::QnnTensor &tensor = t.at(one);
    tensor.kind = qnn::TensorKind::Static;
    tensor.type = DataType::FLOAT_32;
    std::vector<float> values(std::size_t(channels), float(t.number(name)));
    auto bytes = std::as_bytes(std::span(values));
    qnn::setValue(tensor, {bytes.begin(), bytes.end()});
    inputs.push_back(one);
  }
  t.real("epsilon", t.number("epsilon"));
  return t.node(inputs);
}
