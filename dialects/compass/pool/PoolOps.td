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
  BoolKey<"ceil_mode", "recorded only: the declared shape decides whether a last window sticks out">,
  OptBoolKey<"count_include_pad", "AVG: padding counts in the divisor; absent: false", ["AVG"], "Expected">,
  OptWordKey<"average_rounding", "AVG: HALF_AWAY, a key of Yarrow's own: the sum of the stored integers divided by the number of cells, ties away from 0, as "
    "TFLite; x and y have one scale and zero point; absent: HALF_EVEN, by a multiplier", "Int", ["HALF_EVEN", "HALF_AWAY"], "Optional", ["AVG"]>,
  TensorKey<"sqrt_lut", "L2: table of the square root, indexed by an unsigned 16-bit sum", "Int", "Required", ["L2"]>,
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
    Resolved<"the texts of L1 and L2 speak of the average", "copies: L1 is the sum of |x|, L2 the root of the sum of squares">,
    Resolved<"the default of count_include_pad is not told, and AVG's example lacks it", "false">,
    Resolved<"no keys requantize AVG, and the rounding of its division is not told",
      "multiplier and shift are derived per window from the two scales and the number of cells (8-bit multiplier, "
      "computed in float32), then rounded half to even">,
    Resolved<"whether L2's scale comes before or after its table", "before: sum, scale and shift to 0..65535, then sqrt_lut">,
    Resolved<"whether padding of MAX is ignored or the least value", "it is the least value of the type, which never wins">]);
}

def Compass_Pooling3DOp : Compass_Op<"pooling_3d", "Pooling3D", PoolRule, !listconcat(Window3D, [
  MethodKey<"MAX">,
  BoolKey<"ceil_mode", "a last window may stick out; the declared shape decides">,
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
    Method<"AVG", "mean, as AVG of Pooling; integer: in two roundings, over rows and columns and then over planes, each with "
           "an 8-bit multiplier; without count_include_pad the stored values are averaged">];
  let resolved = [
    Resolved<"the formula of the length divides its last term alone",
      "the whole numerator is divided: in + pads - ((k-1) * dilation + 1)), as the example needs (21,22,23 -> 21,11,8)">,
    Resolved<"the text of dilation swaps the axes", "x is the width, y the height, z the depth">,
    Resolved<"absent pads are said to be derived from the output's shape",
      "they are, as those of Pooling; with ceil_mode a last window may stick out instead">,
    Resolved<"ceil_mode is printed twice in the example", "one value, twice: it is read once">];
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
    Resolved<"the definition has no such layer", "keys and shape are the reference parser's, the windows are PyTorch's">];
}

def Compass_FractionalPoolOp : Compass_Op<"fractional_pool", "FractionalPool", FractionalPoolRule, [
  MethodKey<"AVG">,
  BoolKey<"pseudo", "pseudorandom sequence in place of a random one">,
  BoolKey<"overlap", "neighbouring windows share their border cells">,
  IntKey<"seed", "start of the generator; 0: any">], "inferFractionalPool"> {
  let resultTypes = "Declared";
  let summary = "pooling over windows of random, nearly equal sizes";
  let formula = "y1 = method over rows y2[i] .. y2[i+1] and columns y3[j] .. y3[j+1], the last excluded without overlap";
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
    Resolved<"the text has pseudo_random, the example pseudo", "pseudo, as the reference tools write it; the other is read as it">,
    Resolved<"seed is listed with true and false", "an integer">,
    Resolved<"there is no key for the ratio", "the declared shape tells rows and columns; the sequences have one value more">,
    Resolved<"the generator is not told",
      "the reference's: mt19937 seeded with seed, once for the rows and once for the columns; pseudo=false shuffles the lengths "
      "as std::shuffle of libstdc++ does, pseudo=true draws one start. seed=0 is drawn anew each time there: refused">];
}

#endif // YARROW_DIALECTS_COMPASS_POOL_POOLOPS_TD
