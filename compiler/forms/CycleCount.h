//===- CycleCount.h - What a network takes on a target --------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// Compiles an integer network for a machine, runs it once on the simulator and
// reports where the cycles went, as `yarrow compile` and `yarrow run --timed`
// would, without any file. The engines' cycles do not depend on values, so the
// inputs are zeros.
//
//   std::optional<runtime::Report> report =
//       countCycles(*net, machine, {}, diags);
//   report->cycles;
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_COMPILER_FORMS_CYCLECOUNT_H
#define YARROW_COMPILER_FORMS_CYCLECOUNT_H

#include "compiler/forms/Form.h"
#include "compiler/pipeline/Compile.h"

namespace yarrow {

/// Nullopt after errors; warnings and notes are not passed on. \p network is
/// not changed.
std::optional<runtime::Report> countCycles(mlir::ModuleOp network,
                                           const isa::Machine &machine,
                                           const CompileOptions &options,
                                           DiagnosticEngine &diags);

/// Of an executable in memory; nullopt after errors.
std::optional<runtime::Report> cyclesOf(std::string_view executable,
                                        DiagnosticEngine &diags);

/// The same as the cost of a search, with all weights as they are rather than
/// as streams; \p machine and \p diags live as long.
FormCost simulatedCost(const isa::Machine &machine, CompileOptions options,
                       DiagnosticEngine &diags);

} // namespace yarrow

#endif // YARROW_COMPILER_FORMS_CYCLECOUNT_H
