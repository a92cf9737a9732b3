//===- CycleCount.h - What a network takes on a target --------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// Compiles an integer network for a machine, runs it once on the simulator and
// reports where the cycles went, as `yarrow compile` and `yarrow run --timed`
// would. The engines' cycles do not depend on values, so the inputs are zeros.
//
//   std::optional<runtime::Report> report = countCycles(*net, machine, diags);
//   report->cycles;
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_COMPILER_DRIVER_CYCLECOUNT_H
#define YARROW_COMPILER_DRIVER_CYCLECOUNT_H

#include "compiler/pipeline/Compile.h"
#include "runtime/Report.h"

#include <optional>

namespace yarrow {

/// Nullopt after errors; warnings and notes are not passed on. \p network is
/// not changed.
std::optional<runtime::Report> countCycles(mlir::ModuleOp network,
                                           const isa::Machine &machine,
                                           const CompileOptions &options,
                                           DiagnosticEngine &diags);

} // namespace yarrow

#endif // YARROW_COMPILER_DRIVER_CYCLECOUNT_H
