//===- Passes.td - The steps before compilation as passes -----------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// Passes that need samples and settings: what `yarrow quantize` does with a
// network, for pipelines of yarrow-opt.
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_COMPILER_SESSION_PASSES_TD
#define YARROW_COMPILER_SESSION_PASSES_TD

include "mlir/Pass/PassBase.td"

class QuantizationPass<string flag> : Pass<flag, "::mlir::ModuleOp"> {
  // Integer types; and commands, where cycles of a target choose the bits.
  let dependentDialects = ["::mlir::quant::QuantDialect", "::yarrow::npu::NpuDialect"];
  let options = [
    Option<"samples", "samples", "std::string", "",
           "Calibration data: .npy, .npz, a folder of pictures, commas between the inputs' files">,
    Option<"recipe", "recipe", "std::string", "", "auto or compass, as `yarrow quantize --recipe`">,
    Option<"target", "target", "std::string", "", "The machine that bits and forms are chosen for">,
    ListOption<"keys", "set", "std::string",
               "Keys of a configuration, KEY=VALUE (docs/configuration.md)">
  ];
}

def CalibrateNetwork : QuantizationPass<"yarrow-calibrate"> {
  let summary = "Clean a float network up and record the range of every tensor";
  let description = [{
    Runs the samples through the network. Each layer gets `quantizer.ranges`: the smallest
    and the largest value that each of its results is quantized in.

    ```mlir
    %1 = "compass.Activation"(%0) {..., quantizer.ranges = [array<f32: 0.0, 5.75>]}
    ```
  }];
}

def QuantizeNetwork : QuantizationPass<"yarrow-quantize"> {
  let summary = "Turn a float network into an integer one";
  let description = [{
    Cleans the network up, calibrates it and gives each layer its integer form: element types
    with a scale and a zero point, integer weights, multipliers, shifts and tables. The
    result is the network that `yarrow quantize` writes with the same samples and settings.
  }];
}

#endif // YARROW_COMPILER_SESSION_PASSES_TD
