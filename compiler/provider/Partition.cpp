//===- Partition.cpp - Which parts of a model the NPU takes ---------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "compiler/provider/Partition.h"
#include "parser/graph/StatedShapes.h"
#include "parser/onnx/TensorReader.h"
#include "support/Format.h"
#include "support/diagnostics/Import.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <deque>
#include <map>
#include <optional>
#include <set>

using namespace yarrow;
using namespace yarrow::provider;

std::size_t Partition::numMoved() const {
  std::size_t count = 0;
  for (const Part &part : parts)
    count += part.nodes.size();
  return count;
}

namespace {

/// The lengths that stand for open ones while a part is tried: one sample, and
/// what most windows fit into, sounds of a part of a second, few steps.
constexpr std::int64_t kTriedBatch = 1, kTriedLengths[] = {64, 512, 1536, 16};

/// Whether values decide how many elements the results have.
bool hasOpenResults(const ModelNode &node) {
  if (!graph::dependsOnValues(node.op, node.domain))
    return false;
  return !graph::isControl(node.op, node.domain) ||
         std::ranges::any_of(node.inner, [](const auto &each) {
           const auto &[op, domain] = each;
           return graph::dependsOnValues(op, domain) &&
                  !graph::isControl(op, domain);
         });
}

class Divider {
public:
  Divider(ModelGraph &graph, const PartCompiler &compiler)
      : graph(graph), compiler(compiler), colours(graph.nodes().size(), 0) {}

  Partition divide(const Worth &worth) {
    leaveOpenResults();
    while (tryGroups())
      ;
    Partition result;
    for (const Group &group : convexGroups(graph, colours))
      keepIfWorth(group, worth, result);
    for (auto &[node, left] : reasons)
      result.leftOut.push_back(left);
    return result;
  }

private:
  /// An executable gives as many elements as there can be, and what others
  /// compute with expects those that there are.
  void leaveOpenResults() {
    for (std::size_t i = 0; i < graph.nodes().size(); ++i) {
      const ModelNode &node = graph.nodes()[i];
      if (!hasOpenResults(node))
        continue;
      for (const std::string &result : node.writes) {
        const TensorFacts *facts = graph.factsOf(result);
        if (!facts || !facts->isStatic())
          leave(i, "",
                "the size of its result " + result + " depends on values");
      }
    }
  }

  /// Tries the groups that there are; true if they have changed.
  bool tryGroups() {
    for (const Group &group : convexGroups(graph, colours))
      if (!tried.contains(group) && !tryGroup(group))
        return true;
    return false;
  }

  /// False if the group cannot be a part as it is.
  bool tryGroup(const Group &group) {
    Part part{group};
    CutModel cut = graph.cut(group);
    if (const std::string *open = unknownInput(cut)) {
      leaveReaders(*open, group);
      return false;
    }
    CompiledPart compiled;
    if (!(isOpen(cut) ? importFor(cut, group, compiled)
                      : compile(cut, group, compiled)))
      return false;
    part.inputs = cut.inputs;
    part.outputs = cut.outputs;
    part.executable = compiled.executable;
    part.isQuantizedHere = compiled.isQuantizedHere;
    part.isCached = compiled.isCached;
    if (part.executable && leavesScalars(*part.executable, group))
      return false;
    if (part.executable) {
      for (const auto &layer : part.executable->program()->provenance().layers)
        part.macs += layer.macs;
      learnOutputs(*part.executable);
    }
    tried.emplace(group, std::move(part));
    return true;
  }

  bool isOpen(const CutModel &cut) const {
    return std::ranges::any_of(cut.inputs, [&](const std::string &input) {
      return !graph.factsOf(input)->isStatic();
    });
  }

  /// False, and nodes are left out, if the part does not compile.
  bool compile(const CutModel &cut, const Group &group, CompiledPart &to) {
    DiagnosticEngine diags;
    to = compiler.compile(graph.path(), cut, diags);
    if (to.executable)
      return true;
    blame(group, diags, to.network.get());
    return false;
  }

  /// The same of a part that is imported alone, for lengths that may be.
  bool importFor(const CutModel &cut, const Group &group, CompiledPart &to) {
    std::deque<DiagnosticEngine> diags;
    for (std::int64_t length : kTriedLengths) {
      CutModel tried = graph.cut(group, guessedLengths(cut, length));
      to.network = compiler.import(graph.path(), tried, diags.emplace_back());
      if (to.network)
        return true;
    }
    blame(group, diags.front(), nullptr);
    return false;
  }

