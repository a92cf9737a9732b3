//===- ConvShapes.cpp - Shapes of convolutions ----------------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "dialects/compass/conv/ConvShapes.h"
#include "dialects/compass/Compat.h"
#include "dialects/compass/LayerCheck.h"
#include "dialects/compass/Layers.h"
#include "dialects/compass/WeightsOnly.h"
#include "dialects/compass/conv/Winograd.h"
#include "support/diagnostics/Ir.h"
#include "support/diagnostics/Operators.h"

using namespace yarrow;
using namespace yarrow::compass;
using namespace mlir;

static LayerError badWeights(Operation *op, const Twine &message,
                             const ConstantView &weights) {
  LayerError error = layerError(op, diag::OpInvalid, "weights_shape", message);
  error.found(shapeText(weights.shape));
  return error;
}

FailureOr<ConstantView> compass::weightsOf(Operation *op, size_t rank,
                                           int64_t groups) {
  ElementsAttr attr = tensorKey(op, keys::weights);
  auto weights = attr ? viewConstant(attr) : std::nullopt;
  if (!weights)
    return layerError(op, diag::IrMissingKey, "", "needs the constant weights");
  if (weights->shape.size() != rank)
    return badWeights(op, "the weights have a wrong number of axes", *weights)
        .expected(Twine(rank) + " axes");
  bool integer = isIntegerLayer(op);
  if (dtypeIsFloat(weights->dtype) == integer && !hasWeightsOnly(op))
    return layerError(
               op, diag::OpElementType, "weights_type",
               "weights and tensors are not both floats or both integers")
        .found(dtypeName(weights->storedType()))
        .expected(integer ? "an integer type"
                          : "a float type, or integers with weights_scale");
  int64_t outputs = weights->shape[0] * groups;
  // Morphology has no bias.
  ElementsAttr biasAttr = tensorKey(op, keys::biases);
  auto biases = biasAttr ? viewConstant(biasAttr) : std::nullopt;
  bool broadcasts =
      rank == 2 && biases &&
      (biases->numElements() == 1 ||
       (!biases->shape.empty() && biases->shape.back() == outputs));
  if (biases && biases->numElements() != outputs && !broadcasts)
    return layerError(op, diag::OpInvalid, "biases_shape",
                      "the layer needs one bias per output channel")
        .found(shapeText(biases->shape))
        .expected("[" + Twine(outputs) + "]");
  // Integers that stand for real numbers have their scales (CompatCheck.h).
  if (biases && dtypeIsFloat(biases->dtype) == integer &&
      !computesStoredReals(op))
    return layerError(op, diag::OpElementType, "biases_type",
                      "bias and tensors are not both floats or both integers")
        .found(dtypeName(biases->storedType()))
        .expected(integer ? "an integer type" : "a float type");
  if (op->hasAttr(keys::num_output) && intKey(op, keys::num_output) != outputs)
    return layerError(
               op, diag::OpInvalid, keys::num_output,
               "num_output is not the number of output channels of the weights")
        .found(Twine(intKey(op, keys::num_output)))
        .expected(Twine(outputs) + ", from weights " +
                  shapeText(weights->shape));
  return *weights;
}

/// Each kernel_... must be the length that the weights have.
static LogicalResult checkKernels(Operation *op, ArrayRef<WindowAxis> axes,
                                  const ConstantView &weights) {
  bool ok = true;
  for (const WindowAxis &axis : axes)
    if (axis.kernel != weights.shape[axis.weightAxis]) {
      ok = false;
      layerError(op, diag::OpInvalid, axis.keys->kernel,
                 "the kernel does not fit the weights " +
                     shapeText(weights.shape))
          .found(Twine(axis.kernel))
          .expected(Twine(weights.shape[axis.weightAxis]));
    }
  return success(ok);
}

static FailureOr<int64_t> groupOf(Operation *op, int64_t channels,
                                  int64_t outputs) {
  int64_t group = intKey(op, keys::group);
  if (channels % group == 0 && outputs % group == 0)
    return group;
  return layerError(op, diag::OpInvalid, keys::group,
                    "group does not divide the channels")
      .found(Twine(group))
      .expected("a divisor of " + Twine(channels) + " input and " +
                Twine(outputs) + " output channels");
}

/// Appends the shape of \p outputs channels of windows.
static LogicalResult appendFiltered(Operation *op, ArrayRef<WindowAxis> axes,
                                    int64_t outputs, ResultShapes &shapes) {
  auto shape = windowShape(op, axes, /*ceil=*/false);
  if (failed(shape))
    return failure();
  shape->back() = outputs;
  shapes.push_back(*shape);
  return checkFusedActivation(op, *shape);
}

/// Two of images, three of volumes: batch and channels are the others.
static unsigned spatialAxes(Operation *op) {
  return inputShape(op, 0).size() - 2;
}

