//===- InferResultTypes.cpp - Layers built without result types -----------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "dialects/compass/Compass.h"
#include "dialects/compass/InferTypes.h"
#include "dialects/compass/LayerError.h"
#include "dialects/compass/LayerKeys.h"
#include "dialects/compass/Layers.h"
#include "dialects/compass/Records.h"
#include "dialects/compass/Verify.h"
#include "mlir/IR/TypeUtilities.h"
#include "support/diagnostics/Operators.h"

using namespace yarrow;
using namespace yarrow::compass;
using namespace mlir;

namespace {
/// An op in no block, to ask it what its results would be.
class Probe {
public:
  explicit Probe(Operation *op) : op(op) {}
  ~Probe() { op->destroy(); }
  Probe(const Probe &) = delete;
  Probe &operator=(const Probe &) = delete;
  Operation *get() const { return op; }

private:
  Operation *op;
};
} // namespace

/// What the record cannot say for the network.
static LogicalResult needsTypes(Operation *op, const Twine &what) {
  return layerError(op, diag::OpElementType, "layer_top_type",
                    "the layer cannot be built without " + what);
}

/// The element type of the results where the caller gives none.
static FailureOr<Type> impliedElement(Operation *op,
                                      const OperatorRecord &record) {
  Type first = op->getNumOperands() == 0
                   ? Type()
                   : getElementTypeOrSelf(op->getOperand(0).getType());
  switch (record.resultTypes) {
  case ResultTypes::FromInput:
    if (first)
      return first;
    break;
  case ResultTypes::Chosen: // by the quantizer, in integer IR
    if (isa_and_nonnull<FloatType>(first))
      return first;
    break;
  case ResultTypes::FromWeights:
    if (auto weights = op->getAttrOfType<ElementsAttr>(keys::weights))
      return weights.getElementType();
    break;
  case ResultTypes::ToDtype:
    if (auto word = op->getAttrOfType<StringAttr>(keys::to_dtype))
      if (auto type = parseType(word.getValue()))
        return elementType(op->getContext(), *type);
    break;
  case ResultTypes::Given:
  case ResultTypes::Declared:
    break;
  }
  return needsTypes(op, "an element type of its results");
}

/// One per output that must be there; of a variadic list as many as
/// perResultKey says.
static unsigned resultCount(Operation *op, const OperatorRecord &record) {
  Attribute key = record.perResultKey.empty()
                      ? Attribute()
                      : op->getAttr(record.perResultKey);
  if (auto list = dyn_cast_or_null<DenseI64ArrayAttr>(key))
    return list.size();
  if (auto count = dyn_cast_or_null<IntegerAttr>(key))
    return std::max<int64_t>(count.getInt(), 0);
  return llvm::count_if(record.outputs,
                        [](const TensorRecord &t) { return !t.optional; });
}

/// Shapes may depend on the results that are declared: of two lengths that a
/// rounded ratio means, the declared one. A probe declares that of its operand.
static Type placeholder(Operation *op, Type element) {
  ArrayRef<int64_t> shape;
  if (op->getNumOperands() != 0)
    shape = shapeOf(op->getOperand(0));
  else if (auto weights = op->getAttrOfType<ElementsAttr>(keys::weights))
    shape = weights.getShapedType().getShape();
  return RankedTensorType::get(shape, element);
}

static FailureOr<SmallVector<Type>>
inferTypes(OperationState state, OpaqueProperties properties, Type element) {
  state.types.clear();
  Probe bare(Operation::create(state.location, state.name, TypeRange(),
                               state.operands, std::move(state.attributes),
                               properties));
  Operation *op = bare.get();
  const OperatorRecord *record = recordOf(op);
  if (!record || record->resultTypes == ResultTypes::Declared)
    return needsTypes(op, "types of its results");
  for (Type type : op->getOperandTypes())
    if (auto tensor = dyn_cast<RankedTensorType>(type);
        !tensor || !tensor.hasStaticShape())
      return op->emitOpError("needs tensors of static shape, found ") << type;
  if (!element) {
    auto implied = impliedElement(op, *record);
    if (failed(implied))
      return failure();
    element = *implied;
  }
  SmallVector<Type> types(resultCount(op, *record), placeholder(op, element));
  Probe probe(Operation::create(op->getLoc(), op->getName(), types,
                                op->getOperands(), op->getAttrDictionary(),
                                nullptr, BlockRange(), 0));
  SmallVector<SmallVector<int64_t>> shapes;
  if (failed(verifyOperandsAndKeys(probe.get())) ||
      failed(cast<CompassOp>(probe.get()).inferShapes(shapes)))
    return failure();
  return llvm::map_to_vector(shapes, [&](ArrayRef<int64_t> shape) -> Type {
    return RankedTensorType::get(shape, element);
  });
}

FailureOr<SmallVector<Type>>
compass::inferResultTypes(const OperationState &state, Type element) {
  OperationState copy(state.location, state.name);
  copy.addOperands(state.operands);
  copy.addAttributes(state.attributes.getAttrs());
  return inferTypes(std::move(copy), nullptr, element);
}

void compass::buildInferred(OperationState &state, ValueRange operands,
                            ArrayRef<NamedAttribute> attributes, Type element) {
  state.addOperands(operands);
  state.addAttributes(attributes);
  auto types = inferResultTypes(state, element);
  if (succeeded(types))
    state.addTypes(*types);
  else
    state.addTypes(NoneType::get(state.getContext()));
}

LogicalResult
compass::inferComponents(OperationName name, std::optional<Location> loc,
                         ValueRange operands, DictionaryAttr attributes,
                         OpaqueProperties properties,
                         SmallVectorImpl<ShapedTypeComponents> &components) {
  OperationState state(loc.value_or(UnknownLoc::get(name.getContext())), name);
  state.addOperands(operands);
  if (attributes)
    state.addAttributes(attributes.getValue());
  auto types = inferTypes(std::move(state), properties, {});
  if (failed(types))
    return failure();
  for (Type type : *types)
    components.emplace_back(cast<ShapedType>(type));
  return success();
}
