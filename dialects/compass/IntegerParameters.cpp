//===- IntegerParameters.cpp - Numbers and tables of integer layers -------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "dialects/compass/IntegerParameters.h"
#include "dialects/compass/Layers.h"
#include "llvm/Support/MathExtras.h"

using namespace yarrow;
using namespace yarrow::compass;
using namespace mlir;

IntegerParameters::IntegerParameters(Operation *op)
    : op(op), integer(isIntegerLayer(op)) {}

LayerError IntegerParameters::problem(DiagId id, StringRef key,
                                      const Twine &message) {
  good = false;
  return layerError(op, id, key, message);
}

ElementsAttr IntegerParameters::constant(StringRef key) const {
  return integer ? tensorKey(op, key) : ElementsAttr();
}

void IntegerParameters::count(StringRef key, size_t expected,
                              const Twine &what) {
  size_t found = intsKey(op, key).size();
  if (!integer || found == 0 || found == expected)
    return;
  problem(DiagId::OpIntegerParameters, key,
          "the key " + key + " has a wrong number of values")
      .found(Twine(found))
      .expected(Twine(expected) + ": " + what);
}

void IntegerParameters::elements(StringRef key, int64_t expected,
                                 const Twine &what) {
  ElementsAttr attr = constant(key);
  if (!attr || attr.getShapedType().getNumElements() == expected)
    return;
  problem(DiagId::OpIntegerParameters, (key + "_shape").str(),
          "the constant " + key + " has a wrong number of elements")
      .found(Twine(attr.getShapedType().getNumElements()))
      .expected(Twine(expected) + ", " + what);
}

void IntegerParameters::requant(int64_t channels) {
  count("scale_value", 1, "the multiplier of the result");
  count("shift_value", 1, "the right shift of the result");
  // Both absent mean 1 and 0; one alone was lost.
  bool hasScale = op->hasAttr("scale_value") || op->hasAttr("scale"),
       hasShift = op->hasAttr("shift_value") || op->hasAttr("shift");
  if (integer && hasScale != hasShift)
    problem(DiagId::OpIntegerParameters, "",
            Twine("the layer has a ") + (hasScale ? "scale" : "shift") +
                " and no " + (hasScale ? "shift" : "scale"))
        .expected("scale_value and shift_value, or neither");
  for (StringRef key : {"scale", "shift"}) {
    if (channels)
      elements(key, channels, "one per channel");
    else if (constant(key))
      problem(DiagId::OpIntegerParameters, (key + "_shape").str(),
              "the constant " + key + " stands where one number is needed")
          .expected((key + "_value").str());
  }
}

void IntegerParameters::table(StringRef key) {
  ElementsAttr attr = constant(key);
  if (!attr)
    return;
  uint64_t entries = attr.getShapedType().getNumElements();
  unsigned bits = std::min(16u, describe(op->getOperand(0)).bits());
  if (!llvm::isPowerOf2_64(entries) || llvm::Log2_64(entries) > bits)
    problem(DiagId::OpIntegerParameters, (key + "_shape").str(),
            "the table " + key + " has a wrong number of entries")
        .found(Twine(entries))
        .expected("a power of two up to " + Twine(uint64_t(1) << bits) +
                  ", the number of values of the input");
}

void IntegerParameters::resultTable(StringRef key) {
  table(key);
  ElementsAttr attr = constant(key);
  auto view = attr ? viewConstant(attr) : std::nullopt;
  DType out = describe(op->getResult(0)).dtype;
  if (view && view->dtype != out)
    problem(DiagId::OpIntegerParameters, (key + "_type").str(),
            "the table " + key + " has another element type than the result")
        .found(dtypeName(view->dtype))
        .expected(dtypeName(out));
}

void IntegerParameters::rootTable(StringRef key) {
  constexpr int64_t kEntries = 193;
  elements(key, kEntries, "inverse square roots of 64 to 256 64ths");
  ElementsAttr attr = constant(key);
  auto view = attr ? viewConstant(attr) : std::nullopt;
  if (view && view->dtype != DType::I16)
    problem(DiagId::OpIntegerParameters, (key + "_type").str(),
            "the table " + key + " has a wrong element type")
        .found(dtypeName(view->dtype))
        .expected("int16");
}
