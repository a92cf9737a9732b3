//===- Passes.td - The passes of the compiler -----------------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// One record per pass: its name in yarrow-opt, what it works on and its options.
// No statistics: packaged MLIR is built without them. compiler/pipeline/Phases.def says in which order a
// compilation runs them.
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_PASSES_PASSES_TD
#define YARROW_PASSES_PASSES_TD

include "mlir/Pass/PassBase.td"

//===----------------------------------------------------------------------===//
// cleanup/: layers of the network
//===----------------------------------------------------------------------===//

def FoldIntoWeights : Pass<"fold-into-weights", "::mlir::func::FuncOp"> {
  let summary = "Fold affine layers into the weights before them";
  let description = [{
    BatchNorm, and additions of and products with constants, go into the weights
    and biases of the layer or norm before; borders into the padding of convolutions and poolings.
  }];
}
def FuseFormulas : Pass<"fuse-formulas", "::mlir::func::FuncOp"> {
  let summary = "Put one layer in place of a formula that is spelled by several";
  let description = [{
    Norms by means, squares and roots, in floats: ten layers that each go through
    the whole tensor, and that each round once they are quantized. Images that
    are joined with themselves, pixel by pixel, are resized.
  }];
}
def FuseActivations : Pass<"fuse-activations", "::mlir::func::FuncOp"> {
  let summary = "Fuse activations into the layer before";
  let description = "As `with_activation`; RELU and CLIP merge.";
}
def SinkTransposes : Pass<"sink-transposes", "::mlir::func::FuncOp"> {
  let summary = "Move transposes down until they cancel";
}
def DropIdentities : Pass<"drop-identities", "::mlir::func::FuncOp"> {
  let summary = "Remove layers that copy their input";
}
def FoldConstants : Pass<"fold-constants", "::mlir::func::FuncOp"> {
  let summary = "Compute layers whose inputs are constant";
  let description = [{
    Constant branches of a Concat get its scale; a Concat with one value all
    over is a Pad. Updates at known places that are a box are joined with the
    data around them.
  }];
}
def FoldBranches : Pass<"fold-branches", "::mlir::ModuleOp"> {
  let summary = "Put the branch that a constant condition chooses in place of the If";
  let description = "Sub-graphs that nothing calls any more go.";
}

//===----------------------------------------------------------------------===//
// winograd/
//===----------------------------------------------------------------------===//

def ExactWinograd : Pass<"exact-winograd", "::mlir::ModuleOp"> {
  let summary = "Give int8 convolutions of 3x3 the weights of F(2x2,3x3)";
}

//===----------------------------------------------------------------------===//
// lower/, plan/, schedule/: commands of the machine
//===----------------------------------------------------------------------===//

class MachinePass<string name> : Pass<name, "::mlir::ModuleOp"> {
  let dependentDialects = ["::mlir::func::FuncDialect", "::yarrow::npu::NpuDialect"];
}

def LowerToNpu : MachinePass<"yarrow-lower"> {
  let summary = "Turn integer Compass layers into npu commands";
  let description = [{
    Adds the function @npu_main beside the network. The module remembers machine
    and options, for the passes that follow.
  }];
  let options = [
    Option<"target", "target", "std::string", "",
           "Machine to compile for, unless the module says (default: X2_1204)">,
    Option<"optimize", "optimize", "bool", "true", "Fuse, keep tensors in SRAM, prefetch">
  ];
}
def PlanMemory : MachinePass<"yarrow-plan"> {
  let summary = "Give npu buffers addresses and move loads ahead";
  let options = [
    Option<"target", "target", "std::string", "",
           "Machine to plan for, unless the module says (default: X2_1204)">
  ];
}
def PlanToFit : MachinePass<"yarrow-plan-to-fit"> {
  let summary = "Plan in several ways and keep the one that is ready first";
  let description = [{
    How much SRAM tensors and tiles may claim is a guess until the buffers are
    placed. The attempts go from the best case down to plans that always fit,
    because hardly anything shares the memory; each that fits is scheduled and
    counted (passes/schedule/Timeline.h).
  }];
  let options = [
    Option<"cache", "cache", "std::string", "", "A folder where the best ways are kept (passes/plan/PlanKey.h)">
  ];
}
def VerifyPlan : MachinePass<"yarrow-verify-plan"> {
  let summary = "Check that buffers that live at the same time do not overlap";
}
def ScheduleWaits : MachinePass<"yarrow-schedule"> {
  let summary = "Make commands wait for each other";
}
def VerifySchedule : MachinePass<"yarrow-verify-schedule"> {
  let summary = "Check that every hazard is ordered and nothing can deadlock";
}

#endif // YARROW_PASSES_PASSES_TD
