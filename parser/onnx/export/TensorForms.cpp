//===- TensorForms.cpp - The tensors of a network in an ONNX model --------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "parser/onnx/export/TensorForms.h"
#include "dialects/compass/graph/Graphs.h"
#include "llvm/ADT/STLExtras.h"

using namespace yarrow;
using namespace yarrow::onnx;
using namespace mlir;
using compass::DType;
using compass::TensorInfo;

/// Lengths of \p value with leading axes of length 1 up to \p rank.
static Lengths lengthsOf(Value value, size_t rank) {
  auto shape = cast<RankedTensorType>(value.getType()).getShape();
  Lengths lengths(rank - shape.size(), 1);
  llvm::append_range(lengths, shape);
  return lengths;
}

static size_t rankOf(Value value) {
  return size_t(cast<RankedTensorType>(value.getType()).getRank());
}

/// The axes of an order that are longer than 1, as axes of the tensor in the
/// IR: the order in which the elements lie.
static Order longAxes(Value value, ArrayRef<int64_t> order) {
  Lengths lengths = lengthsOf(value, order.size());
  auto added = int64_t(order.size() - rankOf(value));
  Order axes;
  for (int64_t axis : order)
    if (lengths[size_t(axis)] != 1)
      axes.push_back(axis - added);
  return axes;
}

static Lengths turnedLengths(Value value, ArrayRef<int64_t> order) {
  Lengths lengths = lengthsOf(value, order.size()), turned;
  for (int64_t axis : order)
    turned.push_back(lengths[size_t(axis)]);
  return turned;
}

TensorForms::TensorForms(ModelSpec &model, func::FuncOp graph) : model(model) {
  for (Value output : compass::graphOutputs(graph))
    tensors[output].isOutput = true;
}

//===----------------------------------------------------------------------===//
// Names, nodes and constants
//===----------------------------------------------------------------------===//

std::string TensorForms::freeName(StringRef wanted) {
  std::string name = wanted.str();
  for (int i = 2; !tensorNames.insert(name).second; ++i)
    name = (wanted + "_" + Twine(i)).str();
  return name;
}

std::string TensorForms::nameFor(Value value, ArrayRef<int64_t> order,
                                 bool isReal) {
  std::string base = compass::tensorNameOf(value);
  if (!isReal)
    base += "_quantized";
  bool isTaken = tensorNames.contains(base);
  // What the network gives has the IR's order of axes.
  if (!isPlain(order) && (isTaken || (isReal && tensors[value].isOutput)))
    base += "_channels_second";
  return freeName(base);
}

NodeSpec &TensorForms::addNode(const std::string &name, std::string op,
                               std::vector<std::string> inputs,
                               std::string output, AttributeList attributes) {
  std::string free = name;
  for (int i = 2; !nodeNames.insert(free).second; ++i)
    free = name + "_" + std::to_string(i);
  return model.nodes.emplace_back(NodeSpec{std::move(free),
                                           std::move(op),
                                           std::move(inputs),
                                           {std::move(output)},
                                           std::move(attributes)});
}

bool TensorForms::rename(const std::string &from, const std::string &to,
                         size_t firstNode) {
  bool isFound = false;
  for (NodeSpec &node : llvm::drop_begin(model.nodes, firstNode)) {
    for (std::string &output : node.outputs)
      if (output == from)
        output = to, isFound = true;
    for (std::string &input : node.inputs)
      if (isFound && input == from)
        input = to;
  }
  if (isFound)
    tensorNames.erase(from);
  return isFound;
}

std::string TensorForms::addConstant(StringRef name, DType type, Lengths source,
                                     ArrayRef<int64_t> order, Bytes bytes,
                                     std::shared_ptr<const void> owner) {
  std::string free = freeName(name);
  Lengths axes(order.begin(), order.end());
  for (size_t i = axes.size(); i < source.size(); ++i)
    axes.push_back(int64_t(i));
  model.constants.push_back({free, type, std::move(source), std::move(axes),
                             bytes, std::move(owner)});
  return free;
}

std::string TensorForms::constant(StringRef name,
                                  const compass::ConstantView &view,
                                  ArrayRef<int64_t> order,
                                  std::shared_ptr<const void> owner) {
  Lengths lengths(std::max(order.size(), view.shape.size()) - view.shape.size(),
                  1);
  llvm::append_range(lengths, view.shape);
  return addConstant(name, view.dtype, std::move(lengths), order,
                     {reinterpret_cast<const std::byte *>(view.bytes.data()),
                      view.bytes.size()},
                     std::move(owner));
}

std::string TensorForms::scalar(float value) {
  std::string &name = scalars[{-1, double(value)}];
  if (name.empty())
    name = floats("scalar_" + std::to_string(scalars.size()), {}, {value});
  return name;
}

std::string TensorForms::zeroPoint(DType type, int64_t value) {
  std::string &name = scalars[{int(type), double(value)}];
  if (!name.empty())
    return name;
  std::string wanted = "zero_point_" + std::to_string(scalars.size());
  switch (kernels::dtypeBytes(type)) {
  case 1:
    return name = constantOf(wanted, type, {},
                             std::vector<uint8_t>{uint8_t(value)});
  case 2:
    return name = constantOf(wanted, type, {},
                             std::vector<uint16_t>{uint16_t(value)});
  default:
    return name = constantOf(wanted, type, {},
                             std::vector<uint32_t>{uint32_t(value)});
  }
}

//===----------------------------------------------------------------------===//
// Forms
//===----------------------------------------------------------------------===//

