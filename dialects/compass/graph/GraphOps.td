//===- GraphOps.td - Inputs and constants ---------------------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_DIALECTS_COMPASS_GRAPH_GRAPHOPS_TD
#define YARROW_DIALECTS_COMPASS_GRAPH_GRAPHOPS_TD

include "dialects/compass/CompassBase.td"

def Compass_InputOp : Compass_Op<"input", "Input", InputRule, [
  IntKey<"input_index", "position in input_tensors; the reader sets it", "0", [], [], "Optional">,
  OptIntKey<"state_output", "for a state: position in output_tensors of the tensor whose values this input has in the "
    "next run; a key of Yarrow's own", "Both", [], "Optional", [0, 65535]>,
  TensorKey<"state_initial", "for a state: its stored values before the first run; absent: the integer for 0">]> {
  let resultTypes = "Declared";
  let facts = [SourceLayer];
  let summary = "a tensor that the caller provides";
  let formula = "y = the caller's values, with the shape and type of layer_top";
  let source = "reference parser";
  let tensorsOut = [Tensor<"Y", "...", "the caller's tensor">];
  let resolved = [
    Resolved<"networks in the definition have no layers for their inputs",
      "every graph input has an Input layer without layer_bottom, as the reference tools write it; input_tensors gives "
      "their order, which can differ from the order of the layers">,
    Resolved<"how floats become the integers of a quantized input is not specified",
      "q = clip(round_half_even(scale * x - zp)) with scale and zp of layer_top">,
    Resolved<"the definition has no state that a network keeps from one run to the next",
      "an input of the main graph with state_output is one: the device keeps it, and the caller sees neither end; "
      "the reference tools ignore the key and see an input and an output">];
}

def Compass_ConstantOp : Compass_Op<"constant", "Constant", ConstantRule, [
  TensorKey<"weights", "the value", need="Required">]> {
  let resultTypes = "FromWeights";
  let facts = [SourceLayer];
  let summary = "a tensor from the weights file";
  let formula = "y = weights";
  let source = "Compass IR 7.3, 4.3.1 Constant";
  let tensorsOut = [Tensor<"Y", "...", "the stored tensor; type and number of values are those of weights">];
  let resolved = [
    Resolved<"the example writes layer_bottom_shape=[[]], other places []",
      "both mean that there are no inputs; [] is written">,
    Resolved<"the shape of a scalar is not specified", "[] and [1] are accepted for one value">];
}

#endif // YARROW_DIALECTS_COMPASS_GRAPH_GRAPHOPS_TD
