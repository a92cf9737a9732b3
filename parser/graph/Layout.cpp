//===- Layout.cpp - In which order of axes nodes compute ------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "parser/graph/Layout.h"
#include "parser/graph/Emitter.h"
#include "parser/graph/MinCut.h"
#include "parser/graph/OperatorTable.h"

using namespace yarrow;
using namespace yarrow::graph;

namespace {

class Chooser {
public:
  explicit Chooser(Graph &graph) : graph(graph), uses(graph) {}

  void choose() {
    for (auto &node : graph.nodes)
      places[node.get()] = placeOf(*node);
    for (Tensor *input : graph.inputs)
      addTensor(*input, MinCut::kSink);
    for (auto &node : graph.nodes)
      for (Tensor *output : node->outputs)
        if (output)
          addTensor(*output, writerPlace(*node));
    cut.solve();
    for (auto &node : graph.nodes) {
      const OperatorEntry *entry = findOperator(node->op, node->domain);
      node->channelsLast = entry->order == AxisOrder::Any &&
                           cut.isWithSource(places[node.get()]);
    }
  }

private:
  /// The source has channels last, the sink the format's own order.
  unsigned placeOf(const Node &node) {
    AxisOrder order = findOperator(node.op, node.domain)->order;
    if (order == AxisOrder::Last)
      return MinCut::kSource;
    // Only tensors of three axes and more have two orders.
    bool canMove =
        order == AxisOrder::Any && mostRank(node) > 2 &&
        (rankOf(node.output(0)) == mostRank(node) || dropsAxes(node));
    return canMove ? cut.addNode() : MinCut::kSink;
  }
  static size_t rankOf(const Tensor *tensor) {
    return tensor && tensor->shape ? tensor->shape->size() : 0;
  }
  static size_t mostRank(const Node &node) {
    size_t rank = 0;
    for (const Tensor *tensor : node.inputs)
      rank = std::max(rank, rankOf(tensor));
    return rank;
  }

  /// A Transpose between the orders reads one and writes the other.
  static bool isMove(const Node &node, bool toLast) {
    size_t rank = rankOf(node.input(0));
    return node.op == "Transpose" && rank > 2 &&
           node.integers("perm") == (toLast ? lastPerm(rank) : firstPerm(rank));
  }
  /// A reduction without keepdims gives the axes that are left in the format's
  /// order, whatever it reads.
  static bool dropsAxes(const Node &node) {
    return (node.op.starts_with("Reduce") || node.op.starts_with("Arg")) &&
           node.integer("keepdims", 1) == 0;
  }
  unsigned writerPlace(const Node &node) {
    if (dropsAxes(node))
      return MinCut::kSink;
    return isMove(node, /*toLast=*/false) ? MinCut::kSource : places[&node];
  }
  unsigned readerPlace(const Node &node) {
    return isMove(node, /*toLast=*/true) ? MinCut::kSource : places[&node];
  }

  /// What it costs if \p tensor is written in one order and read in another:
  /// once, however many read it.
  void addTensor(const Tensor &tensor, unsigned writer) {
    if (rankOf(&tensor) < 3 || tensor.constant)
      return;
    int64_t bytes = numElements(*tensor.shape) * 4;
    std::vector<unsigned> readers;
    if (auto it = uses.readers.find(&tensor); it != uses.readers.end())
      for (Node *reader : it->second)
        readers.push_back(readerPlace(*reader));
    if (graph.isOutput(&tensor))
      readers.push_back(MinCut::kSink);
    if (readers.empty())
      return;
    unsigned toPlain = cut.addNode(), toLast = cut.addNode();
    cut.addEdge(writer, toPlain, bytes);
    cut.addEdge(toLast, writer, bytes);
    for (unsigned reader : readers) {
      cut.addEdge(toPlain, reader, MinCut::kNever);
      cut.addEdge(reader, toLast, MinCut::kNever);
    }
  }

  Graph &graph;
  Uses uses;
  MinCut cut;
  std::map<const Node *, unsigned> places;
};

} // namespace

void graph::chooseLayouts(Graph &graph) { Chooser(graph).choose(); }
