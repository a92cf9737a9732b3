//===- StatisticsOps.td - Moments, counts and running sums ----------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_DIALECTS_COMPASS_STATISTICS_STATISTICSOPS_TD
#define YARROW_DIALECTS_COMPASS_STATISTICS_STATISTICSOPS_TD

include "dialects/compass/CompassBase.td"

def Compass_MomentsOp : Compass_Op<"moments", "Moments", MomentsRule, [
    IntListKey<"axis", "reduced axes">, BoolKey<"keepdims", "reduced axes are kept with length 1", "true">,
    ScalesKey<"var_scale_value", "multiplier of the variance">, ShiftsKey<"var_shift_value", "right shift of the variance">,
    ScalesKey<"input_scale_value", "multiplier that brings x to the mean's scale">,
    ShiftsKey<"input_shift_value", "its right shift">], "inferMoments"> {
  let resultTypes = "Declared";
  let floatKernels = ["yk_reduce_float"];
  let intKernels = ["yk_moments_int"];
  let summary = "mean and variance over axes";
  let formula = "mean = sum(x) / n, variance = sum((x - mean)^2) / n over axis; in integers mean = RNE(sum(x) / n), variance = RQ(floor(sum((x - mean)^2) / n), var_scale, var_shift)";
  let source = "Compass IR 7.3, 4.3.1 Moments";
  let tensorsIn = [Tensor<"x", "...", "values">];
  let tensorsOut = [Tensor<"mean", "...", "mean">, Tensor<"variance", "...", "variance">];
  let resolved = [
    Resolved<"the kind of variance is not specified", "the variance that divides by n">,
    Resolved<"the example has True", "case is ignored in true and false; lower case is written">,
    Resolved<"the purpose of input_scale is not specified, and the mean has no rescaling", "input_scale brings x to the scale of the mean (1, with shift 0, if the scales are equal); the mean is rounded half to even and keeps the zero point of x">];
}
def Compass_NormalizedMomentsOp : Compass_Op<"normalized_moments", "NormalizedMoments", NormalizedMomentsRule, [
    TensorKey<"lut", "squares of the mean, by the value of meanSum", "Int", "Required">,
    OptFloatKey<"counts", "number of elements that were summed", "Both", [], "Required">,
    ShiftsKey<"mean_shift_value", "right shift of the mean">, ScalesKey<"mean_scale_value", "multipliers of the mean, meanSum and shift">,
    ShiftsKey<"var_shift_value", "right shift of the variance">, ScalesKey<"var_scale_value", "multipliers of the variance, squareSum and the square from the table">], "inferNormalizedMoments"> {
  let resultTypes = "Declared";
  let floatKernels = ["yk_eltwise_float"];
  let intKernels = ["yk_eltwise_int", "yk_lut"];
  let summary = "mean and variance from sums";
  let formula = "mean = meanSum / counts + shift, variance = squareSum / counts - (meanSum / counts)^2; in integers mean = RQ(meanSum * m[1] + shift * m[2], m[0], mean_shift), variance = RQ(squareSum * v[1] - lut[meanSum] * v[2], v[0], var_shift)";
  let source = "Compass IR 7.3, 4.3.1 NormalizedMoments";
  let tensorsIn = [Tensor<"meanSum", "...", "sum of x - shift">, Tensor<"squareSum", "...", "sum of (x - shift)^2">, Tensor<"shift", "...", "value that was subtracted from x before summing">];
  let tensorsOut = [Tensor<"mean", "...", "mean">, Tensor<"variance", "...", "variance">];
  let resolved = [
    Resolved<"no formula is given, and the order of scales suggests that the mean uses the first two inputs", "the mean uses the first and the third input, the variance the second and the table of squares of the first">,
    Resolved<"the purpose of the table is not specified", "it holds the square of meanSum, scaled to its type">];
}
def Compass_SufficientStatisticsOp : Compass_Op<"sufficient_statistics", "SufficientStatistics", SufficientStatisticsRule, [
    IntListKey<"axis", "reduced axes, kept with length 1">,
    ShiftsKey<"shift_value", "right shifts of the sum, the sum of squares, x and shift">,
    ScalesKey<"scale_value", "multipliers of the sum, the sum of squares, x and shift">], "inferSufficientStatistics"> {
  let resultTypes = "Declared";
  let floatKernels = ["yk_eltwise_float", "yk_reduce_float"];
  let intKernels = ["yk_activation_int", "yk_eltwise_int", "yk_difference_sums_int"];
  let summary = "sums from which mean and variance follow";
  let formula = "d = x - shift; sum = sum(d), squareSum = sum(d^2) over axis; in integers d = RNE((x + zp) * scale[2] / 2^shift[2]) - RNE((shift + zp) * scale[3] / 2^shift[3]), sum = trunc(sum(d) * scale[0] / 2^shift[0]) - zp, squareSum = floor(sum(d^2) * scale[1] / 2^shift[1]) - zp";
  let source = "Compass IR 7.3, 4.3.1 SufficientStatistics";
  let tensorsIn = [Tensor<"x", "...", "values">, Tensor<"shift", "...", "subtracted from x; broadcast to it">];
  let tensorsOut = [Tensor<"sum", "...", "sum of differences">, Tensor<"squareSum", "...", "sum of squared differences">];
  let resolved = [
    Resolved<"the example has three types for four scales, and the text has the order [squares, sum, x, shift]", "four of each in the order [sum, squares, x, shift], which fits the reference's values">,
    Resolved<"the source operator's count, and its output, are missing", "two results; the count follows from the shapes">];
}
def Compass_ArgMinMaxOp : Compass_Op<"arg_min_max", "ArgMinMax", ArgMinMaxRule, [
    IntKey<"axis", "axis that is searched, kept with length 1", "-1">, MethodKey<"MAX">,
    BoolKey<"select_last_index", "true: the last of equal values counts; false: the first">], "inferArgMinMax"> {
  let facts = [DecidingLayer];
  let kernels = ["yk_arg_min_max"];
  let resultTypes = "Given";
  let summary = "index of the greatest or least value along an axis";
  let formula = "y = index along axis, stored with scale 1 and zero point 0";
  let source = "Compass IR 7.3, 4.3.1 ArgMax, ArgMin";
  let methods = [Method<"MAX", "index of the greatest value">, Method<"MIN", "index of the least value">];
  let tensorsIn = [Tensor<"x", "...", "values">];
  let tensorsOut = [Tensor<"y", "...", "indices", "Integer">];
  let resolved = [
    Resolved<"select_last_index is called an integer, but its values are true and false", "true or false is written; 1 and 0 are read, too">,
    Resolved<"the type of the result is not specified", "any integer type that can hold the index; the reference uses uint16, or int32 if that is too small">];
}
def Compass_CumulateOp : Compass_Op<"cumulate", "Cumulate", CumulateRule, !listconcat([
    OptIntKey<"axis", "axis along which values accumulate", "Both", [], "Required">, MethodKey<"SUM">,
    BoolKey<"exclusive", "true: y[k] does not include x[k]">, BoolKey<"reverse", "true: from the end of the axis">], Requant), "inferCumulate"> {
  let floatKernels = ["yk_cumulate_float"];
  let intKernels = ["yk_cumulate_sum_int", "yk_cumulate_product_int"];
  let summary = "running sum or product along an axis";
  let formula = "y[k] = OP of x[0..k] along axis, without x[k] if exclusive, from the other end if reverse";
  let source = "Compass IR 7.3, 4.3.1 CumProd, CumSum";
  let methods = [Method<"SUM", "y[k] = sum of x[0..k]; in integers RQ(sum of x + zp, scale, shift)">,
                 Method<"PROD", "y[k] = product of x[0..k]; in integers RQ(product, scale[k], shift[k] - halvings), where scale and shift are constants with one value per position; after every factor x + zp the product is halved, rounding down, until it fits 16 bits">];
  let tensorsIn = [Tensor<"x", "...", "values">];
  let tensorsOut = [Tensor<"y", "...", "of the shape of x">];
  let resolved = [
    Resolved<"scale and shift of PROD are described as tables", "they are constants with one value per position of the axis">,
    Resolved<"axis of PROD is described as a list, but its examples have one integer", "one axis; a list of one is read, several axes are an error">,
    Resolved<"axis of SUM is described as a list, but its example has one integer", "as for PROD">,
    Resolved<"an example writes 1 for a truth value", "1 and 0 are read as true and false">,
    Resolved<"the scale of SUM is called a vector, but the example has one value", "one scale_value and one shift_value">];
}
def Compass_CountOp : Compass_Op<"count", "Count", CountRule, [
    NumberKey<"min", "least value that counts", [], "Required">, NumberKey<"max", "greatest value that counts", [], "Required">,
    OptIntKey<"nbins", "number of bins", "Both", [], "Required", AtLeastOne>, BoolKey<"discrete", "true: the last bin includes max; false: no bin does">], "inferCount"> {
  let floatKernels = ["yk_count_float"];
  let intKernels = ["yk_count_int"];
  let resultTypes = "Given";
  let summary = "histogram of each batch";
  let formula = "y[n, i] = number of x[n, ...] in bin i of nbins intervals of width (max - min) / nbins, which include their lower end; with discrete the last bin also includes max; in integers the stored x counts";
  let source = "Compass IR 7.3, 4.3.1 Count";
  let tensorsIn = [Tensor<"x", "...", "batch first">];
  let tensorsOut = [Tensor<"y", "batch, bins", "counts">];
  let resolved = [
    Resolved<"bins are half open, yet max is inclusive", "max is in the last bin with discrete=true, otherwise in no bin, as in the reference">,
    Resolved<"the meaning of discrete is not specified", "it decides only about max: the nbins intervals are equal either way; for whole numbers and nbins = max - min + 1 each has one number">,
    Resolved<"min and max seem to be quantized in integer IR", "they are: the stored integers are compared with them">];
}
def Compass_ZeroFractionOp : Compass_Op<"zero_fraction", "ZeroFraction", ZeroFractionRule, [
    NumberKey<"output_scale", "integer of the result that means 1", [], "Required", "Int">], "inferZeroFraction"> {
  let resultTypes = "Given";
  let floatKernels = ["yk_eltwise_float", "yk_reduce_float"];
  let intKernels = ["yk_eltwise_int", "yk_reduce_int"];
  let summary = "fraction of zeros";
  let formula = "y = zeros / n; in integers y = floor((zeros * output_scale + n / 2) / n) - zp, where x counts as zero if x + zp = 0";
  let source = "Compass IR 7.3, 4.3.1 ZeroFraction";
  let tensorsIn = [Tensor<"x", "...", "values">];
  let tensorsOut = [Tensor<"y", "1", "the fraction">];
  let resolved = [Resolved<"only the example has output_scale", "it is the integer that means 1, see the formula">];
}
def Compass_SegmentReduceOp : Compass_Op<"segment_reduce", "SegmentReduce", SegmentRule, !listconcat([MethodKey<"SUM">], Requant), "inferSegmentReduce"> {
  let floatKernels = ["yk_segment_reduce_float"];
  let intKernels = ["yk_segment_reduce_int"];
  let resultTypes = "Declared";
  let summary = "reduction of the rows with the same segment number";
  let formula = "y[s, ...] = OP of x[r, ...] over the rows r with segments[r] = s; without any, the row is a real zero";
  let source = "Compass IR 7.3, 4.3.1 SegmentSumReduce";
  let methods = [Method<"SUM", "sum; in integers RQ(sum of x + zp, scale, shift)">, Method<"PROD", "product", "Float">,
                 Method<"MIN", "least value, in integers with the scale of x">, Method<"MAX", "greatest value, in integers with the scale of x">,
                 Method<"MEAN", "mean; in integers RQ(sum of x + zp, scale * m, shift + s) with m / 2^s nearest to 1/n in 14 bits, or in 8 bits from 2^14 rows">];
  let tensorsIn = [Tensor<"x", "...", "rows: the first axis">, Tensor<"segments", "rows", "segment of each row, ascending", "Integer">];
  let tensorsOut = [Tensor<"y", "...", "one row more than the greatest segment number">];
  let resolved = [
    Resolved<"segments without rows are assumed to be zero", "they are zero">,
    Resolved<"the definition has only SUM",
      "the reference parser also writes PROD, MIN, MAX and MEAN, which its quantizer rejects: their integer forms are Yarrow's choice, except PROD, which has no integer form">];
}

#endif // YARROW_DIALECTS_COMPASS_STATISTICS_STATISTICSOPS_TD
