//===- Norms.cpp - Norms, softmax and reductions --------------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "dialects/compass/ConstantValues.h"
#include "dialects/compass/ExtraKeys.h"
#include "dialects/compass/LayerAxes.h"
#include "dialects/compass/LayerKeys.h"
#include "dialects/compass/Layers.h"
#include "dialects/compass/Records.h"
#include "parser/onnx/export/Exports.h"
#include "llvm/ADT/StringSwitch.h"

using namespace yarrow;
using namespace yarrow::onnx;
using namespace mlir;

//===----------------------------------------------------------------------===//
// Norms
//===----------------------------------------------------------------------===//

/// A constant whose integers have their scale in a key that no record has.
static FailureOr<std::vector<float>> scaledKey(LayerExport &n,
                                               compass::TensorKey key) {
  auto view = compass::viewConstant(compass::tensorKey(n.op, key));
  std::vector<float> values = compass::floatsOf(*view);
  if (!n.isInteger())
    return values;
  auto scales = compass::extraNumbers(n.op, (key + "_scale").str()),
       zeroPoints = compass::extraNumbers(n.op, (key + "_zp").str());
  auto fits = [&](size_t count) {
    return count == 1 || count == values.size();
  };
  if (zeroPoints.empty())
    zeroPoints.push_back(0);
  if (!fits(scales.size()) || !fits(zeroPoints.size()) ||
      llvm::any_of(scales, [](double scale) { return !(scale > 0); }))
    return n.refuse(key, "does not give the scale of its integers")
        .expected(key + "_scale with one value, or a value for each");
  for (size_t i = 0; i < values.size(); ++i)
    values[i] =
        float((double(values[i]) + zeroPoints[zeroPoints.size() == 1 ? 0 : i]) /
              scales[scales.size() == 1 ? 0 : i]);
  return values;
}

/// Scale and bias of a norm as constants of shape \p lengths.
static FailureOr<std::pair<std::string, std::string>>
scaleAndBias(LayerExport &n, const Lengths &lengths) {
  auto weights = scaledKey(n, compass::keys::weights),
       biases = scaledKey(n, compass::keys::biases);
  if (failed(weights) || failed(biases))
    return failure();
  auto count = size_t(compass::product(lengths));
  if (weights->size() != count || biases->size() != count)
    return n
        .refuse(compass::keys::weights,
                "has a number of weights that ONNX does not allow")
        .found(Twine(weights->size()))
        .expected(Twine(count));
  return std::pair(n.floats("weights", lengths, *weights),
                   n.floats("biases", lengths, *biases));
}

LogicalResult onnx::exportLayerNorm(LayerExport &n) {
  auto axes = compass::axesKey(n.op, int64_t(n.rank()));
  if (failed(axes))
    return failure();
  int64_t first = axes->front();
  if (first + int64_t(axes->size()) != int64_t(n.rank()))
    return n.refuse(compass::keys::axis,
                    "over axes other than the last is not exported");
  Order order = plainOrder(n.rank());
  Lengths shape = n.shape();
  auto inputs = scaleAndBias(n, Lengths(shape.begin() + first, shape.end()));
  if (failed(inputs))
    return failure();
  return n.result(0,
                  n.node("LayerNormalization",
                         {n.real(0, order), inputs->first, inputs->second},
                         {{"axis", first},
                          {"epsilon", float(compass::floatKey(
                                          n.op, compass::keys::epsilon))}}),
                  order);
}

LogicalResult onnx::exportInstanceNorm(LayerExport &n) {
  Order order = channelsSecond(n.rank());
  auto inputs = scaleAndBias(n, {n.out().shape.back()});
  if (failed(inputs))
    return failure();
  return n.result(0,
                  n.node("InstanceNormalization",
                         {n.real(0, order), inputs->first, inputs->second},
                         {{"epsilon", float(compass::floatKey(
                                          n.op, compass::keys::epsilon))}}),
                  order);
}

