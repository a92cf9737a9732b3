//===- LayerKeys.cpp - Keys, shapes and constants of a layer --------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "dialects/compass/LayerKeys.h"
#include "dialects/compass/Layers.h"
#include "dialects/compass/Records.h"
#include "llvm/Support/FormatVariadic.h"

using namespace yarrow;
using namespace yarrow::compass;
using namespace mlir;

static StringRef defaultOf(Operation *op, StringRef name) {
  const OperatorRecord *record = recordOf(op);
  const KeyRecord *key = record ? record->findKey(name) : nullptr;
  return key ? StringRef(key->defaultText) : StringRef();
}

int64_t compass::intKey(Operation *op, StringRef name) {
  if (auto value = op->getAttrOfType<IntegerAttr>(name))
    return value.getInt();
  int64_t value = 0;
  // No default leaves 0.
  (void)defaultOf(op, name).getAsInteger(10, value);
  return value;
}

bool compass::boolKey(Operation *op, StringRef name) {
  if (auto value = op->getAttrOfType<BoolAttr>(name))
    return value.getValue();
  return defaultOf(op, name) == "true";
}

SmallVector<SmallVector<int64_t>> compass::nestedKey(Operation *op,
                                                     StringRef name) {
  SmallVector<SmallVector<int64_t>> rows;
  if (auto list = op->getAttrOfType<ArrayAttr>(name))
    for (Attribute row : list) {
      SmallVector<int64_t> values;
      if (auto ints = dyn_cast<DenseI64ArrayAttr>(row))
        llvm::append_range(values, ints.asArrayRef());
      else if (auto items = dyn_cast<ArrayAttr>(row))
        for (Attribute item : items)
          if (auto integer = dyn_cast<IntegerAttr>(item))
            values.push_back(integer.getInt());
      rows.push_back(values);
    }
  return rows;
}

FailureOr<int64_t> compass::axisKey(Operation *op, StringRef name,
                                    int64_t rank) {
  int64_t axis = intKey(op, name);
  if (axis >= -rank && axis < rank)
    return axis < 0 ? axis + rank : axis;
  return layerError(op, DiagId::OpBadAttribute, name,
                    "the key " + name +
                        " names an axis that the tensor does "
                        "not have")
      .found(Twine(axis))
      .expected(Twine(-rank) + " to " + Twine(rank - 1));
}

ArrayRef<int64_t> compass::shapeOf(Value tensor) {
  return cast<RankedTensorType>(tensor.getType()).getShape();
}

std::optional<ConstantView> compass::constantInput(Operation *op, unsigned i) {
  Operation *source = op->getOperand(i).getDefiningOp();
  const OperatorRecord *record = source ? recordOf(source) : nullptr;
  if (!record || record->layerType != "Constant")
    return std::nullopt;
  ElementsAttr value = tensorKey(source, "weights");
  return value ? viewConstant(value) : std::nullopt;
}

LogicalResult compass::checkConstantRange(Operation *op, unsigned i,
                                          int64_t least, int64_t most,
                                          const Twine &what) {
  auto values = constantInput(op, i);
  if (!values || dtypeIsFloat(values->dtype))
    return success();
  for (int64_t k = 0, e = values->numElements(); k < e; ++k) {
    int64_t value = values->intAt(k);
    if (value < least || value > most)
      return layerError(op, DiagId::OpInvalid, "layer_bottom",
                        "element " + Twine(k) + " of the constant input " +
                            Twine(i) + " is out of range (" + what + ")")
          .found(Twine(value))
          .expected(Twine(least) + " to " + Twine(most));
  }
  return success();
}

/// Checks one of the two tensors of requantization parameters per channel.
static LogicalResult checkScaleTensor(Operation *op, StringRef name,
                                      const ScaleForm &form) {
  auto attr = tensorKey(op, name);
  auto values = attr ? viewConstant(attr) : std::nullopt;
  if (!values)
    return success();
  if (form.channels == 0)
    return layerError(op, DiagId::OpIntegerParameters, (name + "_offset").str(),
                      "the layer has a tensor " + name + "; its " + name +
                          " is in the text")
        .found(shapeText(values->shape))
        .expected(name + "_value");
  if (values->numElements() != form.channels || dtypeIsFloat(values->dtype))
    return layerError(op, DiagId::OpIntegerParameters, (name + "_shape").str(),
                      "the tensor " + name + " does not fit the layer")
        .found(Twine(values->numElements()) + " values of type " +
               dtypeName(values->dtype))
        .expected(Twine(form.channels) + " integers, one per output channel");
  return success();
}

LogicalResult compass::checkScaleForm(Operation *op, const ScaleForm &form) {
  if (!isIntegerLayer(op))
    return success();
  struct Part {
    StringRef name;
    size_t count;
    int64_t least, most;
  };
  // What the requantizing kernels take (kernels/Params.h).
  const Part parts[] = {{"scale", form.scales, 0, 65535},
                        {"shift", form.shifts, -32, 62}};
  bool ok = true;
  for (const Part &part : parts) {
    ok &= succeeded(checkScaleTensor(op, part.name, form));
    std::string key = (part.name + "_value").str();
    SmallVector<int64_t> values = intsKey(op, key);
    if (values.empty())
      continue;
    if (values.size() != part.count) {
      ok = false;
      std::string order = part.name == "scale" && part.count > 1
                              ? (" (" + form.order + ")").str()
                              : "";
      layerError(op, DiagId::OpIntegerParameters, key,
                 "the key " + key + " has a wrong number of values")
          .found(Twine(values.size()))
          .expected(Twine(part.count) + order);
    }
    for (int64_t value : values)
      if (value < part.least || value > part.most) {
        ok = false;
        layerError(op, DiagId::OpIntegerParameters, key,
                   "the key " + key + " is out of range")
            .found(Twine(value))
            .expected(Twine(part.least) + " to " + Twine(part.most))
            .token(Twine(value));
      }
  }
  return success(ok);
}

/// Whether a tensor of shape \p small repeats, as numpy does it, to \p full.
static bool broadcastsTo(ArrayRef<int64_t> small, ArrayRef<int64_t> full) {
  if (small.size() > full.size())
    return false;
  return llvm::all_of(llvm::zip(small, full.take_back(small.size())),
                      [](auto pair) {
                        auto [a, b] = pair;
                        return a == 1 || a == b;
                      });
}

LogicalResult compass::checkFusedActivation(Operation *op,
                                            ArrayRef<int64_t> shape) {
  std::string word = wordKey(op, "with_activation", "NONE");
  if (word == "CLIP") {
    auto least = numberOf(op->getAttr("clip_min")),
         most = numberOf(op->getAttr("clip_max"));
    if (least && most && !(*least <= *most))
      return layerError(op, DiagId::OpBadAttribute, "clip_min",
                        "the bounds of CLIP are in the wrong order")
          .found(llvm::formatv("{0} and {1}", *least, *most).str())
          .expected("clip_min not above clip_max");
  }
  ElementsAttr attr =
      word == "PRELU" ? tensorKey(op, "negative_slope") : nullptr;
  auto slope = attr ? viewConstant(attr) : std::nullopt;
  if (slope && !broadcastsTo(slope->shape, shape))
    return layerError(op, DiagId::OpInvalid, "negative_slope_shape",
                      "the slopes of PRELU do not broadcast to the result")
        .found(shapeText(slope->shape))
        .expected("lengths of 1 or the last ones of " + shapeText(shape));
  return success();
}
