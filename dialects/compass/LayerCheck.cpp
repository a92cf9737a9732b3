//===- LayerCheck.cpp - Checks that shape inference of many layers needs --===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "dialects/compass/LayerCheck.h"
#include "dialects/compass/Layers.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/MathExtras.h"

using namespace yarrow;
using namespace yarrow::compass;
using namespace mlir;

LayerCheck::LayerCheck(Operation *op)
    : op(op), integer(op->getNumResults() != 0 && isIntegerLayer(op)) {}

LayerError LayerCheck::problem(DiagId id, StringRef key, const Twine &message) {
  good = false;
  return layerError(op, id, key, message);
}

void LayerCheck::equals(StringRef key, int64_t expected, const Twine &what) {
  auto attr = op->getAttrOfType<IntegerAttr>(key);
  if (attr && attr.getInt() != expected)
    problem(DiagId::OpBadAttribute, key,
            "the key " + key + " does not fit the tensors of the layer")
        .found(Twine(attr.getInt()))
        .expected(Twine(expected) + ", the " + what)
        .token(Twine(attr.getInt()));
}

/// Number of values of a list attribute; nullopt for other attributes.
static std::optional<size_t> listLength(Attribute attr) {
  if (auto list = dyn_cast<DenseI64ArrayAttr>(attr))
    return list.size();
  if (auto list = dyn_cast<DenseF64ArrayAttr>(attr))
    return list.size();
  if (auto list = dyn_cast<ArrayAttr>(attr))
    return list.size();
  return std::nullopt;
}

void LayerCheck::count(StringRef key, size_t count, const Twine &what) {
  Attribute attr = op->getAttr(key);
  std::optional<size_t> length = attr ? listLength(attr) : std::nullopt;
  if (length && *length != count)
    problem(DiagId::OpBadAttribute, key,
            "the key " + key + " has a wrong number of values")
        .found(Twine(*length))
        .expected(Twine(count) + ": " + what);
}

void LayerCheck::shape(StringRef key, ArrayRef<int64_t> expected) {
  ElementsAttr constant = tensorKey(op, key);
  if (constant && constant.getShapedType().getShape() != expected)
    problem(DiagId::OpShape, (key + "_shape").str(),
            "the constant " + key + " has a wrong shape")
        .found(shapeText(constant.getShapedType().getShape()))
        .expected(shapeText(expected));
}

void LayerCheck::elements(StringRef key, int64_t expected) {
  ElementsAttr constant = tensorKey(op, key);
  if (constant && constant.getShapedType().getNumElements() != expected)
    problem(DiagId::OpShape, (key + "_shape").str(),
            "the constant " + key + " has a wrong number of elements")
        .found(Twine(constant.getShapedType().getNumElements()))
        .expected(Twine(expected));
}

void LayerCheck::table(StringRef key) {
  ElementsAttr constant = tensorKey(op, key);
  if (!constant)
    return;
  int64_t entries = constant.getShapedType().getNumElements();
  if (entries > 65536 || !llvm::isPowerOf2_64(uint64_t(entries)))
    problem(DiagId::OpIntegerParameters, (key + "_shape").str(),
            "the table " + key + " has a wrong number of entries")
        .found(Twine(entries))
        .expected("a power of two, at most 65536");
}

void LayerCheck::oneOf(ArrayRef<StringRef> keys, const Twine &what) {
  if (llvm::any_of(keys, [&](StringRef key) { return has(key); }))
    return;
  problem(integer ? DiagId::OpIntegerParameters : DiagId::IrMissingKey, "",
          "the layer has none of the keys that give " + what)
      .found("neither")
      .expected(llvm::join(keys, " or "));
}

LogicalResult LayerCheck::declared(ResultShapes &shapes) const {
  if (good)
    for (Value result : op->getResults())
      shapes.emplace_back(shapeOf(result));
  return success(good);
}
