//===- AbsorbQuantization.cpp - QDQ nodes as stored tensors ---------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "parser/graph/AbsorbQuantization.h"
#include "parser/graph/CarryQuantization.h"
#include "parser/graph/PicksElements.h"
#include "parser/graph/QuantizeNodes.h"
#include "parser/graph/Replacements.h"
#include "parser/graph/StoredIntegers.h"
#include <algorithm>

using namespace yarrow;
using namespace yarrow::graph;

static std::vector<Graph *> innerGraphs(const Node &node) {
  std::vector<Graph *> graphs;
  for (auto &[key, attribute] : node.attributes)
    if (attribute.graph)
      graphs.push_back(attribute.graph.get());
  return graphs;
}

//===----------------------------------------------------------------------===//
// Constants
//===----------------------------------------------------------------------===//

/// QuantizeLinear of real constants: the integers are known.
static void quantizeConstants(Graph &graph) {
  Uses uses(graph);
  std::erase_if(graph.nodes, [&](const std::unique_ptr<Node> &node) {
    const Tensor *x = node->input(0);
    if (!isQuantize(*node) || !x || !x->constant || x->quantization)
      return false;
    StoredForm form = storedForm(*node, uses);
    Tensor *q = node->output(0);
    if (!form.quantization || !q)
      return false;
    q->constant = quantizedConstant(*x->constant, *form.quantization);
    q->setType(q->constant->type, q->constant->shape);
    return true;
  });
}

/// DequantizeLinear of integer constants: numbers that are stored so.
static void absorbConstants(Graph &graph) {
  Uses uses(graph);
  std::erase_if(graph.nodes, [&](const std::unique_ptr<Node> &node) {
    const Tensor *stored = node->input(0);
    if (!isDequantize(*node) || !stored || !stored->constant ||
        stored->quantization)
      return false;
    StoredForm form = storedForm(*node, uses);
    Tensor *d = node->output(0);
    if (!form.quantization || !d)
      return false;
    d->setType(ElementType::F32, stored->constant->shape);
    d->constant = *stored->constant;
    d->quantization = *form.quantization;
    if (graph.isOutput(d)) { // which gives numbers
      d->constant = realConstant(*d->constant, *d->quantization);
      d->quantization.reset();
    }
    return true;
  });
}

/// Integer constants that are moved become the mover's own: what else reads
/// them, perhaps in a graph within, reads integers.
static void copyMovedConstants(Graph &graph) {
  for (auto &node : graph.nodes) {
    Tensor *x = node->input(0);
    if (!picksElements(*node) || !x->constant || x->quantization ||
        elementBytes(x->constant->type) > 2)
      continue;
    Tensor *copy = graph.addTensor(x->name);
    copy->setType(x->constant->type, x->constant->shape);
    copy->constant = x->constant;
    node->inputs[0] = copy;
  }
}

//===----------------------------------------------------------------------===//
// Tensors
//===----------------------------------------------------------------------===//

namespace {

/// Takes out the nodes around integers that are stored numbers.
class Absorber {
public:
  Absorber(Graph &graph, bool isMain)
      : graph(graph), uses(graph), integers(graph, uses, isMain) {}

  void run() {
    std::vector<std::unique_ptr<Node>> nodes = std::move(graph.nodes);
    graph.nodes.clear();
    for (auto &node : nodes)
      visit(node);
    for (auto &[tensor, form] : integers.all()) {
      // Of this graph; the map promises only not to change them.
      auto *stored = const_cast<Tensor *>(tensor);
      stored->type = ElementType::F32;
      stored->quantization = form;
    }
    // Outputs of graphs within stay real.
    replaced.readIn(graph, [&](Graph &inner, Tensor *&output) {
      if (!replaced.contains(output))
        return;
      Tensor *copy = inner.addTensor(output->name);
      inner.addNode("Identity", {replaced.of(output)}, {copy});
      output = copy;
    });
  }

private:
  /// Moves \p node into the graph, or what takes its place.
  void visit(std::unique_ptr<Node> &node) {
    if (isQuantize(*node) && integers.of(node->output(0)))
      store(node);
    else if (isDequantize(*node) && integers.of(node->input(0)))
      load(node);
    else
      graph.nodes.push_back(std::move(node));
  }

