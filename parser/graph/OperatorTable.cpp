//===- OperatorTable.cpp - The operators that are imported ----------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "parser/graph/OperatorTable.h"
#include "dialects/compass/custom/PluginOperator.h"
#include <map>
#include <mutex>

using namespace yarrow::graph;
using namespace mlir;

static constexpr OperatorEntry kEntries[] = {
#define OPERATOR(NAME, MIN, MAX, OUTPUTS, ORDER, FUNCTION, LAYERS)             \
  {#NAME, "", MIN, MAX, OUTPUTS, AxisOrder::ORDER, FUNCTION, LAYERS},
#define CONTRIB(NAME, MIN, MAX, OUTPUTS, ORDER, FUNCTION, LAYERS)              \
  {#NAME,   "com.microsoft",  MIN,      MAX,                                   \
   OUTPUTS, AxisOrder::ORDER, FUNCTION, LAYERS},
#define TFLITE(NAME, MIN, MAX, OUTPUTS, FUNCTION, LAYERS)                      \
  {#NAME, "tflite", MIN, MAX, OUTPUTS, AxisOrder::Plain, FUNCTION, LAYERS},
#define NNAPI(NAME, MIN, MAX, OUTPUTS, FUNCTION, LAYERS)                       \
  {#NAME, "nnapi", MIN, MAX, OUTPUTS, AxisOrder::Plain, FUNCTION, LAYERS},
#define QNN(NAME, MIN, MAX, OUTPUTS, FUNCTION, LAYERS)                         \
  {#NAME, "qnn", MIN, MAX, OUTPUTS, AxisOrder::Plain, FUNCTION, LAYERS},
#include "parser/graph/Operators.def"
};

std::span<const OperatorEntry> yarrow::graph::allOperatorEntries() {
  return kEntries;
}

/// The entry of an operator that a plugin takes, or null.
static const OperatorEntry *findPluginEntry(std::string_view name,
                                            std::string_view domain) {
  const compass::PluginOperator *plugin = compass::findOnnxPlugin(
      {name.data(), name.size()}, {domain.data(), domain.size()});
  if (!plugin)
    return nullptr;
  // Axes that have names are those that the model has.
  bool isAnyOrder =
      llvm::none_of(plugin->inputShapes, [](const compass::PluginShape &shape) {
        return shape.axes;
      });
  static std::mutex mutex;
  static std::map<const compass::PluginOperator *, OperatorEntry> entries;
  std::lock_guard lock(mutex);
  auto [it, isNew] = entries.try_emplace(
      plugin,
      OperatorEntry{plugin->onnxType.c_str(), plugin->onnxDomain.c_str(),
                    unsigned(plugin->inputs.size()),
                    unsigned(plugin->inputs.size()),
                    unsigned(plugin->outputs.size()),
                    isAnyOrder ? AxisOrder::Any : AxisOrder::Plain, emitCustom,
                    plugin->record.layerType.data()});
  return &it->second;
}

const OperatorEntry *yarrow::graph::findOperator(std::string_view name,
                                                 std::string_view domain) {
  using Index = std::map<std::pair<std::string_view, std::string_view>,
                         const OperatorEntry *>;
  static const Index index = [] {
    Index all;
    for (const OperatorEntry &entry : kEntries)
      all[{entry.domain, entry.name}] = &entry;
    return all;
  }();
  auto it = index.find({domain, name});
  return it == index.end() ? findPluginEntry(name, domain) : it->second;
}

LogicalResult yarrow::graph::emitNode(Emitter &emitter, Node &node) {
  const OperatorEntry *entry = findOperator(node.op, node.domain);
  assert(entry && "unknown operators were refused");
  std::string name = node.name;
  for (const Tensor *output : node.outputs)
    if (name.empty() && output)
      name = output->name;
  emitter.build.setPlace(name, emitter.state.file, node.describe());
  NodeEmitter n(emitter, node);
  if (failed(entry->emit(n)))
    return failure();
  SmallVector<Value> results;
  for (const Tensor *output : node.outputs)
    if (output)
      results.push_back(emitter.defined(output));
  emitter.build.nameLayers(results);
  return success();
}
