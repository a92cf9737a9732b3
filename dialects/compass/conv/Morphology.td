//===- Morphology.td - Extremes over windows ------------------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// The maximum and minimum that morphology puts in place of a convolution's sum.
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_DIALECTS_COMPASS_CONV_MORPHOLOGY_TD
#define YARROW_DIALECTS_COMPASS_CONV_MORPHOLOGY_TD

include "dialects/compass/conv/ConvKeys.td"

// Weights without a bias: [C, kernel_y, kernel_x, 1].
defvar MorphologyKeys = !listconcat(
  [TensorKey<"weights", "value added to, or subtracted from, each cell: [channels, kernel_y, kernel_x, 1]", need="Required">],
  Kernel2D, Dilation2D, Pad2D, [
  IntsKey<"scale_value", "multipliers of result, input and weights", "Int">,
  IntsKey<"shift_value", "right shift of the result", "Int">]);

def Compass_DilationOp : Compass_Op<"dilation", "Dilation", MorphologyRule, MorphologyKeys, "inferMorphology"> {
  let facts = [WindowedLayer];
  let multipliers = "ResultFirst";
  let summary = "greatest sum of window and filter, per channel";
  let floatKernels = ["yk_morphology_float"];
  let intKernels = ["yk_morphology_int"];
  let formula = "y = max over the window of x[cell] + w[cell]; integer: clip(round_half_even(max((x + zp_x) * s1 + w * s2) * s0 "
                "/ 2^shift) - zp_y) with scale_value = [s0, s1, s2]";
  let source = "Compass IR 7.3, 4.3.1 Dilation2D";
  let tensorsIn = [Tensor<"X", "N,H,W,C", "image">];
  let tensorsOut = [Tensor<"Y", "N,outH,outW,C", "greatest sums">];
  let resolved = !listconcat(WindowResolved, [
    Resolved<"the formula indexes the filter as [row, column, channel], but the example stores [5,7,8,1]",
      "weights are [channels, kernel_y, kernel_x, 1]">,
    Resolved<"the value of the padding is not specified", "cells of the padding take no part">]);
}

def Compass_ErosionOp : Compass_Op<"erosion", "Erosion", MorphologyRule, MorphologyKeys, "inferMorphology"> {
  let facts = [WindowedLayer];
  let multipliers = "ResultFirst";
  let summary = "least difference of window and mirrored filter, per channel";
  let floatKernels = ["yk_morphology_float"];
  let intKernels = ["yk_morphology_int"];
  let formula = "y = min over the window of x[cell] - w[kernel_y-1-row, kernel_x-1-column]; integer: "
                "clip(round_half_even(min((x + zp_x) * s1 - w * s2) * s0 / 2^shift) - zp_y) with scale_value = [s0, s1, s2]";
  let source = "Compass IR 7.3, 4.3.1 Erosion2D";
  let tensorsIn = [Tensor<"X", "N,H,W,C", "image">];
  let tensorsOut = [Tensor<"Y", "N,outH,outW,C", "least differences">];
  let resolved = !listconcat(WindowResolved, [
    Resolved<"the text prints a sum; erosion usually subtracts the mirrored filter",
      "min(x - w) with w mirrored in rows and columns, as the reference tools compute">,
    Resolved<"the value of the padding is not specified", "cells of the padding take no part">]);
}

#endif // YARROW_DIALECTS_COMPASS_CONV_MORPHOLOGY_TD
