//===- ModelGraph.cpp - An ONNX model that can be cut ---------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "compiler/provider/ModelGraph.h"
#include "parser/onnx/WireWriter.h"
#include "support/diagnostics/Import.h"

#include <algorithm>
#include <queue>

using namespace yarrow;
using namespace yarrow::provider;
using onnx::Bytes;
using onnx::WireWriter;

bool TensorFacts::isStatic() const {
  return elementType && hasShape &&
         std::ranges::none_of(lengths, [](auto n) { return n < 0; });
}

std::string ModelNode::describe() const {
  return (domain.empty() ? "" : domain + "::") + op + " " + name;
}

//===----------------------------------------------------------------------===//
// Reading
//===----------------------------------------------------------------------===//

std::unique_ptr<ModelGraph>
ModelGraph::read(std::shared_ptr<const MappedFile> file,
                 DiagnosticEngine &diags) {
  std::unique_ptr<ModelGraph> graph(new ModelGraph());
  graph->file = std::move(file);
  return graph->readGraph(diags) ? std::move(graph) : nullptr;
}

bool ModelGraph::malformed(DiagnosticEngine &diags, const char *why) const {
  diags.report(diag::OnnxMalformed, {path()}, "the model cannot be read")
      .found(why)
      .expected("an ONNX model");
  return false;
}

bool ModelGraph::readGraph(DiagnosticEngine &diags) {
  if (const char *why = onnx::parse(file->bytes(), model))
    return malformed(diags, why);
  if (!model.hasGraph)
    return malformed(diags, "no graph");
  onnx::GraphParts graph;
  if (const char *why = onnx::parse(model.graph, graph))
    return malformed(diags, why);
  if (!readTensors(graph, diags) || !readNodes(graph, diags) ||
      !sortNodes(diags))
    return false;
  indexNodes();
  nameNodes();
  return true;
}

static TensorFacts factsIn(const onnx::ValueParts &value) {
  TensorFacts facts;
  if (*value.otherKind)
    return facts;
  facts.elementType = value.elementType;
  facts.hasShape = value.hasShape;
  facts.lengths = value.lengths;
  for (std::string_view symbol : value.symbols)
    facts.symbols.emplace_back(symbol);
  return facts;
}

/// The name of a TensorProto.
static std::string nameOfConstant(Bytes bytes) {
  onnx::WireReader wire(bytes);
  std::string name;
  while (auto field = wire.next())
    if (field->number == 8 && field->isBytes())
      name = field->text();
  return name;
}

bool ModelGraph::readTensors(const onnx::GraphParts &graph,
                             DiagnosticEngine &diags) {
  for (Bytes bytes : graph.initializers)
    constants.emplace(nameOfConstant(bytes), bytes);
  auto take = [&](Bytes bytes, std::vector<std::string> *list) {
    onnx::ValueParts value;
    if (const char *why = onnx::parse(bytes, value))
      return malformed(diags, why);
    std::string name(value.name);
    if (list && !(list == &inputList && isConstant(name)))
      list->push_back(name);
    facts.emplace(name, factsIn(value));
    return true;
  };
  bool ok = true;
  for (Bytes bytes : graph.inputs)
    ok = ok && take(bytes, &inputList);
  for (Bytes bytes : graph.outputs)
    ok = ok && take(bytes, &outputList);
  for (Bytes bytes : graph.valueInfos)
    ok = ok && take(bytes, nullptr);
  outputSet.insert(outputList.begin(), outputList.end());
  return ok;
}

namespace {

/// Finds the tensors that the sub-graphs of a node read from outside of them,
/// and the operators that they have.
class OuterReads {
public:
  std::vector<std::string> found;
  std::set<std::pair<std::string, std::string>> operators;
  const char *problem = nullptr;

  void node(const onnx::NodeParts &parts) {
    for (Bytes bytes : parts.attributes) {
      onnx::AttributeParts attribute;
      if (!check(onnx::parse(bytes, attribute)))
        return;
      if (!attribute.graph.empty())
        graph(attribute.graph);
    }
  }

private:
  bool check(const char *why) {
    if (why)
      problem = why;
    return !problem;
  }

  void graph(Bytes bytes) {
    onnx::GraphParts parts;
    if (scopes.size() > 32 || !check(onnx::parse(bytes, parts)))
      return;
    std::set<std::string, std::less<>> &own = scopes.emplace_back();
    for (Bytes constant : parts.initializers)
      own.insert(nameOfConstant(constant));
    for (Bytes input : parts.inputs) {
      onnx::ValueParts value;
      if (!check(onnx::parse(input, value)))
        return;
      own.emplace(value.name);
    }
    std::vector<onnx::NodeParts> nodes(parts.nodes.size());
    for (std::size_t i = 0; i < nodes.size(); ++i) {
      if (!check(onnx::parse(parts.nodes[i], nodes[i])))
        return;
      for (std::string_view name : nodes[i].outputs)
        own.emplace(name);
    }
    for (const onnx::NodeParts &each : nodes) {
      operators.emplace(each.op, each.domain);
      for (std::string_view name : each.inputs)
        read(name);
      node(each);
    }
    for (Bytes output : parts.outputs) {
      onnx::ValueParts value;
      if (!check(onnx::parse(output, value)))
        return;
      read(value.name);
    }
    scopes.pop_back();
  }

