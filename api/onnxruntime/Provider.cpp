//===- Provider.cpp - The NPU for a session of ONNX Runtime ---------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "api/onnxruntime/Provider.h"
#include "api/onnxruntime/Context.h"
#include "api/onnxruntime/Ort.h"
#include "api/onnxruntime/Profile.h"
#include "api/onnxruntime/Samples.h"
#include "support/AtomicFile.h"
#include "support/ReportDocument.h"

#include <algorithm>
#include <numeric>
#include <sstream>

using namespace yarrow;
using namespace yarrow::ort;

Provider::Provider(Options given, const Logger *logger)
    : Ep{}, options(std::move(given)), logger(logger) {
  version = ortApi().version;
  getName = [](const Ep *) { return kProviderName; };
  getCapability = [](Ep *self, const Graph *graph, SupportInfo *support) {
    return guarded(
        [&] { static_cast<Provider *>(self)->findParts(graph, support); });
  };
  compile = [](Ep *self, const Graph **graphs, const Node **fused,
               std::size_t count, NodeCompute **computes,
               Node **contexts) -> Status * {
    auto *provider = static_cast<Provider *>(self);
    return guarded([&] {
      for (std::size_t i = 0; i < count; ++i) {
        computes[i] = provider->compilePart(graphs[i], fused[i]);
        const PartSpec &spec = provider->nodes.at(computes[i])->spec();
        if (provider->options.makesContext)
          contexts[i] =
              contextNode(spec, provider->options, provider->modelPath);
      }
    });
  };
  releaseNodeComputes = [](Ep *self, NodeCompute **computes,
                           std::size_t count) {
    for (std::size_t i = 0; i < count; ++i)
      static_cast<Provider *>(self)->release(computes[i]);
  };
  runsSideBySide = [](Ep *, bool *answer) -> Status * {
    *answer = true;
    return nullptr;
  };
  createProfiler = [](Ep *, Profiler **profiler) {
    return guarded([&] { *profiler = new ProfileCollector(); });
  };
}

//===----------------------------------------------------------------------===//
// Parts
//===----------------------------------------------------------------------===//

static std::vector<std::string>
writtenBy(const std::vector<const Node *> &nodes) {
  const Ort &api = ortApi();
  std::vector<std::string> names;
  for (const Node *node : nodes)
    for (const ValueInfo *value :
         listOf<ValueInfo>(api.nodeGetNumOutputs, api.nodeGetOutputs, node))
      if (value)
        names.push_back(textOf(api.getValueInfoName, value));
  std::ranges::sort(names);
  return names;
}

static std::vector<const Node *> nodesOf(const Graph *graph) {
  return listOf<Node>(ortApi().graphGetNumNodes, ortApi().graphGetNodes, graph);
}

static void give(SupportInfo *support, const std::vector<const Node *> &nodes) {
  FusionOptions fusion{kNeededVersion, /*keepsConstants=*/true};
  check(ortApi().addNodesToFuse(support, nodes.data(), nodes.size(), &fusion));
}

void Provider::takeContexts(const std::vector<const Node *> &all,
                            SupportInfo *support) {
  for (const Node *node : all)
    if (isOurContext(node))
      give(support, {node});
}

void Provider::findParts(const Graph *ortGraph, SupportInfo *support) {
  const Ort &api = ortApi();
  // What is inside of a loop or a branch goes with its node, or stays.
  const Node *parent = nullptr;
  check(api.graphGetParentNode(ortGraph, &parent));
  std::vector<const Node *> all = nodesOf(ortGraph);
  if (parent || all.empty())
    return;
  modelPath = textOf(api.graphGetModelPath, ortGraph);
  if (std::ranges::any_of(all, isOurContext))
    return takeContexts(all, support);

  DiagnosticEngine diags;
  std::string bytes = modelOf(ortGraph);
  std::shared_ptr<provider::ModelGraph> graph = provider::ModelGraph::read(
      MappedFile::ofMemory(modelPath.empty() ? "the model" : modelPath,
                           std::as_bytes(std::span(bytes))),
      diags);
  if (!graph)
    throw failureOf(diags, "the Yarrow provider cannot read the graph");
  bytes = {};
  options.part.calibration = samplesFor(graph->inputs(), options.calibration);
  provider::PartCompiler compiler(options.part);
  provider::Partition partition =
      provider::divide(*graph, compiler, options.worth);
  if (!options.calibration.empty())
    quantizeInnerParts(*graph, partition);
  summary = provider::toJson(*graph, partition);
  logPartition(*graph, partition);
  for (std::size_t p = 0; p < partition.parts.size(); ++p) {
    const provider::Part &part = partition.parts[p];
    std::vector<const Node *> members;
    for (std::size_t node : part.nodes)
      members.push_back(all[graph->nodes()[node].position]);
    found[writtenBy(members)] = {
        provider::nameOfPart(p), part.executable, {graph, part.nodes}};
    give(support, members);
  }
}

