//===- LowerOptions.cpp - How a network is lowered ------------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "passes/lower/choose/LowerOptions.h"
#include "dialects/npu/Target.h"

using namespace yarrow::npu;
using llvm::ArrayRef;

LowerOptions yarrow::npu::withoutDisabled(LowerOptions options,
                                          mlir::ModuleOp module) {
  if (!isOptimized(module))
    return options;
  options.fuseResidual &= isEnabled(module, Optimization::FuseResidual);
  options.foldColumns &= isEnabled(module, Optimization::FoldColumns);
  options.splitConcat &= isEnabled(module, Optimization::SplitConcat);
  options.cascades &= isEnabled(module, Optimization::Cascade);
  if (!isEnabled(module, Optimization::CompressWeights))
    options.weightLoads = WeightLoads::Plain;
  if (!isEnabled(module, Optimization::InputBands))
    options.inputBands = 0;
  if (!isEnabled(module, Optimization::DivideLayers))
    options.cores = 1;
  options.stageKernels &= isEnabled(module, Optimization::StageKernels);
  if (!isEnabled(module, Optimization::ResidentTensors))
    options.residentFraction = 0;
  return options;
}

ArrayRef<LowerOptions> yarrow::npu::lowerAttempts(bool optimize) {
  static constexpr LowerOptions optimized[] = {
      {.residentFraction = 0.75, .tileFraction = 1},
      {.residentFraction = 0.5, .tileFraction = 1},
      {.residentFraction = 0.5, .tileFraction = 0.75},
      {.residentFraction = 0.25, .tileFraction = 0.75},
      {.residentFraction = 0, .tileFraction = 0.75},
      {.residentFraction = 0, .tileFraction = 0.5},
      {.residentFraction = 0, .tileFraction = 0.25}};
  static constexpr LowerOptions plain[] = {{.fuseResidual = false,
                                            .residentFraction = 0,
                                            .tileFraction = 0.75,
                                            .foldColumns = false,
                                            .splitConcat = false,
                                            .stageKernels = false},
                                           {.fuseResidual = false,
                                            .residentFraction = 0,
                                            .tileFraction = 0.5,
                                            .foldColumns = false,
                                            .splitConcat = false,
                                            .stageKernels = false},
                                           {.fuseResidual = false,
                                            .residentFraction = 0,
                                            .tileFraction = 0.25,
                                            .foldColumns = false,
                                            .splitConcat = false,
                                            .stageKernels = false}};
  return optimize ? ArrayRef<LowerOptions>(optimized) : plain;
}