void TensorForms::define(Value value, std::string name, Order order) {
  TensorInfo info = describe(value);
  auto carrier = info.quantized ? carrierOf(info) : std::nullopt;
  std::string axes;
  for (int64_t axis : order)
    axes += (axes.empty() ? "" : ",") + std::to_string(axis);
  model.values.push_back(
      {name, carrier ? carrier->type : info.dtype, turnedLengths(value, order),
       "axes " + axes + " of " + compass::tensorNameOf(value)});
  tensors[value].forms.push_back({std::move(name), std::move(order)});
}

void TensorForms::defineConstant(Value value, compass::ConstantView view) {
  tensors[value].constant = std::move(view);
}

bool TensorForms::isDefined(Value value) {
  return isConstant(value) || !tensors[value].forms.empty();
}

bool TensorForms::isConstant(Value value) {
  return tensors[value].constant.has_value();
}

void TensorForms::defineTransposed(Value result, Value operand,
                                   ArrayRef<int64_t> perm) {
  if (isConstant(operand))
    stored(operand, plainOrder(rankOf(operand)));
  SmallVector<int64_t> inverse(perm.size());
  for (auto [i, axis] : llvm::enumerate(perm))
    inverse[size_t(axis)] = int64_t(i);
  // Inserting may move the entries of the map.
  std::vector<Form> forms = tensors[operand].forms;
  for (Form &form : forms) {
    if (form.order.size() != perm.size())
      continue;
    for (int64_t &axis : form.order)
      axis = inverse[size_t(axis)];
    tensors[result].forms.push_back(std::move(form));
  }
}

Order TensorForms::readyOrder(Value value) {
  for (const Form &form : tensors[value].forms)
    if (form.order.size() == rankOf(value))
      return form.order;
  return plainOrder(rankOf(value));
}

std::string TensorForms::constantForm(Value value, Tensor &tensor,
                                      ArrayRef<int64_t> order) {
  bool isReal = !describe(value).quantized;
  std::string name =
      constant(nameFor(value, order, isReal), *tensor.constant, order);
  tensor.forms.push_back({name, Order(order)});
  return name;
}

std::string TensorForms::stored(Value value, ArrayRef<int64_t> order) {
  Tensor &tensor = tensors[value];
  for (const Form &form : tensor.forms)
    if (ArrayRef(form.order) == order)
      return form.name;
  return tensor.constant ? constantForm(value, tensor, order)
                         : reordered(value, order);
}

/// A node that makes the form of others.
std::string TensorForms::reordered(Value value, ArrayRef<int64_t> order) {
  bool isReal = !describe(value).quantized;
  std::vector<Form> forms = tensors[value].forms;
  assert(!forms.empty() &&
         "a layer is exported after the layers that it reads");
  std::string layer = value.getDefiningOp()
                          ? compass::layerNameOf(value.getDefiningOp()).str()
                          : "input";
  Order wanted = longAxes(value, order);
  auto inLine = llvm::find_if(forms, [&](const Form &form) {
    return longAxes(value, form.order) == wanted;
  });
  std::string name;
  if (inLine != forms.end()) {
    Lengths lengths = turnedLengths(value, order);
    name = nameFor(value, order, isReal);
    std::string shape = integers(name + "_shape", lengths);
    addNode(layer + "/Reshape", "Reshape", {inLine->name, shape}, name);
  } else {
    auto same = llvm::find_if(forms, [&](const Form &form) {
      return form.order.size() == order.size();
    });
    Order from = plainOrder(order.size());
    std::string source = same == forms.end() ? stored(value, from) : same->name;
    if (same != forms.end())
      from = same->order;
    Lengths perm;
    for (int64_t axis : order)
      perm.push_back(llvm::find(from, axis) - from.begin());
    name = nameFor(value, order, isReal);
    addNode(layer + "/Transpose", "Transpose", {source}, name,
            {{"perm", perm}});
  }
  define(value, name, Order(order));
  return name;
}

std::string TensorForms::storedInLine(Value value) {
  Order wanted = longAxes(value, plainOrder(rankOf(value)));
  for (const Form &form : tensors[value].forms)
    if (longAxes(value, form.order) == wanted)
      return form.name;
  return stored(value, plainOrder(rankOf(value)));
}

/// Values of a constant that no type of DequantizeLinear holds.
std::string TensorForms::realConstant(Value value, ArrayRef<int64_t> order) {
  TensorInfo info = describe(value);
  const compass::ConstantView &view = *tensors[value].constant;
  std::vector<float> values;
  for (int64_t i = 0, e = view.numElements(); i < e; ++i)
    values.push_back(
        float(double(view.intAt(i) + info.zp) / double(info.scale)));
  return floats(nameFor(value, order, true), lengthsOf(value, order.size()),
                values, order);
}

std::string TensorForms::real(Value value, ArrayRef<int64_t> order,
                              double scale) {
  TensorInfo info = describe(value);
  auto carrier = info.quantized ? carrierOf(info) : std::nullopt;
  if (isConstant(value) && info.quantized &&
      (!carrier || carrier->type != info.dtype))
    return realConstant(value, order);
  std::string from = stored(value, order);
  if (info.dtype == DType::F32)
    return from;
  if (scale == 0 || !carrier)
    scale = carrier ? double(carrier->scale) : 0;
  std::string &name = reals[{from, double(float(scale))}];
  if (!name.empty())
    return name;
  std::string layer = compass::layerNameOf(value.getDefiningOp()).str();
  name = info.quantized ? nameFor(value, order, true)
                        : freeName(from + "_float32");
  if (!info.quantized) {
    addNode(layer + "/Cast", "Cast", {from}, name,
            {{"to", elementNumber(DType::F32)}});
    return name;
  }
  addNode(layer + "/DequantizeLinear", "DequantizeLinear",
          {from, scalar(float(scale)),
           zeroPoint(carrier->type, carrier->zeroPoint)},
          name);
  return name;
}