/// Parts that read what other nodes compute: there are no samples for these
/// tensors but those that the nodes make of the samples for the model.
void Provider::quantizeInnerParts(const provider::ModelGraph &graph,
                                  provider::Partition &partition) const {
  for (std::size_t p = 0; p < partition.parts.size(); ++p) {
    provider::Part &part = partition.parts[p];
    if (part.isQuantizedHere || !part.executable)
      continue;
    DiagnosticEngine diags;
    provider::CutModel cut = graph.cut(part.nodes);
    auto network =
        provider::PartCompiler(options.part).import(graph.path(), cut, diags);
    if (!network || network->isQuantized())
      continue;
    try {
      provider::PartSettings settings = options.part;
      std::set<std::string> inner;
      for (const std::string &input : part.inputs)
        if (graph.writerOf(input) >= 0)
          inner.insert(input);
        else if (!settings.calibration.contains(input))
          throw Failure("the model's input " + input + " has no samples");
      settings.arrays = samplesInside(graph, inner, settings.calibration);
      auto integers =
          provider::PartCompiler(settings).compile(graph.path(), cut, diags);
      if (!integers.executable || !integers.isQuantizedHere)
        throw failureOf(diags, "it cannot be quantized");
      part.executable = integers.executable;
      part.isQuantizedHere = true;
      part.isCached = integers.isCached;
    } catch (const std::exception &why) {
      notify(logger, kWarning,
             provider::nameOfPart(p) + " stays in floats: " + why.what());
    }
  }
}

/// What is left out is worth a warning; a few lines of it are enough.
void Provider::logPartition(const provider::ModelGraph &graph,
                            const provider::Partition &partition) const {
  constexpr std::size_t kMostWarnings = 12;
  std::size_t numWarnings = 0;
  std::istringstream lines(provider::describe(graph, partition));
  for (std::string line; std::getline(lines, line);) {
    bool isWarning = !partition.leftOut.empty() && !line.starts_with("npu:") &&
                     numWarnings++ < kMostWarnings;
    notify(logger, isWarning ? kWarning : kInfo, line);
  }
}

static std::vector<NodeTensor>
tensorsOf(const std::vector<const ValueInfo *> &values) {
  std::vector<NodeTensor> tensors;
  tensors.reserve(values.size());
  for (const ValueInfo *value : values)
    tensors.push_back(
        {textOf(ortApi().getValueInfoName, value), typeOf(value)});
  return tensors;
}

NodeCompute *Provider::compilePart(const Graph *ortGraph, const Node *fused) {
  const Ort &api = ortApi();
  std::vector<const Node *> members = nodesOf(ortGraph);
  PartSpec spec;
  spec.nodeName = textOf(api.nodeGetName, fused);
  spec.inputs = tensorsOf(
      listOf<ValueInfo>(api.nodeGetNumInputs, api.nodeGetInputs, fused));
  spec.outputs = tensorsOf(
      listOf<ValueInfo>(api.nodeGetNumOutputs, api.nodeGetOutputs, fused));
  if (members.size() == 1 && isOurContext(members.front())) {
    spec.name = spec.nodeName;
    readContext(members.front(), modelPath, spec);
  } else {
    auto part = found.extract(writtenBy(members));
    if (part.empty())
      throw Failure("ONNX Runtime asks for a part that it was not given");
    spec.name = part.mapped().name;
    spec.executable = part.mapped().executable;
    spec.source = part.mapped().source;
  }
  auto node = std::make_unique<PartNode>(std::move(spec), options, logger);
  NodeCompute *result = node.get();
  nodes[result] = std::move(node);
  return result;
}

//===----------------------------------------------------------------------===//
// The end
//===----------------------------------------------------------------------===//

void Provider::release(NodeCompute *node) {
  auto it = nodes.find(node);
  if (it == nodes.end())
    return;
  if (!options.report.empty())
    finished.push_back(it->second->report());
  nodes.erase(it);
}

std::string Provider::text() const {
  ReportDocument report("onnxruntime");
  report.target = options.part.compile.target;
  report.model = modelPath;
  nlohmann::ordered_json root = nlohmann::ordered_json::parse(report.text());
  // Contexts do not say what they were made of.
  nlohmann::ordered_json own = summary;
  if (own.is_null())
    own = {{"nodes", nullptr},
           {"nodes_on_npu", nullptr},
           {"parts", nlohmann::ordered_json::array()},
           {"left_out", nlohmann::ordered_json::array()}};
  own["runs"] = finished;
  root["provider"] = std::move(own);
  // Names of a model can be any bytes.
  return root.dump(2, ' ', false, nlohmann::json::error_handler_t::replace) +
         "\n";
}

void Provider::writeReport() {
  while (!nodes.empty())
    release(nodes.begin()->second.get());
  DiagnosticEngine diags;
  if (!writeFile(options.report, text(), diags))
    throw failureOf(diags, "the report is not written");
}

Provider::~Provider() {
  if (options.report.empty())
    return;
  try {
    writeReport();
  } catch (const std::exception &error) {
    notify(logger, kError, error.what());
  }
}
