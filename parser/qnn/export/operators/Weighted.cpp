//===- Weighted.cpp - Convolutions and products ---------------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "dialects/compass/Compass.h"
#include "dialects/compass/ConstantValues.h"
#include "dialects/compass/ExtraKeys.h"
#include "dialects/compass/LayerKeys.h"
#include "dialects/compass/Layers.h"
#include "dialects/compass/WeightsOnly.h"
#include "dialects/compass/WindowShape.h"
#include "parser/export/LayerNumbers.h"
#include "parser/qnn/export/Exports.h"
#include "llvm/Support/MathExtras.h"

using namespace yarrow;
using namespace yarrow::qnn;
using namespace mlir;
using compass::BufferBinding;
using compass::ConstantView;
using compass::DType;
using Names = std::pair<std::string, std::string>;

//===----------------------------------------------------------------------===//
// Weights and biases
//===----------------------------------------------------------------------===//

/// What the layer itself says of the step of its weights.
static std::vector<float> statedSteps(LayerExport &n) {
  std::vector<float> steps;
  for (double scale : compass::extraNumbers(n.op, "weights_scale"))
    steps.push_back(float(1 / scale));
  return steps;
}

/// Steps that make the layer's multipliers of the steps of its tensors.
static std::vector<float> weightSteps(LayerExport &n, int64_t filters) {
  float in = n.graph.steps.of(n.op->getOperand(0)),
        out = n.graph.steps.of(n.op->getResult(0));
  std::vector<double> multipliers = exports::multipliersOf(n.op);
  std::vector<float> stated = statedSteps(n), steps;
  for (size_t i = 0; i < multipliers.size(); ++i) {
    bool isStated = stated.size() == 1 || stated.size() == multipliers.size();
    steps.push_back(
        weightStep(multipliers[i], in, out,
                   isStated ? stated[stated.size() == 1 ? 0 : i] : 0));
  }
  if (llvm::all_equal(steps) && int64_t(steps.size()) != filters)
    steps.resize(1);
  return steps;
}

static Encoding encodingOf(const std::vector<float> &steps, int64_t axis) {
  return {steps.size() == 1 ? Encoding::Form::ScaleOffset
                            : Encoding::Form::AxisScaleOffset,
          steps, std::vector<int32_t>(steps.size(), 0), axis};
}

/// Weights of aligned_int4 say so, a byte each as they are.
static void narrow(LayerExport &n, const ConstantView &weights,
                   Encoding &encoding) {
  auto own =
      compass::viewConstant(compass::tensorKey(n.op, compass::keys::weights));
  if (own->alignedBits != 4)
    return;
  for (int64_t i = 0, e = weights.numElements(); i < e; ++i)
    if (weights.intAt(i) < -8 || weights.intAt(i) > 7)
      return;
  encoding.form = encoding.form == Encoding::Form::ScaleOffset
                      ? Encoding::Form::BitWidthScaleOffset
                      : Encoding::Form::BitWidthAxisScaleOffset;
  encoding.bitWidth = 4;
}

/// As int32 with the steps of the products; what needs more bits as floats.
static std::string addBiases(LayerExport &n, const std::vector<int64_t> &values,
                             const std::vector<float> &steps) {
  Lengths dims = {int64_t(values.size())};
  std::string name = n.suffixed("biases");
  if (llvm::all_of(values, [](int64_t v) { return llvm::isInt<32>(v); }))
    return n.graph.addStatic(name, DataType::SFIXED_POINT_32, dims,
                             std::vector<int32_t>(values.begin(), values.end()),
                             encodingOf(steps, 0));
  std::vector<float> floats;
  for (size_t i = 0; i < values.size(); ++i)
    floats.push_back(
        float(double(values[i]) * double(steps[steps.size() == 1 ? 0 : i])));
  return n.graph.addStatic(name, DataType::FLOAT_32, dims, floats);
}

namespace {
/// How weights lie in QNN: the order of the IR's axes, the lengths, and where
/// the outputs are.
struct WeightsForm {
  SmallVector<int64_t> order;
  int64_t outputAxis;
};
} // namespace

static std::string addWeights(LayerExport &n, const BufferBinding &weights,
                              const WeightsForm &form, DataType type,
                              Encoding encoding) {
  QnnTensor tensor{
      n.suffixed("weights"), type, {}, TensorKind::Static, std::move(encoding)};
  for (int64_t axis : form.order)
    tensor.dims.push_back(weights.view.shape[size_t(axis)]);
  setValue(tensor, turned(weights.view, form.order));
  return n.graph.add(std::move(tensor));
}

