//===- Header.cpp - Keys of the header of an IR ---------------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "dialects/compass/Header.h"
#include "dialects/compass/Compass.h"
#include "mlir/IR/Builders.h"

using namespace yarrow;
using namespace mlir;

std::pair<StringRef, StringRef> compass::headerEntryOf(Attribute entry) {
  auto pair = dyn_cast<ArrayAttr>(entry);
  if (!pair || pair.size() != 2)
    return {};
  auto key = dyn_cast<StringAttr>(pair[0]);
  auto text = dyn_cast<StringAttr>(pair[1]);
  return key && text ? std::pair(key.getValue(), text.getValue())
                     : std::pair<StringRef, StringRef>();
}

StringRef compass::headerText(ModuleOp module, StringRef wanted) {
  if (auto header = module->getAttrOfType<ArrayAttr>(kHeaderAttr))
    for (Attribute entry : header)
      if (auto [key, text] = headerEntryOf(entry); key == wanted)
        return text;
  return {};
}

std::string compass::modelName(ModuleOp module) {
  StringRef name = headerText(module, "model_name");
  return name.empty() ? "model" : name.str();
}

void compass::setHeaderText(ModuleOp module, StringRef key, StringRef text) {
  Builder b(module.getContext());
  Attribute made = b.getStrArrayAttr({key, text});
  SmallVector<Attribute> entries;
  bool hasKey = false;
  if (auto header = module->getAttrOfType<ArrayAttr>(kHeaderAttr))
    for (Attribute entry : header) {
      bool isMeant = headerEntryOf(entry).first == key;
      hasKey |= isMeant;
      entries.push_back(isMeant ? made : entry);
    }
  if (!hasKey)
    entries.push_back(made);
  module->setAttr(kHeaderAttr, b.getArrayAttr(entries));
}

void compass::dropHeaderText(ModuleOp module, StringRef key) {
  auto header = module->getAttrOfType<ArrayAttr>(kHeaderAttr);
  if (!header)
    return;
  SmallVector<Attribute> kept;
  for (Attribute entry : header)
    if (headerEntryOf(entry).first != key)
      kept.push_back(entry);
  module->setAttr(kHeaderAttr, ArrayAttr::get(module.getContext(), kept));
}
