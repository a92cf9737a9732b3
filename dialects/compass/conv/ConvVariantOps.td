//===- ConvVariantOps.td - Further sums over windows ----------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// Convolutions transposed, over volumes and of plain integers, and the maximum
// and minimum that morphology puts in place of the sum.
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_DIALECTS_COMPASS_CONV_CONVVARIANTOPS_TD
#define YARROW_DIALECTS_COMPASS_CONV_CONVVARIANTOPS_TD

include "dialects/compass/CompassBase.td"
include "dialects/compass/conv/ConvKeys.td"

defvar ConvGroup = [IntKey<"group", "parts into which input and output channels are cut", "1", [], AtLeastOne>];
defvar OutputPadding2D = [
  IntKey<"output_padding_x", "columns added at the right of the result", "0", [], NotNegative, "Optional">,
  IntKey<"output_padding_y", "rows added below the result", "0", [], NotNegative, "Optional">];
defvar TransposedResolved = [
  Resolved<"whether the kernel is flipped is not told",
    "it is not: out[i * stride + k * dilation - pad] += in[i] * w[o, k, i], the transpose of the convolution with these weights">,
  Resolved<"the layout of weights in groups is not told",
    "group 1: [output, kernel..., input]; more: [output/group, kernel..., input], as the reference tools store them">,
  Resolved<"the text calls the groups of keys scales and shifts", "scale_... and shift_... are written, both are read">];

def Compass_ConvTransposeOp : Compass_KnownOp<"conv_transpose", "ConvTranspose", MacRule, !listconcat(
  Weights, [NumOutput], ConvWindow, ConvGroup, OutputPadding2D, Requant, FusedActivation)> {
  let summary = "transposed 2-D convolution, NHWC, weights [output, kernel_y, kernel_x, input]";
  let formula = "out[i * stride + k * dilation - pad] += in[i] * w[k] + bias; rows: (H-1) * stride_y + (kernel_y-1) * dilation_y "
                "+ 1 + output_padding_y - pad_top - pad_bottom; activation and integer form as Convolution";
  let source = "Compass IR 7.3, 4.3.1 ConvTranspose2D";
  let keyVariants = ScalesAndShifts;
  let tensorsIn = [Tensor<"X", "N,H,W,C", "image">];
  let tensorsOut = [Tensor<"Y", "N,outH,outW,outC", "one channel per output of the weights">];
  let resolved = !listconcat(TransposedResolved, ConvResolved, [
    Resolved<"there is no key for output padding, which several strides need",
      "output_padding_x and output_padding_y, as the reference tools write them; absent: 0">]);
}

def Compass_ConvTranspose3DOp : Compass_KnownOp<"conv_transpose_3d", "ConvTranspose3D", MacRule, !listconcat(
  Weights, [NumOutput], ConvGroup, FusedActivation, ConvWindow3D, OutputPadding2D,
  [IntKey<"output_padding_z", "planes added behind the result", "0", [], NotNegative, "Optional">], Requant)> {
  let summary = "transposed 3-D convolution, NDHWC, weights [output, kernel_y, kernel_x, kernel_z, input]";
  let formula = "as ConvTranspose along depth, rows and columns; planes: (D-1) * stride_z + (kernel_z-1) * dilation_z + 1 + "
                "output_padding_z - pad_z_begin - pad_z_end";
  let source = "Compass IR 7.3, 4.3.1 ConvTranspose3D";
  let spellings = ["ConvTranspose 3D"];
  let keyVariants = ScalesAndShifts;
  let tensorsIn = [Tensor<"X", "N,D,H,W,C", "volume">];
  let tensorsOut = [Tensor<"Y", "N,outD,outH,outW,outC", "one channel per output of the weights">];
  let resolved = !listconcat(TransposedResolved, ConvResolved, [
    Resolved<"output_padding stands in the formula, but is no attribute", "keys output_padding_x, _y and _z; absent: 0">,
    Resolved<"the stride group lists kernel_z", "a slip: stride_z, as in the example">,
    Resolved<"the section's heading is ConvTranspose 3D", "ConvTranspose3D, as in the example; the blank is accepted">,
    Resolved<"weights put the depth last, the data in front of the rows",
      "weights are [output, kernel_y, kernel_x, kernel_z, input]: the example stores a 7x8x9 kernel as [4,8,7,9,3]">,
    Resolved<"the sentence about halving pads is garbled", "the pads are those of the six keys; nothing is halved">]);
}

def Compass_Convolution3DOp : Compass_KnownOp<"convolution_3d", "Convolution3D", MacRule, !listconcat(
  Weights, [NumOutput], ConvWindow3D, ConvGroup, Requant, FusedActivation)> {
  let summary = "3-D convolution, NDHWC, weights [output, kernel_y, kernel_x, kernel_z, input/group]";
  let formula = "as Convolution along depth, rows and columns";
  let source = "Compass IR 7.3, 4.3.1 Convolution3D";
  let keyVariants = [KeyVariant<"dialation_z", "dilation_z">];
  let tensorsIn = [Tensor<"X", "N,D,H,W,C", "volume">];
  let tensorsOut = [Tensor<"Y", "N,outD,outH,outW,outC", "one channel per output of the weights">];
  let resolved = !listconcat(ConvResolved, [
    Resolved<"PRELU is missing from the activations, unlike in ConvTranspose3D", "accepted as for the others">,
    Resolved<"the text has dialation_z, the example dilation_z", "dilation_z; the other is read as it">,
    Resolved<"weights put the depth last, the data in front of the rows",
      "weights are [output, kernel_y, kernel_x, kernel_z, input/group], as the example and the reference tools store them">,
    Resolved<"absent pads are said to keep the input's shape", "absent pads are 0; the shape that follows must be the declared one">]);
}

