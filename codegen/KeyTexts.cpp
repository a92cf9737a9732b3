//===- KeyTexts.cpp - The keys of a layer as text -------------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "codegen/KeyTexts.h"
#include "dialects/compass/Records.h"
#include "mlir/IR/BuiltinAttributes.h"

#include <nlohmann/json.hpp>

using namespace yarrow;
using namespace yarrow::compass;
using namespace mlir;

template <typename Values, typename Text>
static std::string listText(const Values &values, Text text) {
  std::string list = "[";
  for (const auto &value : values)
    list += (list.size() > 1 ? ", " : "") + text(value);
  return list + "]";
}

/// The shortest text that means this number.
static std::string realText(double value) {
  return nlohmann::json(value).dump();
}

static std::string textOf(Attribute attr) {
  if (auto flag = dyn_cast<BoolAttr>(attr))
    return flag.getValue() ? "true" : "false";
  if (auto number = dyn_cast<IntegerAttr>(attr))
    return std::to_string(number.getInt());
  if (auto number = dyn_cast<FloatAttr>(attr))
    return realText(number.getValueAsDouble());
  if (auto word = dyn_cast<StringAttr>(attr))
    return word.str();
  if (auto symbol = dyn_cast<FlatSymbolRefAttr>(attr))
    return symbol.getValue().str();
  if (auto list = dyn_cast<DenseI64ArrayAttr>(attr))
    return listText(list.asArrayRef(),
                    [](int64_t v) { return std::to_string(v); });
  if (auto list = dyn_cast<DenseF64ArrayAttr>(attr))
    return listText(list.asArrayRef(), realText);
  if (auto list = dyn_cast<ArrayAttr>(attr))
    return listText(list, textOf);
  return "";
}

/// MLIR text leaves such keys out, so that nobody can tell whether they stood
/// in the IR.
static bool isDefault(const KeyRecord &key, StringRef text) {
  double value = 0, standard = 0;
  return !key.defaultText.empty() &&
         (text.equals_insensitive(key.defaultText) ||
          (!text.getAsDouble(value) && !key.defaultText.getAsDouble(standard) &&
           value == standard));
}

KeyTexts yarrow::keyTexts(Operation *op, bool withDefaults) {
  KeyTexts texts;
  if (const OperatorRecord *record = recordOf(op))
    for (const KeyRecord &key : record->keys)
      if (Attribute attr = op->getAttr(key.name);
          attr && !llvm::isa<ElementsAttr>(attr))
        if (std::string text = textOf(attr);
            withDefaults || !isDefault(key, text))
          texts.push_back({key.name.str(), std::move(text)});
  return texts;
}
