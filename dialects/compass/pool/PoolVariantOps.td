//===- PoolVariantOps.td - Further pooling, and its inverse ---------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_DIALECTS_COMPASS_POOL_POOLVARIANTOPS_TD
#define YARROW_DIALECTS_COMPASS_POOL_POOLVARIANTOPS_TD

include "dialects/compass/CompassBase.td"
include "dialects/compass/conv/ConvKeys.td"

defvar FlattenFormulas =
  "HW: h*W + w; HWC: (h*W + w)*C + c; NHWC: ((n*H + h)*W + w)*C + c; NCHW: ((n*C + c)*H + h)*W + w";
defvar FlattenKeys = [
  WordKey<"flatten_dim", "what an index counts", "HWC", ["HW", "HWC", "NHWC", "NCHW"]>,
  IntKey<"storage_order", "0: h*W + w; 1: w*H + h", "0", [], [0, 1]>];

def Compass_Pooling3DOp : Compass_KnownOp<"pooling_3d", "Pooling3D", PoolRule, !listconcat(Window3D, [
  MethodKey<"MAX">,
  BoolKey<"ceil_mode", "a last window may stick out; the declared shape decides">,
  OptBoolKey<"count_include_pad", "AVG: padding counts in the divisor; absent: false", ["AVG"], "Expected">])> {
  let summary = "pooling over windows of planes, rows and columns, NDHWC";
  let formula = "as Pooling; planes: floor or ceil of (D + pads - ((kernel_z-1) * dilation_z + 1)) / stride_z, + 1";
  let source = "Compass IR 7.3, 4.3.1 AveragePooling3D, MaxPooling3D";
  let tensorsIn = [Tensor<"X", "N,D,H,W,C", "volume">];
  let tensorsOut = [Tensor<"Y", "N,outD,outH,outW,C", "one value per window and channel">];
  let methods = [
    Method<"MAX", "greatest value; cells of the padding never win">,
    Method<"AVG", "mean, as AVG of Pooling">];
  let resolved = [
    Resolved<"the formula of the length divides its last term alone",
      "the whole numerator is divided: in + pads - ((k-1) * dilation + 1)), as the example needs (21,22,23 -> 21,11,8)">,
    Resolved<"the text of dilation swaps the axes", "x is the width, y the height, z the depth">,
    Resolved<"absent pads are said to be derived from the output's shape",
      "absent pads are 0; the shape that follows must be the declared one">,
    Resolved<"ceil_mode is printed twice in the example", "one value, twice: it is read once">];
}

def Compass_AdaptivePoolOp : Compass_KnownOp<"adaptive_pool", "AdaptivePool", PoolRule, [
  MethodKey<"AVG">, IntListKey<"output_size", "lengths of the result's spatial axes", "Required", "Both", AtLeastOne>]> {
  let summary = "pooling to a given size, channels last";
  let formula = "cell i of an axis of length n reduced to m covers floor(i*n/m) .. ceil((i+1)*n/m) - 1";
  let source = "reference parser";
  let tensorsIn = [Tensor<"X", "...", "[N, spatial axes ..., C]">];
  let tensorsOut = [Tensor<"Y", "...", "[N, output_size ..., C]">];
  let methods = [Method<"AVG", "mean of the cells">, Method<"MAX", "greatest of the cells">];
  let resolved = [
    Resolved<"the definition has no such layer", "keys and shape are the reference parser's, the windows are PyTorch's">];
}

def Compass_MaxPoolingWithArgMaxOp : Compass_KnownOp<"max_pooling_with_arg_max", "MaxPoolingWithArgMax", PoolRule,
  !listconcat(Kernel2D, Dilation2D, Pad2D, FlattenKeys, [
  BoolKey<"ceil_mode", "a last window may stick out; the declared shape decides">])> {
  let summary = "greatest value of each window and where it is";
  let formula = !strconcat("y1 = MAX of Pooling; y2 = index of the first greatest cell: ", FlattenFormulas);
  let source = "Compass IR 7.3, 4.3.1 MaxPoolingWithArgMax";
  let tensorsIn = [Tensor<"X", "N,H,W,C", "image">];
  let tensorsOut = [Tensor<"Y", "N,OutH,OutW,C", "maxima">, Tensor<"Indices", "N,OutH,OutW,C", "indices in X", "Integer">];
  let resolved = !listconcat(WindowResolved, [
    Resolved<"NCHW is listed without a formula", "((n*C + c)*H + h)*W + w, as the reference computes it">,
    Resolved<"the effect of storage_order is not told, and its default is printed 0.0",
      "0, the default, is row-major; 1 puts w*H + h in place of h*W + w, as in ONNX's MaxPool">,
    Resolved<"which of several equal maxima counts", "the first in row-major order of the window">,
    Resolved<"the example has layer_top_layout", "read as layer_top_datalayout; nothing is computed with it">]);
}