  void read(std::string_view name) {
    if (!name.empty() && std::ranges::none_of(scopes, [&](const auto &own) {
          return own.contains(name);
        }))
      found.emplace_back(name);
  }

  std::deque<std::set<std::string, std::less<>>> scopes;
};

} // namespace

bool ModelGraph::readNodes(const onnx::GraphParts &graph,
                           DiagnosticEngine &diags) {
  for (Bytes bytes : graph.nodes) {
    onnx::NodeParts parts;
    if (const char *why = onnx::parse(bytes, parts))
      return malformed(diags, why);
    ModelNode node{bytes, std::string(parts.name), std::string(parts.op),
                   parts.domain};
    node.position = nodeList.size();
    for (std::string_view name : parts.inputs)
      if (!name.empty())
        node.reads.emplace_back(name);
    for (std::string_view name : parts.outputs)
      if (!name.empty())
        node.writes.emplace_back(name);
    OuterReads outer;
    outer.node(parts);
    if (outer.problem)
      return malformed(diags, outer.problem);
    node.reads.insert(node.reads.end(), outer.found.begin(), outer.found.end());
    node.inner = std::move(outer.operators);
    nodeList.push_back(std::move(node));
  }
  return true;
}

/// Of the nodes that may come next the first one of the file does.
bool ModelGraph::sortNodes(DiagnosticEngine &diags) {
  indexNodes();
  std::vector<std::size_t> waitsFor(nodeList.size());
  std::priority_queue<std::size_t, std::vector<std::size_t>, std::greater<>>
      ready;
  for (std::size_t i = 0; i < nodeList.size(); ++i) {
    for (const std::string &name : nodeList[i].reads)
      waitsFor[i] += writers.contains(name);
    if (!waitsFor[i])
      ready.push(i);
  }
  std::vector<ModelNode> sorted;
  while (!ready.empty()) {
    std::size_t next = ready.top();
    ready.pop();
    for (const std::string &name : nodeList[next].writes)
      for (std::size_t reader : readersOf(name))
        if (--waitsFor[reader] == 0)
          ready.push(reader);
    sorted.push_back(nodeList[next]);
  }
  if (sorted.size() != nodeList.size())
    return malformed(diags, "nodes that wait for one another in a circle");
  nodeList = std::move(sorted);
  return true;
}

/// A node that reads a tensor twice is listed twice.
void ModelGraph::indexNodes() {
  writers.clear();
  readers.clear();
  for (std::size_t i = 0; i < nodeList.size(); ++i) {
    for (const std::string &name : nodeList[i].writes)
      writers.emplace(name, i);
    for (const std::string &name : nodeList[i].reads)
      readers[name].push_back(i);
  }
}

void ModelGraph::nameNodes() {
  std::set<std::string> taken;
  for (const ModelNode &node : nodeList)
    taken.insert(node.name);
  std::set<std::string> seen;
  for (ModelNode &node : nodeList) {
    std::string base = node.name.empty() ? node.op : node.name;
    for (std::size_t n = node.position;
         node.name.empty() || seen.contains(node.name); ++n)
      if (std::string tried = base + "_" + std::to_string(n);
          taken.insert(tried).second)
        node.name = tried;
    seen.insert(node.name);
  }
}

std::int64_t ModelGraph::writerOf(const std::string &tensor) const {
  auto it = writers.find(tensor);
  return it == writers.end() ? -1 : std::int64_t(it->second);
}

std::span<const std::size_t>
ModelGraph::readersOf(const std::string &tensor) const {
  auto it = readers.find(tensor);
  if (it == readers.end())
    return {};
  return it->second;
}

std::vector<std::size_t>
ModelGraph::nodesBefore(const std::set<std::string> &tensors) const {
  std::set<std::size_t> found;
  std::vector<std::string> open(tensors.begin(), tensors.end());
  while (!open.empty()) {
    std::int64_t writer = writerOf(open.back());
    open.pop_back();
    if (writer < 0 || !found.insert(std::size_t(writer)).second)
      continue;
    const std::vector<std::string> &reads = nodeList[std::size_t(writer)].reads;
    open.insert(open.end(), reads.begin(), reads.end());
  }
  return {found.begin(), found.end()};
}

