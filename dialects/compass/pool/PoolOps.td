//===- PoolOps.td - Pooling -----------------------------------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_DIALECTS_COMPASS_POOL_POOLOPS_TD
#define YARROW_DIALECTS_COMPASS_POOL_POOLOPS_TD

include "dialects/compass/pool/Unpool.td"

def Compass_PoolingOp : Compass_Op<"pooling", "Pooling", PoolRule, !listconcat(Window, [
  MethodKey<"MAX">,
  BoolKey<"ceil_mode", "recorded only: the declared shape decides whether a last window extends beyond the input">,
  OptBoolKey<"count_include_pad", "AVG: padding counts in the divisor; absent: false", ["AVG"], "Expected">,
  OptWordKey<"average_rounding", "AVG, a key of Yarrow's own; HALF_AWAY: the sum of the stored integers is divided by the number of cells, with ties away from 0, as in "
    "TFLite; x and y have the same scale and zero point; HALF_EVEN: a multiplier; absent: HALF_EVEN", "Int", ["HALF_EVEN", "HALF_AWAY"], "Optional", ["AVG"]>,
  TensorKey<"sqrt_lut", "L2: square roots, indexed by an unsigned 16-bit sum", "Int", "Required", ["L2"]>,
  IntsKey<"scale_value", "L1, L2: multiplier of the sum", "Int", "Required", [], ["L1", "L2"]>,
  IntsKey<"shift_value", "L1, L2: right shift of the sum", "Int", "Required", [], ["L1", "L2"]>]), "inferPooling"> {
  let facts = [WindowedLayer];
  let summary = "pooling over windows of rows and columns, NHWC";
  let formula = "y[n, i, j, c] = method over the window's cells; rows: floor or ceil of "
                "(H + pads - ((kernel_y-1) * dilation_y + 1)) / stride_y, + 1";
  let source = "Compass IR 7.3, 4.3.1 AveragePooling2D, L1Pooling2D, L2Pooling2D, MaxPooling2D";
  let tensorsIn = [Tensor<"X", "N,H,W,C", "image">];
  let tensorsOut = [Tensor<"Y", "N,outH,outW,C", "one value per window and channel">];
  let keyVariants = [KeyVariant<"tride_y", "stride_y">];
  let floatKernels = ["yk_pool_float"];
  let intKernels = ["yk_pool_int", "yk_pool_norm_int"];
  let methods = [
    Method<"MAX", "greatest value; cells of the padding never win">,
    Method<"AVG", "mean: the sum with padding as 0, divided by kernel_x * kernel_y with count_include_pad, else by the cells "
           "that are not padding; integer: multiplier and shift follow from s_y / s_x / cells when the layer runs">,
    Method<"L1", "sum of |x|, padding as 0; integer: clip(round_half_even(sum * scale / 2^shift) - zp_y), the sum below 2^32">,
    Method<"L2", "square root of the sum of x^2; integer: the sum, below 2^32, is requantized to 0..65535, then sqrt_lut, interpolated">];
  let resolved = !listconcat(WindowResolved, [
    Resolved<"the texts of L1 and L2 speak of the average", "they were copied: L1 is the sum of |x|, L2 the root of the sum of squares">,
    Resolved<"the default of count_include_pad is not specified, and AVG's example does not have the key", "false">,
    Resolved<"AVG has no keys for requantization, and the rounding of its division is not specified",
      "multiplier and shift are derived per window from the two scales and the number of cells (8-bit multiplier, "
      "computed in float32), then rounded half to even">,
    Resolved<"whether L2's scale comes before or after its table is not specified", "before: the sum is scaled and shifted to 0..65535, then sqrt_lut is read">,
    Resolved<"the value of padding for MAX is not specified", "the least value of the type, which never wins">]);
}

