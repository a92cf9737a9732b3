//===- Phases.h - The phases of a build as data -----------------*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// One record per phase (Phases.def), for quantization, compilations,
// --stop-after, `yarrow phases` and yarrow-opt. Each ends in its verifier.
//
//   buildPhases(pm, {.first = "winograd", .last = "schedule"});
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_COMPILER_PIPELINE_PHASES_H
#define YARROW_COMPILER_PIPELINE_PHASES_H

#include "dialects/npu/Optimizations.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/PassManager.h"
#include <functional>
#include <span>
#include <string>
#include <vector>

namespace yarrow {

/// Which phases run, and what they need to know beyond the module. The machine
/// is the module's (dialects/npu/Target.h).
struct PhaseOptions {
  /// Names of phases, both included.
  std::string first = "cleanup", last = "emit";
  bool optimize = true;
  std::vector<npu::Optimization> disabled = {}; ///< Of those.
  /// Runs the samples through the network and records the range of every
  /// tensor in it (quantizer/calibrate/RangeAttributes.h). Without it a
  /// network is compiled as it is. False after errors, which it has reported.
  std::function<bool(mlir::ModuleOp)> calibrate = {};
  /// Replaces the network by its integer form; as calibrate.
  std::function<bool(mlir::OwningOpRef<mlir::ModuleOp> &)> quantize = {};
  /// Chooses and makes the forms of layers; none if empty. As calibrate.
  std::function<bool(mlir::OwningOpRef<mlir::ModuleOp> &)> chooseForms = {};
  /// What emit writes; nothing if empty.
  std::string output = {};
  /// Where plan and emit keep compiled kernels and plans
  /// (support/BuildCache.h); empty: nowhere.
  std::string cache = {};
  // Of emit: codegen/Emit.h.
  uint32_t samples = 1;
  bool hasProfile = false;
  std::string weightFile = {};
};

/// Which commands can stop after a phase: `yarrow quantize` ends with the
/// integer network, `yarrow compile` begins with one.
enum class Stop { None, Quantize, Compile, Both };

struct Phase {
  const char *name;
  Stop stop;
  void (*build)(mlir::OpPassManager &pm, const PhaseOptions &options);
  const char *description, *postCondition;
};

/// All of them, in order.
std::span<const Phase> phases();
/// Those that \p command, Stop::Quantize or Stop::Compile, can stop after.
std::vector<std::string> phasesToStopAfter(Stop command);

/// Adds the passes of the phases from \p options.first to \p options.last.
void buildPhases(mlir::OpPassManager &pm, const PhaseOptions &options);

} // namespace yarrow

#endif // YARROW_COMPILER_PIPELINE_PHASES_H
