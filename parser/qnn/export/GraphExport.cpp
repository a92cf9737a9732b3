//===- GraphExport.cpp - The tensors of a network in a QNN graph ----------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "parser/qnn/export/GraphExport.h"
#include "dialects/compass/Compass.h"
#include "dialects/compass/Layers.h"
#include "dialects/compass/Records.h"
#include "dialects/compass/graph/GraphOps.h"
#include "dialects/compass/graph/Graphs.h"
#include "parser/export/LayerNumbers.h"
#include "llvm/ADT/StringExtras.h"
#include <cstring>

using namespace yarrow;
using namespace yarrow::qnn;
using namespace mlir;
using compass::TensorInfo;

bool qnn::isPlain(Value value) {
  TensorInfo info = exports::describe(value);
  if (!info.quantized)
    return true;
  const compass::OperatorRecord *record =
      compass::recordOf(value.getDefiningOp());
  if (!record || info.zp != 0 || info.scale != 1)
    return false;
  StringRef type = record->layerType;
  return type == "ArgMinMax" || type == "Logical" ||
         (type == "TopK" && cast<OpResult>(value).getResultNumber() == 1);
}

GraphExport::GraphExport(func::FuncOp graph, QnnModel &model)
    : model(model), steps(graph) {
  for (Value output : compass::graphOutputs(graph))
    outputs.insert(output);
}

/// A number behind a name that is taken already.
std::string GraphExport::freeName(StringRef wanted, llvm::StringSet<> &taken) {
  std::string base;
  for (char c : wanted)
    base += llvm::isAlnum(c) ? c : '_';
  if (base.empty() || llvm::isDigit(base[0]))
    base.insert(0, "_");
  std::string name = base;
  for (int i = 1; !taken.insert(name).second; ++i)
    name = base + "_" + std::to_string(i);
  return name;
}

std::string GraphExport::add(QnnTensor tensor) {
  tensor.name = freeName(tensor.name, tensorNames);
  return model.add(std::move(tensor)).name;
}

std::optional<DataType> GraphExport::typeOf(Value value) const {
  TensorInfo info = exports::describe(value);
  bool isFixed = !isPlain(value);
  auto type = isFixed ? exports::typeWithZero(info) : info.dtype;
  for (const DataTypeEntry &entry : allDataTypes())
    if (entry.element == type && entry.isFixed() == isFixed &&
        entry.storage != Storage::Text &&
        entry.numBits() == 8 * elementBytes(entry.element))
      return entry.type;
  return std::nullopt;
}

Encoding GraphExport::encodingOf(Value value) const {
  if (isPlain(value))
    return {};
  TensorInfo info = exports::describe(value);
  Encoding encoding{Encoding::Form::ScaleOffset, {steps.of(value)}, {info.zp}};
  if (info.alignedBits) {
    encoding.form = Encoding::Form::BitWidthScaleOffset;
    encoding.bitWidth = info.alignedBits;
  }
  return encoding;
}

/// Integers of 8 bits in 16, whatever the sign of both.
static std::vector<std::byte> withMoreBits(const compass::ConstantView &view) {
  std::vector<int16_t> values;
  for (int64_t i = 0, e = view.numElements(); i < e; ++i)
    values.push_back(int16_t(view.intAt(i)));
  auto bytes = std::as_bytes(std::span(values));
  return {bytes.begin(), bytes.end()};
}

const std::string &GraphExport::tensor(Value value) {
  auto [it, isNew] = names.try_emplace(value);
  if (!isNew)
    return it->second;
  TensorInfo info = exports::describe(value);
  QnnTensor tensor{compass::tensorNameOf(value),
                   typeOf(value).value_or(DataType::FLOAT_32),
                   Lengths(info.shape.begin(), info.shape.end()),
                   TensorKind::Native, encodingOf(value)};
  Operation *op = value.getDefiningOp();
  if (isa<compass::InputOp>(op)) {
    tensor.kind =
        outputs.contains(value) ? TensorKind::Both : TensorKind::Input;
  } else if (isa<compass::ConstantOp>(op)) {
    tensor.kind = TensorKind::Static;
    auto view =
        compass::viewConstant(compass::tensorKey(op, compass::keys::weights));
    if (tensor.entry().element == info.dtype) {
      tensor.value =
          std::as_bytes(std::span(view->bytes.data(), view->bytes.size()));
      tensor.hasValue = true;
    } else {
      setValue(tensor, withMoreBits(*view));
    }
  } else if (outputs.contains(value)) {
    tensor.kind = TensorKind::Output;
  }
  it->second = add(std::move(tensor));
  return it->second;
}

std::map<std::string, std::string> GraphExport::irNames() const {
  std::map<std::string, std::string> result;
  for (const auto &[value, name] : names)
    result[name] = compass::tensorNameOf(value);
  return result;
}

void GraphExport::addNode(StringRef name, StringRef type,
                          std::vector<std::string> inputs,
                          std::vector<std::string> outputs,
                          std::vector<QnnParam> params) {
  QnnNode node;
  node.name = freeName(name, nodeNames);
  node.type = type.str();
  node.inputs = std::move(inputs);
  node.outputs = std::move(outputs);
  for (QnnParam &param : params)
    if (!param.isScalar)
      param.tensor.name = freeName(node.name + "_" + param.name, tensorNames);
  node.params = std::move(params);
  model.nodes.push_back(std::move(node));
}

//===----------------------------------------------------------------------===//
// Parameters of nodes
//===----------------------------------------------------------------------===//

template <typename T>
static QnnParam paramOf(StringRef name, DataType type,
                        const std::vector<T> &values) {
  QnnParam param;
  param.name = name.str();
  param.tensor.type = type;
  auto bytes = std::as_bytes(std::span(values));
  setValue(param.tensor, {bytes.begin(), bytes.end()});
  param.tensor.kind = TensorKind::Static;
  param.tensor.isInline = true;
  return param;
}

/// Unsigned ones of 32 bits have the same bytes.
static QnnParam listParam(StringRef name, DataType type, const Lengths &values,
                          Lengths dims) {
  QnnParam param =
      paramOf(name, type, std::vector<int32_t>(values.begin(), values.end()));
  param.isScalar = false;
  param.tensor.dims =
      dims.empty() ? Lengths{int64_t(values.size())} : std::move(dims);
  return param;
}

QnnParam qnn::uint32Param(StringRef name, int64_t value) {
  return paramOf(name, DataType::UINT_32, std::vector{uint32_t(value)});
}

QnnParam qnn::int32Param(StringRef name, int64_t value) {
  return paramOf(name, DataType::INT_32, std::vector{int32_t(value)});
}

QnnParam qnn::boolParam(StringRef name, bool value) {
  return paramOf(name, DataType::BOOL_8, std::vector{uint8_t(value)});
}

QnnParam qnn::floatParam(StringRef name, double value) {
  return paramOf(name, DataType::FLOAT_32, std::vector{float(value)});
}

QnnParam qnn::uint32sParam(StringRef name, const Lengths &values,
                           Lengths dims) {
  return listParam(name, DataType::UINT_32, values, std::move(dims));
}

QnnParam qnn::int32sParam(StringRef name, const Lengths &values, Lengths dims) {
  return listParam(name, DataType::INT_32, values, std::move(dims));
}
