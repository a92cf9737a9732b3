//===- DropIdentities.cpp - Nodes that give what they are given -----------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "parser/graph/DropIdentities.h"
#include "parser/graph/Replacements.h"
#include <algorithm>
#include <functional>

using namespace yarrow;
using namespace yarrow::graph;

static bool isZero(const Tensor *tensor) {
  return tensor && tensor->constant && tensor->constant->numElements() == 1 &&
         tensor->constant->numberAt(0) == 0;
}

/// As emitDropout has it; one in training mode stays, to be refused.
static bool isInference(const Node &dropout) {
  bool isOld = dropout.version > 0 && dropout.version < 7;
  if (isOld && !dropout.integer("is_test", 0) &&
      dropout.number("ratio", 0.5f) != 0)
    return false;
  return !dropout.input(2) || isZero(dropout.input(2)) ||
         isZero(dropout.input(1));
}

/// The input that the first result of \p node is; null if it is another.
static Tensor *passedOnBy(const Node &node) {
  bool isIdentity = node.op == "Identity" && node.inputs.size() == 1,
       isDropout = node.op == "Dropout" && !node.inputs.empty() &&
                   node.inputs.size() <= 3 && isInference(node);
  Tensor *x = node.input(0);
  const Tensor *y = node.output(0);
  if (!node.domain.empty() || (!isIdentity && !isDropout) || !x || !y)
    return nullptr;
  bool isSame = x->quantization == y->quantization && x->foreignType.empty();
  return isSame ? x : nullptr;
}

namespace {

class Dropper {
public:
  using Source = std::function<Tensor *(const Node &)>;

  Dropper(Graph &graph, Source source, PassedOn &passedOn)
      : graph(graph), uses(graph), source(std::move(source)),
        passedOn(passedOn) {}

  void run() {
    std::erase_if(graph.nodes, [&](std::unique_ptr<Node> &node) {
      for (Tensor *&input : node->inputs)
        input = replaced.of(input);
      Tensor *x = source(*node);
      return x && drop(*node, replaced.of(x));
    });
    // What the writer of an output writes is known only now.
    replaced.readIn(
        graph, [&](Graph &, Tensor *&output) { output = replaced.of(output); });
    for (PassedOnTensor &entry : passedOn)
      entry.same = replaced.of(entry.same);
  }

private:
  /// Whether nothing is left for \p node to do.
  bool drop(Node &node, Tensor *x) {
    Tensor *y = node.outputs[0];
    bool writesMore = std::any_of(
        node.outputs.begin() + 1, node.outputs.end(), [&](const Tensor *t) {
          return t && (graph.isOutput(t) || uses.readers.contains(t));
        });
    if (!graph.isOutput(y)) {
      replace(y, x, node.name);
      if (writesMore)
        node.outputs[0] = nullptr;
      return !writesMore;
    }
    auto writer = uses.writer.find(x);
    bool isWritten = writer != uses.writer.end() && !x->constant &&
                     !graph.isOutput(x) && !writesMore;
    if (!isWritten) {
      // It is an output twice, or an input, or a constant: others read that.
      replaced.add(y, x);
      return false;
    }
    std::ranges::replace(writer->second->outputs, x, y);
    uses.writer[y] = writer->second;
    replace(x, y, writer->second->name);
    return true;
  }

  void replace(Tensor *from, Tensor *to, const std::string &node) {
    replaced.add(from, to);
    passedOn.push_back({from, to, node});
  }

  Graph &graph;
  Uses uses;
  Source source;
  PassedOn &passedOn;
  Replacements replaced;
};

} // namespace

void graph::dropIdentities(Graph &graph, PassedOn &passedOn) {
  for (auto &node : graph.nodes)
    for (auto &[key, attribute] : node->attributes)
      if (attribute.graph)
        dropIdentities(*attribute.graph, passedOn);
  Dropper(graph, passedOnBy, passedOn).run();
}

void graph::dropNodes(Graph &graph,
                      const std::map<const Node *, Tensor *> &unchanged,
                      PassedOn &passedOn) {
  auto source = [&](const Node &node) {
    auto it = unchanged.find(&node);
    return it == unchanged.end() ? nullptr : it->second;
  };
  Dropper(graph, source, passedOn).run();
}
