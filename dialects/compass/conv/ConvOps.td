//===- ConvOps.td - Convolutions and matrix products -----------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_DIALECTS_COMPASS_CONV_CONVOPS_TD
#define YARROW_DIALECTS_COMPASS_CONV_CONVOPS_TD

include "dialects/compass/CompassBase.td"
include "dialects/compass/conv/ConvKeys.td"

def Compass_ConvolutionOp : Compass_Op<"convolution", "Convolution", MacRule, !listconcat(
  Weights, [NumOutput], ConvWindow,
  [IntKey<"group", "parts into which input and output channels are cut", "1", [], AtLeastOne>], Requant, FusedActivation,
  [OptBoolKey<"with_winograd", "weights are transformed for Winograd's algorithm; kernel and stride are those of its tiles; absent: false">,
   IntListKey<"Fmnrs", "F(m,r) along the width, or F(m x n, r x s)", "Optional", "Int", AtLeastOne>,
   TensorKey<"winograd_tap_shift", "with_winograd: left shift of each tap's sum before the output transform, uint8 "
             "[output, rows, columns of the tile], 0 to 15; absent: 0. A key of Yarrow's own", "Int">,
   OptIntKey<"winograd_output_shift", "with_winograd: right shift of the output transform's results, which are multiples of its "
             "power of two, before the bias; absent: 0. A key of Yarrow's own", "Int", [], "Optional", [0, 7]>])> {
  let summary = "2-D convolution, NHWC, weights [output, kernel_y, kernel_x, input/group]";
  let formula = "acc = sum(x * (w + weights_zp)) + bias over kernel_y, kernel_x and the group's input channels, padding = "
                "-zp_x (a real 0); integer: y = act(clip(round_half_even(acc * scale / 2^shift) - zp_y)), where "
                "the stored bias contains zp_x * sum(w); rows: floor((H + pads - ((kernel_y-1) * dilation_y + 1)) / stride_y) + 1";
  let source = "Compass IR 7.3, 4.3.1 Convolution2D, GroupConvolution";
  let keyVariants = ScalesAndShifts;
  let tensorsIn = [Tensor<"X", "N,H,W,C", "image">];
  let tensorsOut = [Tensor<"Y", "N,outH,outW,outC", "as many channels as weights has outputs">];
  let inFloat = "TEC";
  let inInt = "engine";
  let resolved = !listconcat(ConvResolved2D, ConvResolved, [
    Resolved<"weights_shape lacks kernel_y, and is cut off for 2-D Winograd",
      "[output, kernel_y, kernel_x, input/group]; with F(m x n, r x s): [output, n+s-1, m+r-1, input]">,
    Resolved<"with_winograd changes what kernel and stride mean",
      "Fmnrs=[m,r] is F(m,r) along the width: kernel_x = m+r-1, stride_x = m, weights [output, kernel_y, m+r-1, input], and "
      "the layer is the convolution with a kernel of r columns and stride 1; [m,n,r,s] is F(m x n, r x s), where n and s do "
      "the same to kernel_y and stride_y. Absent, it is [2,3], the only form that the reference tools write">,
    Resolved<"the integer arithmetic with with_winograd is not told",
      "everything before the requantization is exact: per tile d of the padded input (padding = -zp_x), M[o,t] = sum over c "
      "of w[o,t,c] * (BT d B)[t,c]; Y = AT (M * 2^winograd_tap_shift[o,t]) A; acc = (Y >> winograd_output_shift) + bias. "
      "BT and AT are those of Cook and Toom with the points 0, 1, -1, 2, -2, and rows of the 1-D form are added up. The "
      "stored bias contains zp_x times the response to a constant 1. Executed where BT and AT are whole: tiles of m+r-1 up "
      "to 6. The reference tools pad with +zp_x, which is wrong where zp_x is not 0">,
    Resolved<"with_winograd is absent in the example", "absent means false; the reference tools write it only when true">,
    Resolved<"GroupConvolution has the same layer_type", "one operator; its group is above 1">,
    Resolved<"the text has one scale per group, the example of two groups ten",
      "scale and shift have one value per output channel">]);
}

