//===- Weighted.cpp - Convolutions and products with weights --------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "parser/onnx/export/operators/Weighted.h"
#include "dialects/compass/ConstantValues.h"
#include "dialects/compass/LayerKeys.h"
#include "dialects/compass/Layers.h"
#include "dialects/compass/Records.h"
#include "dialects/compass/WeightsOnly.h"
#include "parser/onnx/export/Exports.h"
#include "parser/onnx/export/operators/Windows.h"
#include "llvm/Support/MathExtras.h"

using namespace yarrow;
using namespace yarrow::onnx;
using namespace mlir;
using compass::BufferBinding;
using compass::ConstantView;
using compass::DType;

namespace {

/// Weights and biases of a layer as inputs of a node.
class WeightedInputs {
public:
  WeightedInputs(LayerExport &n, WeightsForm form)
      : n(n), form(std::move(form)) {}

  FailureOr<std::pair<std::string, std::string>> make();

private:
  std::pair<std::string, std::string> makeFloats();
  FailureOr<std::pair<std::string, std::string>> makeIntegers();
  std::string biases(const std::vector<int64_t> &values,
                     const std::vector<float> &scales);

  LayerExport &n;
  WeightsForm form;
};

} // namespace

/// A constant and its owner, which may be the layer.
static std::string addBinding(LayerExport &n, StringRef key,
                              const BufferBinding &binding,
                              ArrayRef<int64_t> order) {
  std::shared_ptr<const void> owner = binding.owned;
  ConstantView view = binding.view;
  return n.forms.constant(n.suffixed(key), view, order, owner);
}

std::pair<std::string, std::string> WeightedInputs::makeFloats() {
  return {n.realKey(compass::keys::weights, form.order),
          n.realKey(compass::keys::biases)};
}

/// As int32 with the scales of the products or, if they do not fit, as floats.
std::string WeightedInputs::biases(const std::vector<int64_t> &values,
                                   const std::vector<float> &scales) {
  auto scaleOf = [&](size_t i) { return scales[scales.size() == 1 ? 0 : i]; };
  auto length = int64_t(values.size());
  if (llvm::any_of(values, [](int64_t v) { return !llvm::isInt<32>(v); })) {
    std::vector<float> floats(values.size());
    for (size_t i = 0; i < values.size(); ++i)
      floats[i] = float(double(values[i]) * double(scaleOf(i)));
    return n.floats("biases", {length}, floats);
  }
  std::string stored =
      n.forms.constantOf(n.suffixed("biases"), DType::I32, {length},
                         std::vector<int32_t>(values.begin(), values.end()));
  std::string scale = scales.size() == 1
                          ? n.forms.scalar(scales[0])
                          : n.floats("biases_scale", {length}, scales);
  AttributeList attributes;
  if (scales.size() > 1)
    attributes.push_back({"axis", int64_t(0)});
  std::string name = n.forms.freeName(n.suffixed("biases_real"));
  n.forms.addNode(n.suffixed("biases"), "DequantizeLinear", {stored, scale},
                  name, attributes);
  return name;
}

FailureOr<std::pair<std::string, std::string>> WeightedInputs::makeIntegers() {
  auto integers = exports::integerWeights(n.op);
  if (failed(integers))
    return failure();
  const BufferBinding &weights = integers->weights;
  compass::TensorInfo in = n.in(0), out = n.out();
  auto outputs = int64_t(integers->biases.size());
  auto filters = weights.view.shape[0];
  // Such multipliers make of a sum of products what the result stores.
  std::vector<float> scales;
  for (double multiplier : n.multipliers())
    scales.push_back(float(multiplier * double(in.scale) / double(out.scale)));
  if (llvm::all_equal(scales))
    scales.resize(1);
  if (scales.size() > 1 && filters != outputs)
    return n.refuse(compass::keys::scale,
                    "has per-channel scales and groups that share filters");
  std::vector<float> sums(scales);
  for (float &scale : sums)
    scale /= in.scale;
  std::string constant =
      addBinding(n, compass::keys::weights, weights, form.order);
  DType type = weights.view.dtype;
  AttributeList attributes;
  std::string scale, zeroPoint;
  if (scales.size() > 1) {
    attributes.push_back({"axis", placeOf(form.order, form.outputAxis)});
    scale = n.floats("weights_scale", {filters}, scales);
    zeroPoint = n.forms.constantOf(
        n.suffixed("weights_zero_point"), type, {filters},
        std::vector<char>(size_t(filters) * kernels::dtypeBytes(type), 0));
  } else {
    scale = n.forms.scalar(scales[0]);
    zeroPoint = n.forms.zeroPoint(type, 0);
  }
  std::string real = n.forms.freeName(n.suffixed("weights_real"));
  n.forms.addNode(n.suffixed("weights"), "DequantizeLinear",
                  {constant, scale, zeroPoint}, real, attributes);
  return std::pair(real, biases(integers->biases, sums));
}

