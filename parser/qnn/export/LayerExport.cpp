//===- LayerExport.cpp - One layer as nodes of QNN ------------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "parser/qnn/export/LayerExport.h"
#include "dialects/compass/Compass.h"
#include "dialects/compass/ConstantValues.h"
#include "dialects/compass/ExtraKeys.h"
#include "dialects/compass/LayerKeys.h"
#include "dialects/compass/Layers.h"
#include "dialects/compass/Records.h"
#include "dialects/compass/Traits.h"
#include "dialects/compass/WideRequant.h"
#include "dialects/compass/graph/GraphOps.h"
#include "parser/export/LayerNumbers.h"
#include "support/diagnostics/Import.h"
#include <algorithm>
#include <cmath>
#include <cstring>
#include <tuple>

using namespace yarrow;
using namespace yarrow::qnn;
using namespace mlir;
using compass::ConstantView;
using compass::DType;
using compass::LayerError;
using compass::TensorInfo;

TensorInfo LayerExport::input(unsigned i) const {
  return exports::describe(op->getOperand(i));
}

TensorInfo LayerExport::output(unsigned i) const {
  return exports::describe(op->getResult(i));
}

Lengths LayerExport::shape() const {
  TensorInfo info = output();
  return {info.shape.begin(), info.shape.end()};
}

StringRef LayerExport::layerType() const {
  const compass::OperatorRecord *record = compass::recordOf(op);
  return record ? StringRef(record->layerType) : StringRef("it");
}

bool LayerExport::isInteger() const { return exports::isInteger(op); }

std::vector<std::string> LayerExport::ins() {
  std::vector<std::string> names;
  for (Value operand : op->getOperands())
    names.push_back(graph.tensor(operand));
  return names;
}

std::vector<std::string> LayerExport::outs() {
  std::vector<std::string> names;
  for (Value result : op->getResults())
    names.push_back(graph.tensor(result));
  return names;
}

std::string LayerExport::suffixed(StringRef suffix) const {
  return (compass::layerNameOf(op) + "_" + suffix).str();
}

LayerError LayerExport::refuse(StringRef key, const Twine &why) {
  return compass::layerError(op, diag::QnnExport, key,
                             Twine(layerType()) + " " + why);
}

//===----------------------------------------------------------------------===//
// Nodes
//===----------------------------------------------------------------------===//

/// Whether all operands are within the range of the result, which has their
/// integers.
static bool keepsBounds(Operation *op, const compass::TensorInfo &result) {
  return op->hasTrait<compass::trait::MovesOnly>() &&
         llvm::all_of(op->getOperands(), [&](Value operand) {
           compass::TensorInfo in = compass::describe(operand);
           return in.storedType() == result.storedType() &&
                  in.scale == result.scale && in.zp == result.zp &&
                  in.lo >= result.lo && in.hi <= result.hi;
         });
}

/// Whether the integers of the result are fewer than those of its type, as
/// after an activation that clean-up put into the layer before, or as those of
/// the type in which QNN has them. The ends of a symmetric range do not count:
/// a scale says nothing of them either.
static bool hasBounds(Operation *op) {
  compass::TensorInfo info = compass::describe(op->getResult(0));
  if (!info.isQuantized() || info.bits() > 16 || keepsBounds(op, info))
    return false;
  DType type = exports::typeWithZero(info).value_or(info.dtype);
  auto [least, most] = compass::dtypeRange(
      type == info.dtype ? info.storedType() : compass::StoredType(type));
  return info.lo > least + (info.lo == -info.hi) || info.hi < most;
}

void LayerExport::node(StringRef type, std::vector<std::string> inputs,
                       std::vector<std::string> outputs,
                       std::vector<QnnParam> params) {
  if (op->getNumResults() == 1 && outputs.size() == 1 && outputs[0] == out() &&
      type != "ReluMinMax" && hasBounds(op)) {
    std::string x = between("unbounded");
    addNode(type, std::move(inputs), {x}, std::move(params));
    compass::TensorInfo info = output();
    double step = graph.steps.of(op->getResult(0));
    type = "ReluMinMax";
    inputs = {x};
    params = {floatParam("min_value", double(info.lo + info.zp) * step),
              floatParam("max_value", double(info.hi + info.zp) * step)};
  }
  addNode(type, std::move(inputs), std::move(outputs), std::move(params));
}

