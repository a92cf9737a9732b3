//===- CarryQuantization.cpp - Stored tensors that are moved --------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "parser/graph/CarryQuantization.h"
#include "parser/graph/PicksElements.h"
#include <algorithm>
#include <numeric>

using namespace yarrow;
using namespace yarrow::graph;

using Form = std::optional<Quantization>;

static bool isConcat(const Node &node) {
  return node.op == "Concat" && node.domain.empty() && node.inputs.size() > 1;
}

/// Whether the results are elements of input 0, or zeros, which every form has.
/// An Identity is where the form changes.
static bool moves(const Node &node) {
  return (picksElements(node) && node.op != "Identity") || addsZeros(node) ||
         (node.op == "Concat" && node.inputs.size() == 1);
}

static bool holdsGraph(const Node &node) {
  return std::ranges::any_of(node.attributes, [](const auto &entry) {
    return entry.second.graph != nullptr;
  });
}

/// The form that all results have.
static Form formOfResults(const Node &node) {
  Form form;
  for (const Tensor *output : node.outputs) {
    if (!output || !output->quantization ||
        (form && *form != *output->quantization))
      return std::nullopt;
    form = output->quantization;
  }
  return form;
}

/// What is computed only to be moved into a stored tensor is stored before.
static void carryBack(Graph &graph) {
  Uses uses(graph);
  for (auto at = graph.nodes.rbegin(); at != graph.nodes.rend(); ++at) {
    Node &node = **at;
    Form form = moves(node) || isConcat(node) ? formOfResults(node) : Form();
    if (!form)
      continue;
    std::size_t count = isConcat(node) ? node.inputs.size() : 1;
    for (std::size_t i = 0; i < count; ++i) {
      Tensor *x = node.inputs[i];
      auto writer = uses.writer.find(x);
      if (!x || x->constant || x->quantization || writer == uses.writer.end() ||
          holdsGraph(*writer->second) || uses.onlyReader(x) != &node)
        continue;
      x->type = ElementType::F32;
      x->quantization = form;
    }
  }
}

/// How the results of \p node are stored if they are as its input is.
static Form movedForm(const Node &node) {
  const Tensor *x = node.input(0);
  if (!x->quantization || elementBytes(x->quantization->stored) > 2)
    return std::nullopt;
  Quantization form = *x->quantization;
  if (form.isPerTensor())
    return form;
  // The axis of the scales moves, too.
  if (node.op != "Transpose" || !x->constant)
    return std::nullopt;
  auto rank = std::int64_t(x->constant->shape.size());
  std::vector<std::int64_t> perm = node.integers("perm");
  if (perm.empty()) {
    perm.resize(std::size_t(rank));
    std::iota(perm.rbegin(), perm.rend(), 0);
  }
  form.axis = std::ranges::find(perm, form.axis) - perm.begin();
  return form.axis < rank ? Form(form) : std::nullopt;
}

/// The form of a Concat whose operands all have it.
static Form commonForm(const Node &node) {
  const Form &form = node.inputs[0]->quantization;
  bool isCommon = form && form->isPerTensor() &&
                  elementBytes(form->stored) <= 2 &&
                  std::ranges::all_of(node.inputs, [&](const Tensor *input) {
                    return input && input->quantization == form;
                  });
  return isCommon ? form : std::nullopt;
}

namespace {

class Carrier {
public:
  explicit Carrier(Graph &graph) : graph(graph) {}

  void run() {
    std::vector<std::unique_ptr<Node>> nodes = std::move(graph.nodes);
    graph.nodes.clear();
    for (auto &owned : nodes) {
      Node &node = *owned;
      if (isConcat(node))
        storeOperands(node);
      graph.nodes.push_back(std::move(owned));
      if (moves(node))
        for (std::size_t i = 0; i < node.outputs.size(); ++i)
          give(node, i, movedForm(node));
      else if (isConcat(node) && !node.outputs[0]->quantization)
        give(node, 0, commonForm(node));
    }
  }

private:
  /// A Concat has operands that are stored as its result is, or none that are:
  /// others are brought to that before it.
  void storeOperands(Node &node) {
    const Form &form = node.outputs[0]->quantization;
    if (!form && commonForm(node))
      return;
    for (Tensor *&input : node.inputs) {
      if (!input || bool(input->quantization) == bool(form))
        continue;
      Tensor *before = graph.addTensor(input->name + "_joined");
      before->type = ElementType::F32;
      before->quantization = form;
      if (input->constant) {
        before->constant =
            form ? quantizedConstant(*input->constant, *form)
                 : realConstant(*input->constant, *input->quantization);
        before->shape = input->constant->shape;
      } else {
        graph.addNode("Identity", {input}, {before});
      }
      input = before;
    }
  }

  /// Result \p i has \p form: itself, or a tensor before it.
  void give(Node &node, std::size_t i, const Form &form) {
    Tensor *result = node.outputs[i];
    if (!result || result->quantization == form)
      return;
    if (!result->quantization && !graph.isOutput(result)) {
      result->type = ElementType::F32;
      result->quantization = form;
      return;
    }
    Tensor *before = graph.addTensor(result->name + "_moved");
    before->type = ElementType::F32;
    before->quantization = form;
    node.outputs[i] = before;
    graph.addNode("Identity", {before}, {result}).name =
        node.name.empty() ? "" : node.name + "_stored";
  }

  Graph &graph;
};

} // namespace

void graph::carryQuantization(Graph &graph) {
  carryBack(graph);
  Carrier(graph).run();
}