class Compass_UnpoolOp<string mnemonic, string layerType> :
    Compass_KnownOp<mnemonic, layerType, PassRule, !listconcat(FlattenKeys, [
  IntListKey<"output_shape", "shape of the result; absent: the declared one", "Expected", "Both", AtLeastOne>,
  IntKey<"pad_left", "pads of the pooling that is undone: not used", "0", [], NotNegative, "Optional">,
  IntKey<"pad_right", "as pad_left", "0", [], NotNegative, "Optional">,
  IntKey<"pad_top", "as pad_left", "0", [], NotNegative, "Optional">,
  IntKey<"pad_bottom", "as pad_left", "0", [], NotNegative, "Optional">])> {
  let formula = !strconcat("y = 0 (stored -zp), then y[index] = x for each cell, in row-major order; indices are of Y: ", FlattenFormulas);
  let tensorsIn = [Tensor<"X", "N,H,W,C", "pooled values">, Tensor<"Indices", "N,H,W,C", "place of each in Y", "Integer">];
  let tensorsOut = [Tensor<"Y", "N,outH,outW,C", "values at their places">];
}

def Compass_MaxUnpoolOp : Compass_UnpoolOp<"max_unpool", "MaxUnpool"> {
  let summary = "values put where their maxima were, zeros elsewhere";
  let source = "Compass IR 7.3, 4.3.1 MaxUnpool";
  let resolved = [
    Resolved<"the prose has kernel_shape, strides and pads, and a third input with the output's size",
      "none decides: an index says the place, and output_shape the size. Two inputs are accepted">,
    Resolved<"output_shape stands only in the example", "it must be the declared shape; the reference tools write it">,
    Resolved<"int8 indices, as in the example, do not reach the whole map", "any integer type is accepted">];
}

def Compass_UpsampleByIndexOp : Compass_UnpoolOp<"upsample_by_index", "UpsampleByIndex"> {
  let summary = "values put at given places, zeros elsewhere";
  let source = "Compass IR 7.3, 4.3.1 UpsampleByIndex";
  let resolved = [
    Resolved<"the fill value is not told", "a real 0: -zp in integer IR">,
    Resolved<"it differs from MaxUnpool in lacking NCHW and pads", "one operator under two names: both take all four words">,
    Resolved<"the reference parser writes shape, the definition and the Optimizer output_shape", "both are read as output_shape">];
  let keyVariants = [KeyVariant<"shape", "output_shape">];
}

def Compass_FractionalPoolOp : Compass_KnownOp<"fractional_pool", "FractionalPool", PoolRule, [
  MethodKey<"AVG">,
  BoolKey<"pseudo", "pseudorandom sequence in place of a random one">,
  BoolKey<"overlap", "neighbouring windows share their border cells">,
  IntKey<"seed", "start of the generator; 0: any">]> {
  let summary = "pooling over windows of random, nearly equal sizes";
  let formula = "y1 = method over rows y2[i] .. y2[i+1] and columns y3[j] .. y3[j+1], the last excluded without overlap";
  let source = "Compass IR 7.3, 4.3.1 FractionalPool";
  let tensorsIn = [Tensor<"X", "N,H,W,C", "image">];
  let tensorsOut = [Tensor<"Y", "N,outH,outW,C", "one value per window and channel">,
                    Tensor<"RowSequence", "rows", "first row of each window, and H", "Integer">,
                    Tensor<"ColumnSequence", "columns", "first column of each window, and W", "Integer">];
  let methods = [Method<"AVG", "mean of the cells">, Method<"MAX", "greatest of the cells">];
  let keyVariants = [KeyVariant<"pseudo_random", "pseudo">];
  let resolved = [
    Resolved<"the text has pseudo_random, the example pseudo", "pseudo, as the reference tools write it; the other is read as it">,
    Resolved<"seed is listed with true and false", "an integer">,
    Resolved<"there is no key for the ratio", "the declared shape tells rows and columns; the sequences have one value more">,
    Resolved<"the generator is not told", "what it draws cannot be known: the layer is checked, not executable">];
}

#endif // YARROW_DIALECTS_COMPASS_POOL_POOLVARIANTOPS_TD