/// The part that Convolution and ConvInteger share.
static LogicalResult inferDense(Operation *op, unsigned spatial,
                                const ConstantView &weights,
                                ResultShapes &shapes) {
  auto axes = windowAxes(op, spatial, &weights);
  if (failed(checkKernels(op, axes, weights)))
    return failure();
  int64_t channels = inputShape(op, 0).back(), outputs = weights.shape[0];
  auto group = groupOf(op, channels, outputs);
  if (failed(group))
    return failure();
  if (weights.shape.back() != channels / *group)
    return badWeights(op, "the weights have a wrong number of input channels",
                      weights)
        .expected(Twine(channels / *group) + " as the last length");
  if (failed(undoWinograd(op, weights, axes)))
    return failure();
  return appendFiltered(op, axes, outputs, shapes);
}

LogicalResult compass::inferConvolution(Operation *op, ResultShapes &shapes) {
  unsigned spatial = spatialAxes(op);
  auto weights = weightsOf(op, spatial + 2);
  if (failed(weights))
    return failure();
  if (failed(checkRequant(op, {.channels = weights->shape[0]})))
    return failure();
  return inferDense(op, spatial, *weights, shapes);
}

LogicalResult compass::inferConvInteger(Operation *op, ResultShapes &shapes) {
  auto weights = weightsOf(op, 4);
  return failed(weights) ? failure() : inferDense(op, 2, *weights, shapes);
}

LogicalResult compass::inferDepthwiseConv(Operation *op, ResultShapes &shapes) {
  auto weights = weightsOf(op, 4);
  if (failed(weights))
    return failure();
  auto axes = windowAxes(op, 2, &*weights);
  if (failed(checkKernels(op, axes, *weights)) ||
      failed(checkRequant(op, {.channels = weights->shape[0]})))
    return failure();
  int64_t channels = inputShape(op, 0).back(), outputs = weights->shape[0];
  if (channels == 0 || outputs % channels || weights->shape.back() != 1)
    return badWeights(op, "the weights do not fit the input's channels",
                      *weights)
        .expected("a multiple of " + Twine(channels) +
                  " as the first length and 1 as the last");
  // Every channel is a group of its own; the key is not needed to say so.
  if (op->hasAttr(keys::group) && intKey(op, keys::group) != channels)
    return layerError(op, diag::OpInvalid, keys::group,
                      "group of a depthwise convolution is not the number of "
                      "input channels")
        .found(Twine(intKey(op, keys::group)))
        .expected(Twine(channels));
  if (op->hasAttr(keys::multiplier) &&
      intKey(op, keys::multiplier) != outputs / channels)
    return layerError(op, diag::OpInvalid, keys::multiplier,
                      "multiplier is not the number of filters per channel of "
                      "the weights")
        .found(Twine(intKey(op, keys::multiplier)))
        .expected(Twine(outputs / channels));
  return appendFiltered(op, axes, outputs, shapes);
}

LogicalResult compass::inferConvTranspose(Operation *op, ResultShapes &shapes) {
  unsigned spatial = spatialAxes(op);
  int64_t group = intKey(op, keys::group);
  auto weights = weightsOf(op, spatial + 2, group);
  if (failed(weights))
    return failure();
  auto axes = windowAxes(op, spatial, &*weights);
  SmallVector<int64_t> shape(inputShape(op, 0));
  int64_t outputs = weights->shape[0] * group;
  if (failed(checkKernels(op, axes, *weights)) ||
      failed(checkRequant(op, {.channels = outputs})) ||
      failed(groupOf(op, shape.back(), outputs)))
    return failure();
  if (weights->shape.back() != shape.back())
    return badWeights(op, "the weights have a wrong number of input channels",
                      *weights)
        .expected(Twine(shape.back()) + " as the last length");
  shape.back() = outputs;
  for (const WindowAxis &axis : axes) {
    int64_t &length = shape[axis.dataAxis];
    length = (length - 1) * axis.stride + axis.span() +
             intKey(op, axis.keys->outputPadding) - axis.before - axis.after;
    if (length < 1)
      return layerError(op, diag::OpInvalid, axis.keys->before,
                        Twine("the pads leave no result along ") +
                            Twine(axis.name))
          .found(Twine(axis.before) + " and " + Twine(axis.after))
          .expected("together less than " +
                    Twine(length + axis.before + axis.after));
  }
  shapes.push_back(shape);
  return checkFusedActivation(op, shape);
}

LogicalResult compass::inferMorphology(Operation *op, ResultShapes &shapes) {
  auto weights = weightsOf(op, 4);
  if (failed(weights))
    return failure();
  auto axes = windowAxes(op, 2, &*weights);
  if (failed(checkKernels(op, axes, *weights)) ||
      failed(checkRequant(
          op, {.scales = 3, .order = "for result, input and weights"})))
    return failure();
  int64_t channels = inputShape(op, 0).back();
  if (weights->shape[0] != channels || weights->shape[3] != 1)
    return badWeights(op, "the weights do not fit the input's channels",
                      *weights)
        .expected(Twine(channels) + " as the first length and 1 as the last");
  auto shape = windowShape(op, axes, /*ceil=*/false);
  if (failed(shape))
    return failure();
  shapes.push_back(*shape);
  return success();
}
