//===- Forms.cpp - The forms that layers can have -------------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "compiler/forms/Form.h"
#include "compiler/forms/WinogradForms.h"
#include "quantizer/metrics/Metrics.h"

using namespace yarrow;

std::span<const LayerForm *const> yarrow::layerForms() {
  static const LayerForm *const forms[] = {
      &winogradRows(),
      &winogradSquare(),
      &winogradExact(),
  };
  return forms;
}

std::optional<std::vector<FormLoss>>
LayerForm::loss(const FormInput &input, mlir::ModuleOp changed,
                DiagnosticEngine &diags) const {
  if (isExact())
    return std::vector<FormLoss>();
  assert(input.origin && "a form's loss needs the float network, too");
  return measureFormLoss(
      input.origin->network, input.direct, changed,
      [&](mlir::Operation *layer) { return isIn(layer); },
      input.origin->samples, kComparedSamples, diags);
}
