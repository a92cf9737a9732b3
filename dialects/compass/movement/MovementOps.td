//===- MovementOps.td - Operators that move values ------------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_DIALECTS_COMPASS_MOVEMENT_MOVEMENTOPS_TD
#define YARROW_DIALECTS_COMPASS_MOVEMENT_MOVEMENTOPS_TD

include "dialects/compass/CompassBase.td"

def Compass_ConcatOp : Compass_Op<"concat", "Concat", ConcatRule, !listconcat([
  IntKey<"axis", "axis along which the inputs follow each other">], Requant)> {
  let summary = "concatenation; integer branches are requantized to the output's scale";
}
def Compass_SplitOp : Compass_Op<"split", "Split", PassRule, [
  IntKey<"axis", "axis that is cut">, IntListKey<"splits", "length of each part">]> {
  let summary = "cut into parts along an axis";
}
def Compass_SliceOp : Compass_Op<"slice", "Slice", PassRule, [
  IntListKey<"begin", "first index per axis">, IntListKey<"end", "index after the last, per axis">,
  IntListKey<"strides", "step per axis; may be negative">]> {
  let summary = "strided part of a tensor";
}
def Compass_PadOp : Compass_Op<"pad", "Pad", PassRule, [
  NestedKey<"pads", "[before, after] per axis">, WordKey<"mode", "CONSTANT, REFLECT or SYMMETRIC", "CONSTANT">,
  NumberKey<"constant_value", "value of the border; quantized in int IR">]> {
  let summary = "border around a tensor";
}
def Compass_ReshapeOp : Compass_Op<"reshape", "Reshape", PassRule, [
  IntListKey<"shape", "shape of the result">]> {
  let summary = "the same values in another shape";
}
def Compass_TransposeOp : Compass_Op<"transpose", "Transpose", PassRule, [
  IntListKey<"perm", "source axis of each result axis">]> {
  let summary = "permutation of axes";
}

#endif // YARROW_DIALECTS_COMPASS_MOVEMENT_MOVEMENTOPS_TD
