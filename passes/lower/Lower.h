//===- Lower.h - From layers to engine commands ---------------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// Adds to a network of integer (or mixed) Compass layers the npu commands that
// compute it: which engine computes a layer, which tensors stay in SRAM, how a
// layer that does not fit is cut into tiles, and which copies feed them.
// Addresses and waits come later (passes/plan, passes/schedule).
//
//   if (!lowerToNpu(module, machine, {}, diags)) ... // else it has @npu_main
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_PASSES_LOWER_LOWER_H
#define YARROW_PASSES_LOWER_LOWER_H

#include "isa/Machine.h"
#include "mlir/IR/BuiltinOps.h"
#include "passes/lower/choose/LowerOptions.h"
#include "passes/lower/choose/WeightStreams.h"
#include "support/Diagnostics.h"

namespace yarrow::npu {

class TrialCommands;
class TrialMemo;

/// Puts @npu_main into \p module, in the place of one that is there. False, and
/// none is there, after errors.
bool lowerToNpu(mlir::ModuleOp module, const isa::Machine &machine,
                const LowerOptions &options, DiagnosticEngine &diags);
/// With what earlier times have encoded.
bool lowerToNpu(mlir::ModuleOp module, const isa::Machine &machine,
                const LowerOptions &options, WeightStreams &streams,
                DiagnosticEngine &diags);

/// The same to be planned only: \p trial gets the commands, and @npu_main is
/// their buffers. Constants have sizes, but no bytes. \p memo has what trials
/// before have found; as long as it lives, no layer is to be changed.
bool lowerForTrial(mlir::ModuleOp module, const isa::Machine &machine,
                   LowerOptions options, WeightStreams &streams,
                   TrialMemo &memo, TrialCommands &trial,
                   DiagnosticEngine &diags);

} // namespace yarrow::npu

#endif // YARROW_PASSES_LOWER_LOWER_H
