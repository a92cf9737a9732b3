//===- CutHint.cpp - Where a network can be cut ---------------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "parser/graph/CutHint.h"
#include <algorithm>
#include <ranges>

using namespace yarrow;
using namespace yarrow::graph;

using Tensors = std::set<const Tensor *>;

namespace {

class Cut {
public:
  Cut(const Graph &graph, const std::set<const Node *> &unknown)
      : graph(graph), unknown(unknown) {
    for (const auto &node : graph.nodes)
      if (unknown.contains(node.get()) || touches(readBy(*node), after))
        after.insert(node->outputs.begin(), node->outputs.end());
    for (const auto &node : std::views::reverse(graph.nodes))
      if (unknown.contains(node.get()) || touches(node->outputs, before)) {
        std::vector<Tensor *> read = readBy(*node);
        before.insert(read.begin(), read.end());
      }
  }

  /// What the unknown nodes read and nodes before them write, and the outputs
  /// that need none of them.
  std::vector<const Tensor *> ends() const {
    std::vector<const Tensor *> found;
    for (const auto &node : graph.nodes)
      for (const Tensor *tensor : node->outputs) {
        if (!tensor || tensor->constant || after.contains(tensor))
          continue;
        bool isRead = isReadByUnknown(tensor);
        if (isRead || graph.isOutput(tensor))
          found.push_back(tensor);
      }
    return found;
  }

  /// What the unknown nodes write, other nodes read, and no unknown node needs.
  std::vector<const Tensor *> begins() const {
    std::vector<const Tensor *> found;
    Uses uses(graph);
    for (const auto &node : graph.nodes)
      if (unknown.contains(node.get()))
        for (const Tensor *tensor : node->outputs)
          if (tensor && !before.contains(tensor) &&
              uses.readers.contains(tensor))
            found.push_back(tensor);
    return found;
  }

private:
  bool isReadByUnknown(const Tensor *tensor) const {
    return std::ranges::any_of(unknown, [&](const Node *node) {
      std::vector<Tensor *> read = readBy(*node);
      return std::ranges::find(read, tensor) != read.end();
    });
  }

  template <typename List>
  static bool touches(const List &list, const Tensors &tensors) {
    return std::ranges::any_of(
        list, [&](const Tensor *t) { return t && tensors.contains(t); });
  }

  const Graph &graph;
  const std::set<const Node *> &unknown;
  Tensors after, before; ///< Made of what unknown nodes make, or needed by it.
};

std::string listOf(const std::vector<const Tensor *> &tensors) {
  std::string text;
  for (const Tensor *tensor : tensors)
    text += (text.empty() ? "" : ",") + tensor->name;
  return text;
}

} // namespace

std::string graph::cutHint(const Graph &graph,
                           const std::set<const Node *> &unknown) {
  Cut cut(graph, unknown);
  std::string ends = listOf(cut.ends()), begins = listOf(cut.begins()), text;
  if (!ends.empty())
    text = "end the network before these operators with --output " + ends;
  if (!begins.empty())
    text += (text.empty() ? "begin the network after these operators"
                          : "; begin it after them") +
            (" with --input " + begins);
  return text;
}
