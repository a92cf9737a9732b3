//===- PluginOperator.cpp - Operators that come with a plugin -------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "dialects/compass/custom/PluginOperator.h"
#include "dialects/compass/AddOperator.h"
#include "mlir/IR/BuiltinAttributes.h"

using namespace yarrow;
using namespace yarrow::compass;
using namespace mlir;

/// Never shorter: the records point to its elements.
static std::vector<std::unique_ptr<const PluginOperator>> &plugins() {
  static std::vector<std::unique_ptr<const PluginOperator>> all;
  return all;
}

bool compass::addPluginOperator(std::unique_ptr<PluginOperator> plugin) {
  plugin->record.plugin = plugin.get();
  if (!addOperator(plugin->record))
    return false;
  plugins().push_back(std::move(plugin));
  return true;
}

ArrayRef<std::unique_ptr<const PluginOperator>> compass::pluginOperators() {
  return plugins();
}

const PluginOperator *compass::findOnnxPlugin(StringRef type,
                                              StringRef domain) {
  for (const auto &plugin : plugins())
    if (plugin->onnxType == type && plugin->onnxDomain == domain)
      return plugin.get();
  return nullptr;
}

void compass::setLayerType(OperationState &state,
                           const OperatorRecord &record) {
  if (record.plugin)
    state.addAttribute("layer_type",
                       StringAttr::get(state.getContext(), record.layerType));
}