def Compass_ConvIntegerOp : Compass_KnownOp<"conv_integer", "ConvInteger", IndexRule, !listconcat(
  [TensorKey<"weights", "weights, integers", need="Required">, TensorKey<"biases", "bias, zeros as the parser writes it">,
   NumOutput], ConvWindow, ConvGroup, [
   WordKey<"with_activation", "the parser writes NONE", "NONE", ["NONE"], [], "Optional">,
   IntKey<"x_zero_point", "subtracted from the input">, IntKey<"w_zero_point", "subtracted from the weights">])> {
  let summary = "2-D convolution of plain integers with 32-bit sums";
  let formula = "y = sum((x - x_zero_point) * (w - w_zero_point)), int32, padding = x_zero_point";
  let source = "reference parser";
  let tensorsIn = [Tensor<"X", "N,H,W,C", "image", "Integer">];
  let tensorsOut = [Tensor<"Y", "N,outH,outW,outC", "sums", "Integer">];
  let resolved = [
    Resolved<"the definition has no such layer",
      "keys and shape are those of the reference parser, the arithmetic is ONNX's ConvInteger; zero points are subtracted "
      "here, not added as elsewhere in Compass IR">];
}

def Compass_MatMulIntegerOp : Compass_KnownOp<"matmul_integer", "MatMulInteger", IndexRule, [
  IntKey<"a_zero_point", "subtracted from A">, IntKey<"b_zero_point", "subtracted from B">]> {
  let summary = "matrix product of plain integers with 32-bit sums";
  let formula = "y = (A - a_zero_point) @ (B - b_zero_point) over the last two axes, the others broadcast; int32";
  let source = "reference parser";
  let tensorsIn = [Tensor<"A", "...", "[..., M, K], 8-bit", "Integer">, Tensor<"B", "...", "[..., K, N], 8-bit", "Integer">];
  let tensorsOut = [Tensor<"Y", "...", "[..., M, N], int32", "Integer">];
  let resolved = [
    Resolved<"the definition has no such layer",
      "keys and shape are those of the reference parser, the arithmetic is ONNX's MatMulInteger; zero points are "
      "subtracted here, not added as elsewhere in Compass IR">];
}

// Weights without a bias: [C, kernel_y, kernel_x, 1].
defvar MorphologyKeys = !listconcat(
  [TensorKey<"weights", "what is added to, or subtracted from, each cell: [channels, kernel_y, kernel_x, 1]", need="Required">],
  Kernel2D, Dilation2D, Pad2D, [
  IntsKey<"scale_value", "multipliers of result, input and weights", "Int">,
  IntsKey<"shift_value", "right shift of the result", "Int">]);

def Compass_DilationOp : Compass_KnownOp<"dilation", "Dilation", EltwiseRule, MorphologyKeys> {
  let summary = "greatest sum of window and filter, per channel";
  let formula = "y = max over the window of x[cell] + w[cell]; integer: clip(round_half_even(max((x + zp_x) * s1 + w * s2) * s0 "
                "/ 2^shift) - zp_y) with scale_value = [s0, s1, s2]";
  let source = "Compass IR 7.3, 4.3.1 Dilation2D";
  let tensorsIn = [Tensor<"X", "N,H,W,C", "image">];
  let tensorsOut = [Tensor<"Y", "N,outH,outW,C", "greatest sums">];
  let resolved = !listconcat(WindowResolved, [
    Resolved<"the formula indexes the filter [row, column, channel], the example stores [5,7,8,1]",
      "weights are [channels, kernel_y, kernel_x, 1]">,
    Resolved<"the padding's value is not told", "cells of the padding take no part">]);
}

def Compass_ErosionOp : Compass_KnownOp<"erosion", "Erosion", EltwiseRule, MorphologyKeys> {
  let summary = "least difference of window and mirrored filter, per channel";
  let formula = "y = min over the window of x[cell] - w[kernel_y-1-row, kernel_x-1-column]; integer: "
                "clip(round_half_even(min((x + zp_x) * s1 - w * s2) * s0 / 2^shift) - zp_y) with scale_value = [s0, s1, s2]";
  let source = "Compass IR 7.3, 4.3.1 Erosion2D";
  let tensorsIn = [Tensor<"X", "N,H,W,C", "image">];
  let tensorsOut = [Tensor<"Y", "N,outH,outW,C", "least differences">];
  let resolved = !listconcat(WindowResolved, [
    Resolved<"the text prints a sum; erosion usually subtracts the mirrored filter",
      "min(x - w) with w mirrored in rows and columns, which is what the reference tools compute">,
    Resolved<"the padding's value is not told", "cells of the padding take no part">]);
}

#endif // YARROW_DIALECTS_COMPASS_CONV_CONVVARIANTOPS_TD
