//===- FuzzPlugin.cpp - Records of plugins of any kind --------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// Whatever the bytes: no crash and no hang, and a record exactly if there is no
// error. What is taken has what the rest counts on: names that C++ takes, a
// header of its keys, shapes for all tensors.
//
//===----------------------------------------------------------------------===//
#include "compiler/plugin/RecordReader.h"
#include "support/diagnostics/Plugins.h"
#include "test/fuzz/Fuzz.h"

#include <cstdint>

using namespace yarrow;
using fuzz::require;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *data,
                                      std::size_t size) {
  llvm::StringRef text(reinterpret_cast<const char *>(data), size);
  DiagnosticEngine diags;
  auto record = parsePluginRecord(text, "fuzz/fuzz.yaml", diags);
  require(record.has_value() == !diags.hasErrors(),
          "a record exactly if there is no error", &diags);
  for (const Diagnostic &diag : diags.all()) {
    diag.str();
    require(diag.id == diag::PluginRecord, "its code is that of records",
            &diags);
  }
  if (!record)
    return 0;
  ++fuzz::numAccepted;
  const compass::PluginOperator &plugin = *record->plugin;
  require(plugin.inputs.size() == plugin.inputShapes.size() &&
              plugin.outputs.size() == plugin.outputShapes.size(),
          "every tensor has a shape");
  for (const compass::PluginShape &shape : plugin.outputShapes)
    require(shape.axes || shape.like, "outputs have a known shape");
  for (const compass::PluginShape &shape : plugin.inputShapes)
    require(!shape.like || *shape.like < plugin.inputs.size(),
            "an input is like one before");
  require(plugin.numKeys <= plugin.keys.size() &&
              plugin.keyBounds.size() == plugin.numKeys,
          "keys of the plugin come first");
  require(kernelHeader(plugin).size() < 64 * 1024 + 4 * size,
          "the header is about as long as the record");
  return 0;
}
