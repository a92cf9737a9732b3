//===- Passes.td - Passes that need more than one stage -------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// The ends of a compilation: files that come of a module.
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_COMPILER_PIPELINE_PASSES_TD
#define YARROW_COMPILER_PIPELINE_PASSES_TD

include "mlir/Pass/PassBase.td"

def EmitExecutable : Pass<"yarrow-emit", "::mlir::ModuleOp"> {
  let summary = "Write the executable of a scheduled module";
  let options = [
    Option<"output", "output", "std::string", "", "The file; without one everything is built and nothing written">,
    Option<"cache", "cache", "std::string", "", "A folder where compiled kernels are kept">,
    Option<"samples", "samples", "uint32_t", "1", "How many samples a run computes, along the first axis of inputs and outputs">,
    Option<"profile", "profile", "bool", "false", "A section in which the device tells an application its cycles">,
    Option<"weightFile", "weight-file", "std::string", "", "The name of a file beside the executable for its constants; without one they are inside">
  ];
}

def WriteModule : Pass<"yarrow-write", "::mlir::ModuleOp"> {
  let summary = "Write the module to a file, complete enough to go on from there";
  let options = [
    Option<"output", "output", "std::string", "", "The file: MLIR bytecode if it ends in .mlirbc, else text">,
    Option<"withoutWeights", "without-weights", "bool", "false",
           "Text for people: no weights, no locations">
  ];
}

def VerifyNetwork : Pass<"yarrow-verify-network", "::mlir::ModuleOp"> {
  let summary = "Check that something computes every layer of a network";
  let description = [{
    The operations' own verifiers have checked keys, shapes and types when a pass ends. This
    one asks whether each layer has a kernel, in floats or in integers.
  }];
}

def VerifyRanges : Pass<"yarrow-verify-ranges", "::mlir::ModuleOp"> {
  let summary = "Check the ranges that calibration has recorded in a network";
  let description = [{
    Every `quantizer.ranges` of a layer has two finite numbers with 0 between them for each
    result, or nothing where no sample led to it.
  }];
}

#endif // YARROW_COMPILER_PIPELINE_PASSES_TD
