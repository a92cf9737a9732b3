//===- ZeroPoints.cpp - The zero point of weights -------------------------===//
//--------------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "dialects/compass/ZeroPoints.h"
#include "dialects/compass/Compass.h"
#include "dialects/compass/LayerError.h"

using namespace yarrow;
using namespace yarrow::compass;
using namespace mlir;

/// Values of the key weights_zp, which the reader keeps as text or, one for
/// each channel, as a constant.
static SmallVector<int64_t> weightZeroPoints(Operation *op) {
  SmallVector<int64_t> values;
  if (auto extra = op->getAttrOfType<ArrayAttr>(kExtraKeysAttr))
    for (Attribute item : extra) {
      auto pair = dyn_cast<ArrayAttr>(item);
      if (!pair || pair.size() != 2 ||
          cast<StringAttr>(pair[0]).getValue() != "weights_zp")
        continue;
      SmallVector<StringRef> words;
      StringRef text = cast<StringAttr>(pair[1]).getValue();
      text.trim("[]").split(words, ',');
      for (StringRef word : words) {
        double value = 0; // "0.0" too: the reader has seen that it is whole
        if (!word.trim().getAsDouble(value))
          values.push_back(int64_t(value));
      }
    }
  if (auto extra = op->getAttrOfType<DictionaryAttr>(kExtraConstantsAttr))
    if (auto attr = extra.getAs<ElementsAttr>("weights_zp"))
      if (auto view = viewConstant(attr))
        for (int64_t i = 0, e = view->numElements(); i < e; ++i)
          values.push_back(view->intAt(i));
  return values;
}

FailureOr<int32_t> compass::weightZeroPoint(Operation *op) {
  SmallVector<int64_t> values = weightZeroPoints(op);
  if (values.empty())
    return 0;
  int64_t value = values.front();
  if (!llvm::all_equal(values))
    return layerError(op, DiagId::OpUnsupported, "weights_zp",
                      "zero points of weights that differ among channels are "
                      "not supported yet");
  // Products of 16-bit inputs and their sums stay within 64 bits.
  if (value < -65535 || value > 65535)
    return layerError(op, DiagId::OpIntegerParameters, "weights_zp",
                      "the key weights_zp is out of range")
        .found(Twine(value))
        .expected("-65535 to 65535");
  return int32_t(value);
}
