//===- ConvOps.td - Convolutions and matrix products ----------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_DIALECTS_COMPASS_CONV_CONVOPS_TD
#define YARROW_DIALECTS_COMPASS_CONV_CONVOPS_TD

include "dialects/compass/conv/ConvTranspose.td"
include "dialects/compass/conv/MatrixProducts.td"
include "dialects/compass/conv/Morphology.td"

def Compass_ConvolutionOp : Compass_Op<"convolution", "Convolution", MacRule, !listconcat(
  Weights, [NumOutput], ConvWindow,
  [IntKey<"group", "number of groups that input and output channels are divided into", "1", [], AtLeastOne>], WideRequant, FusedActivation,
  [OptBoolKey<"with_winograd", "the weights are transformed for Winograd's algorithm; kernel and stride describe its tiles; absent: false">,
   IntListKey<"Fmnrs", "F(m,r) along the width, or F(m x n, r x s)", "Optional", "Int", AtLeastOne>,
   TensorKey<"winograd_tap_shift", "with_winograd: left shift of each tap's sum before the output transform, uint8 "
             "[output, rows, columns of the tile], 0 to 15; absent: 0. A key of Yarrow's own", "Int">,
   OptIntKey<"winograd_output_shift", "with_winograd: right shift of the output transform's results, which are multiples of its "
             "power of two, before the bias; absent: 0. A key of Yarrow's own", "Int", [], "Optional", [0, 7]>]), "inferConvolution"> {
  let facts = [LinearLayer, WindowedLayer, ActivatedLayer];
  let summary = "2-D convolution, NHWC, weights [output, kernel_y, kernel_x, input/group]";
  let formula = "acc = sum(x * (w + weights_zp)) + bias over kernel_y, kernel_x and the group's input channels, padding = "
                "-zp_x (a real 0); integer: y = act(clip(round_half_even(acc * scale / 2^shift) - zp_y)), where "
                "the stored bias contains zp_x * sum(w); rows: floor((H + pads - ((kernel_y-1) * dilation_y + 1)) / stride_y) + 1";
  let source = "Compass IR 7.3, 4.3.1 Convolution2D, GroupConvolution";
  let keyVariants = ScalesAndShifts;
  let tensorsIn = [Tensor<"X", "N,H,W,C", "image">];
  let tensorsOut = [Tensor<"Y", "N,outH,outW,outC", "one channel per output of the weights">];
  let floatKernels = ["yk_conv2d_float"];
  let intKernels = ["yk_conv2d_int", "yk_conv2d_winograd_int"];
  let resolved = !listconcat(ConvResolved2D, ConvResolved, [
    Resolved<"the printed weights_shape lacks kernel_y, and breaks off for 2-D Winograd",
      "[output, kernel_y, kernel_x, input/group]; with F(m x n, r x s): [output, n+s-1, m+r-1, input]">,
    Resolved<"with_winograd changes the meaning of kernel and stride",
      "Fmnrs=[m,r] is F(m,r) along the width: kernel_x = m+r-1, stride_x = m, weights [output, kernel_y, m+r-1, input], and "
      "the layer is the convolution with a kernel of r columns and stride 1; [m,n,r,s] is F(m x n, r x s), where n and s change "
      "kernel_y and stride_y in the same way. Absent: [2,3], the only form that the reference tools write">,
    Resolved<"the integer arithmetic of with_winograd is not specified",
      "everything before the requantization is exact: per tile d of the padded input (padding = -zp_x), M[o,t] = sum over c "
      "of w[o,t,c] * (BT d B)[t,c]; Y = AT (M * 2^winograd_tap_shift[o,t]) A; acc = (Y >> winograd_output_shift) + bias. "
      "BT and AT are the matrices of Cook and Toom for the points 0, 1, -1, 2, -2; the 1-D form adds up its rows. The "
      "stored bias contains zp_x times the response to a constant 1. Executed if BT and AT are integers: tiles of m+r-1 up "
      "to 6. The reference tools pad with +zp_x, which is wrong unless zp_x is 0">,
    Resolved<"the example has no with_winograd", "absent means false; the reference tools write it only if it is true">,
    Resolved<"GroupConvolution has the same layer_type", "they are one operator, with a group above 1">,
    Resolved<"the text has one scale per group, but the example has ten for two groups",
      "scale and shift have one value per output channel">]);
}

