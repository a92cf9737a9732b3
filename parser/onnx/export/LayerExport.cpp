//===- LayerExport.cpp - One layer as nodes of ONNX -----------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "parser/onnx/export/LayerExport.h"
#include "dialects/compass/ConstantValues.h"
#include "dialects/compass/LayerKeys.h"
#include "dialects/compass/Layers.h"
#include "dialects/compass/Records.h"
#include "dialects/compass/WeightsOnly.h"
#include "dialects/compass/WideRequant.h"
#include "parser/export/LayerNumbers.h"
#include "support/diagnostics/Import.h"
#include <cmath>
#include <map>

using namespace yarrow;
using namespace yarrow::onnx;
using namespace mlir;
using compass::DType;
using compass::LayerError;
using compass::TensorInfo;

bool LayerExport::isInteger() const { return exports::isInteger(op); }

Order LayerExport::readyOrder() {
  std::map<std::vector<int64_t>, int64_t> bytes;
  for (Value operand : op->getOperands())
    if (!forms.isConstant(operand) &&
        describe(operand).shape.size() == rank()) {
      Order order = forms.readyOrder(operand);
      bytes[{order.begin(), order.end()}] += describe(operand).numElements();
    } else if (!forms.isConstant(operand)) {
      return plainOrder(rank());
    }
  auto most = llvm::max_element(
      bytes, [](auto &a, auto &b) { return a.second < b.second; });
  return most == bytes.end() ? plainOrder(rank())
                             : Order(most->first.begin(), most->first.end());
}

std::string LayerExport::suffixed(StringRef suffix) const {
  return (compass::layerNameOf(op) + "." + suffix).str();
}

LayerError LayerExport::refuse(StringRef key, const Twine &why) {
  const compass::OperatorRecord *record = compass::recordOf(op);
  return compass::layerError(op, diag::ExportForm, key,
                             Twine(record ? record->layerType.str() : "it") +
                                 " " + why);
}

//===----------------------------------------------------------------------===//
// Nodes and results
//===----------------------------------------------------------------------===//

std::vector<std::string> LayerExport::nodeOf(size_t results, StringRef onnxOp,
                                             std::vector<std::string> inputs,
                                             AttributeList attributes) {
  std::string layer = compass::layerNameOf(op).str();
  std::string name = hasNode ? layer + "/" + onnxOp.str() : layer;
  hasNode = true;
  std::vector<std::string> outputs(results);
  for (std::string &output : outputs) {
    output = forms.freeName(layer + "." + onnxOp.str());
    ownNames.insert(output);
  }
  forms
      .addNode(name, onnxOp.str(), std::move(inputs), outputs.front(),
               std::move(attributes))
      .outputs = outputs;
  return outputs;
}

std::string LayerExport::node(StringRef onnxOp, std::vector<std::string> inputs,
                              AttributeList attributes) {
  return nodeOf(1, onnxOp, std::move(inputs), std::move(attributes)).front();
}

LogicalResult LayerExport::quantized(unsigned i, std::string name, double scale,
                                     Order order) {
  TensorInfo info = out(i);
  auto carrier = carrierOf(info);
  if (!carrier)
    return refuse("layer_top_zp",
                  "has a result that no type of QuantizeLinear can hold")
        .found(compass::dtypeName(info.storedType()) + " with zero point " +
               Twine(info.zp))
        .expected("8 or 16 bits, and -zp within the type or within 16 bits");
  if (carrier->isWider)
    name =
        node("Clip", {std::move(name),
                      forms.scalar(float(double(info.lo + info.zp) / scale)),
                      forms.scalar(float(double(info.hi + info.zp) / scale))});
  // A scale of its own is the carrier's.
  float step = scale == 1 ? 1 : carrier->scale;
  return resultStored(
      i,
      node("QuantizeLinear",
           {std::move(name), forms.scalar(step),
            forms.zeroPoint(carrier->type, carrier->zeroPoint)}),
      std::move(order));
}

LogicalResult LayerExport::resultSteps(unsigned i, std::string name,
                                       Order order) {
  return quantized(i, std::move(name), 1, std::move(order));
}

LogicalResult LayerExport::result(unsigned i, std::string name, Order order) {
  TensorInfo info = out(i);
  if (info.dtype == DType::F32)
    return resultStored(i, name, std::move(order));
  if (info.quantized)
    return quantized(i, std::move(name), double(info.scale), std::move(order));
  if (info.isInteger() && info.dtype != DType::Bool) {
    auto [lo, hi] = compass::dtypeRange(info.storedType());
    name = node("Round", {std::move(name)});
    if (kernels::dtypeBytes(info.dtype) < 4)
      name = node("Clip", {std::move(name), forms.scalar(float(lo)),
                           forms.scalar(float(hi))});
  }
  return resultStored(
      i, node("Cast", {std::move(name)}, {{"to", elementNumber(info.dtype)}}),
      std::move(order));
}

