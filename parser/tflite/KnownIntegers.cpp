//===- KnownIntegers.cpp - Integers that follow from shapes ---------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "parser/tflite/KnownIntegers.h"
#include <algorithm>
#include <functional>

using namespace yarrow;
using namespace yarrow::tflite;
using graph::Graph;
using graph::Node;
using graph::Tensor;

using Integers = std::optional<std::vector<std::int64_t>>;

namespace {

/// What is longer is no list of axes or lengths.
constexpr std::int64_t kMostValues = 64;
/// Formulas of shapes are short.
constexpr int kMostFormula = 32;

class Finder {
public:
  explicit Finder(const Graph &graph) : graph(graph) {}

  Integers find(const Tensor *tensor, int depth = 0) const {
    if (!tensor || depth > kMostFormula)
      return std::nullopt;
    if (tensor->constant)
      return tensor->quantization ||
                     tensor->constant->numElements() > kMostValues
                 ? std::nullopt
                 : Integers(tensor->constant->integers());
    const Node *writer = writerOf(tensor);
    return writer ? compute(*writer, depth + 1) : std::nullopt;
  }

private:
  const Node *writerOf(const Tensor *tensor) const {
    for (auto at = graph.nodes.rbegin(); at != graph.nodes.rend(); ++at)
      if (std::ranges::find((*at)->outputs, tensor) != (*at)->outputs.end())
        return at->get();
    return nullptr;
  }

  Integers compute(const Node &node, int depth) const {
    if (node.op == "Shape")
      return shapeOf(node.input(0));
    if (node.op == "Size") // RANK: of a shape, whose lengths may be open
      return rankOf(node);
    if (node.op == "Concat")
      return concat(node, depth);
    if (node.op == "Range")
      return range(node, depth);
    if (node.op == "Identity" || node.op == "Cast" || node.op == "Squeeze" ||
        node.op == "Unsqueeze" || node.op == "Reshape")
      return find(node.input(0), depth);
    if (node.op == "Add")
      return each(node, depth, std::plus<>());
    if (node.op == "Sub")
      return each(node, depth, std::minus<>());
    return std::nullopt;
  }

  static Integers shapeOf(const Tensor *tensor) {
    if (!tensor || std::ranges::any_of(tensor->declaredShape,
                                       [](auto length) { return length < 1; }))
      return std::nullopt;
    return tensor->declaredShape;
  }

  Integers rankOf(const Node &node) const {
    const Node *shape = writerOf(node.input(0));
    if (!shape || shape->op != "Shape" || !shape->input(0))
      return std::nullopt;
    return std::vector{std::int64_t(shape->input(0)->declaredShape.size())};
  }

  Integers concat(const Node &node, int depth) const {
    std::vector<std::int64_t> all;
    for (const Tensor *input : node.inputs) {
      Integers part = find(input, depth);
      if (!part || std::int64_t(all.size() + part->size()) > kMostValues)
        return std::nullopt;
      all.insert(all.end(), part->begin(), part->end());
    }
    return all;
  }

  Integers range(const Node &node, int depth) const {
    std::vector<std::int64_t> ends;
    for (std::size_t i = 0; i < 3; ++i) {
      Integers end = find(node.input(i), depth);
      if (!end || end->size() != 1)
        return std::nullopt;
      ends.push_back(end->front());
    }
    std::vector<std::int64_t> values;
    for (std::int64_t v = ends[0];
         ends[2] > 0 ? v < ends[1] : ends[2] < 0 && v > ends[1]; v += ends[2]) {
      values.push_back(v);
      if (std::int64_t(values.size()) > kMostValues)
        return std::nullopt;
    }
    return values;
  }

  template <typename Function>
  Integers each(const Node &node, int depth, Function function) const {
    Integers a = find(node.input(0), depth), b = find(node.input(1), depth);
    if (!a || !b || a->empty() || b->empty() ||
        (a->size() != b->size() && a->size() != 1 && b->size() != 1))
      return std::nullopt;
    std::vector<std::int64_t> values;
    for (std::size_t i = 0; i < std::max(a->size(), b->size()); ++i)
      values.push_back(function((*a)[i % a->size()], (*b)[i % b->size()]));
    return values;
  }

  const Graph &graph;
};

} // namespace

Integers tflite::knownIntegers(const Graph &graph, const Tensor *tensor) {
  return Finder(graph).find(tensor);
}