def Compass_DepthwiseConvOp : Compass_Op<"depthwise_conv", "DepthwiseConv", DepthwiseRule, !listconcat(
  Weights, [NumOutput], ConvWindow,
  [OptIntKey<"group", "number of input channels; absent: those of the input", "Both", [], "Optional", AtLeastOne>,
   OptIntKey<"multiplier", "filters per input channel; absent: those of the weights", "Both", [], "Optional", AtLeastOne>],
  WideRequant, FusedActivation), "inferDepthwiseConv"> {
  let facts = [LinearLayer, WindowedLayer, ActivatedLayer];
  let summary = "depthwise convolution, weights [output, kernel_y, kernel_x, 1]";
  let formula = "as Convolution, but output channel o reads only input channel o / multiplier";
  let source = "Compass IR 7.3, 4.3.1 DepthwiseConvolution";
  let keyVariants = ScalesAndShifts;
  let tensorsIn = [Tensor<"X", "N,H,W,C", "image">];
  let tensorsOut = [Tensor<"Y", "N,outH,outW,outC", "outC = C * multiplier">];
  let floatKernels = ["yk_depthwise_conv2d_float"];
  let intKernels = ["yk_depthwise_conv2d_int"];
  let resolved = !listconcat(ConvResolved2D, ConvResolved, [
    Resolved<"the text mentions a form with one scale, but no key for it",
      "the reference tools always store one scale and shift per channel; scale_value and shift_value are accepted, too">]);
}

def Compass_Convolution3DOp : Compass_Op<"convolution_3d", "Convolution3D", MacRule, !listconcat(
  Weights, [NumOutput], ConvWindow3D, ConvGroup, WideRequant, FusedActivation), "inferConvolution"> {
  let facts = [LinearLayer, ActivatedLayer];
  let floatKernels = ["yk_copy", "yk_conv2d_float"];
  let intKernels = ["yk_copy", "yk_conv2d_int"];
  let summary = "3-D convolution, NDHWC, weights [output, kernel_y, kernel_x, kernel_z, input/group]";
  let formula = "as Convolution along depth, rows and columns";
  let source = "Compass IR 7.3, 4.3.1 Convolution3D";
  let keyVariants = [KeyVariant<"dialation_z", "dilation_z">];
  let tensorsIn = [Tensor<"X", "N,D,H,W,C", "volume">];
  let tensorsOut = [Tensor<"Y", "N,outD,outH,outW,outC", "one channel per output of the weights">];
  let resolved = !listconcat(ConvResolved, [
    Resolved<"PRELU is missing from the activations, unlike in ConvTranspose3D", "it is accepted">,
    Resolved<"the text has dialation_z, the example dilation_z", "dilation_z is written, both are read">,
    Resolved<"weights have the depth as the last kernel axis, data have it before the rows",
      "weights are [output, kernel_y, kernel_x, kernel_z, input/group], as the example and the reference tools store them">,
    Resolved<"absent pads are said to keep the input's shape", "the pads that give the declared shape, as for Convolution">]);
}

def Compass_ConvIntegerOp : Compass_Op<"conv_integer", "ConvInteger", IntegerProductRule, !listconcat(
  [TensorKey<"weights", "weights, integers", need="Required">, TensorKey<"biases", "bias; the parser writes zeros">,
   NumOutput], ConvWindow, ConvGroup, [
   WordKey<"with_activation", "the parser writes NONE", "NONE", ["NONE"], [], "Optional">,
   IntKey<"x_zero_point", "subtracted from the input">, IntKey<"w_zero_point", "subtracted from the weights">]), "inferConvInteger"> {
  let resultTypes = "Given";
  let facts = [WindowedLayer];
  let summary = "2-D convolution of plain integers with 32-bit sums";
  let computedIn = "Int";
  let intKernels = ["yk_conv2d_int"];
  let formula = "y = sum((x - x_zero_point) * (w - w_zero_point)), int32, padding = x_zero_point";
  let source = "reference parser";
  let tensorsIn = [Tensor<"X", "N,H,W,C", "image", "Integer">];
  let tensorsOut = [Tensor<"Y", "N,outH,outW,outC", "sums", "Integer">];
  let resolved = [
    Resolved<"the definition does not have this layer",
      "keys and shape are those of the reference parser, the arithmetic is that of ONNX's ConvInteger; zero points are "
      "subtracted here, unlike in other layers of Compass IR, which add them">];
}

#endif // YARROW_DIALECTS_COMPASS_CONV_CONVOPS_TD
