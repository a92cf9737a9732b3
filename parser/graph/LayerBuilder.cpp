//===- LayerBuilder.cpp - Layers of the dialect by their records ----------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "parser/graph/LayerBuilder.h"
#include "dialects/compass/Compass.h"
#include "dialects/compass/Locations.h"
#include "dialects/compass/Records.h"
#include "dialects/compass/Verify.h"
#include "dialects/compass/custom/PluginOperator.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include <numeric>

using namespace yarrow;
using namespace yarrow::graph;
using namespace mlir;
using compass::DType;
using compass::KeyKind;

ArrayRef<int64_t> graph::shapeOf(Value value) {
  return cast<RankedTensorType>(value.getType()).getShape();
}
DType graph::elementOf(Value value) { return compass::describe(value).dtype; }
bool graph::isFloat(Value value) { return compass::describe(value).isFloat(); }

/// What may stand in the names of IR text; the reference parser writes `_` for
/// the rest.
static std::string irName(StringRef wish) {
  std::string name;
  for (char c : wish)
    name += llvm::isAlnum(c) || StringRef(".:/_;'\"").contains(c) ? c : '_';
  return name.empty() ? "layer" : name;
}

std::string LayerNames::take(std::string wish) {
  std::string name = irName(wish);
  while (!used.insert(name).second)
    name += '_';
  return name;
}

void LayerBuilder::setPlace(std::string newName, std::string newFile,
                            std::string newNode) {
  layerName = std::move(newName);
  file = std::move(newFile);
  node = std::move(newNode);
  made.clear();
}

Location LayerBuilder::location() const {
  return compass::nodeLocation(builder.getContext(), layerName, file, node);
}

/// A key's value in the form that its record says.
static mlir::Attribute attributeOf(Builder &b, const compass::KeyRecord &record,
                                   const Key &key) {
  auto integers = [&]() -> std::vector<int64_t> {
    if (auto *one = std::get_if<int64_t>(&key.value))
      return {*one};
    return std::get<std::vector<int64_t>>(key.value);
  };
  auto number = [&]() -> double {
    if (auto *one = std::get_if<int64_t>(&key.value))
      return double(*one);
    return std::get<double>(key.value);
  };
  switch (record.kind) {
  case KeyKind::Int:
    return b.getI64IntegerAttr(std::get<int64_t>(key.value));
  case KeyKind::Number:
    if (auto *one = std::get_if<int64_t>(&key.value))
      return b.getI64IntegerAttr(*one);
    return b.getF64FloatAttr(number());
  case KeyKind::Float:
    return b.getF64FloatAttr(number());
  case KeyKind::Bool:
    return b.getBoolAttr(std::get<bool>(key.value));
  case KeyKind::Word:
    return b.getStringAttr(std::get<std::string>(key.value));
  case KeyKind::Ints:
  case KeyKind::IntList:
    return b.getDenseI64ArrayAttr(integers());
  case KeyKind::FloatList:
    return b.getDenseF64ArrayAttr(std::get<std::vector<double>>(key.value));
  case KeyKind::NumberList: {
    SmallVector<mlir::Attribute> numbers;
    for (double v : std::get<std::vector<double>>(key.value))
      numbers.push_back(b.getF64FloatAttr(v));
    return b.getArrayAttr(numbers);
  }
  case KeyKind::Nested: {
    SmallVector<mlir::Attribute> rows;
    for (auto &row : std::get<Key::Rows>(key.value))
      rows.push_back(b.getDenseI64ArrayAttr(row));
    return b.getArrayAttr(rows);
  }
  case KeyKind::Words:
  case KeyKind::WordList: {
    auto &words = std::get<std::vector<std::string>>(key.value);
    SmallVector<StringRef> list(words.begin(), words.end());
    return b.getStrArrayAttr(list);
  }
  case KeyKind::Symbol:
    return FlatSymbolRefAttr::get(b.getContext(),
                                  std::get<std::string>(key.value));
  case KeyKind::Tensor:
    return std::get<ElementsAttr>(key.value);
  case KeyKind::NestedFloats:
    break;
  }
  llvm_unreachable("no layer that is emitted has this key");
}

/// The types of the results of a layer that has \p elements, by its operator's
/// own inference; empty after an error.
static SmallVector<Type> inferTypes(const OperationState &state,
                                    ArrayRef<DType> elements) {
  MLIRContext *context = state.getContext();
  ArrayRef<int64_t> like;
  if (!state.operands.empty())
    like = shapeOf(state.operands.front());
  SmallVector<Type> types;
  for (DType element : elements)
    types.push_back(compass::plainType(context, like, element));
  OperationState copy(state.location, state.name);
  copy.addOperands(state.operands);
  copy.addAttributes(state.attributes.getAttrs());
  copy.addTypes(types);
  Operation *probe = Operation::create(copy);
  SmallVector<SmallVector<int64_t>> shapes;
  bool ok = succeeded(compass::verifyOperandsAndKeys(probe)) &&
            succeeded(cast<compass::CompassOp>(probe).inferShapes(shapes));
  probe->destroy();
  if (!ok || shapes.size() != elements.size())
    return {};
  types.clear();
  for (auto [shape, element] : llvm::zip(shapes, elements))
    types.push_back(compass::plainType(context, shape, element));
  return types;
}