  /// An input of which nothing is known; null if there is none.
  const std::string *unknownInput(const CutModel &cut) const {
    for (const std::string &input : cut.inputs) {
      const TensorFacts *facts = graph.factsOf(input);
      if (!facts || !facts->hasShape)
        return &input;
    }
    return nullptr;
  }

  void leaveReaders(const std::string &tensor, const Group &group) {
    for (std::size_t node : graph.readersOf(tensor))
      if (std::ranges::binary_search(group, node))
        leave(node, "",
              "the model does not state the shape of " + tensor +
                  ", which it reads");
  }

  GivenLengths guessedLengths(const CutModel &cut, std::int64_t length) const {
    GivenLengths guessed;
    std::map<std::string, std::int64_t> ofSymbol;
    for (const std::string &input : cut.inputs) {
      const TensorFacts *facts = graph.factsOf(input);
      if (facts->isStatic())
        continue;
      Lengths lengths = facts->lengths;
      for (std::size_t axis = 0; axis < lengths.size(); ++axis) {
        if (lengths[axis] >= 0)
          continue;
        lengths[axis] = axis == 0 ? kTriedBatch : length;
        if (axis < facts->symbols.size() && !facts->symbols[axis].empty())
          lengths[axis] = ofSymbol.emplace(facts->symbols[axis], lengths[axis])
                              .first->second;
      }
      guessed[input] = std::move(lengths);
    }
    return guessed;
  }

  /// Layers have no scalars: a tensor without axes is one with an axis. ONNX
  /// Runtime states no shape for results of loops and branches, so that nobody
  /// says which it is. True if nodes were left out.
  bool leavesScalars(const session::Executable &executable,
                     const Group &group) {
    std::size_t before = reasons.size();
    for (const runtime::IoDescription &output :
         executable.program()->outputs()) {
      std::int64_t writer = graph.writerOf(output.name);
      const TensorFacts *facts = graph.factsOf(output.name);
      if (writer < 0 || output.shape != Lengths{1} ||
          (facts && facts->hasShape))
        continue;
      const ModelNode &node = graph.nodes()[std::size_t(writer)];
      if (graph::isControl(node.op, node.domain) &&
          std::ranges::binary_search(group, std::size_t(writer)))
        leave(std::size_t(writer), "",
              "the model does not state whether its result " + output.name +
                  " has an axis");
    }
    return reasons.size() > before;
  }

  void learnOutputs(const session::Executable &executable) {
    for (const runtime::IoDescription &output :
         executable.program()->outputs()) {
      if (output.isQuantized || output.type != isa::DataF32)
        continue;
      TensorFacts facts;
      facts.elementType = onnx::elementNumber(ElementType::F32);
      facts.hasShape = true;
      facts.lengths = output.shape;
      graph.learn(output.name, std::move(facts));
    }
  }

  /// Leaves the nodes out that errors name; where they name none, the group
  /// falls into two, which are tried for themselves.
  void blame(const Group &group, const DiagnosticEngine &diags,
             const session::Network *network) {
    std::size_t before = reasons.size();
    const Diagnostic *first = nullptr;
    for (const Diagnostic &d : diags.all()) {
      if (!d.isError())
        continue;
      first = first ? first : &d;
      if (auto node = nodeOf(d, group, network))
        leaveLike(*node, d, group);
    }
    if (reasons.size() > before)
      return;
    if (group.size() == 1) {
      leave(group.front(), first ? first->id->code : "",
            first ? first->message : "it cannot be compiled");
      return;
    }
    int colour = ++lastColour;
    for (std::size_t i = group.size() / 2; i < group.size(); ++i)
      colours[group[i]] = colour;
  }

  /// An unknown operator is told once for all nodes that have it.
  void leaveLike(std::size_t node, const Diagnostic &d, const Group &group) {
    const ModelNode &named = graph.nodes()[node];
    for (std::size_t other : group) {
      const ModelNode &each = graph.nodes()[other];
      if (other == node || (d.id == diag::ImportUnknownOperator &&
                            each.op == named.op && each.domain == named.domain))
        leave(other, std::string(d.id->code), d.message);
    }
  }

  void leave(std::size_t node, std::string_view code, std::string why) {
    colours[node] = kLeftOut;
    reasons.emplace(node, LeftOut{node, std::string(code), std::move(why)});
  }