void LayerExport::addNode(StringRef type, std::vector<std::string> inputs,
                          std::vector<std::string> outputs,
                          std::vector<QnnParam> params) {
  std::string name = compass::layerNameOf(op).str();
  graph.addNode(hasNode ? name + "_" + type.str() : name, type,
                std::move(inputs), std::move(outputs), std::move(params));
  hasNode = true;
}

std::string LayerExport::between(StringRef suffix) {
  Value result = op->getResult(0);
  return between(suffix, *graph.typeOf(result), shape(),
                 graph.encodingOf(result));
}

std::string LayerExport::between(StringRef suffix, DataType type, Lengths dims,
                                 Encoding encoding) {
  return graph.add({suffixed(suffix), type, std::move(dims), TensorKind::Native,
                    std::move(encoding)});
}

/// The least slope above 0 of an integer layer's activation.
static double leastSlope(Operation *op) {
  double least = 1;
  auto take = [&](double slope) {
    slope = std::ldexp(
        slope, -int(compass::intKey(op, compass::keys::negative_slope_shift)));
    least = slope > 0 ? std::min(least, slope) : least;
  };
  if (auto constant = compass::tensorKey(op, compass::keys::negative_slope)) {
    auto view = compass::viewConstant(constant);
    for (int64_t i = 0, e = view->numElements(); i < e; ++i)
      take(view->floatAt(i));
  } else if (auto slope = compass::numberOf(
                 op->getAttr(compass::keys::negative_slope_value))) {
    take(*slope);
  }
  return least;
}

/// 16 bits for what a slope makes values of \p narrow of: as fine as they may
/// be for the range that it needs.
static Encoding wideEncoding(const Encoding &narrow, double slope) {
  int bits = std::clamp(int(std::ceil(std::log2(128 / slope))), 8, 14);
  return {Encoding::Form::ScaleOffset,
          {std::ldexp(narrow.scales[0], bits - 15)},
          {0}};
}

LogicalResult LayerExport::result(StringRef type,
                                  std::vector<std::string> inputs,
                                  std::vector<QnnParam> params) {
  std::string word =
      compass::wordKey(op, compass::keys::with_activation, "NONE");
  if (word == "NONE" || layerType() == "Activation") {
    node(type, std::move(inputs), {out()}, std::move(params));
    return success();
  }
  // What the result's range cuts off, a clamp cuts off, too: in front of it the
  // result's own encoding is as good as a wider one. A slope needs more bits.
  std::string x;
  if (isInteger() && (word == "LEAKYRELU" || word == "PRELU"))
    x = between(
        "linear", DataType::SFIXED_POINT_16, shape(),
        wideEncoding(graph.encodingOf(op->getResult(0)), leastSlope(op)));
  else
    x = between("linear");
  node(type, std::move(inputs), {x}, std::move(params));
  return activate(x, compass::keys::with_activation);
}

LogicalResult LayerExport::resultAs(DataType type, StringRef qnnType,
                                    std::vector<std::string> inputs,
                                    std::vector<QnnParam> params) {
  if (*graph.typeOf(op->getResult(0)) == type)
    return result(qnnType, std::move(inputs), std::move(params));
  std::string x = between(entryOf(type).name, type, shape());
  node(qnnType, std::move(inputs), {x}, std::move(params));
  node("Cast", {x}, {out()});
  return success();
}

//===----------------------------------------------------------------------===//
// Activations
//===----------------------------------------------------------------------===//

/// A slope as a tensor for Prelu; integers of 16 bits with the step 2^-shift.
static std::string slopes(LayerExport &n, Lengths dims,
                          std::vector<double> values, int64_t shift,
                          bool isInteger) {
  if (!isInteger)
    return n.graph.addStatic(n.suffixed("slope"), DataType::FLOAT_32,
                             std::move(dims),
                             std::vector<float>(values.begin(), values.end()));
  return n.graph.addStatic(
      n.suffixed("slope"), DataType::SFIXED_POINT_16, std::move(dims),
      std::vector<int16_t>(values.begin(), values.end()),
      {Encoding::Form::ScaleOffset, {std::ldexp(1.0f, -int(shift))}, {0}});
}

