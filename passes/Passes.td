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
    Folds BatchNorm, and sums and products with constants, into the weights and
    biases of the layer or norm before, borders into the padding of
    convolutions and poolings, and slices and shuffles of channels into the
    filters of convolutions beside them.
  }];
}
def FuseFormulas : Pass<"fuse-formulas", "::mlir::func::FuncOp"> {
  let summary = "Replace a formula of several layers by one layer";
  let description = [{
    Recognises float norms that consist of means, squares and roots: ten layers
    that would each read the whole tensor, and each round when quantized. An image
    that is joined with itself, pixel by pixel, becomes a Resize.
  }];
}
def FuseActivations : Pass<"fuse-activations", "::mlir::func::FuncOp"> {
  let summary = "Fuse activations into the layer before";
  let description = "Sets `with_activation`; RELU and CLIP merge.";
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
    Gives constant branches of a Concat its scale. Turns a Concat with a branch of
    one value into a Pad. If updates at known places fill a box, joins them with
    the data around it.
  }];
}
def FoldBranches : Pass<"fold-branches", "::mlir::ModuleOp"> {
  let summary = "Replace an If with a constant condition by the branch it takes";
  let description = "Removes sub-graphs that are no longer called.";
}

//===----------------------------------------------------------------------===//
// winograd/
//===----------------------------------------------------------------------===//

def ExactWinograd : Pass<"exact-winograd", "::mlir::ModuleOp"> {
  let summary = "Give int8 3x3 convolutions the weights of F(2x2,3x3)";
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
    Adds the function @npu_main to the network's module. The module stores machine
    and options for later passes.
  }];
  let options = [
    Option<"target", "target", "std::string", "",
           "Machine to compile for, unless the module names one (default: X2_1204)">,
    Option<"optimize", "optimize", "bool", "true", "Fuse, keep tensors in SRAM, prefetch">
  ];
}
def PlanMemory : MachinePass<"yarrow-plan"> {
  let summary = "Assign addresses to npu buffers and move loads ahead";
  let options = [
    Option<"target", "target", "std::string", "",
           "Machine to plan for, unless the module names one (default: X2_1204)">
  ];
}
def PlanToFit : MachinePass<"yarrow-plan-to-fit"> {
  let summary = "Make several plans and keep the fastest";
  let description = [{
    The SRAM budget of tensors and tiles is a guess until the buffers are placed.
    The attempts start with the best case and end with plans that always fit,
    because almost nothing shares the memory. Each plan that fits is scheduled and
    its cycles are counted (passes/schedule/Timeline.h).
  }];
  let options = [
    Option<"cache", "cache", "std::string", "", "A folder that stores the best plans (passes/plan/PlanKey.h)">
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