static FailureOr<Names> integerConstants(LayerExport &n,
                                         const WeightsForm &form) {
  auto integers = exports::integerWeights(n.op);
  if (failed(integers))
    return failure();
  const ConstantView &view = integers->weights.view;
  int64_t filters = view.shape[0], outputs = int64_t(integers->biases.size());
  std::vector<float> steps = weightSteps(n, filters);
  if (steps.size() > 1 && filters != outputs)
    return n.refuse(compass::keys::scale,
                    "has per-channel scales and groups that share filters");
  std::vector<float> products;
  for (float step : steps)
    products.push_back(n.graph.steps.of(n.op->getOperand(0)) * step);
  Encoding encoding = encodingOf(steps, form.outputAxis);
  narrow(n, view, encoding);
  DataType type = elementBytes(view.dtype) == 1 ? DataType::SFIXED_POINT_8
                                                : DataType::SFIXED_POINT_16;
  std::string weights =
      addWeights(n, integers->weights, form, type, std::move(encoding));
  return Names(weights, addBiases(n, integers->biases, products));
}

static FailureOr<Names> constants(LayerExport &n, const WeightsForm &form) {
  if (compass::boolKey(n.op, compass::keys::with_winograd))
    return n
        .refuse(compass::keys::with_winograd, "has weights in Winograd form")
        .hint("export a network that was built with --winograd off");
  if (n.isInteger())
    return integerConstants(n, form);
  ElementsAttr attr = compass::tensorKey(n.op, compass::keys::weights);
  BufferBinding weights = compass::constant(attr);
  if (compass::hasWeightsOnly(n.op)) {
    auto real = compass::dequantizedWeights(n.op);
    if (failed(real))
      return failure();
    weights = *real;
  }
  if (weights.view.dtype != DType::F32)
    return n
        .refuse(compass::keys::weights,
                "has weights of a type that is not exported")
        .found(compass::dtypeName(weights.view.storedType()));
  std::string name = addWeights(n, weights, form, DataType::FLOAT_32, {});
  auto biases = n.constant(
      compass::keys::biases,
      {compass::viewConstant(compass::tensorKey(n.op, compass::keys::biases))
           ->numElements()});
  if (failed(biases))
    return failure();
  return Names(name, *biases);
}

//===----------------------------------------------------------------------===//
// Convolutions
//===----------------------------------------------------------------------===//

using WindowAxes = ArrayRef<compass::WindowAxis>;

std::vector<QnnParam> qnn::windowParams(WindowAxes axes) {
  Lengths strides, pads;
  for (const compass::WindowAxis &axis : axes) {
    strides.push_back(axis.stride);
    pads.insert(pads.end(), {axis.before, axis.after});
  }
  return {uint32sParam("stride", strides),
          uint32sParam("pad_amount", pads, {int64_t(axes.size()), 2})};
}

static QnnParam dilationParam(WindowAxes axes) {
  Lengths dilations;
  for (const compass::WindowAxis &axis : axes)
    dilations.push_back(axis.dilation);
  return uint32sParam("dilation", dilations);
}

/// [spatial axes, input, output].
static WeightsForm outputsLast(WindowAxes axes) {
  WeightsForm form;
  for (const compass::WindowAxis &axis : axes)
    form.order.push_back(axis.weightAxis);
  form.order.append({int64_t(axes.size()) + 1, 0});
  form.outputAxis = int64_t(axes.size()) + 1;
  return form;
}

LogicalResult qnn::exportConvolution(LayerExport &n) {
  auto view =
      compass::viewConstant(compass::tensorKey(n.op, compass::keys::weights));
  auto axes = compass::windowAxes(n.op, unsigned(n.rank()) - 2, &*view);
  auto inputs = constants(n, outputsLast(axes));
  if (failed(inputs))
    return failure();
  std::vector<QnnParam> params = windowParams(axes);
  params.push_back(dilationParam(axes));
  bool isDepthwise = n.layerType() == "DepthwiseConv";
  if (!isDepthwise)
    params.push_back(
        uint32Param("group", compass::intKey(n.op, compass::keys::group)));
  return n.result(isDepthwise        ? "DepthWiseConv2d"
                  : axes.size() == 3 ? "Conv3d"
                                     : "Conv2d",
                  {n.in(0), inputs->first, inputs->second}, std::move(params));
}