def Compass_Pooling3DOp : Compass_Op<"pooling_3d", "Pooling3D", PoolRule, !listconcat(Window3D, [
  MethodKey<"MAX">,
  BoolKey<"ceil_mode", "a last window can extend beyond the input; the declared shape decides">,
  OptBoolKey<"count_include_pad", "AVG: padding counts in the divisor; absent: false", ["AVG"], "Expected">]), "inferPooling3D"> {
  let summary = "pooling over windows of planes, rows and columns, NDHWC";
  let floatKernels = ["yk_pool_float"];
  let intKernels = ["yk_pool_int", "yk_pool_average3d_int"];
  let formula = "as Pooling; planes: floor or ceil of (D + pads - ((kernel_z-1) * dilation_z + 1)) / stride_z, + 1";
  let source = "Compass IR 7.3, 4.3.1 AveragePooling3D, MaxPooling3D";
  let tensorsIn = [Tensor<"X", "N,D,H,W,C", "volume">];
  let tensorsOut = [Tensor<"Y", "N,outD,outH,outW,C", "one value per window and channel">];
  let methods = [
    Method<"MAX", "greatest value; cells of the padding never win">,
    Method<"AVG", "mean, as AVG of Pooling; integer: rounded twice, first over rows and columns, then over planes, each with "
           "an 8-bit multiplier; without count_include_pad the stored values are averaged">];
  let resolved = [
    Resolved<"the formula of the length divides only its last term",
      "the whole numerator is divided: in + pads - ((k-1) * dilation + 1)), as the example requires (21,22,23 -> 21,11,8)">,
    Resolved<"the text about dilation swaps the axes", "x is the width, y the height, z the depth">,
    Resolved<"absent pads are said to be derived from the output's shape",
      "they are, as in Pooling; with ceil_mode a last window can extend beyond the input instead">,
    Resolved<"ceil_mode is printed twice in the example", "it is read once: both values are the same">];
}

def Compass_AdaptivePoolOp : Compass_Op<"adaptive_pool", "AdaptivePool", PoolRule, [
  MethodKey<"AVG">, IntListKey<"output_size", "lengths of the result's spatial axes", "Required", "Both", AtLeastOne>], "inferAdaptivePool"> {
  let summary = "pooling to a given size, channels last";
  let formula = "cell i of an axis of length n reduced to m covers floor(i*n/m) .. ceil((i+1)*n/m) - 1";
  let floatKernels = ["yk_pool_float", "yk_pool_areas_float"];
  let intKernels = ["yk_pool_int", "yk_pool_areas_int"];
  let source = "reference parser";
  let tensorsIn = [Tensor<"X", "...", "[N, spatial axes ..., C], or an image [H, W, C]">];
  let tensorsOut = [Tensor<"Y", "...", "[N, output_size ..., C], or [output_size ..., C]">];
  let methods = [Method<"AVG", "mean of the cells">, Method<"MAX", "greatest of the cells">];
  let resolved = [
    Resolved<"the definition does not have this layer", "keys and shape are those of the reference parser, the windows those of PyTorch">];
}

def Compass_FractionalPoolOp : Compass_Op<"fractional_pool", "FractionalPool", FractionalPoolRule, [
  MethodKey<"AVG">,
  BoolKey<"pseudo", "pseudorandom sequence instead of a random one">,
  BoolKey<"overlap", "neighbouring windows share their border cells">,
  IntKey<"seed", "seed of the generator; 0: a random one">], "inferFractionalPool"> {
  let resultTypes = "Declared";
  let summary = "pooling over windows of random, nearly equal sizes";
  let formula = "y1 = method over rows y2[i] .. y2[i+1] and columns y3[j] .. y3[j+1]; without overlap the last ones are excluded";
  let source = "Compass IR 7.3, 4.3.1 FractionalPool";
  let floatKernels = ["yk_pool_areas_float", "yk_copy"];
  let intKernels = ["yk_pool_areas_int", "yk_copy"];
  let tensorsIn = [Tensor<"X", "N,H,W,C", "image">];
  let tensorsOut = [Tensor<"Y", "N,outH,outW,C", "one value per window and channel">,
                    Tensor<"RowSequence", "rows", "first row of each window, and H", "Integer">,
                    Tensor<"ColumnSequence", "columns", "first column of each window, and W", "Integer">];
  let methods = [Method<"AVG", "mean of the cells">, Method<"MAX", "greatest of the cells">];
  let keyVariants = [KeyVariant<"pseudo_random", "pseudo">];
  let resolved = [
    Resolved<"the text has pseudo_random, the example pseudo", "pseudo is written, as in the reference tools; both are read">,
    Resolved<"seed is listed with the values true and false", "it is an integer">,
    Resolved<"there is no key for the ratio", "the declared shape gives rows and columns; the sequences have one value more">,
    Resolved<"the generator is not specified",
      "the reference's: mt19937 seeded with seed, once for the rows and once for the columns; pseudo=false shuffles the lengths "
      "as std::shuffle of libstdc++ does, pseudo=true draws one start. There, seed=0 draws a new seed each time: Yarrow rejects it">];
}

#endif // YARROW_DIALECTS_COMPASS_POOL_POOLOPS_TD
