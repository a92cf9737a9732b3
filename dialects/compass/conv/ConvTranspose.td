//===- ConvTranspose.td - Convolutions transposed -------------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_DIALECTS_COMPASS_CONV_CONVTRANSPOSE_TD
#define YARROW_DIALECTS_COMPASS_CONV_CONVTRANSPOSE_TD

include "dialects/compass/conv/ConvKeys.td"

defvar OutputPadding2D = [
  IntKey<"output_padding_x", "columns added at the right of the result", "0", [], NotNegative, "Optional">,
  IntKey<"output_padding_y", "rows added below the result", "0", [], NotNegative, "Optional">];

defvar TransposedResolved = [
  Resolved<"whether the kernel is flipped is not specified",
    "it is not: out[i * stride + k * dilation - pad] += in[i] * w[o, k, i], the transpose of the convolution with these weights">,
  Resolved<"the layout of weights in groups is not specified",
    "group 1: [output, kernel..., input]; more: [output/group, kernel..., input], as the reference tools store them">,
  Resolved<"the text spells the keys scales_... and shifts_...", "scale_... and shift_... are written, both are read">];

def Compass_ConvTransposeOp : Compass_Op<"conv_transpose", "ConvTranspose", TransposedRule, !listconcat(
  Weights, [NumOutput], ConvWindow, ConvGroup, OutputPadding2D, WideRequant, FusedActivation), "inferConvTranspose"> {
  let facts = [LinearLayer, WindowedLayer, ActivatedLayer];
  let summary = "transposed 2-D convolution, NHWC, weights [output, kernel_y, kernel_x, input]";
  let floatKernels = ["yk_conv_transpose2d_float"];
  let intKernels = ["yk_conv_transpose2d_int"];
  let formula = "out[i * stride + k * dilation - pad] += in[i] * w[k] + bias; rows: (H-1) * stride_y + (kernel_y-1) * dilation_y "
                "+ 1 + output_padding_y - pad_top - pad_bottom; activation and integer form as Convolution";
  let source = "Compass IR 7.3, 4.3.1 ConvTranspose2D";
  let keyVariants = ScalesAndShifts;
  let tensorsIn = [Tensor<"X", "N,H,W,C", "image">];
  let tensorsOut = [Tensor<"Y", "N,outH,outW,outC", "one channel per output of the weights">];
  let resolved = !listconcat(TransposedResolved, ConvResolved, [
    Resolved<"there is no key for output padding, which some strides need",
      "output_padding_x and output_padding_y, as the reference tools write them; absent: 0">]);
}

def Compass_ConvTranspose3DOp : Compass_Op<"conv_transpose_3d", "ConvTranspose3D", TransposedRule, !listconcat(
  Weights, [NumOutput], ConvGroup, FusedActivation, ConvWindow3D, OutputPadding2D,
  [IntKey<"output_padding_z", "planes added after the last of the result", "0", [], NotNegative, "Optional">], WideRequant), "inferConvTranspose"> {
  let facts = [LinearLayer, ActivatedLayer];
  let floatKernels = ["yk_copy", "yk_conv_transpose2d_float"];
  let intKernels = ["yk_copy", "yk_conv_transpose2d_int"];
  let summary = "transposed 3-D convolution, NDHWC, weights [output, kernel_y, kernel_x, kernel_z, input]";
  let formula = "as ConvTranspose along depth, rows and columns; planes: (D-1) * stride_z + (kernel_z-1) * dilation_z + 1 + "
                "output_padding_z - pad_z_begin - pad_z_end";
  let source = "Compass IR 7.3, 4.3.1 ConvTranspose3D";
  let spellings = ["ConvTranspose 3D"];
  let keyVariants = ScalesAndShifts;
  let tensorsIn = [Tensor<"X", "N,D,H,W,C", "volume">];
  let tensorsOut = [Tensor<"Y", "N,outD,outH,outW,outC", "one channel per output of the weights">];
  let resolved = !listconcat(TransposedResolved, ConvResolved, [
    Resolved<"the formula uses output_padding, but no such key is listed", "the keys output_padding_x, _y and _z, 0 if absent">,
    Resolved<"the list of strides has kernel_z", "stride_z is meant, as in the example">,
    Resolved<"the section's heading is ConvTranspose 3D", "ConvTranspose3D, as in the example; the spelling with a blank is accepted">,
    Resolved<"weights have the depth as the last kernel axis, data have it before the rows",
      "weights are [output, kernel_y, kernel_x, kernel_z, input]: the example stores a 7x8x9 kernel as [4,8,7,9,3]">,
    Resolved<"the sentence about halving pads is garbled", "the six keys give the pads; nothing is halved">]);
}

#endif // YARROW_DIALECTS_COMPASS_CONV_CONVTRANSPOSE_TD