Operation *LayerBuilder::create(StringRef type, ValueRange operands,
                                const Keys &keys, ArrayRef<DType> elements,
                                TypeRange types) {
  const compass::OperatorRecord *record = compass::findLayerType(type);
  assert(record && "unknown layer type");
  if (llvm::is_contained(operands, Value()))
    return nullptr; // told already
  OperationState state(location(), record->opName);
  compass::setLayerType(state, *record);
  state.addOperands(operands);
  for (const Key &key : keys) {
    const compass::KeyRecord *known = record->findKey(key.name);
    assert(known && "the layer does not have this key");
    state.addAttribute(key.name, attributeOf(builder, *known, key));
  }
  if (types.empty()) {
    SmallVector<DType> one;
    if (elements.empty())
      one.push_back(elementOf(operands.front()));
    SmallVector<Type> inferred =
        inferTypes(state, elements.empty() ? one : elements);
    if (inferred.empty())
      return nullptr;
    state.addTypes(inferred);
  } else {
    state.addTypes(types);
  }
  Operation *op = builder.create(state);
  made.push_back(op);
  return op;
}

SmallVector<Value> LayerBuilder::layers(StringRef type, ValueRange operands,
                                        const Keys &keys,
                                        ArrayRef<DType> elements) {
  Operation *op = create(type, operands, keys, elements, {});
  if (!op)
    return SmallVector<Value>(std::max<size_t>(elements.size(), 1));
  return SmallVector<Value>(op->getResults());
}

SmallVector<Value> LayerBuilder::declared(StringRef type, ValueRange operands,
                                          const Keys &keys, TypeRange types) {
  Operation *op = create(type, operands, keys, {}, types);
  return op ? SmallVector<Value>(op->getResults())
            : SmallVector<Value>(types.size());
}

Value LayerBuilder::layer(StringRef type, ValueRange operands,
                          const Keys &keys) {
  return layers(type, operands, keys).front();
}

Value LayerBuilder::layerOf(StringRef type, ValueRange operands,
                            const Keys &keys, DType element) {
  return layers(type, operands, keys, {element}).front();
}

Value LayerBuilder::reshape(Value x, ArrayRef<int64_t> shape) {
  if (!x || shapeOf(x) == shape)
    return x;
  return layer("Reshape", {x}, {{"shape", std::vector<int64_t>(shape)}});
}

Value LayerBuilder::transpose(Value x, ArrayRef<int64_t> perm) {
  if (!x)
    return x;
  // The order of the axes that are longer than 1 is all that moves data.
  SmallVector<int64_t> shape, moved;
  for (int64_t axis : perm) {
    shape.push_back(shapeOf(x)[size_t(axis)]);
    if (shape.back() != 1)
      moved.push_back(axis);
  }
  if (llvm::is_sorted(perm))
    return x;
  if (llvm::is_sorted(moved))
    return reshape(x, shape);
  return layer("Transpose", {x}, {{"perm", std::vector<int64_t>(perm)}});
}

Value LayerBuilder::cast(Value x, DType element) {
  if (!x || elementOf(x) == element)
    return x;
  // Integers lose their upper bits, as in C; floats end at the type's limits.
  bool drops = !isFloat(x) && !compass::dtypeIsFloat(element);
  return layerOf("Cast", {x},
                 {{"to_dtype", compass::dtypeName(element).str()},
                  {"clip_mode", drops ? "TRUNCATION" : "SATURATION"},
                  {"ignore_scale_zp", true}},
                 element);
}

Value LayerBuilder::constant(ElementsAttr value) {
  OperationState state(location(), compass::findLayerType("Constant")->opName);
  state.addAttribute("weights", value);
  auto type = value.getShapedType();
  state.addTypes(RankedTensorType::get(type.getShape(), type.getElementType()));
  Operation *op = builder.create(state);
  made.push_back(op);
  return op->getResult(0);
}

ElementsAttr LayerBuilder::floats(ArrayRef<int64_t> shape,
                                  ArrayRef<float> values) {
  return compass::makeConstantOf<float>(builder.getContext(), layerName, shape,
                                        DType::F32, values);
}

Value LayerBuilder::constantOf(ArrayRef<int64_t> shape,
                               ArrayRef<float> values) {
  return constant(floats(shape, values));
}

Value LayerBuilder::constantOf(ArrayRef<int64_t> shape,
                               ArrayRef<int32_t> values) {
  return constant(compass::makeConstantOf<int32_t>(
      builder.getContext(), layerName, shape, DType::I32, values));
}

void LayerBuilder::nameLayers(ArrayRef<Value> results) {
  Operation *main = nullptr;
  for (Value result : results)
    if (result && llvm::is_contained(made, result.getDefiningOp()) && !main)
      main = result.getDefiningOp();
  std::string own = main ? names.take(layerName) : layerName;
  for (Operation *op : made) {
    std::string name = own;
    if (op != main)
      name = names.take(own + "_" +
                        StringRef(compass::recordOf(op)->layerType).lower());
    op->setLoc(compass::nodeLocation(builder.getContext(), name, file, node));
    SmallVector<std::string> tensors;
    for (unsigned i = 0; i < op->getNumResults(); ++i)
      tensors.push_back(name + "_" + std::to_string(i));
    SmallVector<StringRef> views(tensors.begin(), tensors.end());
    op->setAttr(compass::kTopNamesAttr, builder.getStrArrayAttr(views));
  }
}
