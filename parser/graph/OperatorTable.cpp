//===- OperatorTable.cpp - The operators that are imported ----------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "parser/graph/OperatorTable.h"
#include <map>

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
  return it == index.end() ? nullptr : it->second;
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
