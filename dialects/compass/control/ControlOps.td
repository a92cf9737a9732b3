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
  SymbolKey<"then_branch", "sub-graph that is computed if the condition is not 0">,
  SymbolKey<"else_branch", "sub-graph that is computed if the condition is 0">], "inferIf", [CallsSubgraphs]> {
  let kernels = ["yk_copy"];
  let resultTypes = "Declared";
  let summary = "one of two sub-graphs, as a condition tells";
  let formula = "condition != 0 ? then_branch(first inputs) : else_branch(the inputs after them)";
  let source = "reference parser";
  let tensorsIn = [Tensor<"condition", "...", "one truth value", "Integer">,
                   AnyTensors<"inputs", "...", "of then_branch, then of else_branch">];
  let tensorsOut = [ManyTensors<"outputs", "...", "of the sub-graph that is computed">];
  let resolved = [
    Resolved<"the definition names control flow without a section", "keys, inputs and outputs as the reference parser writes them">,
    Resolved<"the branches may give results of different shapes", "the declared shape is that of the branch with more elements; a smaller result of the other branch fills its first elements, the rest is 0">];
}

def Compass_LoopOp : Compass_Op<"loop", "Loop", ControlRule, [
  OptIntKey<"dependency_inputs_num", "number of values that go round the loop", "Both", [], "Required", NotNegative>,
  OptIntKey<"scan_outputs_num", "number of results that collect a value of each iteration", "Both", [], "Required", NotNegative>,
  SymbolKey<"body", "sub-graph of one iteration">,
  OptIntKey<"loop_default_count", "number of iterations that the declared shapes are for", "Both", [], "Required", NotNegative>],
  "inferLoop", [CallsSubgraphs]> {
  let kernels = ["yk_copy", "yk_loop_next", "yk_loop_collect"];
  let resultTypes = "Declared";
  let summary = "repeats a sub-graph";
  let formula = "while i < count and condition: (condition, values, scanned) = body(i, condition, values, other inputs); i = i + 1";
  let source = "reference parser";
  let tensorsIn = [Tensor<"count", "...", "most iterations", "Integer">, Tensor<"condition", "...", "whether to begin", "Integer">,
                   AnyTensors<"inputs", "...", "dependency_inputs_num values that go round, then those that stay as they are">];
  let tensorsOut = [ManyTensors<"outputs", "...", "the values that went round, then scan_outputs_num collections">];
  let resolved = [
    Resolved<"the definition names control flow without a section", "keys, inputs and outputs as the reference parser writes them">,
    Resolved<"ONNX collects scan outputs along a new axis, the reference stacks them along the first",
      "as the reference: values [a, ...] of n iterations give [n * a, ...], vectors [a] give [n, a], scalars [n, 1]">,
    Resolved<"what a collection holds if there are fewer or more iterations than its shape is for is not told",
      "rows of iterations that do not take place are 0, those beyond loop_default_count are not collected; without an iteration, values that go round are as they were">];
}

def Compass_PreprocessOp : Compass_Op<"preprocess", "Preprocess", PassRule, [], "inferCopies"> {
  let resultTypes = "Declared";
  let summary = "marks where a host prepares the inputs";
  let formula = "y_i = x_i";
  let kernels = ["yk_copy"];
  let source = "reference parser";
  let tensorsIn = [ManyTensors<"x", "...", "any tensors">];
  let tensorsOut = [ManyTensors<"y", "...", "as the inputs">];
}

def Compass_DummyOp : Compass_Op<"dummy", "Dummy", PassRule, [], "inferCopies"> {
  let resultTypes = "Declared";
  let summary = "passes tensors on";
  let formula = "y_i = x_i";
  let kernels = ["yk_copy"];
  let source = "reference parser";
  let tensorsIn = [ManyTensors<"x", "...", "any tensors">];
  let tensorsOut = [ManyTensors<"y", "...", "as the inputs">];
}

#endif // YARROW_DIALECTS_COMPASS_CONTROL_CONTROLOPS_TD