  /// QuantizeLinear: the writer gives what is stored, or a node Identity does.
  void store(std::unique_ptr<Node> &node) {
    Tensor *x = node->input(0), *q = node->output(0), *real = replaced.of(x);
    const Quantization &form = *integers.of(q);
    if (!graph.isOutput(q)) {
      // The same integers again, or of the same numbers.
      if (isStoredAs(real, form))
        return replaced.add(q, real);
      for (Tensor *other : storedOf[real])
        if (*integers.of(other) == form)
          return replaced.add(q, other);
    }
    storedOf[real].push_back(q);
    if (isComputedFor(x, q)) {
      std::ranges::replace(uses.writer.at(x)->outputs, x, q);
      return;
    }
    keepAsIdentity(node, x);
  }

  /// Tensors of this graph say so in the end; constants, and those of graphs
  /// around it, do already.
  bool isStoredAs(const Tensor *x, const Quantization &form) const {
    const Quantization *own = integers.of(x);
    return own ? *own == form : x->quantization == form;
  }

  /// Whether a node computes \p x only to be stored as \p q is. What comes out
  /// of a graph within is as that graph has it.
  bool isComputedFor(const Tensor *x, const Tensor *q) const {
    auto writer = uses.writer.find(x);
    if (writer == uses.writer.end() || replaced.contains(x) ||
        graph.isOutput(x) || !innerGraphs(*writer->second).empty())
      return false;
    return std::ranges::all_of(uses.readers.at(x), [&](const Node *reader) {
      const Tensor *other = reader->output(0);
      const Quantization *form = integers.of(other);
      return isQuantize(*reader) && form && *form == *integers.of(q) &&
             (other == q || !graph.isOutput(other));
    });
  }

  /// DequantizeLinear: its readers read what is stored.
  void load(std::unique_ptr<Node> &node) {
    Tensor *q = node->input(0), *d = node->output(0);
    if (!d)
      return;
    const Quantization &own = *integers.of(q);
    Quantization form = *storedForm(*node, uses, own.stored).quantization;
    Tensor *real = form == own ? replaced.of(q) : readAs(*node, form);
    replaced.add(d, real);
    if (graph.isOutput(d)) // which gives numbers
      keepAsIdentity(node, real);
  }

  /// The integers with another scale than they were made with: numbers that are
  /// larger by a factor. Rounded to the other scale they are the same integers,
  /// as a product of 24 bits is off by less than half of 2^-16.
  Tensor *readAs(const Node &node, const Quantization &form) {
    Tensor *q = node.input(0);
    Tensor *factor = graph.addTensor(node.outputs[0]->name + "_factor");
    // A stored 1: the layer has integers alone.
    factor->setType(ElementType::F32, {});
    factor->quantization = {
        ElementType::I8, {form.scales[0] / integers.of(q)->scales[0]}, {0}, 0};
    factor->constant = Constant::ofBytes(ElementType::I8, {}, {std::byte(1)});
    Tensor *read = graph.addTensor(node.outputs[0]->name + "_read");
    read->type = ElementType::F32;
    read->quantization = form;
    Node &product = graph.addNode("Mul", {q, factor}, {read});
    product.name = node.name;
    product.version = node.version;
    return read;
  }

  void keepAsIdentity(std::unique_ptr<Node> &node, Tensor *x) {
    node->op = "Identity";
    node->inputs = {x};
    node->attributes.clear();
    graph.nodes.push_back(std::move(node));
  }

  Graph &graph;
  Uses uses;
  StoredIntegers integers;
  Replacements replaced;
  /// The stored tensors that were made of a real one.
  std::map<Tensor *, std::vector<Tensor *>> storedOf;
};

} // namespace

/// What is stored as numbers, for who takes those alone.
static Tensor *numbersOf(Graph &graph, Tensor *stored) {
  Tensor *numbers = graph.addTensor(stored->name + "_real");
  if (stored->constant) {
    numbers->constant = realConstant(*stored->constant, *stored->quantization);
    numbers->setType(ElementType::F32, stored->constant->shape);
  } else {
    numbers->type = ElementType::F32;
    graph.addNode("Identity", {stored}, {numbers});
  }
  return numbers;
}

