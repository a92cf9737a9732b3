//===- LayerCheck.cpp - Checks that shape inference of many layers needs --===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "dialects/compass/LayerCheck.h"
#include "dialects/compass/Layers.h"
#include "dialects/compass/Records.h"
#include "dialects/compass/WideRequant.h"
#include "support/diagnostics/Ir.h"
#include "support/diagnostics/Operators.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/MathExtras.h"

using namespace yarrow;
using namespace yarrow::compass;
using namespace mlir;

LayerCheck::LayerCheck(Operation *op)
    : op(op), integer(op->getNumResults() != 0 && isIntegerLayer(op)) {}

bool LayerCheck::isIntegerKey(KeyName name) const {
  const OperatorRecord *record = recordOf(op);
  const KeyRecord *key = record ? record->findKey(name) : nullptr;
  return key && key->ir == IrKind::Int;
}

Attribute LayerCheck::find(KeyName key) const {
  return integer || !isIntegerKey(key) ? op->getAttr(key) : Attribute();
}

std::optional<ConstantView> LayerCheck::constant(TensorKey key) const {
  auto attr = dyn_cast_or_null<ElementsAttr>(find(key));
  return attr ? viewConstant(attr) : std::nullopt;
}

LayerError LayerCheck::problem(DiagId id, StringRef key, const Twine &message) {
  good = false;
  return layerError(op, id, key, message);
}

void LayerCheck::equals(KeyName key, int64_t expected, const Twine &what) {
  auto attr = op->getAttrOfType<IntegerAttr>(key);
  if (attr && attr.getInt() != expected)
    problem(diag::OpBadAttribute, key,
            "the key " + key + " does not fit the tensors of the layer")
        .found(Twine(attr.getInt()))
        .expected(Twine(expected) + ", the " + what)
        .token(Twine(attr.getInt()));
}

/// Number of values of an attribute; nullopt for one that is no number or list.
static std::optional<size_t> lengthOf(Attribute attr) {
  if (auto list = dyn_cast_or_null<DenseI64ArrayAttr>(attr))
    return list.size();
  if (auto list = dyn_cast_or_null<DenseF64ArrayAttr>(attr))
    return list.size();
  if (auto list = dyn_cast_or_null<ArrayAttr>(attr))
    return list.size();
  return isa_and_nonnull<IntegerAttr, FloatAttr>(attr) ? std::optional(1)
                                                       : std::nullopt;
}

void LayerCheck::count(KeyName key, size_t expected, const Twine &what) {
  std::optional<size_t> found = lengthOf(find(key));
  if (found && *found != expected)
    problem(isIntegerKey(key) ? diag::OpIntegerParameters
                              : diag::OpBadAttribute,
            key, "the key " + key + " has a wrong number of values")
        .found(Twine(*found))
        .expected(Twine(expected) + ": " + what);
}

void LayerCheck::range(KeyName key, int64_t least, int64_t most) {
  if (!find(key))
    return;
  for (int64_t value : intsKey(op, IntsKey::ofRecord(key)))
    if (value < least || value > most)
      problem(isIntegerKey(key) ? diag::OpIntegerParameters
                                : diag::OpBadAttribute,
              key, "the key " + key + " is out of range")
          .found(Twine(value))
          .expected(Twine(least) + " to " + Twine(most))
          .token(Twine(value));
}

void LayerCheck::shape(TensorKey key, ArrayRef<int64_t> expected) {
  ElementsAttr constant = tensorKey(op, key);
  if (constant && constant.getShapedType().getShape() != expected)
    problem(diag::OpShape, (key + "_shape").str(),
            "the constant " + key + " has a wrong shape")
        .found(shapeText(constant.getShapedType().getShape()))
        .expected(shapeText(expected));
}

void LayerCheck::elements(TensorKey key, int64_t expected, StringRef what) {
  auto values = constant(key);
  if (!values || values->numElements() == expected)
    return;
  problem(isIntegerKey(key) ? diag::OpIntegerParameters : diag::OpShape,
          (key + "_shape").str(),
          "the constant " + key + " has a wrong number of elements")
      .found(Twine(values->numElements()))
      .expected(Twine(expected) + (what.empty() ? "" : ", ") + what);
}

