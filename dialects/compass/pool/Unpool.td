//===- Unpool.td - Pooling that tells places, and its inverse -------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_DIALECTS_COMPASS_POOL_UNPOOL_TD
#define YARROW_DIALECTS_COMPASS_POOL_UNPOOL_TD

include "dialects/compass/conv/ConvKeys.td"

defvar FlattenFormulas =
  "HW: h*W + w; HWC: (h*W + w)*C + c; NHWC: ((n*H + h)*W + w)*C + c; NCHW: ((n*C + c)*H + h)*W + w";

defvar FlattenKeys = [
  WordKey<"flatten_dim", "how an index is computed, see the formula", "HWC", ["HW", "HWC", "NHWC", "NCHW"]>,
  IntKey<"storage_order", "0: h*W + w; 1: w*H + h", "0", [], [0, 1]>];

def Compass_MaxPoolingWithArgMaxOp : Compass_Op<"max_pooling_with_arg_max", "MaxPoolingWithArgMax", PoolRule,
  !listconcat(Kernel2D, Dilation2D, Pad2D, FlattenKeys, [
  BoolKey<"ceil_mode", "a last window can extend beyond the input; the declared shape decides">]), "inferMaxPoolingWithArgMax"> {
  let resultTypes = "Declared";
  let summary = "greatest value of each window and its place";
  let floatKernels = ["yk_max_pool_arg_float"];
  let intKernels = ["yk_max_pool_arg_int"];
  let formula = !strconcat("y1 = MAX of Pooling; y2 = index of the first greatest cell: ", FlattenFormulas);
  let source = "Compass IR 7.3, 4.3.1 MaxPoolingWithArgMax";
  let tensorsIn = [Tensor<"X", "N,H,W,C", "image">];
  let tensorsOut = [Tensor<"Y", "N,OutH,OutW,C", "maxima">, Tensor<"Indices", "N,OutH,OutW,C", "indices in X", "Integer">];
  let resolved = !listconcat(WindowResolved, [
    Resolved<"NCHW is listed without a formula", "((n*C + c)*H + h)*W + w, as the reference computes it">,
    Resolved<"the effect of storage_order is not specified, and its default is printed as 0.0",
      "0, the default, is row-major; 1 replaces h*W + w by w*H + h, as in ONNX's MaxPool">,
    Resolved<"the choice among equal maxima is not specified", "the first in row-major order of the window">,
    Resolved<"the example has layer_top_layout", "it is read as layer_top_datalayout, which has no effect">]);
}

class Compass_UnpoolOp<string mnemonic, string layerType> :
    Compass_Op<mnemonic, layerType, PassRule, !listconcat(FlattenKeys, [
  IntListKey<"output_shape", "shape of the result; absent: the declared one", "Expected", "Both", AtLeastOne>,
  IntKey<"pad_left", "pads of the pooling layer that this one reverses: not used", "0", [], NotNegative, "Optional">,
  IntKey<"pad_right", "as pad_left", "0", [], NotNegative, "Optional">,
  IntKey<"pad_top", "as pad_left", "0", [], NotNegative, "Optional">,
  IntKey<"pad_bottom", "as pad_left", "0", [], NotNegative, "Optional">]), "inferUnpool"> {
  let resultTypes = "Declared";
  let kernels = ["yk_check_indices", "yk_unpool"];
  let formula = !strconcat("y = 0 (stored -zp), then y[index] = x for each cell, in row-major order; indices are of Y: ", FlattenFormulas);
  let tensorsIn = [Tensor<"X", "N,H,W,C", "pooled values">, Tensor<"Indices", "N,H,W,C", "place of each value in Y", "Integer">];
  let tensorsOut = [Tensor<"Y", "N,outH,outW,C", "values at their places">];
}

def Compass_MaxUnpoolOp : Compass_UnpoolOp<"max_unpool", "MaxUnpool"> {
  let summary = "values put at the places of their maxima, zeros at other places";
  let source = "Compass IR 7.3, 4.3.1 MaxUnpool";
  let resolved = [
    Resolved<"the prose has kernel_shape, strides and pads, and a third input with the output's size",
      "they have no effect: the index is the place, and output_shape the size. Two inputs are accepted">,
    Resolved<"only the example has output_shape", "it must be the declared shape; the reference tools write it">,
    Resolved<"int8 indices, as in the example, do not cover the whole map", "any integer type is accepted">];
}

def Compass_UpsampleByIndexOp : Compass_UnpoolOp<"upsample_by_index", "UpsampleByIndex"> {
  let summary = "values put at given places, zeros at other places";
  let source = "Compass IR 7.3, 4.3.1 UpsampleByIndex";
  let resolved = [
    Resolved<"the fill value is not specified", "a real 0: -zp in integer IR">,
    Resolved<"unlike MaxUnpool, it has neither NCHW nor pads", "it is the same operator under another name: both accept all four words">,
    Resolved<"the reference parser writes shape, the definition and the Optimizer output_shape", "both are read; output_shape is written">];
  let keyVariants = [KeyVariant<"shape", "output_shape">];
}

#endif // YARROW_DIALECTS_COMPASS_POOL_UNPOOL_TD
