//===- PoolOps.td - Pooling -----------------------------------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_DIALECTS_COMPASS_POOL_POOLOPS_TD
#define YARROW_DIALECTS_COMPASS_POOL_POOLOPS_TD

include "dialects/compass/CompassBase.td"
include "dialects/compass/conv/ConvKeys.td"

def Compass_PoolingOp : Compass_Op<"pooling", "Pooling", PoolRule, !listconcat(Window, [
  MethodKey<"MAX">,
  BoolKey<"ceil_mode", "recorded only: the declared shape decides whether a last window sticks out">,
  OptBoolKey<"count_include_pad", "AVG: padding counts in the divisor; absent: false", ["AVG"], "Expected">,
  TensorKey<"sqrt_lut", "L2: table of the square root, indexed by an unsigned 16-bit sum", "Int", "Required", ["L2"]>,
  IntsKey<"scale_value", "L1, L2: multiplier of the sum", "Int", "Required", [], ["L1", "L2"]>,
  IntsKey<"shift_value", "L1, L2: right shift of the sum", "Int", "Required", [], ["L1", "L2"]>])> {
  let summary = "pooling over windows of rows and columns, NHWC";
  let formula = "y[n, i, j, c] = method over the window's cells; rows: floor or ceil of "
                "(H + pads - ((kernel_y-1) * dilation_y + 1)) / stride_y, + 1";
  let source = "Compass IR 7.3, 4.3.1 AveragePooling2D, L1Pooling2D, L2Pooling2D, MaxPooling2D";
  let tensorsIn = [Tensor<"X", "N,H,W,C", "image">];
  let tensorsOut = [Tensor<"Y", "N,outH,outW,C", "one value per window and channel">];
  let keyVariants = [KeyVariant<"tride_y", "stride_y">];
  let inInt = "engine";
  let methods = [
    Method<"MAX", "greatest value; cells of the padding never win">,
    Method<"AVG", "mean: the sum with padding as 0, divided by kernel_x * kernel_y with count_include_pad, else by the cells "
           "that are not padding; integer: multiplier and shift follow from s_y / s_x / cells when the layer runs">,
    Method<"L1", "sum of |x|, padding as 0; integer: clip(round_half_even(sum * scale / 2^shift) - zp_y)", "TEC", "no">,
    Method<"L2", "square root of the sum of x^2; integer: the sum is requantized to 0..65535, then sqrt_lut, interpolated",
           "TEC", "no">];
  let resolved = !listconcat(WindowResolved, [
    Resolved<"the texts of L1 and L2 speak of the average", "copies: L1 is the sum of |x|, L2 the root of the sum of squares">,
    Resolved<"the default of count_include_pad is not told, and AVG's example lacks it", "false">,
    Resolved<"no keys requantize AVG, and the rounding of its division is not told",
      "multiplier and shift are derived per window from the two scales and the number of cells (8-bit multiplier, "
      "computed in float32), then rounded half to even">,
    Resolved<"whether L2's scale comes before or after its table", "before: sum, scale and shift to 0..65535, then sqrt_lut">,
    Resolved<"whether padding of MAX is ignored or the least value", "it is the least value of the type, which never wins">]);
}

#endif // YARROW_DIALECTS_COMPASS_POOL_POOLOPS_TD