  std::optional<std::size_t> nodeOf(const Diagnostic &d, const Group &group,
                                    const session::Network *network) const {
    auto find = [&](auto &&isIt) -> std::optional<std::size_t> {
      for (std::size_t i : group)
        if (isIt(graph.nodes()[i]))
          return i;
      return std::nullopt;
    };
    constexpr std::string_view kNode = ": node ";
    if (std::size_t at = d.place.file.rfind(kNode); at != std::string::npos) {
      std::string_view name =
          std::string_view(d.place.file).substr(at + kNode.size());
      if (auto node = find([&](const ModelNode &n) { return n.name == name; }))
        return node;
    }
    if (d.place.layer.empty())
      return std::nullopt;
    if (network)
      for (const graph::ImportedTensor &tensor : network->imported())
        if (tensor.layer == d.place.layer && !tensor.node.empty())
          if (auto node = find(
                  [&](const ModelNode &n) { return n.name == tensor.node; }))
            return node;
    return find([&](const ModelNode &n) { return n.name == d.place.layer; });
  }

  void keepIfWorth(const Group &group, const Worth &worth, Partition &result) {
    Part &part = tried.at(group);
    std::string why;
    if (group.size() < worth.minNodes)
      why = "its part has " + std::to_string(group.size()) +
            " nodes, and at least " + std::to_string(worth.minNodes) +
            " are worth moving";
    else if (part.executable && part.macs < worth.minMacs)
      why = "its part has " + std::to_string(part.macs) +
            " MACs, and at least " + std::to_string(worth.minMacs) +
            " are worth moving";
    if (why.empty())
      return result.parts.push_back(std::move(part));
    for (std::size_t node : group)
      leave(node, "", why);
  }

  ModelGraph &graph;
  const PartCompiler &compiler;
  std::vector<int> colours;
  int lastColour = 0;
  std::map<Group, Part> tried;
  std::map<std::size_t, LeftOut> reasons;
};

} // namespace

Partition yarrow::provider::divide(ModelGraph &graph,
                                   const PartCompiler &compiler,
                                   const Worth &worth) {
  return Divider(graph, compiler).divide(worth);
}

std::string yarrow::provider::nameOfPart(std::size_t index) {
  return "part_" + std::to_string(index);
}

static std::string listOf(const std::vector<std::string> &names) {
  std::string text;
  for (const std::string &name : names)
    text += (text.empty() ? "" : ", ") + name;
  return text;
}

std::string yarrow::provider::describe(const ModelGraph &graph,
                                       const Partition &partition) {
  std::string text = std::to_string(partition.numMoved()) + " of " +
                     std::to_string(graph.nodes().size()) +
                     " nodes on the NPU, in " +
                     std::to_string(partition.parts.size()) +
                     (partition.parts.size() == 1 ? " part\n" : " parts\n");
  for (std::size_t p = 0; p < partition.parts.size(); ++p) {
    const Part &part = partition.parts[p];
    text += "npu: " + nameOfPart(p) + ", " + std::to_string(part.nodes.size()) +
            (part.nodes.size() == 1 ? " node, " : " nodes, ") +
            (part.executable ? formatCount(part.macs) + " MACs"
                             : "compiled for the shapes of a run") +
            ": " + listOf(part.inputs) + " -> " + listOf(part.outputs) + "\n";
  }
  for (const LeftOut &left : partition.leftOut)
    text += "cpu: " + graph.nodes()[left.node].describe() + ": " +
            (left.code.empty() ? "" : left.code + ": ") + left.why + "\n";
  return text;
}

nlohmann::ordered_json yarrow::provider::toJson(const ModelGraph &graph,
                                                const Partition &partition) {
  using Json = nlohmann::ordered_json;
  Json parts = Json::array(), left = Json::array();
  for (std::size_t p = 0; p < partition.parts.size(); ++p) {
    const Part &part = partition.parts[p];
    Json nodes = Json::array();
    for (std::size_t node : part.nodes)
      nodes.push_back(graph.nodes()[node].name);
    parts.push_back({{"name", nameOfPart(p)},
                     {"nodes", nodes},
                     {"inputs", part.inputs},
                     {"outputs", part.outputs},
                     {"macs", part.executable ? Json(part.macs) : Json()},
                     {"is_quantized_here", part.isQuantizedHere}});
  }
  for (const LeftOut &each : partition.leftOut) {
    const ModelNode &node = graph.nodes()[each.node];
    left.push_back({{"node", node.name},
                    {"operator", node.op},
                    {"domain", node.domain},
                    {"code", each.code.empty() ? Json() : Json(each.code)},
                    {"why", each.why}});
  }
  return {{"nodes", graph.nodes().size()},
          {"nodes_on_npu", partition.numMoved()},
          {"parts", parts},
          {"left_out", left}};
}