LogicalResult onnx::exportGroupNorm(LayerExport &n) {
  int64_t axis = axisOf(n, compass::keys::axis, n.rank());
  if (axis == 0)
    return n.refuse(compass::keys::axis, "over the first axis is not exported");
  // All axes but the first and the channels are alike to it.
  Order order = plainOrder(n.rank());
  order.erase(order.begin() + axis);
  order.insert(order.begin() + 1, axis);
  auto inputs = scaleAndBias(n, {n.shape()[size_t(axis)]});
  if (failed(inputs))
    return failure();
  return n.result(
      0,
      n.node("GroupNormalization",
             {n.real(0, order), inputs->first, inputs->second},
             {{"num_groups", compass::intKey(n.op, compass::keys::group)},
              {"epsilon",
               float(compass::floatKey(n.op, compass::keys::epsilon))}}),
      order);
}

//===----------------------------------------------------------------------===//
// Reductions
//===----------------------------------------------------------------------===//

/// The layer's axes as a constant, in the order of a form.
static FailureOr<std::string> axesIn(LayerExport &n, ArrayRef<int64_t> order) {
  auto axes = compass::axesKey(n.op, int64_t(order.size()));
  if (failed(axes))
    return failure();
  Lengths places;
  for (int64_t axis : *axes)
    places.push_back(placeOf(order, axis));
  return n.integers("axes", places);
}

LogicalResult onnx::exportSoftmax(LayerExport &n) {
  Order order = n.readyOrder();
  int64_t axis = axisOf(n, compass::keys::axis, n.rank());
  return n.result(0,
                  n.node(compass::recordOf(n.op)->layerType, {n.real(0, order)},
                         {{"axis", placeOf(order, axis)}}),
                  order);
}

LogicalResult onnx::exportNormalization(LayerExport &n) {
  Order order = n.readyOrder();
  auto axes = axesIn(n, order);
  if (failed(axes))
    return failure();
  bool isL1 = compass::wordKey(n.op, compass::keys::method, "L2") == "L1";
  std::string x = n.real(0, order);
  std::string sum = n.node(isL1 ? "ReduceL1" : "ReduceSumSquare", {x, *axes});
  // The least sum; integers of 0 stay 0 all the same.
  double least = compass::floatKey(n.op, compass::keys::epsilon);
  sum = n.node("Max",
               {sum, n.forms.scalar(float(least == 0 ? 1.1920929e-7 : least))});
  if (!isL1)
    sum = n.node("Sqrt", {sum});
  return n.result(0, n.node("Div", {x, sum}), order);
}

LogicalResult onnx::exportReduce(LayerExport &n) {
  Order order = n.forms.readyOrder(n.op->getOperand(0));
  auto axes = axesIn(n, order);
  if (failed(axes))
    return failure();
  std::string method = compass::wordKey(n.op, compass::keys::method, "MEAN");
  StringRef op = llvm::StringSwitch<StringRef>(method)
                     .Case("MEAN", "ReduceMean")
                     .Case("SUM", "ReduceSum")
                     .Case("MIN", "ReduceMin")
                     .Case("MAX", "ReduceMax")
                     .Case("PROD", "ReduceProd")
                     .Case("L1", "ReduceL1")
                     .Case("L2", "ReduceL2")
                     .Default("");
  double count = double(n.in(0).numElements()) / double(n.out().numElements());
  // Of integers the multiplier is that of the sum, or of the value.
  bool isMean = method == "MEAN", isLinear = isMean || method == "SUM" ||
                                             method == "MIN" || method == "MAX";
  double scale =
      isLinear ? n.operandScale(n.multipliers()[0] * (isMean ? count : 1)) : 0;
  std::string x = n.real(0, order, scale);
  if (!op.empty())
    return n.result(0, n.node(op, {x, *axes}), order);
  bool isUnbiased = method == "UNBIASED_VARIANCE";
  if (method != "VARIANCE" && !isUnbiased)
    return n.refuse(compass::keys::method,
                    Twine("with method ") + method + " is not exported");
  std::string away = n.node("Sub", {x, n.node("ReduceMean", {x, *axes})});
  std::string y = n.node("ReduceMean", {n.node("Mul", {away, away}), *axes});
  if (isUnbiased)
    y = n.node("Mul", {y, n.forms.scalar(float(count / (count - 1)))});
  return n.result(0, y, order);
}