/// A real slope as an integer of 16 bits, and its shift.
static std::pair<double, int64_t> integerOf(double real) {
  if (real == 0)
    return {0, 0};
  int shift = 14 - std::ilogb(real);
  return {std::min(std::nearbyint(std::ldexp(real, shift)), 32767.0), shift};
}

static std::string slopeOf(LayerExport &n, StringRef word) {
  bool isInteger = n.isInteger();
  int64_t shift = compass::intKey(n.op, compass::keys::negative_slope_shift);
  if (word == "PRELU") {
    auto view = compass::viewConstant(
        compass::tensorKey(n.op, compass::keys::negative_slope));
    std::vector<float> values = compass::floatsOf(*view);
    return slopes(n, Lengths(view->shape.begin(), view->shape.end()),
                  {values.begin(), values.end()}, shift, isInteger);
  }
  double slope =
      *compass::numberOf(n.op->getAttr(compass::keys::negative_slope_value));
  if (isInteger && !n.op->hasAttr(compass::keys::negative_slope_shift))
    shift = n.output().bits();
  if (exports::isTable(n.op))
    std::tie(slope, shift) = integerOf(slope);
  // It has the multiplier of the result in it then.
  else if (isInteger && compass::hasOwnRounding(n.op))
    std::tie(slope, shift) = integerOf(std::ldexp(slope, -int(shift)) /
                                       exports::multipliersOf(n.op)[0]);
  return slopes(n, {1}, {slope}, shift, isInteger);
}

LogicalResult LayerExport::activate(std::string x, compass::WordKey key) {
  std::string word = compass::wordKey(op, key, "NONE");
  // Integers are bounded at 0 alone: the rest is the range of the result.
  if (word == "RELU" || (word == "RELU6" && isInteger())) {
    node("Relu", {std::move(x)}, {out()});
    return success();
  }
  if (word == "PRELU" || word == "LEAKYRELU") {
    std::string slope = slopeOf(*this, word);
    node("Prelu", {std::move(x), slope}, {out()});
    return success();
  }
  double lo = 0, hi = 6;
  if (word != "RELU6") {
    lo = *compass::numberOf(op->getAttr(compass::keys::clip_min));
    hi = *compass::numberOf(op->getAttr(compass::keys::clip_max));
  }
  if (isInteger()) {
    // Bounds are in steps of the result, of 8 bits in 256ths of them.
    compass::TensorInfo info = output();
    double step = double(graph.steps.of(op->getResult(0)));
    double unit = step / (info.bits() <= 8 ? 256 : 1);
    double least = double(info.lo + info.zp) * step,
           most = double(info.hi + info.zp) * step;
    lo = std::clamp(lo * unit, least, most);
    hi = std::clamp(hi * unit, least, most);
  }
  node("ReluMinMax", {std::move(x)}, {out()},
       {floatParam("min_value", lo), floatParam("max_value", hi)});
  return success();
}

//===----------------------------------------------------------------------===//
// Constants
//===----------------------------------------------------------------------===//

std::vector<std::byte> qnn::turned(const ConstantView &view,
                                   ArrayRef<int64_t> order) {
  size_t bytes = elementBytes(view.dtype), rank = view.shape.size();
  const auto *from = reinterpret_cast<const std::byte *>(view.bytes.data());
  std::vector<std::byte> result(size_t(view.numElements()) * bytes);
  if (order.empty() || llvm::is_sorted(order)) {
    std::memcpy(result.data(), from, result.size());
    return result;
  }
  // Steps of the constant along the axes of the result.
  std::vector<int64_t> strides(rank), lengths(rank), index(rank, 0);
  for (size_t i = 0; i < rank; ++i) {
    lengths[i] = view.shape[size_t(order[i])];
    strides[i] =
        compass::product(ArrayRef(view.shape).drop_front(size_t(order[i]) + 1));
  }
  int64_t place = 0;
  for (size_t i = 0; i < result.size(); i += bytes) {
    std::memcpy(&result[i], from + size_t(place) * bytes, bytes);
    for (size_t axis = rank; axis-- > 0;) {
      place += strides[axis];
      if (++index[axis] < lengths[axis])
        break;
      place -= strides[axis] * lengths[axis];
      index[axis] = 0;
    }
  }
  return result;
}

