//===- MovementOps.td - Operators that move values ------------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_DIALECTS_COMPASS_MOVEMENT_MOVEMENTOPS_TD
#define YARROW_DIALECTS_COMPASS_MOVEMENT_MOVEMENTOPS_TD

include "dialects/compass/CompassBase.td"

def Compass_ConcatOp : Compass_Op<"concat", "Concat", ConcatRule, !listconcat([
  IntKey<"axis", "axis along which the inputs are joined; a negative number counts from the end">], Requant)> {
  let hasFolder = 1;
  let definitions = FoldsCopy;
  let facts = [MovesOnlyLayer, AxesByKeyLayer];
  let axisKeys = ["axis"];
  let summary = "concatenation along an axis; integer branches are requantized to the output's scale";
  let formula = "y = x1, x2, ... one after the other along axis; integer: a value of branch i becomes "
                "clip(round_half_even((x + zp_xi) * scale_value[i] / 2^shift_value[i]) - zp_y)";
  let source = "Compass IR 7.3, 4.3.1 Concat";
  let tensorsIn = [ManyTensors<"X", "...", "equal rank, and equal lengths on every other axis">];
  let tensorsOut = [Tensor<"Y", "...", "length along axis: the sum of the inputs' lengths">];
  let kernels = ["yk_concat"];
  let resolved = [
    Resolved<"there is no term for the output, and the rounding of >> shift is not specified",
      "scale_value and shift_value have one value per input; each branch is rounded half to even. "
      "If absent, they are 1 and 0: the branches already have the output's scale">];
}

def Compass_SplitOp : Compass_Op<"split", "Split", PassRule, [
  IntKey<"axis", "axis that is divided; a negative number counts from the end">,
  IntListKey<"splits", "length of each part; absent in IR text: equal parts", "Required", "Both", [0, 2147483647]>]> {
  let facts = [MovesOnlyLayer];
  let hasFolder = 1;
  let definitions = FoldsCopy;
  let perResultKey = "splits";
  let resultTypes = "FromInput";
  let summary = "division into parts along an axis";
  let formula = "y1 = the first splits[0] slices of x along axis, y2 = the next splits[1], ...";
  let source = "Compass IR 7.3, 4.3.1 Split";
  let tensorsIn = [Tensor<"X", "...", "tensor to divide">];
  let tensorsOut = [ManyTensors<"Y", "...", "one part per value of splits">];
  let resolved = [
    Resolved<"axis is said to be -1 or more", "every axis from -rank to rank-1 is accepted">];
  let kernels = ["yk_split"];
}

def Compass_SliceOp : Compass_Op<"slice", "Slice", PassRule, [
  IntListKey<"begin", "first index per axis; a negative number counts from the end">,
  IntListKey<"end", "index after the last, per axis; a negative number counts from the end">,
  IntListKey<"strides", "step per axis, not 0; negative: backward; absent: 1", "Expected">]> {
  let hasFolder = 1;
  let definitions = FoldsCopy;
  let resultTypes = "FromInput";
  let facts = [MovesOnlyLayer, AxesByKeyLayer];
  let perAxisKeys = ["begin", "end", "strides"];
  let summary = "strided part of a tensor";
  let formula = "y[i, j, ...] = x[begin[0] + i * strides[0], begin[1] + j * strides[1], ...]";
  let source = "Compass IR 7.3, 4.3.1 Slice";
  let tensorsIn = [Tensor<"X", "...", "tensor to slice">,
                   OptTensor<"axes", "Axes", "the axes that begin, end and strides refer to: all axes, in order", "Integer">];
  let tensorsOut = [Tensor<"Y", "...", "the part">];
  let resolved = [
    Resolved<"the text speaks of axes, but there is no such key", "begin, end and strides have one value per axis, in order">,
    Resolved<"the example has a second input of four values",
      "it is accepted as the list of axes, with one value per axis; a constant must be 0, 1, 2, ..., other values are not read: begin, end and strides cover all axes in order">,
    Resolved<"how a backward slice includes index 0 is not specified",
      "with a negative stride, a negative end includes index 0; other indices are clamped to the tensor">];
  let kernels = ["yk_copy"];
}

def Compass_PadOp : Compass_Op<"pad", "Pad", PadRule, [
  NumberKey<"constant_value", "CONSTANT: value of the border, quantized in integer IR", ["CONSTANT"], "Expected", "Both", "mode">,
  MethodKey<"CONSTANT", "values of the border", "mode", "Expected">,
  NestedKey<"pads", "[before, after] per axis", "Required">]> {
  let hasFolder = 1;
  let definitions = FoldsCopy;
  let resultTypes = "FromInput";
  let facts = [MovesOnlyLayer, AxesByKeyLayer];
  let perAxisKeys = ["pads"];
  let summary = "border around a tensor";
  let formula = "y has length before + n + after along each axis; inside, y is x";
  let source = "Compass IR 7.3, 4.3.1 Pad";
  let tensorsIn = [Tensor<"X", "...", "tensor to pad">];
  let tensorsOut = [Tensor<"Y", "...", "x and its border">];
  let kernels = ["yk_pad"];
  let methods = [
    Method<"CONSTANT", "the border is constant_value, 0 if absent">,
    Method<"REFLECT", "the border mirrors x at its first and last value, which are not repeated">,
    Method<"SYMMETRIC", "the border mirrors x, its first and last value included">,
    Method<"WRAP", "the border continues x from its other end">];
  let resolved = [
    Resolved<"negative pads, which crop, are mentioned, then excluded", "pads are 0 or more; use a Slice to crop">,
    Resolved<"whether constant_value of integer IR is the real or the stored value is not specified",
      "the stored value of the output (-zp for a real 0); a decimal such as -12.0 is accepted">,
    Resolved<"the reference parser also writes mode=WRAP, which the definition does not have",
      "it is read as ONNX and NumPy define it; pads are at most the length of their axis">];
}

def Compass_ReshapeOp : Compass_Op<"reshape", "Reshape", PassRule, [
  IntListKey<"shape", "shape of the result; one length may be -1", "Expected">]> {
  let facts = [MovesOnlyLayer];
  let hasCanonicalizer = 1;
  let hasFolder = 1;
  let definitions = FoldsCopy;
  let resultTypes = "FromInput";
  let summary = "the same values in another shape";
  let formula = "y = x in row-major order; a length of -1 follows from the others";
  let source = "Compass IR 7.3, 4.3.1 Reshape";
  let tensorsIn = [Tensor<"X", "...", "any">];
  let tensorsOut = [Tensor<"Y", "...", "as many values as X; without the key, the declared shape">];
  let kernels = ["yk_copy"];
}

def Compass_TransposeOp : Compass_Op<"transpose", "Transpose", PassRule, [
  IntListKey<"perm", "source axis of each result axis">]> {
  let facts = [MovesOnlyLayer];
  let hasCanonicalizer = 1;
  let hasFolder = 1;
  let definitions = FoldsCopy;
  let resultTypes = "FromInput";
  let summary = "permutation of axes";
  let formula = "length of axis i of y = length of axis perm[i] of x; y[i_perm[0], i_perm[1], ...] = x[i0, i1, ...]";
  let source = "Compass IR 7.3, 4.3.1 Transpose";
  let tensorsIn = [Tensor<"X", "...", "any">];
  let tensorsOut = [Tensor<"Y", "...", "x with its axes in the order of perm">];
  let kernels = ["yk_copy"];
}

#endif // YARROW_DIALECTS_COMPASS_MOVEMENT_MOVEMENTOPS_TD