LogicalResult LayerExport::resultStored(unsigned i, const std::string &name,
                                        Order order) {
  Value value = op->getResult(i);
  std::string wanted = forms.nameFor(value, order, !out(i).quantized);
  // A layer that gives what it got has no node of its own.
  if (!ownNames.contains(name) || !forms.rename(name, wanted, firstNode))
    forms.addNode(compass::layerNameOf(op).str(), "Identity", {name}, wanted);
  forms.define(value, wanted, std::move(order));
  return success();
}

//===----------------------------------------------------------------------===//
// Scales and activations
//===----------------------------------------------------------------------===//

std::vector<double> LayerExport::multipliers() const {
  return exports::multipliersOf(op);
}

double LayerExport::operandScale(double multiplier) const {
  return isInteger() ? multiplier / double(out().scale) : 0;
}

std::string LayerExport::realKey(compass::TensorKey key,
                                 ArrayRef<int64_t> order) {
  auto view = compass::viewConstant(compass::tensorKey(op, key));
  std::string name = forms.constant(suffixed(key), *view, order);
  if (view->dtype == DType::F32)
    return name;
  return node("Cast", {name}, {{"to", elementNumber(DType::F32)}});
}

/// Slopes of PRELU in the order of the result's axes.
static std::string slopesOf(LayerExport &n, ArrayRef<int64_t> order) {
  auto view = compass::viewConstant(
      compass::tensorKey(n.op, compass::keys::negative_slope));
  std::vector<float> slopes = compass::floatsOf(*view);
  if (n.isInteger())
    for (float &slope : slopes)
      slope = std::ldexp(
          slope,
          -int(compass::intKey(n.op, compass::keys::negative_slope_shift)));
  // Slopes repeat along the innermost axes.
  Lengths lengths(order.size(), 1);
  for (auto [i, length] : llvm::enumerate(llvm::reverse(view->shape)))
    if (i < order.size())
      lengths[order.size() - 1 - i] = length;
  return n.forms.floats(n.suffixed("negative_slope"), lengths, slopes, order);
}

std::string LayerExport::activated(std::string name, ArrayRef<int64_t> order,
                                   compass::WordKey key) {
  std::string word = compass::wordKey(op, key, "NONE");
  if (word == "NONE")
    return name;
  // Integers are bounded at 0 alone: the rest is the range of the result.
  if (word == "RELU" || (word == "RELU6" && isInteger()))
    return node("Relu", {std::move(name)});
  if (word == "RELU6")
    return node("Clip", {std::move(name), forms.scalar(0), forms.scalar(6)});
  if (word == "PRELU")
    return node("PRelu", {std::move(name), slopesOf(*this, order)});
  if (word == "LEAKYRELU") {
    double slope =
        *compass::numberOf(op->getAttr(compass::keys::negative_slope_value));
    if (isInteger() && !exports::isTable(op)) {
      auto shift =
          op->getAttrOfType<IntegerAttr>(compass::keys::negative_slope_shift);
      slope = std::ldexp(slope,
                         -int(shift ? shift.getInt() : int64_t(out().bits())));
      // It has the multiplier of the result in it then.
      if (compass::hasOwnRounding(op))
        slope /= multipliers()[0];
    }
    return node("LeakyRelu", {std::move(name)}, {{"alpha", float(slope)}});
  }
  double lo = *compass::numberOf(op->getAttr(compass::keys::clip_min)),
         hi = *compass::numberOf(op->getAttr(compass::keys::clip_max));
  if (isInteger()) {
    // Bounds are in steps of the result, of 8 bits in 256ths of them.
    double unit = double(out().scale) * (out().bits() <= 8 ? 256 : 1);
    lo /= unit, hi /= unit;
  }
  return node("Clip", {std::move(name), forms.scalar(float(lo)),
                       forms.scalar(float(hi))});
}

int64_t onnx::axisOf(LayerExport &n, compass::IntKey key, size_t rank) {
  return exports::axisOf(n.op, key, rank);
}

int64_t onnx::placeOf(ArrayRef<int64_t> order, int64_t axis) {
  return llvm::find(order, axis) - order.begin();
}
