//===- GraphOps.td - Inputs and constants ---------------------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_DIALECTS_COMPASS_GRAPH_GRAPHOPS_TD
#define YARROW_DIALECTS_COMPASS_GRAPH_GRAPHOPS_TD

include "dialects/compass/CompassBase.td"

def Compass_InputOp : Compass_Op<"input", "Input", NoRule, [
  IntKey<"input_index", "position in input_tensors">]> {
  let summary = "a tensor that the caller provides";
  let inFloat = "none";
  let inInt = "none";
}

def Compass_ConstantOp : Compass_Op<"constant", "Constant", NoRule, [
  TensorKey<"weights", "the value", need="Required">]> {
  let summary = "a tensor from the weights file";
  let inFloat = "none";
  let inInt = "none";
}

#endif // YARROW_DIALECTS_COMPASS_GRAPH_GRAPHOPS_TD
