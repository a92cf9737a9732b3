//===- KernelHeader.cpp - What the kernels of a plugin include ------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "compiler/plugin/RecordReader.h"

#include "llvm/ADT/StringExtras.h"

using namespace yarrow;
using namespace yarrow::compass;

/// Each of 4 bytes, as the kernels have it (customParams).
static std::string typeOf(const KeyRecord &key, const std::string &layerType) {
  switch (key.kind) {
  case KeyKind::Float:
    return "float";
  case KeyKind::Bool:
    return "uint32_t";
  case KeyKind::Word:
    return layerType + "_" + key.name.str();
  default:
    return "int32_t";
  }
}

static std::string comment(llvm::StringRef text) {
  std::string line = text.str();
  for (char &c : line)
    if (c == '\n' || c == '\r' || c == '\\')
      c = ' ';
  return "///< " + line;
}

std::string yarrow::kernelHeader(const PluginOperator &plugin) {
  std::string type = plugin.record.layerType.str(), words, keys;
  for (unsigned i = 0; i < plugin.numKeys; ++i) {
    const KeyRecord &key = plugin.keys[i];
    std::string keyType = typeOf(key, type);
    if (key.kind == KeyKind::Word)
      words += "enum class " + keyType + " : uint32_t { " +
               llvm::join(key.words, ", ") + " };\n";
    keys += "  " + keyType + " " + key.name.str() + "; " + comment(key.doc) +
            (key.kind == KeyKind::Bool ? " (0 or 1)" : "") + "\n";
  }
  return "// Made by Yarrow from the record of " + type +
         ".\n#pragma once\n#include \"kernels/custom/Custom.h\"\n\n" + words +
         "struct " + type + "Keys {\n" + keys + "};\nusing " + type +
         " = yarrow::kernels::CustomLayer<" +
         std::to_string(plugin.inputs.size()) + ", " +
         std::to_string(plugin.outputs.size()) + ", " +
         std::to_string(plugin.numMultipliers()) + ", " + type + "Keys>;\n";
}