def Compass_DepthwiseConvOp : Compass_Op<"depthwise_conv", "DepthwiseConv", MacRule, !listconcat(
  Weights, [NumOutput], ConvWindow,
  [OptIntKey<"group", "input channels; absent: as many as there are", "Both", [], "Optional", AtLeastOne>,
   OptIntKey<"multiplier", "filters per input channel; absent: as many as the weights have", "Both", [], "Optional", AtLeastOne>],
  Requant, FusedActivation)> {
  let summary = "depthwise convolution, weights [output, kernel_y, kernel_x, 1]";
  let formula = "as Convolution, but output channel o reads input channel o / multiplier alone";
  let source = "Compass IR 7.3, 4.3.1 DepthwiseConvolution";
  let keyVariants = ScalesAndShifts;
  let tensorsIn = [Tensor<"X", "N,H,W,C", "image">];
  let tensorsOut = [Tensor<"Y", "N,outH,outW,outC", "outC = C * multiplier">];
  let inFloat = "TEC";
  let inInt = "engine";
  let resolved = !listconcat(ConvResolved2D, ConvResolved, [
    Resolved<"a form with one scale is mentioned, but no key for it",
      "the reference tools always store one scale and shift per channel; scale_value and shift_value are accepted as well">]);
}

def Compass_FullyConnectedOp : Compass_Op<"fully_connected", "FullyConnected", MacRule, !listconcat(
  Weights, [NumOutput], Requant, FusedActivation)> {
  let summary = "fully connected layer, weights [output, input]";
  let formula = "acc[n, o] = sum over i of x[n, i] * (w[o, i] + weights_zp) + bias[o]; then as Convolution";
  let source = "Compass IR 7.3, 4.3.1 FullyConnected";
  let tensorsIn = [Tensor<"X", "...", "rows of as many values as weights has inputs">];
  let tensorsOut = [Tensor<"Y", "...", "[rows, outputs]">];
  let inFloat = "TEC";
  let inInt = "engine";
  let resolved = !listconcat(ConvResolved, [
    Resolved<"the output is called 1-D, the example's is 2-D",
      "[rows, outputs]; an input of more axes may keep its leading ones if the last has the weights' length">,
    Resolved<"the bias is called one value per output, the reference parser keeps other shapes that broadcast",
      "one value, or a last length of one per output, is accepted; only one value per output is executed">,
    Resolved<"a scale per channel is not offered here", "accepted as for Convolution, and written by the reference tools">]);
}

def Compass_MatMulOp : Compass_Op<"matmul", "MatMul", MatMulRule, !listconcat([
  BoolKey<"trans_a", "A is stored transposed">, BoolKey<"trans_b", "B is stored transposed">,
  OptFloatKey<"fused_multiplier", "constant factor of the product, folded into the scale of integer IR">,
  OptIntKey<"remain_shift", "16-bit inputs: right shift that a second rounding does", "Int">], Requant)> {
  let summary = "batched matrix product of two activations";
  let formula = "y = A @ B over the last two axes, the others broadcast; integer: "
                "clip(round_half_even(((A + zp_a) @ (B + zp_b)) * scale / 2^shift) - zp_y)";
  let source = "Compass IR 7.3, 4.3.1 MatMul";
  let keyVariants = [KeyVariant<"adj_x", "trans_a">, KeyVariant<"adj_y", "trans_b">, KeyVariant<"tans_b", "trans_b">];
  let tensorsIn = [Tensor<"A", "...", "[..., M, K], or [..., K, M] with trans_a">,
                   Tensor<"B", "...", "[..., K, N], or [..., N, K] with trans_b">];
  let tensorsOut = [Tensor<"Y", "...", "[..., M, N]">];
  let inFloat = "TEC";
  let inInt = "engine";
  let resolved = [
    Resolved<"the example prints adj_x and adj_y, the text tans_b", "read as trans_a and trans_b, which are written">,
    Resolved<"how zero points enter is not told", "they are added to both inputs when the layer runs">];
}

#endif // YARROW_DIALECTS_COMPASS_CONV_CONVOPS_TD
