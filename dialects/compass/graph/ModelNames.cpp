//===- ModelNames.cpp - What the model calls inputs and outputs -----------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "dialects/compass/graph/ModelNames.h"
#include "dialects/compass/Compass.h"
#include "dialects/compass/Header.h"
#include "dialects/compass/graph/Graphs.h"
#include "llvm/ADT/StringExtras.h"

using namespace yarrow;
using namespace yarrow::compass;
using namespace mlir;

/// As one item of a list in IR text. Bytes that are not ASCII are escaped too.
static std::string escaped(StringRef name) {
  std::string text;
  for (char c : name) {
    bool isPlain = c > ' ' && c <= '~' &&
                   StringRef("=,[]#%'\"").find(c) == StringRef::npos;
    if (isPlain)
      text += c;
    else
      text += "%" + llvm::toHex(StringRef(&c, 1));
  }
  return text;
}

static std::string unescaped(StringRef text) {
  std::string name;
  while (!text.empty()) {
    unsigned byte = 0;
    if (text.front() == '%' && text.size() > 2 &&
        !text.substr(1, 2).getAsInteger(16, byte)) {
      name += char(byte);
      text = text.drop_front(3);
      continue;
    }
    name += text.front();
    text = text.drop_front();
  }
  return name;
}

static SmallVector<StringRef> itemsOf(StringRef text) {
  SmallVector<StringRef> items;
  text.consume_front("[");
  text.consume_back("]");
  if (!text.empty())
    text.split(items, ',');
  return items;
}

size_t compass::numModelNames(StringRef text) { return itemsOf(text).size(); }

static std::vector<std::string> namesOf(ModuleOp module, StringRef key,
                                        ValueRange values) {
  std::vector<std::string> names;
  SmallVector<StringRef> items = itemsOf(headerText(module, key));
  for (auto [i, value] : llvm::enumerate(values))
    names.push_back(items.size() == values.size() ? unescaped(items[i].trim())
                                                  : tensorNameOf(value));
  return names;
}

std::vector<std::string> compass::inputNames(ModuleOp module) {
  return namesOf(module, kModelInputsKey, graphInputs(mainGraph(module)));
}

std::vector<std::string> compass::outputNames(ModuleOp module) {
  return namesOf(module, kModelOutputsKey, graphOutputs(mainGraph(module)));
}

static void setNames(ModuleOp module, StringRef key,
                     const std::vector<std::string> &names, ValueRange values) {
  if (names.size() != values.size() || names.empty())
    return;
  SmallVector<std::string> items;
  for (auto [name, value] : llvm::zip_equal(names, values))
    items.push_back(escaped(name.empty() ? tensorNameOf(value) : name));
  setHeaderText(module, key, "[" + llvm::join(items, ",") + "]");
}

void compass::setModelNames(ModuleOp module,
                            const std::vector<std::string> &inputs,
                            const std::vector<std::string> &outputs) {
  func::FuncOp graph = mainGraph(module);
  setNames(module, kModelInputsKey, inputs, graphInputs(graph));
  setNames(module, kModelOutputsKey, outputs, graphOutputs(graph));
}

bool compass::cameInFloats(ModuleOp module) {
  return headerText(module, kSourcePrecisionKey).starts_with("float");
}

void compass::setCameInFloats(ModuleOp module) {
  setHeaderText(module, kSourcePrecisionKey, "float32");
}

void compass::forgetModel(ModuleOp module) {
  for (StringRef key : {kModelInputsKey, kModelOutputsKey, kSourcePrecisionKey})
    dropHeaderText(module, key);
}
