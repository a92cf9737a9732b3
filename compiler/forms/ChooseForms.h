//===- ChooseForms.h - The form of every layer of a network ---------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// Another form than the direct one is used where, and only where, it is
// measured to be faster on the target and harmless to the result. Both are
// measured: cycles of whole networks (FormSearch.h, CycleCount.h), harm as the
// signal-to-noise ratio of a layer's result in every form against float, on
// calibration data (quantizer/metrics/FormLoss.h), and of the network's
// outputs. All of it happens in memory.
//
//   FormSearchTask search{settings, machine, simulatedCost(machine, {},
//   diags)}; FormDecision decision; auto network = quantizeInForms(origin,
//   isWanted, search, diags, decision);
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_COMPILER_FORMS_CHOOSEFORMS_H
#define YARROW_COMPILER_FORMS_CHOOSEFORMS_H

#include "compiler/forms/FormSearchTask.h"

namespace yarrow {

/// Chooses and quantizes; \p decision tells what and why. \p isWanted says
/// which layers of the float network may have which form at all. Null after
/// errors.
mlir::OwningOpRef<mlir::ModuleOp> quantizeInForms(
    const FloatOrigin &origin,
    const std::function<bool(const LayerForm &, mlir::Operation *)> &isWanted,
    const FormSearchTask &search, DiagnosticEngine &diags,
    FormDecision &decision);

/// Gives layers of an integer network exact forms, where the target has them.
/// False after errors.
bool chooseExactForms(mlir::OwningOpRef<mlir::ModuleOp> &network,
                      const FormSearchTask &search, DiagnosticEngine &diags,
                      FormDecision &decision);

} // namespace yarrow

#endif // YARROW_COMPILER_FORMS_CHOOSEFORMS_H
