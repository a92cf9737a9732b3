//===- ConvOps.td - Convolutions and matrix products -----------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_DIALECTS_COMPASS_CONV_CONVOPS_TD
#define YARROW_DIALECTS_COMPASS_CONV_CONVOPS_TD

include "dialects/compass/CompassBase.td"

def Compass_ConvolutionOp : Compass_Op<"convolution", "Convolution", MacRule, !listconcat(
  Weights, [OptIntKey<"num_output", "output channels">], Window,
  [IntKey<"group", "channel groups", "1">], Requant, FusedActivation,
  [BoolKey<"with_winograd", "weights are Winograd-transformed", "false", [], "Optional">])> {
  let summary = "2-D convolution, NHWC, weights [output, kernel_y, kernel_x, input/group]";
}

def Compass_DepthwiseConvOp : Compass_Op<"depthwise_conv", "DepthwiseConv", MacRule, !listconcat(
  Weights, [OptIntKey<"num_output", "output channels">], Window,
  [IntKey<"group", "input channels", "1">, IntKey<"multiplier", "filters per input channel", "1">],
  Requant, FusedActivation)> {
  let summary = "depthwise convolution, weights [output, kernel_y, kernel_x, 1]";
}

def Compass_FullyConnectedOp : Compass_Op<"fully_connected", "FullyConnected", MacRule, !listconcat(
  Weights, [OptIntKey<"num_output", "output channels">], Requant, FusedActivation)> {
  let summary = "fully connected layer, weights [output, input]";
}

def Compass_MatMulOp : Compass_Op<"matmul", "MatMul", MatMulRule, !listconcat([
  BoolKey<"trans_a", "A is stored transposed">, BoolKey<"trans_b", "B is stored transposed">,
  OptFloatKey<"fused_multiplier", "constant factor of the product">,
  OptIntKey<"remain_shift", "shift left after the first of two roundings", "Int">], Requant)> {
  let summary = "batched matrix product of two activations";
}

#endif // YARROW_DIALECTS_COMPASS_CONV_CONVOPS_TD