//===----------------------------------------------------------------------===//
// What the quantizer gives
//===----------------------------------------------------------------------===//

void LayerCheck::scaleTensor(TensorKey key, int64_t channels) {
  auto values = constant(key);
  if (!values)
    return;
  if (channels == 0)
    problem(diag::OpIntegerParameters, (key + "_shape").str(),
            "the constant " + key +
                " is a tensor, but the layer needs one number")
        .found(shapeText(values->shape))
        .expected(key + "_value");
  else if (values->numElements() != channels || dtypeIsFloat(values->dtype))
    problem(diag::OpIntegerParameters, (key + "_shape").str(),
            "the tensor " + key + " does not fit the layer")
        .found(Twine(values->numElements()) + " values of type " +
               dtypeName(values->storedType()))
        .expected(Twine(channels) + " integers, one per output channel");
}

void LayerCheck::requant(const ScaleForm &form) {
  if (!integer)
    return;
  // Both absent mean 1 and 0; one alone was lost.
  bool hasScale = has(keys::scale_value) || has(keys::scale),
       hasShift = has(keys::shift_value) || has(keys::shift);
  if (hasScale != hasShift)
    problem(diag::OpIntegerParameters, "",
            Twine("the layer has a ") + (hasScale ? keys::scale : keys::shift) +
                ", but no " + (hasScale ? keys::shift : keys::scale))
        .expected("scale_value and shift_value, or neither");
  // The ranges are what the requantizing kernels take (kernels/Params.h).
  scaleTensor(keys::scale, form.channels);
  count(keys::scale_value, form.scales, form.order);
  range(keys::scale_value, 0, mostMultiplier(op));
  scaleTensor(keys::shift, form.channels);
  count(keys::shift_value, form.shifts,
        form.shifts == form.scales ? form.order : "for the result");
  range(keys::shift_value, -32, 62);
}

LogicalResult compass::checkRequant(Operation *op, const ScaleForm &form) {
  LayerCheck check(op);
  check.requant(form);
  return success(check.ok());
}

void LayerCheck::table(TensorKey key, unsigned indexBits) {
  auto values = constant(key);
  if (!values)
    return;
  uint64_t entries = values->numElements();
  if (!llvm::isPowerOf2_64(entries) || llvm::Log2_64(entries) > indexBits)
    problem(diag::OpIntegerParameters, (key + "_shape").str(),
            "the table " + key + " has a wrong number of entries")
        .found(Twine(entries))
        .expected("a power of two up to " + Twine(uint64_t(1) << indexBits));
}

void LayerCheck::inputTable(TensorKey key) {
  table(key, std::min(16u, describe(op->getOperand(0)).bits()));
}

void LayerCheck::elementType(TensorKey key, DType expected,
                             const Twine &message) {
  auto values = constant(key);
  if (values && values->dtype != expected)
    problem(diag::OpIntegerParameters, (key + "_type").str(), message)
        .found(dtypeName(values->storedType()))
        .expected(dtypeName(expected));
}

void LayerCheck::resultTable(TensorKey key) {
  inputTable(key);
  elementType(key, describe(op->getResult(0)).dtype,
              "the table " + key + " has another element type than the result");
}

void LayerCheck::rootTable(TensorKey key) {
  constexpr int64_t kEntries = 193;
  elements(key, kEntries, "inverse square roots of 64 to 256 64ths");
  elementType(key, DType::I16,
              "the table " + key + " has a wrong element type");
}

void LayerCheck::oneOf(ArrayRef<KeyName> keys, const Twine &what) {
  if (llvm::any_of(keys, [&](KeyName key) { return has(key); }))
    return;
  problem(integer ? diag::OpIntegerParameters : diag::IrMissingKey, "",
          "the layer lacks a key for " + what)
      .found("none")
      .expected(llvm::join(keys, " or "));
}

LogicalResult LayerCheck::declared(ResultShapes &shapes) const {
  if (good)
    for (Value result : op->getResults())
      shapes.emplace_back(shapeOf(result));
  return success(good);
}
