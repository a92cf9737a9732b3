//===- Norms.cpp - Norms, softmax and reductions --------------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "dialects/compass/LayerAxes.h"
#include "dialects/compass/LayerKeys.h"
#include "dialects/compass/Layers.h"
#include "parser/export/LayerNumbers.h"
#include "parser/qnn/export/Exports.h"
#include "llvm/ADT/StringSwitch.h"
#include <cmath>

using namespace yarrow;
using namespace yarrow::qnn;
using namespace mlir;

LogicalResult qnn::exportSoftmax(LayerExport &n) {
  return n.result(
      n.layerType(), {n.in(0)},
      {uint32Param("axis",
                   exports::axisOf(n.op, compass::keys::axis, n.rank()))});
}

//===----------------------------------------------------------------------===//
// Norms
//===----------------------------------------------------------------------===//

static QnnParam epsilon(LayerExport &n) {
  return floatParam("epsilon", compass::floatKey(n.op, compass::keys::epsilon));
}

/// The input, and what the layer has of weights and biases with the lengths
/// \p dims.
static FailureOr<std::vector<std::string>> normInputs(LayerExport &n,
                                                      const Lengths &dims) {
  std::vector<std::string> names = {n.in(0)};
  for (compass::TensorKey key :
       {compass::keys::weights, compass::keys::biases}) {
    if (!compass::tensorKey(n.op, key))
      continue;
    auto name = n.constant(key, dims);
    if (failed(name))
      return failure();
    names.push_back(*name);
  }
  return names;
}

LogicalResult qnn::exportLayerNorm(LayerExport &n) {
  auto axes = compass::axesKey(n.op, int64_t(n.rank()));
  if (failed(axes))
    return failure();
  Lengths dims, shape = n.shape();
  for (int64_t axis : *axes)
    dims.push_back(shape[size_t(axis)]);
  bool isRms = n.layerType() == "RMSNorm";
  if (isRms && !compass::tensorKey(n.op, compass::keys::weights) &&
      compass::tensorKey(n.op, compass::keys::biases))
    return n.refuse(compass::keys::biases, "has biases but no weights");
  auto inputs = normInputs(n, dims);
  if (failed(inputs))
    return failure();
  return n.result(
      isRms ? "RmsNorm" : "LayerNorm", *inputs,
      {uint32sParam("axes", {axes->begin(), axes->end()}), epsilon(n)});
}

LogicalResult qnn::exportInstanceNorm(LayerExport &n) {
  auto inputs = normInputs(n, {n.shape().back()});
  if (failed(inputs))
    return failure();
  return n.result("InstanceNorm", *inputs, {epsilon(n)});
}

LogicalResult qnn::exportGroupNorm(LayerExport &n) {
  if (exports::axisOf(n.op, compass::keys::axis, n.rank()) + 1 !=
      int64_t(n.rank()))
    return n.refuse(compass::keys::axis,
                    "over an axis other than the last is not exported");
  auto inputs = normInputs(n, {n.shape().back()});
  if (failed(inputs))
    return failure();
  return n.result(
      "GroupNorm", *inputs,
      {epsilon(n),
       uint32Param("group", compass::intKey(n.op, compass::keys::group))});
}

//===----------------------------------------------------------------------===//
// Reductions
//===----------------------------------------------------------------------===//

static FailureOr<Lengths> axesOf(LayerExport &n) {
  auto axes = compass::axesKey(n.op, int64_t(n.input(0).shape.size()));
  if (failed(axes))
    return failure();
  return Lengths(axes->begin(), axes->end());
}

LogicalResult qnn::exportNormalization(LayerExport &n) {
  if (compass::wordKey(n.op, compass::keys::method, "L2") != "L2")
    return n.refuse(compass::keys::method,
                    "of sums of magnitudes is not exported");
  auto axes = axesOf(n);
  if (failed(axes))
    return failure();
  // The least sum of squares; QNN has the least root of it.
  double least = compass::floatKey(n.op, compass::keys::epsilon);
  return n.result(
      "L2Norm", {n.in(0)},
      {uint32sParam("axes", *axes),
       floatParam("epsilon", std::sqrt(least == 0 ? 1.1920929e-7 : least))});
}

/// Mean and variance with the reduced axes.
static LogicalResult moments(LayerExport &n, std::vector<std::string> outputs,
                             const Lengths &axes) {
  n.node("Moments", {n.in(0)}, std::move(outputs),
         {int32sParam("axes", axes), boolParam("keep_dims", true)});
  return success();
}

LogicalResult qnn::exportMoments(LayerExport &n) {
  if (!compass::boolKey(n.op, compass::keys::keepdims))
    return n.refuse(compass::keys::keepdims,
                    "without the reduced axes is not exported");
  auto axes = axesOf(n);
  return failed(axes) ? failure() : moments(n, n.outs(), *axes);
}

LogicalResult qnn::exportReduce(LayerExport &n) {
  auto axes = axesOf(n);
  if (failed(axes))
    return failure();
  std::string method = compass::wordKey(n.op, compass::keys::method, "MEAN");
  // The means that nobody reads would need a scale of their own.
  if (method == "VARIANCE" && !n.isInteger())
    return moments(n, {n.between("mean"), n.out()}, *axes);
  StringRef name = llvm::StringSwitch<StringRef>(method)
                       .Case("MEAN", "ReduceMean")
                       .Case("SUM", "ReduceSum")
                       .Case("MIN", "ReduceMin")
                       .Case("MAX", "ReduceMax")
                       .Case("PROD", "ReduceProd")
                       .Default("");
  if (name.empty())
    return n.refuse(compass::keys::method,
                    Twine("with method ") + method + " is not exported");
  return n.result(name, {n.in(0)},
                  {uint32sParam("axes", *axes), boolParam("keep_dims", true)});
}

LogicalResult qnn::exportCumulate(LayerExport &n) {
  if (compass::wordKey(n.op, compass::keys::method, "SUM") != "SUM")
    return n.refuse(compass::keys::method, "for products is not exported");
  return n.result(
      "CumulativeSum", {n.in(0)},
      {uint32Param("axis",
                   exports::axisOf(n.op, compass::keys::axis, n.rank())),
       boolParam("exclusive", compass::boolKey(n.op, compass::keys::exclusive)),
       boolParam("reverse", compass::boolKey(n.op, compass::keys::reverse))});
}
