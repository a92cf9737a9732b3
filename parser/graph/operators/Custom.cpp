//===- Custom.cpp - Operators that came with a plugin ---------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "dialects/compass/custom/PluginOperator.h"
#include "parser/graph/OperatorTable.h"

using namespace yarrow;
using namespace yarrow::graph;
using namespace mlir;
using compass::KeyKind;

/// An attribute as the key of its name; nullopt if it is of another kind.
static std::optional<Key> keyOf(const compass::KeyRecord &key,
                                const graph::Attribute &attribute) {
  std::string name = key.name.str();
  bool isInt = attribute.kind == graph::Attribute::Kind::Int;
  switch (key.kind) {
  case KeyKind::Int:
    if (isInt)
      return Key(name, attribute.integer);
    break;
  case KeyKind::Bool:
    if (isInt)
      return Key(name, attribute.integer != 0);
    break;
  case KeyKind::Float:
    if (attribute.kind == graph::Attribute::Kind::Float)
      return Key(name, double(attribute.number));
    break;
  default:
    if (attribute.kind == graph::Attribute::Kind::String)
      return Key(name, attribute.text);
  }
  return std::nullopt;
}

LogicalResult graph::emitCustom(NodeEmitter &n) {
  const compass::PluginOperator &plugin =
      *compass::findOnnxPlugin(n.node.op, n.node.domain);
  SmallVector<Value> operands;
  for (size_t i = 0; i < plugin.inputs.size(); ++i) {
    if (!n.has(i))
      return n.bad("an input is left out", "no input",
                   plugin.inputs[i].name.str());
    operands.push_back(n.in(i));
  }
  ArrayRef<compass::KeyRecord> own =
      ArrayRef(plugin.keys).take_front(plugin.numKeys);
  Keys keys;
  for (const auto &[name, attribute] : n.node.attributes) {
    const auto *known = llvm::find_if(
        own, [&](const compass::KeyRecord &key) { return key.name == name; });
    if (known == own.end())
      return n.bad("the plugin has no key for an attribute", name,
                   "the keys of " + plugin.file);
    std::optional<Key> key = keyOf(*known, attribute);
    if (!key)
      return n.bad("an attribute has a different type than the plugin's key",
                   name, known->doc.str());
    keys.push_back(std::move(*key));
  }
  SmallVector<compass::DType> elements(plugin.outputs.size(),
                                       compass::DType::F32);
  SmallVector<Value> results =
      n.build.layers(plugin.record.layerType, operands, keys, elements);
  for (auto [i, result] : llvm::enumerate(results))
    if (n.isTaken(i) && failed(n.out(i, result)))
      return failure();
  return success();
}
