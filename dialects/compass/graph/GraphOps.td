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
  OptIntKey<"state_output", "of a state, a key of Yarrow's own: position in output_tensors of the tensor that this one "
    "becomes when the network runs again", "Both", [], "Optional", [0, 65535]>,
  TensorKey<"state_initial", "of a state, what it stores before the first run; absent: what stands for 0">]> {
  let resultTypes = "Declared";
  let facts = [SourceLayer];
  let summary = "a tensor that the caller provides";
  let formula = "y = what the caller gives; its shape and type are those of layer_top";
  let source = "reference parser";
  let tensorsOut = [Tensor<"Y", "...", "the caller's tensor">];
  let resolved = [
    Resolved<"the definition shows networks without a layer for their inputs",
      "every graph input has an Input layer without layer_bottom, as the reference tools write it; input_tensors gives "
      "the order, which need not be the order of the layers">,
    Resolved<"how floats become the integers of a quantized input",
      "q = clip(round_half_even(scale * x - zp)) with scale and zp of layer_top">,
    Resolved<"what a network keeps from one run to the next",
      "an input of the main graph with state_output: the device keeps it, and the caller gives and gets neither end; "
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
    Resolved<"the example writes layer_bottom_shape=[[]], others []",
      "both mean that there is no input; [] is written">,
    Resolved<"a scalar's shape", "[] and [1] are accepted for one value">];
}

#endif // YARROW_DIALECTS_COMPASS_GRAPH_GRAPHOPS_TD
