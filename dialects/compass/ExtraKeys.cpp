//===- ExtraKeys.cpp - Keys of a layer that no record knows ---------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "dialects/compass/ExtraKeys.h"
#include "dialects/compass/Compass.h"
#include "dialects/compass/Tensors.h"

using namespace yarrow;
using namespace yarrow::compass;
using namespace mlir;

static StringRef keyOf(Attribute entry) {
  return cast<StringAttr>(cast<ArrayAttr>(entry)[0]).getValue();
}

/// The entries without those that have their key in \p names.
static SmallVector<Attribute> entriesBut(Operation *op,
                                         ArrayRef<StringRef> names) {
  SmallVector<Attribute> kept;
  if (auto entries = op->getAttrOfType<ArrayAttr>(kExtraKeysAttr))
    for (Attribute entry : entries)
      if (!llvm::is_contained(names, keyOf(entry)))
        kept.push_back(entry);
  return kept;
}

StringRef compass::extraText(Operation *op, StringRef name) {
  if (auto entries = op->getAttrOfType<ArrayAttr>(kExtraKeysAttr))
    for (Attribute entry : entries)
      if (keyOf(entry) == name)
        return cast<StringAttr>(cast<ArrayAttr>(entry)[1]).getValue();
  return "";
}

void compass::dropExtraKeys(Operation *op, ArrayRef<StringRef> names) {
  if (op->hasAttr(kExtraKeysAttr))
    op->setAttr(kExtraKeysAttr,
                ArrayAttr::get(op->getContext(), entriesBut(op, names)));
}

SmallVector<double> compass::extraNumbers(Operation *op, StringRef name) {
  SmallVector<double> values;
  SmallVector<StringRef> words;
  extraText(op, name).trim("[]").split(words, ',');
  for (StringRef word : words) {
    double value = 0;
    if (!word.trim().getAsDouble(value))
      values.push_back(value);
  }
  if (auto extra = op->getAttrOfType<DictionaryAttr>(kExtraConstantsAttr))
    if (auto attr = extra.getAs<ElementsAttr>(name))
      if (auto view = viewConstant(attr))
        for (int64_t i = 0, e = view->numElements(); i < e; ++i)
          values.push_back(view->floatAt(i));
  return values;
}

void compass::setExtraConstant(Operation *op, StringRef name,
                               ElementsAttr value) {
  NamedAttrList constants;
  if (auto old = op->getAttrOfType<DictionaryAttr>(kExtraConstantsAttr))
    constants = NamedAttrList(old);
  constants.set(name, value);
  op->setAttr(kExtraConstantsAttr, constants.getDictionary(op->getContext()));
}
