//===- ExtraNumbers.cpp - Numbers that no record knows --------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "dialects/compass/ExtraNumbers.h"
#include "dialects/compass/Compass.h"
#include "dialects/compass/Tensors.h"

using namespace yarrow;
using namespace yarrow::compass;
using namespace mlir;

SmallVector<double> compass::extraNumbers(Operation *op, StringRef name) {
  SmallVector<double> values;
  if (auto extra = op->getAttrOfType<ArrayAttr>(kExtraKeysAttr))
    for (Attribute item : extra) {
      auto pair = dyn_cast<ArrayAttr>(item);
      if (!pair || pair.size() != 2 ||
          cast<StringAttr>(pair[0]).getValue() != name)
        continue;
      SmallVector<StringRef> words;
      StringRef text = cast<StringAttr>(pair[1]).getValue();
      text.trim("[]").split(words, ',');
      for (StringRef word : words) {
        double value = 0;
        if (!word.trim().getAsDouble(value))
          values.push_back(value);
      }
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