/// What input \p i of \p node is in a graph within; null if it is not known
/// there.
static const Tensor *enteredAs(const Node &node, std::size_t i) {
  const Attribute *body = node.op == "Loop" ? node.attribute("body") : nullptr;
  bool isCarried = body && body->graph && i >= 2;
  return isCarried && i < body->graph->inputs.size() ? body->graph->inputs[i]
                                                     : nullptr;
}

/// What output \p i of a graph within \p node becomes; null if nothing.
static const Tensor *leavesAs(const Node &node, std::size_t i) {
  if (node.op != "Loop")
    return node.output(i);
  if (i == 0) // the condition
    return nullptr;
  const Tensor *carried = enteredAs(node, i + 1);
  return carried ? carried : node.output(i - 1);
}

static bool isStored(const Tensor *tensor) {
  return tensor && tensor->quantization;
}

/// Values that enter a node with graphs within, and leave such a graph, are
/// real, unless the format says of both sides how they are stored. What a graph
/// within reads from around it is as that has it.
static void exchangeNumbers(Graph &graph) {
  std::vector<std::unique_ptr<Node>> nodes = std::move(graph.nodes);
  graph.nodes.clear();
  for (auto &node : nodes) {
    std::vector<Graph *> within = innerGraphs(*node);
    if (!within.empty())
      for (std::size_t i = 0; i < node->inputs.size(); ++i)
        if (isStored(node->inputs[i]) && !isStored(enteredAs(*node, i)))
          node->inputs[i] = numbersOf(graph, node->inputs[i]);
    for (Graph *inner : within)
      for (std::size_t i = 0; i < inner->outputs.size(); ++i)
        if (isStored(inner->outputs[i]) && !isStored(leavesAs(*node, i)))
          inner->outputs[i] = numbersOf(*inner, inner->outputs[i]);
    graph.nodes.push_back(std::move(node));
  }
}

static void absorbIn(Graph &graph, bool isMain) {
  bool hasAny = std::ranges::any_of(graph.nodes, [](const auto &node) {
    return isQuantize(*node) || isDequantize(*node);
  });
  if (hasAny) {
    quantizeConstants(graph);
    absorbConstants(graph);
    copyMovedConstants(graph);
    Absorber(graph, isMain).run();
    carryQuantization(graph);
  }
  for (auto &node : graph.nodes)
    for (Graph *inner : innerGraphs(*node))
      absorbIn(*inner, false);
  exchangeNumbers(graph);
}

void graph::absorbQuantization(Graph &graph) { absorbIn(graph, true); }

//===----------------------------------------------------------------------===//
// What is left
//===----------------------------------------------------------------------===//

static void addLeft(const Graph &graph, std::vector<LeftInFloats> &left) {
  Uses uses(graph);
  for (const auto &node : graph.nodes) {
    for (const Graph *inner : innerGraphs(*node))
      addLeft(*inner, left);
    const Tensor *x = node->input(0);
    if (!x || x->constant) // which is computed when it is imported
      continue;
    if (node->op == "DynamicQuantizeLinear" && node->domain.empty())
      left.push_back({node.get(), "a scale that is computed at run time"});
    if (!isQuantize(*node) && !isDequantize(*node))
      continue;
    std::string why = storedForm(*node, uses).why;
    if (why.empty())
      why = isQuantize(*node)
                ? "integers that a node other than DequantizeLinear reads"
                : "integers that QuantizeLinear does not produce, or that "
                  "another node reads";
    left.push_back({node.get(), why});
  }
}

std::vector<LeftInFloats> graph::leftInFloats(const Graph &graph) {
  std::vector<LeftInFloats> left;
  addLeft(graph, left);
  return left;
}

void graph::forgetStored(Graph &graph) {
  auto forget = [](Tensor *tensor) {
    if (tensor && !tensor->constant)
      tensor->quantization.reset();
  };
  std::ranges::for_each(graph.inputs, forget);
  for (auto &node : graph.nodes) {
    std::ranges::for_each(node->outputs, forget);
    for (Graph *inner : innerGraphs(*node))
      forgetStored(*inner);
  }
}
