//===- ControlOps.td - Control flow and layers of hosts -------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// If and Loop call sub-graphs of the same file: functions beside @main that
// take what their compass.input ops stand for and return their outputs. The
// verifier of the module looks at the functions (Subgraphs.h).
//
//   %y = compass.if(%cond, %a, %b) {then_branch = @larger, else_branch = @less,
//          then_branch_inputs_num = 1 : i64, else_branch_inputs_num = 1 : i64}
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_DIALECTS_COMPASS_CONTROL_CONTROLOPS_TD
#define YARROW_DIALECTS_COMPASS_CONTROL_CONTROLOPS_TD

include "dialects/compass/CompassBase.td"
include "mlir/IR/SymbolInterfaces.td"

def CallsSubgraphs : DeclareOpInterfaceMethods<SymbolUserOpInterface>;

def Compass_IfOp : Compass_Op<"if", "If", ControlRule, [
  OptIntKey<"then_branch_inputs_num", "number of inputs of then_branch", "Both", [], "Required", NotNegative>,
  OptIntKey<"else_branch_inputs_num", "number of inputs of else_branch", "Both", [], "Required", NotNegative>,
  SymbolKey<"then_branch", "sub-graph to compute if the condition is not 0">,
  SymbolKey<"else_branch", "sub-graph to compute if the condition is 0">], "inferIf", [CallsSubgraphs]> {
  let kernels = ["yk_copy"];
  let resultTypes = "Declared";
  let summary = "one of two sub-graphs, chosen by a condition";
  let formula = "condition != 0 ? then_branch(first inputs) : else_branch(the inputs after them)";
  let source = "reference parser";
  let tensorsIn = [Tensor<"condition", "...", "one truth value", "Integer">,
                   AnyTensors<"inputs", "...", "inputs of then_branch, then those of else_branch">];
  let tensorsOut = [ManyTensors<"outputs", "...", "outputs of the chosen sub-graph">];
  let resolved = [
    Resolved<"the definition mentions control flow, but has no section about it", "keys, inputs and outputs are those that the reference parser writes">,
    Resolved<"the branches can have results of different shapes", "the declared shape is the one with more elements; a smaller result fills its first elements, and the rest is 0">];
}

def Compass_LoopOp : Compass_Op<"loop", "Loop", ControlRule, [
  OptIntKey<"dependency_inputs_num", "number of values that each iteration passes to the next", "Both", [], "Required", NotNegative>,
  OptIntKey<"scan_outputs_num", "number of results that collect one value per iteration", "Both", [], "Required", NotNegative>,
  SymbolKey<"body", "sub-graph of one iteration">,
  OptIntKey<"loop_default_count", "number of iterations for which the declared shapes have room", "Both", [], "Required", NotNegative>],
  "inferLoop", [CallsSubgraphs]> {
  let kernels = ["yk_copy", "yk_loop_next", "yk_loop_collect"];
  let resultTypes = "Declared";
  let summary = "repeats a sub-graph";
  let formula = "while i < count and condition: (condition, values, scanned) = body(i, condition, values, other inputs); i = i + 1";
  let source = "reference parser";
  let tensorsIn = [Tensor<"count", "...", "maximum number of iterations", "Integer">, Tensor<"condition", "...", "whether to start", "Integer">,
                   AnyTensors<"inputs", "...", "dependency_inputs_num values that change with each iteration, then the values that stay the same">];
  let tensorsOut = [ManyTensors<"outputs", "...", "the final values, then scan_outputs_num collections">];
  let resolved = [
    Resolved<"the definition mentions control flow, but has no section about it", "keys, inputs and outputs are those that the reference parser writes">,
    Resolved<"ONNX collects scan outputs along a new axis, the reference along the first one",
      "as in the reference: values [a, ...] of n iterations give [n * a, ...], vectors [a] give [n, a], scalars [n, 1]">,
    Resolved<"the contents of a collection after fewer or more iterations than its shape has room for are not specified",
      "rows of iterations that did not run are 0; iterations beyond loop_default_count are not collected; without any iteration, the final values are the initial ones">];
}

def Compass_PreprocessOp : Compass_Op<"preprocess", "Preprocess", PassRule, [], "inferCopies"> {
  let resultTypes = "Declared";
  let summary = "marks the inputs that a host prepares";
  let formula = "y_i = x_i";
  let kernels = ["yk_copy"];
  let source = "reference parser";
  let tensorsIn = [ManyTensors<"x", "...", "any tensors">];
  let tensorsOut = [ManyTensors<"y", "...", "the inputs, unchanged">];
}

def Compass_DummyOp : Compass_Op<"dummy", "Dummy", PassRule, [], "inferCopies"> {
  let resultTypes = "Declared";
  let summary = "passes tensors on unchanged";
  let formula = "y_i = x_i";
  let kernels = ["yk_copy"];
  let source = "reference parser";
  let tensorsIn = [ManyTensors<"x", "...", "any tensors">];
  let tensorsOut = [ManyTensors<"y", "...", "the inputs, unchanged">];
}

#endif // YARROW_DIALECTS_COMPASS_CONTROL_CONTROLOPS_TD