LogicalResult qnn::exportConvTranspose(LayerExport &n) {
  auto view =
      compass::viewConstant(compass::tensorKey(n.op, compass::keys::weights));
  auto axes = compass::windowAxes(n.op, unsigned(n.rank()) - 2, &*view);
  bool isVolume = axes.size() == 3;
  int64_t group = compass::intKey(n.op, compass::keys::group);
  if (view->shape[0] * group != n.shape().back())
    return n.refuse(compass::keys::group,
                    "has separate filters for each group");
  if (!isVolume &&
      llvm::any_of(axes, [](const auto &axis) { return axis.dilation != 1; }))
    return n.refuse(compass::keys::dilation_x,
                    "is dilated, which TransposeConv2d does not support");
  auto inputs = constants(n, outputsLast(axes));
  if (failed(inputs))
    return failure();
  std::vector<QnnParam> params = windowParams(axes);
  Lengths added;
  for (const compass::WindowAxis &axis : axes)
    added.push_back(compass::intKey(n.op, axis.keys->outputPadding));
  params.push_back(uint32Param("group", group));
  params.push_back(uint32sParam("output_padding", added));
  if (isVolume)
    params.push_back(dilationParam(axes));
  return n.result(isVolume ? "TransposeConv3d" : "TransposeConv2d",
                  {n.in(0), inputs->first, inputs->second}, std::move(params));
}

//===----------------------------------------------------------------------===//
// Products
//===----------------------------------------------------------------------===//

LogicalResult qnn::exportFullyConnected(LayerExport &n) {
  auto inputs = constants(n, {{0, 1}, 0});
  if (failed(inputs))
    return failure();
  std::vector<std::string> operands = {n.in(0), inputs->first, inputs->second};
  if (n.rank() == 2)
    return n.result("FullyConnected", operands);
  if (compass::wordKey(n.op, compass::keys::with_activation, "NONE") != "NONE")
    return n.refuse(compass::keys::with_activation,
                    "is followed by an activation and does not have rank 2");
  Value y = n.op->getResult(0);
  int64_t length = n.shape().back();
  std::string rows = n.between("rows", *n.graph.typeOf(y),
                               {n.output().numElements() / length, length},
                               n.graph.encodingOf(y));
  n.node("FullyConnected", operands, {rows});
  n.node("Reshape", {rows}, {n.out()});
  return success();
}

LogicalResult qnn::exportMatMul(LayerExport &n) {
  std::vector<QnnParam> params = {
      boolParam("transpose_in0",
                compass::boolKey(n.op, compass::keys::trans_a)),
      boolParam("transpose_in1",
                compass::boolKey(n.op, compass::keys::trans_b))};
  auto factor =
      compass::numberOf(n.op->getAttr(compass::keys::fused_multiplier));
  if (!factor || n.isInteger())
    return n.result("MatMul", n.ins(), std::move(params));
  std::string product = n.between("product");
  n.node("MatMul", n.ins(), {product}, std::move(params));
  std::string constant =
      n.graph.addStatic(n.suffixed("factor"), DataType::FLOAT_32, {1},
                        std::vector{float(*factor)});
  n.node("ElementWiseMultiply", {product, constant}, {n.out()});
  return success();
}

LogicalResult qnn::exportBatchNorm(LayerExport &n) {
  int64_t channels = n.shape().back();
  if (exports::axisOf(n.op, compass::keys::axis, n.rank()) + 1 !=
      int64_t(n.rank()))
    return n.refuse(compass::keys::axis,
                    "over an axis other than the last is not exported");
  auto weights = compass::viewConstant(
           compass::tensorKey(n.op, compass::keys::weights)),
       biases = compass::viewConstant(
           compass::tensorKey(n.op, compass::keys::biases));
  if (weights->numElements() != channels || biases->numElements() != channels)
    return n.refuse(compass::keys::weights,
                    "does not have one weight for each channel");
  if (!n.isInteger()) {
    auto w = n.constant(compass::keys::weights, {channels}),
         b = n.constant(compass::keys::biases, {channels});
    if (failed(w) || failed(b))
      return failure();
    return n.result("Batchnorm", {n.in(0), *w, *b});
  }
  std::vector<float> steps = weightSteps(n, channels), products;
  for (float step : steps)
    products.push_back(n.graph.steps.of(n.op->getOperand(0)) * step);
  std::vector<int16_t> w;
  std::vector<int64_t> b;
  for (int64_t i = 0; i < channels; ++i) {
    int64_t weight = weights->intAt(i);
    if (!llvm::isInt<16>(weight))
      return n.refuse(compass::keys::weights,
                      "has weights of more than 16 bits");
    w.push_back(int16_t(weight));
    // The zero point of x is in the biases.
    b.push_back(biases->intAt(i) - n.input(0).zp * weight);
  }
  std::string names[] = {n.graph.addStatic(n.suffixed("weights"),
                                           DataType::SFIXED_POINT_16,
                                           {channels}, w, encodingOf(steps, 0)),
                         addBiases(n, b, products)};
  return n.result("Batchnorm", {n.in(0), names[0], names[1]});
}