FailureOr<std::pair<std::string, std::string>> WeightedInputs::make() {
  if (compass::boolKey(n.op, compass::keys::with_winograd))
    return n
        .refuse(compass::keys::with_winograd, "has weights in Winograd form")
        .hint("export a network that was built with --winograd off");
  if (n.isInteger())
    return makeIntegers();
  if (!compass::hasWeightsOnly(n.op))
    return makeFloats();
  auto weights = compass::dequantizedWeights(n.op);
  if (failed(weights))
    return failure();
  return std::pair(addBinding(n, compass::keys::weights, *weights, form.order),
                   n.realKey(compass::keys::biases));
}

//===----------------------------------------------------------------------===//
// The layers
//===----------------------------------------------------------------------===//

ConvolutionForm onnx::convolutionForm(LayerExport &n) {
  auto weights =
      compass::viewConstant(compass::tensorKey(n.op, compass::keys::weights));
  size_t rank = n.rank();
  auto axes = compass::windowAxes(n.op, unsigned(rank) - 2, &*weights);
  ConvolutionForm form;
  form.weights.order = {0, int64_t(rank) - 1};
  for (const compass::WindowAxis &axis : axes)
    form.weights.order.push_back(axis.weightAxis);
  form.attributes = windowAttributes(axes);
  bool isDepthwise =
      compass::recordOf(n.op)->layerType == StringRef("DepthwiseConv");
  form.attributes.push_back(
      {"group", isDepthwise ? n.in(0).shape[3]
                            : compass::intKey(n.op, compass::keys::group)});
  return form;
}

LogicalResult onnx::exportConvolution(LayerExport &n) {
  ConvolutionForm form = convolutionForm(n);
  Order order = channelsSecond(n.rank());
  auto inputs = WeightedInputs(n, form.weights).make();
  if (failed(inputs))
    return failure();
  std::string y =
      n.node("Conv", {n.real(0, order), inputs->first, inputs->second},
             form.attributes);
  return n.result(0, n.activated(y, order), order);
}

LogicalResult onnx::exportConvTranspose(LayerExport &n) {
  auto weights =
      compass::viewConstant(compass::tensorKey(n.op, compass::keys::weights));
  int64_t group = compass::intKey(n.op, compass::keys::group);
  if (weights->shape[0] * group != n.out().shape[3])
    return n.refuse(compass::keys::group,
                    "has separate filters for each group");
  auto inputs = WeightedInputs(n, {{3, 0, 1, 2}, 0}).make();
  if (failed(inputs))
    return failure();
  Order order = channelsSecond(4);
  AttributeList attributes =
      windowAttributes(compass::windowAxes(n.op, 2, &*weights));
  attributes.push_back({"group", group});
  attributes.push_back(
      {"output_padding",
       Lengths{compass::intKey(n.op, compass::keys::output_padding_y),
               compass::intKey(n.op, compass::keys::output_padding_x)}});
  std::string y =
      n.node("ConvTranspose", {n.real(0, order), inputs->first, inputs->second},
             attributes);
  return n.result(0, n.activated(y, order), order);
}

LogicalResult onnx::exportFullyConnected(LayerExport &n) {
  auto weights =
      compass::viewConstant(compass::tensorKey(n.op, compass::keys::weights));
  auto inputs = WeightedInputs(n, {{0, 1}, 0}).make();
  if (failed(inputs))
    return failure();
  std::string x = n.real(0, plainOrder(n.in(0).shape.size()));
  if (n.in(0).shape.size() != 2)
    x = n.node("Reshape", {x, n.integers("rows", {-1, weights->shape[1]})});
  Order order = plainOrder(n.rank());
  std::string y = n.node("Gemm", {x, inputs->first, inputs->second},
                         {{"transB", int64_t(1)}});
  if (n.rank() != 2)
    y = n.node("Reshape", {y, n.integers("shape", n.shape())});
  return n.result(0, n.activated(y, order), order);
}

LogicalResult onnx::exportMatMul(LayerExport &n) {
  auto turned = [&](unsigned i, compass::BoolKey key) {
    Order order = plainOrder(n.in(i).shape.size());
    if (compass::boolKey(n.op, key))
      std::swap(order[order.size() - 1], order[order.size() - 2]);
    return order;
  };
  Order order = plainOrder(n.rank());
  double scale = n.operandScale(n.multipliers()[0]) * double(n.in(1).scale);
  std::string y =
      n.node("MatMul", {n.real(0, turned(0, compass::keys::trans_a), scale),
                        n.real(1, turned(1, compass::keys::trans_b))});
  auto factor =
      compass::numberOf(n.op->getAttr(compass::keys::fused_multiplier));
  if (factor && !n.isInteger())
    y = n.node("Mul", {y, n.forms.scalar(float(*factor))});
  return n.result(0, y, order);
}