/// The encoding of a constant whose scale is in a key that no record has, along
/// \p axis if there is one for each position. Null if it says none.
static std::optional<Encoding> statedEncoding(LayerExport &n, StringRef key,
                                              const ConstantView &view) {
  auto scales = compass::extraNumbers(n.op, (key + "_scale").str()),
       zeroPoints = compass::extraNumbers(n.op, (key + "_zp").str());
  auto count = size_t(view.numElements());
  if (zeroPoints.empty())
    zeroPoints.push_back(0);
  auto fits = [&](size_t length) { return length == 1 || length == count; };
  if (!fits(scales.size()) || !fits(zeroPoints.size()) ||
      view.shape.size() != 1)
    if (scales.size() != 1 || zeroPoints.size() != 1)
      return std::nullopt;
  if (llvm::any_of(scales, [](double scale) { return !(scale > 0); }))
    return std::nullopt;
  Encoding encoding{scales.size() == 1 && zeroPoints.size() == 1
                        ? Encoding::Form::ScaleOffset
                        : Encoding::Form::AxisScaleOffset};
  for (size_t i = 0, e = std::max(scales.size(), zeroPoints.size()); i < e;
       ++i) {
    encoding.scales.push_back(float(1 / scales[scales.size() == 1 ? 0 : i]));
    encoding.offsets.push_back(
        int32_t(zeroPoints[zeroPoints.size() == 1 ? 0 : i]));
  }
  return encoding;
}

FailureOr<std::string> LayerExport::constant(compass::TensorKey key,
                                             Lengths dims,
                                             ArrayRef<int64_t> order) {
  auto view = compass::viewConstant(compass::tensorKey(op, key));
  if (compass::product(ArrayRef(dims)) != view->numElements())
    return refuse(key, "has a wrong number of " + key + " than QNN's")
        .found(Twine(view->numElements()))
        .expected(Twine(compass::product(ArrayRef(dims))));
  QnnTensor tensor{suffixed(key), DataType::FLOAT_32, std::move(dims),
                   TensorKind::Static};
  bool isFixed = !compass::dtypeIsFloat(view->dtype);
  if (isFixed) {
    auto encoding = statedEncoding(*this, key, *view);
    if (!encoding)
      return refuse(key, "does not give the scale of its integers")
          .expected(key + "_scale with one value, or a value for each");
    tensor.encoding = *encoding;
  }
  bool isKnown = false;
  for (const DataTypeEntry &entry : allDataTypes())
    if (!isKnown && entry.element == view->dtype &&
        entry.isFixed() == isFixed && entry.storage != Storage::Text &&
        entry.numBits() == 8 * elementBytes(entry.element)) {
      tensor.type = entry.type;
      isKnown = true;
    }
  if (!isKnown)
    return refuse(key, "has constants of a type that QNN does not have");
  setValue(tensor, turned(*view, order));
  return graph.add(std::move(tensor));
}

//===----------------------------------------------------------------------===//
// Indices and truth values
//===----------------------------------------------------------------------===//

std::string LayerExport::indices(unsigned i, int64_t length) {
  Value value = op->getOperand(i);
  TensorInfo info = input(i);
  Lengths dims(info.shape.begin(), info.shape.end());
  if (auto view = compass::constantInput(op, i)) {
    std::vector<int32_t> values;
    for (int64_t k = 0, e = view->numElements(); k < e; ++k) {
      int64_t index = view->intAt(k);
      values.push_back(int32_t(index < 0 ? index + length : index));
    }
    return graph.addStatic(suffixed("indices"), DataType::INT_32, dims, values);
  }
  std::string name = in(i);
  DataType type = *graph.typeOf(value);
  if (type == DataType::INT_32 || type == DataType::UINT_32)
    return name;
  std::string cast = between("indices", DataType::INT_32, dims);
  node("Cast", {name}, {cast});
  return cast;
}

std::string LayerExport::truth(unsigned i) {
  std::string name = in(i);
  if (*graph.typeOf(op->getOperand(i)) == DataType::BOOL_8)
    return name;
  TensorInfo info = input(i);
  std::string cast = between("truth", DataType::BOOL_8,
                             Lengths(info.shape.begin(), info.shape.end()));
  node("Cast", {name}, {cast});
  return cast;
}