const TensorFacts *ModelGraph::factsOf(const std::string &tensor) const {
  auto it = facts.find(tensor);
  return it == facts.end() || !it->second.elementType ? nullptr : &it->second;
}

void ModelGraph::learn(const std::string &tensor, TensorFacts known) {
  TensorFacts &to = facts[tensor];
  if (!to.elementType)
    to.elementType = known.elementType;
  if (!to.isStatic()) {
    to.hasShape = known.hasShape;
    to.lengths = std::move(known.lengths);
    to.symbols = std::move(known.symbols);
  }
}

void ModelGraph::setLengths(const std::string &input, Lengths lengths) {
  TensorFacts &to = facts[input];
  to.hasShape = true;
  to.symbols.assign(lengths.size(), "");
  to.lengths = std::move(lengths);
}

std::string_view ModelGraph::rawConstant(const std::string &tensor) const {
  auto it = constants.find(tensor);
  if (it == constants.end())
    return {};
  constexpr std::uint32_t kRawData = 9;
  onnx::WireReader wire(it->second);
  while (auto field = wire.next())
    if (field->number == kRawData && field->isBytes())
      return field->text();
  return {};
}

//===----------------------------------------------------------------------===//
// Cutting
//===----------------------------------------------------------------------===//

static WireWriter shapeMessage(const Lengths &lengths,
                               const std::vector<std::string> &symbols) {
  WireWriter shape;
  for (std::size_t i = 0; i < lengths.size(); ++i) {
    WireWriter dimension;
    if (lengths[i] >= 0)
      dimension.integer(1, lengths[i]);
    else if (i < symbols.size() && !symbols[i].empty())
      dimension.text(2, symbols[i]);
    shape.message(1, dimension);
  }
  return shape;
}

/// A ValueInfoProto; with a shape if \p hasShape.
static WireWriter valueMessage(const std::string &name,
                               const TensorFacts *facts, bool hasShape,
                               const Lengths *given) {
  WireWriter tensor, type, wire;
  wire.text(1, name);
  if (!facts)
    return wire;
  tensor.integer(1, facts->elementType);
  if (given)
    tensor.message(2, shapeMessage(*given, {}));
  else if (hasShape && facts->hasShape)
    tensor.message(2, shapeMessage(facts->lengths, facts->symbols));
  type.message(1, tensor);
  wire.message(2, type);
  return wire;
}

/// A field of \p bytes, which need not be copied into a message first.
static void appendField(std::string &to, std::uint32_t field,
                        std::string_view bytes) {
  WireWriter header;
  header.header(field, bytes.size());
  to += header.bytes();
  to += bytes;
}
static std::string_view textOf(Bytes bytes) {
  return {reinterpret_cast<const char *>(bytes.data()), bytes.size()};
}

CutModel ModelGraph::cut(std::span<const std::size_t> part,
                         const GivenLengths &given) const {
  CutModel result;
  std::set<std::size_t> members(part.begin(), part.end());
  std::set<std::string, std::less<>> written, seen;
  for (std::size_t i : part)
    written.insert(nodeList[i].writes.begin(), nodeList[i].writes.end());

  std::string body;
  for (std::size_t i : part) {
    const ModelNode &node = nodeList[i];
    // The last field of a number is the one that counts.
    WireWriter name;
    name.text(3, node.name);
    appendField(body, 1,
                std::string(textOf(node.bytes)) + std::string(name.bytes()));
    for (const std::string &tensor : node.reads) {
      if (written.contains(tensor) || !seen.insert(tensor).second)
        continue;
      if (auto constant = constants.find(tensor); constant != constants.end())
        appendField(body, 5, textOf(constant->second));
      else
        result.inputs.push_back(tensor);
    }
    for (const std::string &tensor : node.writes)
      if (isOutput(tensor) ||
          std::ranges::any_of(readersOf(tensor), [&](std::size_t reader) {
            return !members.contains(reader);
          }))
        result.outputs.push_back(tensor);
  }
  WireWriter graph;
  graph.text(2, "part");
  for (const std::string &tensor : result.inputs) {
    auto lengths = given.find(tensor);
    graph.message(
        11, valueMessage(tensor, factsOf(tensor), true,
                         lengths == given.end() ? nullptr : &lengths->second));
  }
  for (const std::string &tensor : result.outputs)
    graph.message(12, valueMessage(tensor, factsOf(tensor), false, nullptr));
  body += graph.bytes();

  WireWriter head;
  head.integer(1, model.irVersion);
  for (const auto &[domain, version] : model.operatorSets) {
    WireWriter set;
    set.text(1, domain);
    set.integer(2, version);
    head.message(8, set);
  }
  result.bytes.reserve(body.size() + head.bytes().size() + 16);
  result.bytes = head.bytes();
  appendField(result.bytes, 7, body);
  for (Bytes function : model.functions)
    appendField(result.bytes, 25, textOf(function));
  return result;
}
