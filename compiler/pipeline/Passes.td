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
    Option<"output", "output", "std::string", "", "File to write; without one, the pass builds everything and writes nothing">,
    Option<"cache", "cache", "std::string", "", "Folder that keeps compiled kernels">,
    Option<"samples", "samples", "uint32_t", "1", "Number of samples that a run computes, along the first axis of inputs and outputs">,
    Option<"profile", "profile", "bool", "false", "Add a section in which the device reports its cycles to an application">,
    Option<"weightFile", "weight-file", "std::string", "", "Name of a separate file for the constants, next to the executable; without one they are inside">
  ];
}

def WriteModule : Pass<"yarrow-write", "::mlir::ModuleOp"> {
  let summary = "Write the module to a file, complete enough to continue from it";
  let options = [
    Option<"output", "output", "std::string", "", "File to write: MLIR bytecode if it ends in .mlirbc, else text">,
    Option<"withoutWeights", "without-weights", "bool", "false",
           "Write readable text, without weights and locations">
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
